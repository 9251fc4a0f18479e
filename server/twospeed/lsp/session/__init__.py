"""What one connection keeps: documents, settings, workspace symbols and edits."""
