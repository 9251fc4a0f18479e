"""Add import statements to the import block of a document."""
