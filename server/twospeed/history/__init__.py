"""Statistics of past edits in a local SQLite file; it contains no code and no instructions."""
