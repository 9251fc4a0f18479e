"""Columns next to lone surrogates, and line ends of lines that are added below the last line."""

from __future__ import annotations

import pytest

from twospeed.secrets.detectors.private_keys import ends_in_key
from twospeed.text.document import Document
from twospeed.text.edits import LineEdit
from twospeed.text.positions import column_of, units

HIGH, LOW, SMILE = "\ud83d", "\ude00", "\U0001f600"


@pytest.mark.parametrize(
    ("body", "character", "column"),
    [
        (f"{SMILE}x", 0, 0),
        (f"{SMILE}x", 1, 0),
        (f"{SMILE}x", 2, 1),
        (f"{HIGH}xé", 1, 1),
        (f"é{LOW}x", 1, 1),
        (f"{LOW}é{HIGH}", 0, 0),
        (f"{LOW}é{HIGH}", 3, 3),
        (f"é{HIGH}{HIGH}{LOW}x", 2, 2),
        (f"é{HIGH}{HIGH}{LOW}x", 3, 2),
        ("é", 9, 1),
    ],
)
def test_a_utf16_column_is_never_inside_a_character(body: str, character: int, column: int) -> None:
    joined = body.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    assert column_of(joined, character, "utf-16") == column


@pytest.mark.parametrize(("character", "column"), [(0, 0), (1, 0), (3, 0), (4, 1), (5, 2), (6, 2)])
def test_a_utf8_column_is_never_inside_a_character(character: int, column: int) -> None:
    assert column_of(f"{SMILE}x", character, "utf-8") == column


@pytest.mark.parametrize(("encoding", "n"), [("utf-8", 7), ("utf-16", 4), ("utf-32", 3)])
def test_units_depend_on_the_encoding(encoding: str, n: int) -> None:
    assert units(f"é{SMILE}x", encoding) == n  # type: ignore[arg-type]  # one of the three


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n", "a\n\nnew"),
        ("a", "a\nnew"),
        ("a\r\nb", "a\r\nb\r\nnew"),
        ("a\nb\r", "a\nb\r\r\nnew"),
        ("", "\nnew"),
    ],
)
def test_lines_added_after_the_last_line_begin_a_new_line(text: str, expected: str) -> None:
    document = Document.opened("file:///a.py", 1, "python", text, "utf-16")
    edit = LineEdit(len(document.lines), 0, ("new",))
    assert document.with_edits([edit]).text == expected
    [sent] = document.text_edits([edit])
    end = sent.range.start
    assert (end.line, sent.range.end) == (len(document.lines) - 1, end)
    assert text + sent.new_text == expected


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["-----BEGIN RSA PRIVATE KEY-----", "abc"], True),
        (["-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"], False),
        (["-----END RSA PRIVATE KEY-----", "-----BEGIN RSA PRIVATE KEY-----"], True),
        (["abc"], False),
        ([], False),
    ],
)
def test_lines_end_in_a_key_after_its_begin(lines: list[str], expected: bool) -> None:
    assert ends_in_key(lines) is expected
    assert ends_in_key(["abc"], begins_inside=True)
