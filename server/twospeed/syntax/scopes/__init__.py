"""The lines that an edit may change, and their content."""
