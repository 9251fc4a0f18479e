"""Patterns of file names in the style of ``.gitignore``."""
