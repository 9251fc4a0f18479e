"""Rows of a tree are lines, columns are translated, and what is too large is not parsed."""

from __future__ import annotations

import string
import subprocess
import sys
import time
from random import Random

from hypothesis import given
from hypothesis import strategies as st
from tree_sitter import Node

from twospeed.syntax.trees import MAX_DOCUMENT_BYTES, MAX_LINE_LENGTH, PARSE_LIMIT_S, SourceTree, parse
from twospeed.text.lines import split_lines


def parsed(text: str, language_id: str = "python") -> SourceTree:
    source = parse(language_id, split_lines(text))
    assert source
    return source


def slow_path(source: SourceTree, line: int, column: int) -> list[Node]:
    """Find the nodes around a place by looking at every child."""
    point = (line, len(source.lines[line][:column].encode()))
    path = [source.root]
    while inner := [child for child in path[-1].children if child.start_point <= point < child.end_point]:
        path.append(inner[0])
    return path


def test_importing_the_room_loads_no_parser() -> None:
    code = "import sys, twospeed.syntax; print(any('tree_sitter' in name for name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_every_kind_of_line_end_begins_a_row() -> None:
    source = parsed("a\rb\r\nc\nd")
    assert [child.start_point.row for child in source.root.children] == [0, 1, 2, 3]


def test_columns_are_code_points() -> None:
    source = parsed("x = 'é😋'; y\n")
    statement = source.root.children[-1]
    assert statement.start_point.column == 14
    assert source.place(statement.start_point) == (0, 10)


def test_a_lone_surrogate_is_one_column() -> None:
    source = parsed("x = '\ud800'; y\n")
    assert source.place(source.root.children[-1].start_point) == (0, 9)


@given(st.lists(st.sampled_from(["f(", ")", "x", " ", "é", "\n", "\r\n", "def f():", "    ", "'", "[", "]"])))
def test_the_path_to_a_place_is_what_looking_at_every_child_finds(pieces: list[str]) -> None:
    source = parsed("".join(pieces))
    for line, text in enumerate(source.lines):
        for column in range(len(text)):
            found = [node.id for node in source.path_to(line, column)]
            assert found == [node.id for node in slow_path(source, line, column)]


def test_the_same_lines_are_parsed_once() -> None:
    lines = ["x = 1\n", ""]
    assert parse("python", lines) is parse("python", tuple(lines))
    assert parse("python", lines) is not parse("javascript", lines)


def test_a_document_or_line_that_is_too_long_is_not_parsed() -> None:
    assert parse("python", ["x" * MAX_LINE_LENGTH])
    assert parse("python", ["x" * (MAX_LINE_LENGTH + 1)]) is None
    line = "x = 1  # and a comment to make it longer\n"
    n_lines = MAX_DOCUMENT_BYTES // len(line)
    assert parse("python", [line] * (n_lines + 1)) is None


def test_a_language_without_grammar_is_not_parsed() -> None:
    assert parse("cobol", ["x"]) is None


def test_a_document_that_takes_too_long_is_given_up() -> None:
    """Noise is the worst: the parser tries to mend it everywhere. A megabyte would take seconds."""
    random = Random(1)
    lines = ["".join(random.choices(string.printable[:95], k=199)) + "\n" for _ in range(5_000)]
    began = time.thread_time()
    assert parse("javascript", lines) is None
    assert time.thread_time() - began < PARSE_LIMIT_S + 0.3
