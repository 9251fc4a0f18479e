"""Parse documents, update their trees, and walk them within limits."""
