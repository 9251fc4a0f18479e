"""File patterns in the style of ``.gitignore``."""
