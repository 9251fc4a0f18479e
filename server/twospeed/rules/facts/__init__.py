"""The facts that the built-in engine reads: definitions, identifiers, format expressions of a scope."""
