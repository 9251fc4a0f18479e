"""The mask for secrets, and lower case with unchanged offsets."""

from __future__ import annotations

MASK = "***"


def lower_case(text: str) -> str:
    """Return a text in lower case with unchanged offsets."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(
        each.lower() if each.isascii() else each for each in text
    )  # lower() turns a Turkish capital I into two characters
