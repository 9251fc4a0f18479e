"""Cut a text that a provider sends in one event into pieces, so that the event loop has turns between them."""

from __future__ import annotations

from collections.abc import Sequence

PIECE_CHARS = 8 * 1024
"""Characters that are read in one step: some 200 lines. Some servers send a whole answer in one event."""


def pieces_of(text: str) -> Sequence[str]:
    """Cut a text into pieces of at most ``PIECE_CHARS`` characters, at least one."""
    return [text[at : at + PIECE_CHARS] for at in range(0, len(text), PIECE_CHARS)] or [text]
