"""Control characters of foreign text are visible on a terminal."""

import pytest

from twospeed.cli.visible import complain, one_line, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, äöü 漢字 😀 \t tab", "plain, äöü 漢字 😀 \t tab"),
        ("\x1b[2J\x1b]0;title\x07", "\\x1b[2J\\x1b]0;title\\x07"),
        ("\x9b31m\x7f", "\\x9b31m\\x7f"),
        ("a\u202eb\u2066c\u200bd\ufeffe", "a\\u202eb\\u2066c\\u200bd\\ufeffe"),
        ("\U000e0041", "\\U000e0041"),
        ("\ud83d", "\\ud83d"),
        ("a\rb\nc\u2028d", "a\\rb\\nc\\u2028d"),
    ],
)
def test_control_characters_are_shown_as_escapes(text, shown) -> None:
    assert visible(text) == shown


def test_a_message_is_one_line_of_bounded_length() -> None:
    assert one_line("a\n  b\r\n\x1bc") == "a b \\x1bc"
    assert len(one_line("x" * 1000)) == 500


def test_a_complaint_is_one_line_on_stderr(capsys) -> None:
    complain("two\nlines")
    assert capsys.readouterr() == ("", "twospeed: two lines\n")
