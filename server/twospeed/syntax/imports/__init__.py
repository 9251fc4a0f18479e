"""Add import statements to the import block of a document, and find those that it no longer needs."""

from .add_imports import AddedImports, add_imports
from .unused_imports import UnusedImport, imported_names_in, unused_imports

__all__ = ["AddedImports", "UnusedImport", "add_imports", "imported_names_in", "unused_imports"]
