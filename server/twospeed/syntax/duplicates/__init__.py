"""Detection of functions in an answer that the project already has."""
