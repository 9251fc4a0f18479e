"""Errors that an edit introduces: syntax errors, and violations of a language's own rules."""
