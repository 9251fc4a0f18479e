"""The lines of a scope while an answer is applied and the user types: rows, typing, undo, review."""
