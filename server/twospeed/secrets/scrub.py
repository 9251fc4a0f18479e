"""Remove API keys, and what looks like a secret, from text that is shown or logged.

Start-up imports this module, so the searches are imported when the first text is scrubbed.
"""

from __future__ import annotations

from collections.abc import Iterable

from .masking import MASK

LEAST_KEY_CHARS = 8
"""A shorter key is a common word, such as ``x`` for a local server: masking it would spoil every message."""

_keys: set[str] = set()
"""Every key that this process has read."""


def remember_key(value: str) -> None:
    """Add a key to those that `scrub` removes; keys shorter than `LEAST_KEY_CHARS` are not added."""
    if len(value) >= LEAST_KEY_CHARS:
        _keys.add(value)


def scrub(text: str) -> str:
    """Replace the known keys, pieces of them, and everything that looks like a secret, by ``***``."""
    from .search import mask_secrets  # noqa: PLC0415

    return mask_secrets(without_keys(text, _keys))


def without_keys(text: str, keys: Iterable[str]) -> str:
    """Replace these keys and pieces of them by ``***``."""
    from .key_pieces import spans_of_key  # noqa: PLC0415

    spans = sorted(span for key in keys for span in spans_of_key(text, key))
    pieces: list[str] = []
    done = 0
    for start, end in spans:
        if start > done or not pieces:
            pieces += (text[done:start], MASK)
        done = max(done, end)
    return "".join((*pieces, text[done:]))
