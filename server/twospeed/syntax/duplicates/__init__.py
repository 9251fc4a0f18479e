"""Functions of an answer that the project already has."""
