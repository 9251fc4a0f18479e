"""Columns in every encoding at every offset, compared with a slow count of characters."""

from __future__ import annotations

import pytest

from twospeed.text.positions import Encoding, column_of, units

BODIES = ["", "abc", "é", "aé€😀b", "😀😀", "€€", "a\ud83d", "\ude00a", "\ud83d😀\ude00é", "日本語 and more"]


def slowly(body: str, character: int, encoding: Encoding) -> int:
    """Count whole characters up to the last one that fits before the offset."""
    for column in range(len(body)):
        if units(body[: column + 1], encoding) > character:
            return column
    return len(body)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
@pytest.mark.parametrize("body", BODIES)
def test_an_offset_inside_a_character_or_past_the_end_is_clamped(body: str, encoding: Encoding) -> None:
    for character in range(units(body, encoding) + 3):
        assert column_of(body, character, encoding) == slowly(body, character, encoding), character
