"""Remove API keys, and what looks like a secret, from text that is shown or logged.

The searches are imported late, because start-up imports this module.
"""

from __future__ import annotations

from collections.abc import Iterable

MASK = "***"

LEAST_KEY_CHARS = 8
"""A shorter key is a common word, such as ``x`` for a local server."""

_keys: set[str] = set()
"""Every key that this process has read."""


def remember_key(value: str) -> None:
    """Add a key of at least `LEAST_KEY_CHARS` to those that `scrub` removes."""
    if len(value) >= LEAST_KEY_CHARS:
        _keys.add(value)


def scrub(text: str) -> str:
    """Replace the known keys, pieces of them, and what looks like a secret, by ``***``."""
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


def lower_case(text: str) -> str:
    """Return a text in lower case with unchanged offsets."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(
        each.lower() if each.isascii() else each for each in text
    )  # lower() turns a Turkish capital I into two characters
