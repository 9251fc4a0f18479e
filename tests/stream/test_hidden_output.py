"""Invisible characters are removed from an answer unless the language needs them."""

from __future__ import annotations

import sys
import unicodedata
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twospeed.stream.hidden_output import HiddenOutput

pytestmark = pytest.mark.security("R3.2")


def cleaned(line: str, *old: str) -> str:
    return HiddenOutput(old).clean_line(line)


# Every code point, compared with the Unicode database


def codes(*ranges: tuple[int, int]) -> frozenset[int]:
    return frozenset(code for first, last in ranges for code in range(first, last + 1))


SEEN_FORMAT_CHARACTERS = codes(
    (0x0600, 0x0605),
    (0x06DD, 0x06DD),
    (0x0890, 0x0891),
    (0x08E2, 0x08E2),
    (0x110BD, 0x110BD),
    (0x110CD, 0x110CD),
) | codes((0x070F, 0x070F), (0x13430, 0x1345F))
"""Visible characters of category Cf: signs around numbers, a Syriac stroke, the layout of hieroglyphs."""

UNSEEN_OTHERS = (
    codes((0x034F, 0x034F), (0x115F, 0x1160), (0x3164, 0x3164), (0xFFA0, 0xFFA0), (0x17B4, 0x17B5))
    | codes((0x180B, 0x180F), (0xFE00, 0xFE0F), (0xE0000, 0xE0FFF))
    | codes((0x2065, 0x2065), (0xFFF0, 0xFFF8), (0xFDD0, 0xFDEF))
    | codes(*((plane + 0xFFFE, plane + 0xFFFF) for plane in range(0, 0x110000, 0x10000)))
)
"""Joiners, fillers, selectors and tags; code points reserved for them; noncharacters."""


def is_hidden(character: str) -> bool:
    if ord(character) in SEEN_FORMAT_CHARACTERS or character in "\t\n\r":
        return False
    return (
        unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"} or ord(character) in UNSEEN_OTHERS
    )


def test_only_visible_code_points_are_kept_between_letters() -> None:
    cleaner = HiddenOutput([])
    expected = Counter[str]()
    for first in range(0, sys.maxunicode + 1, 256):
        block = [chr(code) for code in range(first, first + 256)]
        hidden = set(filter(is_hidden, block))
        expected.update(hidden)
        assert cleaner.clean_line("x".join(block)) == "x".join(
            "" if character in hidden else character for character in block
        )
    assert cleaner.dropped == expected


def test_every_code_point_of_the_old_text_is_kept() -> None:
    for first in range(0, sys.maxunicode + 1, 256):
        line = "x".join(chr(code) for code in range(first, first + 256))
        assert HiddenOutput([line]).clean_line(line) == line


# Joiners and selectors

AT_WORK = {
    "heart": "❤️",
    "digit key": "1️⃣ #️⃣ *️⃣",
    "family": "👨\u200d👩\u200d👧\u200d👦",
    "skin": "👩🏽\u200d🚀",
    "eye in bubble": "👁️\u200d🗨️",
    "rainbow flag": "🏳️\u200d🌈",
    "pirate flag": "🏴\u200d☠️",
    "regional flag": "🇨🇭",
    "flag of Wales": "🏴\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f",
    "Persian": "می\u200cشود",
    "Hindi": "क्\u200dष",
    "Mongolian": "ᠠ\u180b",
    "old form of a kanji": "葛︀",
}


@pytest.mark.parametrize("text", AT_WORK.values(), ids=AT_WORK)
def test_a_joiner_or_selector_with_an_effect_is_kept(text: str) -> None:
    assert cleaned(f'x = "{text}"') == f'x = "{text}"'


@pytest.mark.parametrize(
    ("line", "seen"),
    [
        ("a\u200db", "ab"),
        ("य\u200d\u200cय", "यय"),
        ("\u200dय\u200d", "य"),
        ("a\ufe0fb", "ab"),
        ("❤\ufe0f\ufe0e\ufe00", "❤\ufe0f"),
        (" \ufe0f\u200dय", " य"),
        ("🏴\U000e0067\U000e0062\U000e007f", "🏴"),
        ("🏴\U000e0072\U000e006d\U000e0020\U000e007f", "🏴"),
        ("\ufeffimport os", "import os"),
        ("if x\u202e\u2066# admin\u2069:", "if x# admin:"),
        ("print('\x1b[2J\x00')", "print('[2J')"),
        ("a\U000e0100\U000e01efb", "ab"),
    ],
    ids=ascii,
)
def test_a_joiner_or_selector_without_an_effect_is_removed(line: str, seen: str) -> None:
    assert cleaned(line) == seen


def test_hidden_characters_of_the_old_text_are_kept_anywhere() -> None:
    old = ["# \x0c", 'mark = "\u200f"']
    assert cleaned("a\x0cb\u200fc\u200ed", *old) == "a\x0cb\u200fcd"


def test_removed_characters_are_counted_by_kind() -> None:
    cleaner = HiddenOutput([])
    for line in ("a\u202eb\u202e", "plain", "c\x00", "👩\u200d💻"):
        cleaner.clean_line(line)
    assert cleaner.dropped == {"\u202e": 2, "\x00": 1}


def test_surrogate_halves_are_joined_and_a_lone_half_is_removed() -> None:
    assert cleaned('"\ud83d\ude0b"') == '"😋"'
    assert cleaned("a\ud83db\ude0bc\ude0b\ud83d") == "abc"
    assert cleaned("\udb40\udc41") == "", "a tag in halves is still a tag"


# Laws

CHARACTERS = st.one_of(
    st.sampled_from(
        "a1# \t\u200b\u200c\u200d\u202e\u2066\ufe0f\ufe0e\u180b\ufeff\x0c\x1b\x00\x85\u2028\u3164"
    ),
    st.sampled_from("é❤👩💻🏴यم\U000e0067\U000e0062\U000e0065\U000e006e\U000e007f\U000e0100\U0001fffe"),
    st.characters(blacklist_characters="\r\n"),
)
FLAG = AT_WORK["flag of Wales"]
LINES = st.lists(
    CHARACTERS | st.sampled_from(["\ud83d", "\ude0b", "\udb40", "\udc41", FLAG]), max_size=12
).map("".join)
OLD = st.lists(st.text(CHARACTERS, max_size=4), max_size=3)


@given(LINES, OLD)
def test_cleaning_is_idempotent(line: str, old: list[str]) -> None:
    assert cleaned(cleaned(line, *old), *old) == cleaned(line, *old)


@given(st.text(CHARACTERS, min_size=1), st.data())
def test_a_text_of_the_old_texts_characters_is_unchanged(old: str, data: st.DataObject) -> None:
    line = data.draw(st.text(st.sampled_from(old)))
    assert cleaned(line, old) == line


@given(LINES, OLD)
def test_cleaning_adds_no_character(line: str, old: list[str]) -> None:
    cleaner = HiddenOutput(old)
    kept = Counter(cleaner.clean_line(line))
    joined = line.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    assert kept + Counter(cleaner.dropped) == Counter(joined)
