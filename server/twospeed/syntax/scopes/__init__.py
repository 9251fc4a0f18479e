"""The lines that an edit may change, and what they contain."""
