"""Separate import statements for the file from an answer for a scope below the file's imports."""
