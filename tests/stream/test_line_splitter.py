"""Chunks become lines, however they are cut and however long a line is."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twospeed.stream.line_splitter import PARTIAL_CHARS, LineSplitter
from twospeed.text.lines import body_of, split_lines

NO_LINE_ENDS = "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
TEXTS = st.text(st.sampled_from("ab \t\r\n\r\n" + NO_LINE_ENDS + "é😋"), max_size=30)


def lines_of(*chunks: str) -> list[str]:
    splitter = LineSplitter()
    lines = [line for chunk in chunks for line in splitter.receive_text(chunk)]
    return [*lines, *splitter.finish()]


def lines_of_document(text: str) -> list[str]:
    """What a document's lines are; behind a line end at the end nothing follows."""
    lines = [body_of(line) for line in split_lines(text)]
    return lines if lines[-1] else lines[:-1]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_line_ends_where_a_documents_line_ends(end: str) -> None:
    assert lines_of(f"a{end}b{end}{end}c") == ["a", "b", "", "c"]
    assert lines_of(f"a{end}") == ["a"]


@pytest.mark.security("R3.2")
@pytest.mark.parametrize("character", NO_LINE_ENDS, ids=ascii)
def test_nothing_else_ends_a_line(character: str) -> None:
    assert lines_of(f"a{character}b\nc") == [f"a{character}b", "c"]


def test_a_line_end_cut_in_two_is_one_line_end() -> None:
    assert lines_of("a\r", "\nb") == ["a", "b"]
    assert lines_of("a\r", "", "\n", "b") == ["a", "b"]
    assert lines_of("a\r", "b") == ["a", "b"]
    assert lines_of("\r", "\r", "\n") == ["", ""]


@given(TEXTS, st.data())
def test_any_chunking_gives_the_documents_lines(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    chunks = [text[start:end] for start, end in itertools.pairwise([0, *cuts, len(text)])]
    assert lines_of(*chunks) == lines_of(*text) == lines_of_document(text)


@given(st.lists(TEXTS, max_size=8))
def test_the_open_line_is_seen_as_it_will_be(chunks: list[str]) -> None:
    splitter = LineSplitter()
    seen = []
    n_lines = 0
    for chunk in chunks:
        n_lines += len(splitter.receive_text(chunk))
        seen.append((n_lines, splitter.partial))
    lines = [*lines_of(*chunks), ""]
    assert all(lines[index].startswith(partial) for index, partial in seen)


def test_of_a_line_without_end_its_beginning_is_seen() -> None:
    splitter = LineSplitter()
    for _ in range(3):
        splitter.receive_text("a" * PARTIAL_CHARS)
        assert splitter.partial == "a" * PARTIAL_CHARS
    assert splitter.receive_text("\nb")[0] == "a" * 3 * PARTIAL_CHARS
    assert splitter.partial == "b"


class Counted(str):
    """Text that counts the characters taken from it."""

    __slots__ = ()
    n_taken = 0

    def __getitem__(self, key):
        taken = super().__getitem__(key)
        Counted.n_taken += len(taken)
        return taken


@pytest.mark.security("R10.1")
def test_a_line_without_end_is_not_looked_at_again_and_again() -> None:
    splitter = LineSplitter()
    for _ in range(100_000):
        splitter.receive_text(Counted("ab"))
        assert len(splitter.partial) <= PARTIAL_CHARS
    assert Counted.n_taken == PARTIAL_CHARS
    assert [len(line) for line in splitter.finish()] == [200_000]
