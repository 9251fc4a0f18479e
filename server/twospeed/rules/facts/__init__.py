"""Facts about a scope for the built-in engine: definitions, identifiers, format expressions."""
