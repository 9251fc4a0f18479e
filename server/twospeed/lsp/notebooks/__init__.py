"""Notebooks of the client: which cells they have, and what an edit of a cell reads of the cells above."""
