import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twospeed.text.hidden import make_visible, make_visible_in_line, make_visible_in_prose

pytestmark = pytest.mark.security("R3.1")

RANGES = [
    (0x00, 0x08),
    (0x0B, 0x0C),
    (0x0E, 0x1F),
    (0x7F, 0x9F),
    (0x061C, 0x061C),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x2060),
    (0x2066, 0x2069),
    (0xFDD0, 0xFDEF),
    (0xFEFF, 0xFEFF),
    (0xFFF0, 0xFFFB),
    (0xFFFE, 0xFFFF),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE007F),
    (0xE0100, 0xE01EF),
]


@pytest.mark.parametrize(("first", "last"), RANGES)
def test_every_character_of_a_hidden_range_is_escaped(first, last):
    for code in range(first, last + 1):
        assert make_visible(f"a{chr(code)}b") == f"a\\u{{{code:x}}}b"


def test_tabs_and_line_ends_are_not_escaped():
    assert make_visible("a\tb\r\nc\nd\re") == "a\tb\r\nc\nd\re"


def test_ordinary_scripts_are_not_escaped():
    text = "naïve 日本語 Ελληνικά שלום مرحبا हिन्दी 🧠⚡ ☎️ \xa0"
    assert make_visible(text) == text


def test_an_escaped_lone_surrogate_can_be_encoded():
    assert make_visible("\ud83d").encode("utf-8") == b"\\u{d83d}"


def test_every_character_is_kept_or_escaped():
    everything = "".join(map(chr, range(sys.maxunicode + 1)))
    visible = make_visible(everything)
    assert make_visible(visible) == visible
    visible.encode("utf-8")


@given(st.text())
def test_escaping_is_idempotent(text):
    assert make_visible(make_visible(text)) == make_visible(text)


@given(st.text(), st.text())
def test_escaping_pieces_equals_escaping_the_whole(one, two):
    assert make_visible(one) + make_visible(two) == make_visible(one + two)


def test_a_name_is_escaped_to_one_line():
    assert make_visible_in_line("a\nb\tc\r\u202e") == r"a\u{a}b\u{9}c\u{d}\u{202e}"


def test_prose_keeps_joiners_of_persian_hindi_and_emoji():
    text = "می\u200cشود क्\u200dष 👩\u200d💻 ❤️\u200d🔥 👁️\u200d🗨️"
    assert make_visible_in_prose(text) == text


def test_prose_escapes_joiners_that_join_nothing():
    assert make_visible_in_prose("a\u200db") == r"a\u{200d}b"
    assert make_visible_in_prose("य\u200d\u200cय") == r"य\u{200d}\u{200c}य"
    assert make_visible_in_prose("\u200dय\u200d") == r"\u{200d}य\u{200d}"
    assert make_visible_in_prose("य\u200d\ufe0f") == "य" + r"\u{200d}" + "\ufe0f"


def test_prose_escapes_tags_and_bidi_controls():
    assert make_visible_in_prose("add \U000e0041 tests\u202e") == r"add \u{e0041} tests\u{202e}"
