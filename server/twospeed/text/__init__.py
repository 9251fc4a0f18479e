"""Plain values that all rooms share: documents, positions, edits and facts about code."""
