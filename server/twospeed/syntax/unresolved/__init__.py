"""Names that an answer uses without a definition or import, and the imports that resolve them."""
