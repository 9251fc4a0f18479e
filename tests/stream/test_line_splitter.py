"""Chunks of any size become lines."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twospeed.stream.answer_lines import LineSplitter
from twospeed.text.lines import body_of, split_lines

NO_LINE_ENDS = "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
TEXTS = st.text(st.sampled_from("ab \t\r\n\r\n" + NO_LINE_ENDS + "é😋"), max_size=30)


def lines_of(*chunks: str) -> list[str]:
    splitter = LineSplitter()
    lines = [line for chunk in chunks for line in splitter.receive_text(chunk)]
    return [*lines, *splitter.finish()]


def lines_of_document(text: str) -> list[str]:
    """Return the lines of a document; after a final line end there is no line."""
    lines = [body_of(line) for line in split_lines(text)]
    return lines if lines[-1] else lines[:-1]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_end_at_the_line_ends_of_documents(end: str) -> None:
    assert lines_of(f"a{end}b{end}{end}c") == ["a", "b", "", "c"]
    assert lines_of(f"a{end}") == ["a"]


@pytest.mark.security("R3.2")
@pytest.mark.parametrize("character", NO_LINE_ENDS, ids=ascii)
def test_other_separators_do_not_end_a_line(character: str) -> None:
    assert lines_of(f"a{character}b\nc") == [f"a{character}b", "c"]


def test_a_line_end_in_two_chunks_is_one_line_end() -> None:
    assert lines_of("a\r", "\nb") == ["a", "b"]
    assert lines_of("a\r", "", "\n", "b") == ["a", "b"]
    assert lines_of("a\r", "b") == ["a", "b"]
    assert lines_of("\r", "\r", "\n") == ["", ""]


@given(TEXTS, st.data())
def test_any_chunking_gives_the_documents_lines(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    chunks = [text[start:end] for start, end in itertools.pairwise([0, *cuts, len(text)])]
    assert lines_of(*chunks) == lines_of(*text) == lines_of_document(text)
