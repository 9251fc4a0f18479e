"""Add import statements to the import block of a document, and find those that it no longer needs."""

from .add_imports import AddedImports, add_imports
from .unused_imports import UnusedImport, removed_names, unused_imports

__all__ = ["AddedImports", "UnusedImport", "add_imports", "removed_names", "unused_imports"]
