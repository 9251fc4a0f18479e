"""The random words that separate prompts from the text of documents.

A document keeps its word from edit to edit, because providers cache prompts by their beginning. Only models receive the
word. If a model writes it into the document, the next prompt finds it there, and the document gets another word.
"""

from __future__ import annotations

import os


class PromptDelimiters:
    """One word for each document in a prompt."""

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
        """Forget the word of a document."""
        self._words.pop(uri, None)
