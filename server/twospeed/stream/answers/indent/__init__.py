"""Restore the document's indentation in an answer."""
