"""The state of one connection: documents, settings, workspace, models and history."""
