"""What stands in the place of a secret, and a text in small letters in which places stay the same."""

from __future__ import annotations

MASK = "***"


def lower_case(text: str) -> str:
    """Write a text in small letters, each character in its place."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(
        each.lower() if each.isascii() else each for each in text
    )  # a Turkish capital I becomes two
