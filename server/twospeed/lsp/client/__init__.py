"""Requests and notifications to the editor: questions, diagnostics, messages."""
