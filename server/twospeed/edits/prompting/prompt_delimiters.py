"""The random words that set the marks of prompts apart from the text of documents.

A document keeps its word from edit to edit, because a prompt that begins with another one is in no provider's cache.
Only models are told it. One that says it puts it into the document at most, where the next prompt finds it, and then
the document gets another one.
"""

from __future__ import annotations

import os


class PromptDelimiters:
    """One word for each document that was asked about."""

    def __init__(self) -> None:
        self._words: dict[str, str] = {}

    def of(self, uri: str) -> str:
        """Return the word of a document."""
        return self._words.get(uri) or self.renew(uri)

    def renew(self, uri: str) -> str:
        """Give a document another word, and return it."""
        self._words[uri] = os.urandom(8).hex()
        return self._words[uri]

    def forget(self, uri: str) -> None:
        """Be done with a document."""
        self._words.pop(uri, None)
