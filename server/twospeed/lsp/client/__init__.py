"""Requests and notifications to the client: edits, questions, diagnostics, progress and messages."""
