"""Documents follow the client's changes exactly, and our own edits have their stated effect."""

from __future__ import annotations

import itertools
import re

from hypothesis import given
from hypothesis import strategies as st
from tests.text.documents import opened

from twospeed.text.document import ContentChange, Document, Splice
from twospeed.text.edits import LineEdit, TextEdit, apply_line_edits, common_ends
from twospeed.text.lines import bodies_of, body_of, dominant_eol, eol_of, split_lines
from twospeed.text.positions import Encoding, Position, Range, column_of, units

ENCODINGS: list[Encoding] = ["utf-8", "utf-16", "utf-32"]
ALPHABET = "ab \t\r\n\f\v\x85\u2028é😋\u0301"
texts = st.text(ALPHABET, max_size=40)
encodings = st.sampled_from(ENCODINGS)
positions = st.builds(Position, st.integers(0, 8), st.integers(0, 12))


# A second, naive reading of the specification: offsets into one string.


def naive_line_starts(text: str) -> list[int]:
    return [0, *(match.end() for match in re.finditer(r"\r\n|\n|\r", text))]


def naive_offset(text: str, position: Position, encoding: Encoding) -> int:
    starts = naive_line_starts(text)
    if position.line >= len(starts):
        return len(text)
    start = starts[position.line]
    body = re.split(r"\r\n|\n|\r", text[start:], maxsplit=1)[0]
    width = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]
    codec = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}[encoding]
    used = 0
    for index, character in enumerate(body):
        used += len(character.encode(codec)) // width
        if used > position.character:
            return start + index
    return start + len(body)


def naive_apply(text: str, change: ContentChange, encoding: Encoding) -> str:
    if change.range is None:
        return change.text
    start, end = sorted(
        (naive_offset(text, change.range.start, encoding), naive_offset(text, change.range.end, encoding))
    )
    return text[:start] + change.text + text[end:]


@given(texts)
def test_lines_join_to_the_text_and_only_the_last_has_no_end(text: str) -> None:
    lines = split_lines(text)
    assert "".join(lines) == text
    assert len(lines) == len(naive_line_starts(text))
    assert all(eol_of(line) in ("\n", "\r\n", "\r") for line in lines[:-1])
    assert not eol_of(lines[-1])
    assert all(not re.search(r"[\r\n]", body_of(line)) for line in lines)


@given(texts, st.integers(0, 9), st.integers(0, 9))
def test_bodies_of_lines_equal_the_body_of_each_line(text: str, start: int, end: int) -> None:
    lines = split_lines(text)[start:end]
    assert bodies_of(lines) == [body_of(line) for line in lines]


def test_form_feed_and_line_separator_end_no_line() -> None:
    assert split_lines("a\fb\u2028c\x85d\n") == ["a\fb\u2028c\x85d\n", ""]


@given(
    texts,
    st.lists(st.builds(ContentChange, st.none() | st.builds(Range, positions, positions), texts), max_size=4),
    encodings,
)
def test_a_change_gives_the_text_of_the_specification(
    text: str, changes: list[ContentChange], encoding: Encoding
) -> None:
    document, expected = opened(text, encoding), text
    for change in changes:
        before = document
        document, splice = document.changed(change)
        expected = naive_apply(expected, change, encoding)
        assert document.text == expected
        assert document.lines == tuple(split_lines(expected))
        rebuilt = [*before.lines[: splice.start], *splice.lines, *before.lines[splice.start + splice.count :]]
        assert bodies_of(rebuilt) == bodies_of(document.lines)


def test_an_inserted_line_is_a_splice_of_that_line_alone() -> None:
    change = ContentChange(Range(Position(1, 0), Position(1, 0)), "new\n")
    _, splice = opened("a\nb\n").changed(change)
    assert splice == Splice(1, 0, ("new\n",))


def test_a_line_inserted_or_deleted_above_an_equal_one_is_above_it() -> None:
    above = Range(Position(0, 0), Position(0, 0))
    assert opened("a\nb\n").changed(ContentChange(above, "a\n"))[1] == Splice(0, 0, ("a\n",))
    first = Range(Position(0, 0), Position(1, 0))
    assert opened("a\na\nb\n").changed(ContentChange(first, ""))[1] == Splice(0, 1, ())


def test_a_line_inserted_or_deleted_below_an_equal_last_one_is_below_it() -> None:
    end, both = Range(Position(0, 1), Position(0, 1)), Range(Position(0, 1), Position(1, 1))
    assert opened("a").changed(ContentChange(end, "\na"))[1] == Splice(1, 0, ("a",))
    assert opened("a\na").changed(ContentChange(both, ""))[1] == Splice(1, 1, ())


