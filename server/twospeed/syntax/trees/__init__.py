"""Parse documents, keep their trees up to date, and walk them within limits."""
