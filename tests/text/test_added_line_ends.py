"""New lines get the current line end of the document; a restored line keeps its own if known."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.text.documents import opened

from twospeed.text.document import ContentChange, Document, Splice
from twospeed.text.edits import LineEdit
from twospeed.text.line_blocks import Lines
from twospeed.text.lines import EolCounts, bodies_of, eol_of, split_lines
from twospeed.text.positions import Position, Range

EOLS = ["\n", "\r\n", "\r"]
TEXTS = st.lists(st.sampled_from(["a", "b", "", *EOLS]), max_size=12).map("".join)


def with_change(document: Document, start: tuple[int, int], end: tuple[int, int], text: str) -> Document:
    where = Range(Position(*start), Position(*end))
    return document.changed(ContentChange(where, text))[0]


def converted(document: Document, eol: str) -> Document:
    """Return a document with another line end on every line, as "Change End of Line Sequence" makes it."""
    text = eol.join(bodies_of(document.lines))
    return with_change(document, (0, 0), (len(document.lines), 0), text)


def inserted(document: Document) -> str:
    """Return the document with a line of ours inserted at its start."""
    return document.with_edits([LineEdit(0, 0, ("NEW",))]).text


@pytest.mark.parametrize("eol", EOLS, ids=repr)
def test_the_first_line_end_becomes_the_documents_line_end(eol: str) -> None:
    document = with_change(opened(""), (0, 0), (0, 0), f"a{eol}")
    assert inserted(document) == f"NEW{eol}a{eol}"


@pytest.mark.parametrize("eol", EOLS, ids=repr)
def test_a_document_without_line_ends_keeps_its_previous_one(eol: str) -> None:
    document = with_change(opened(f"a{eol}b{eol}"), (0, 0), (2, 0), "")
    assert document.text == ""
    assert document.with_edits([LineEdit(0, 1, ("NEW", ""))]).text == f"NEW{eol}"


@pytest.mark.parametrize("had", EOLS, ids=repr)
@pytest.mark.parametrize("has", EOLS, ids=repr)
def test_a_change_of_all_line_ends_is_adopted(had: str, has: str) -> None:
    document = converted(opened(f"a{had}b{had}"), has)
    assert inserted(document) == f"NEW{has}a{has}b{has}"
    back = converted(document, had)
    assert inserted(back) == f"NEW{had}a{had}b{had}"


def test_a_mixed_document_uses_the_most_frequent_line_end() -> None:
    document = opened("a\nb\r\n")
    assert document.eol == "\n"
    document = with_change(document, (0, 0), (0, 0), "c\r\n")
    assert document.eol == "\r\n"
    document = with_change(document, (0, 0), (0, 0), "d\n")
    assert document.eol == "\r\n"
    document = with_change(document, (0, 0), (0, 0), "e\n")
    assert document.eol == "\n"


def test_a_replaced_line_keeps_its_line_end() -> None:
    document = opened("a\nb\r\nc\rd\n")
    edits = [LineEdit(1, 1, ("B",)), LineEdit(2, 1, ("C",))]
    assert document.with_edits(edits).text == "a\nB\r\nC\rd\n"


def test_a_restored_line_has_its_own_line_end() -> None:
    document = opened("a\nb\r\nc\n")
    without = document.with_edits([LineEdit(1, 1)])
    assert without.with_edits([LineEdit(1, 0, ("b\r\n",))]).text == document.text


def test_a_restored_line_gets_the_new_line_end_after_all_were_changed() -> None:
    document = converted(opened("a\nb\nc\n").with_edits([LineEdit(1, 1)]), "\r\n")
    back = [LineEdit(1, 0, ("b\n",))]
    assert document.with_edits(back).text == "a\r\nb\r\nc\r\n"
    (edit,) = document.text_edits(back)
    assert edit.new_text == "b\r\n"
    assert converted(document, "\n").with_edits(back).text == "a\nb\nc\n"


def test_a_whole_text_separates_changed_line_ends_from_typing() -> None:
    document, splice = opened("a\nb\nc\n").changed(ContentChange(None, "a\r\nb\r\ntyped\r\nc\r\n"))
    assert splice == Splice(2, 0, ("typed\r\n",))
    assert document.eol == "\r\n"
    assert document.with_edits([LineEdit(0, 0, ("gone\n",))]).lines[0] == "gone\r\n"


def test_a_line_end_deleted_with_its_line_is_not_retired() -> None:
    document = with_change(opened("a\nb\r\nc\n"), (1, 0), (2, 0), "")
    assert document.with_edits([LineEdit(1, 0, ("b\r\n",))]).text == "a\nb\r\nc\n"


@given(TEXTS, st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3), TEXTS), max_size=5))
def test_cached_counts_of_line_ends_equal_a_new_count(text: str, changes: list[tuple[int, int, str]]) -> None:
    document = opened(text)
    for line, n_lines, new in changes:
        usual = document.eol
        document = with_change(document, (line, 0), (line + n_lines, 0), new)
        ends = [eol_of(each) for each in document.lines]
        assert document.lines.eols == EolCounts(*map(ends.count, EOLS))
        most = max(map(ends.count, EOLS))
        assert ends.count(document.eol) == most
        assert document.eol == usual or ends.count(usual) < most


@given(TEXTS, TEXTS)
def test_equality_but_for_line_ends_compares_line_bodies(text: str, other: str) -> None:
    one, two = Lines.of(split_lines(text)), Lines.of(split_lines(other))
    assert one.equals_but_for_ends(two) == (bodies_of(one) == bodies_of(two))
    assert one.equals_but_for_ends(Lines.of(split_lines("\n".join(bodies_of(one)))))


def test_versions_with_shared_blocks_compare_only_different_ones() -> None:
    lines = Lines.of(f"line {number}\n" for number in range(2000))
    assert lines.spliced(1000, 1, ["line 1000\r\n"]).equals_but_for_ends(lines)
    assert not lines.spliced(1000, 1, ["other\n"]).equals_but_for_ends(lines)
    moved = lines.spliced(0, 1, []).spliced(1000, 0, ["line 0\n"])
    assert not moved.equals_but_for_ends(lines)
