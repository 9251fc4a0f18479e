"""Losses in an answer: definitions, lines, names, imports, the ends of the scope."""