def test_a_last_line_is_not_in_a_splice_below_it() -> None:
    assert opened("a").changed(ContentChange(None, "a\nb"))[1] == Splice(1, 0, ("b",))
    assert opened("a\nb").changed(ContentChange(None, "a"))[1] == Splice(1, 1, ())
    assert opened("a\nb").changed(ContentChange(None, "c"))[1] == Splice(0, 2, ("c",))


def test_a_change_without_effect_is_an_empty_splice() -> None:
    change = ContentChange(Range(Position(0, 0), Position(0, 1)), "a")
    assert not opened("a\nb\n").changed(change)[1]


def test_deleting_text_between_cr_and_lf_joins_them() -> None:
    document, _ = opened("a\rb\n").changed(ContentChange(Range(Position(1, 0), Position(1, 1)), ""))
    assert document.lines == ("a\r\n", "")


def test_our_deletion_between_cr_and_lf_keeps_two_line_ends() -> None:
    document = opened("a\rb\n\nc")
    edits = [LineEdit(1, 1)]
    assert document.with_edits(edits).lines == ("a\r\n", "\n", "c")
    assert with_text_edits(document, document.text_edits(edits)).text == "a\r\n\nc"


def test_reversed_ranges_and_columns_past_the_end_are_normalized() -> None:
    change = ContentChange(Range(Position(0, 99), Position(0, 1)), "-")
    assert opened("abc\nd").changed(change)[0].text == "a-\nd"


@given(texts, encodings)
def test_columns_round_trip_through_positions(text: str, encoding: Encoding) -> None:
    body = body_of(split_lines(text)[0])
    for column in range(len(body) + 1):
        assert column_of(body, units(body[:column], encoding), encoding) == column


@given(st.text("ab", max_size=12), st.text("ab", max_size=12))
def test_common_ends_are_equal_and_do_not_overlap(old: str, new: str) -> None:
    head, tail = common_ends(old, new)
    assert old[:head] == new[:head]
    assert head + tail <= min(len(old), len(new))
    assert old[len(old) - tail :] == new[len(new) - tail :]
    if head + tail < min(len(old), len(new)):
        assert old[head] != new[head]
        assert old[-1 - tail] != new[-1 - tail]


@st.composite
def documents_and_edits(draw: st.DrawFn) -> tuple[Document, list[LineEdit]]:
    document = opened(draw(texts), draw(encodings))
    edits: list[LineEdit] = []
    at = 0
    n_lines = len(document.lines)
    while at <= n_lines and draw(st.booleans()):
        start = draw(st.integers(at, n_lines))
        count = draw(st.integers(0, n_lines - start))
        lines = draw(st.lists(st.text("xyé😋", max_size=4), max_size=3))
        edits.append(LineEdit(start, count, tuple(lines)))
        at = start + count + 1
        if start + count >= n_lines - 1:
            break
    return document, edits


def with_text_edits(document: Document, edits: list[TextEdit]) -> Document:
    for edit in reversed(edits):
        document, _ = document.changed(ContentChange(edit.range, edit.new_text))
    return document


@given(documents_and_edits())
def test_text_edits_have_the_effect_of_line_edits(case: tuple[Document, list[LineEdit]]) -> None:
    document, edits = case
    wire = document.text_edits(edits)
    assert with_text_edits(document, wire).lines == document.with_edits(edits).lines
    for before, after in itertools.pairwise(wire):
        assert before.range.end <= after.range.start
    for edit in wire:
        assert edit.new_text or edit.range.start != edit.range.end


def test_a_changed_line_sends_only_its_changed_part() -> None:
    document = opened("total = 1\n")
    (edit,) = document.text_edits([LineEdit(0, 1, ("total = 2",))])
    assert (edit.range, edit.new_text) == (Range(Position(0, 8), Position(0, 9)), "2")


def test_an_unchanged_line_is_not_sent() -> None:
    assert opened("a\n").text_edits([LineEdit(0, 1, ("a",))]) == []


def test_appended_lines_leave_the_document_without_a_final_line_end() -> None:
    assert apply_line_edits(["a\r\n", "b"], [LineEdit(2, 0, ("c",))], "\r\n") == ["a\r\n", "b\r\n", "c"]


def test_the_most_frequent_line_end_wins() -> None:
    assert dominant_eol("a\r\nb\r\nc\n") == "\r\n"
    assert dominant_eol("") == "\n"
