"""Suggestions at the cursor: when a model is queried, what it reads, and which part of its answer is shown."""
