"""Rows of a tree are lines, columns are converted, and too large texts are not parsed."""

from __future__ import annotations

import string
import subprocess
import sys
import time
import tracemalloc
from itertools import accumulate, repeat
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.syntax.labelled import LANGUAGES, LINE_ENDS, sample
from tree_sitter import Node

from twospeed.syntax.faults.syntax_errors import errors_in
from twospeed.syntax.trees import parsing, trees
from twospeed.syntax.trees.parsing import byte_edits
from twospeed.syntax.trees.trees import (
    MAX_DOCUMENT_BYTES,
    MAX_LINE_LENGTH,
    PARSE_LIMIT_S,
    SourceTree,
    forget_closed,
    parse,
    parse_fully,
)
from twospeed.text import line_blocks
from twospeed.text.line_blocks import Lines
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
def test_the_path_to_a_place_equals_that_of_an_exhaustive_search(pieces: list[str]) -> None:
    source = parsed("".join(pieces))
    for line, text in enumerate(source.lines):
        for column in range(len(text)):
            found = [node.id for node in source.path_to(line, column)]
            assert found == [node.id for node in slow_path(source, line, column)]


def test_the_same_lines_are_parsed_once() -> None:
    lines = ["x = 1\n", ""]
    assert parse("python", lines) is parse("python", tuple(lines))
    assert parse("python", lines) is not parse("javascript", lines)


def test_a_document_that_was_closed_and_opened_again_is_not_parsed_again() -> None:
    text = ["x = 1\n", "y = 2\n", ""]
    before, after = parse("python", Lines.of(text)), parse("python", Lines.of(text))
    assert before
    assert after
    assert after.tree is before.tree
    assert after.lines.family is not before.lines.family


def test_only_the_last_few_closed_documents_keep_a_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trees, "_kept", kept := trees._KeptTrees())
    parse("python", still_open := Lines.of(["open = 1\n", ""]))
    for number in range(60):
        lines = Lines.of([f"x = {number}\n", "y = 2\n", ""])
        for version in range(3):
            lines = lines.spliced(1, 1, [f"y = {version}\n"])
            last = parse("python", lines)
        forget_closed(lines)
    assert [len(versions) for versions in kept._trees.values()] == [1] * (1 + trees._CLOSED_KEPT)
    assert kept.find("python", still_open)
    assert last
    again = parse("python", Lines.of(last.lines))
    assert again
    assert again.tree is last.tree


def test_a_document_or_line_that_is_too_long_is_not_parsed() -> None:
    assert parse("python", ["x" * MAX_LINE_LENGTH])
    assert parse("python", ["x" * (MAX_LINE_LENGTH + 1)]) is None
    line = "x = 1  # and a comment to make it longer\n"
    n_lines = MAX_DOCUMENT_BYTES // len(line)
    assert parse_fully("python", [line] * (n_lines + 1)) is None


PIECES = [
    "x",
    " ",
    "\n",
    "\r\n",
    "\r",
    "é",
    "😋",
    "    ",
    "def f():\n    pass\n",
    "a = 1\n",
    "# note\n",
    "'é'",
    "(",
    ")",
    '"',
]
SPLICES = st.lists(
    st.tuples(st.integers(0, 40), st.integers(0, 5), st.lists(st.sampled_from(PIECES), max_size=6))
)


def shape(source: SourceTree) -> list[tuple[object, ...]]:
    """List every node with its place; of a document with nothing in it, the root is where it pleases."""
    found: list[tuple[object, ...]] = []
    nodes = list(source.root.children)
    while nodes:
        node = nodes.pop()
        found.append(
            (node.type, node.start_byte, node.end_byte, node.start_point, node.end_point, node.is_missing)
        )
        nodes += node.children
    return found


@given(st.lists(st.sampled_from(PIECES), max_size=60), SPLICES)
def test_a_tree_updated_by_every_change_equals_a_new_parse(
    pieces: list[str], splices: list[tuple[int, int, list[str]]]
) -> None:
    lines = Lines.of(split_lines("".join(pieces)))
    for at, count, new in splices:
        at = min(at, len(lines) - 1)  # noqa: PLW2901  # a line that exists
        count = min(count, len(lines) - 1 - at)  # noqa: PLW2901  # and never the last, which has no line end
        lines = lines.spliced(at, count, split_lines("".join(new))[:-1])
        followed, fresh = parse_fully("python", lines), parse_fully("python", lines, is_fresh=True)
        assert followed
        assert fresh
        if not fresh.root.has_error:  # what becomes of broken code may depend on what was read before
            assert shape(followed) == shape(fresh)


@pytest.mark.parametrize("language_id", LANGUAGES)
def test_a_tree_is_updated_by_changes_in_every_language(
    language_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every change but the last of a round is likely to break the code; the last takes them all back."""
    monkeypatch.setattr(line_blocks, "BLOCK_LINES", 3)
    random = Random(language_id)
    n_compared = 0
    for eol in LINE_ENDS:
        written = sample(language_id, eol)[0]
        lines = Lines.of(written)
        for n_changes in (1, 2, 3):
            for _ in range(n_changes):
                at = random.randrange(len(lines) - 1)
                count = random.randrange(min(4, len(lines) - at))
                lines = lines.spliced(at, count, random.choices(written[:-1], k=random.randrange(3)))
                parse_fully(language_id, lines)
            lines = lines.spliced(0, len(lines), [eol, *written])
            followed, fresh = (parse_fully(language_id, lines, is_fresh=each) for each in (False, True))
            assert followed
            assert fresh
            if not fresh.root.has_error:
                n_compared += 1
                assert shape(followed) == shape(fresh)
    assert n_compared or language_id in ("cpp", "python"), "only these samples hold broken code"


def test_a_change_is_reported_to_the_parser_in_bytes_and_rows() -> None:
    old = Lines.of(["é\r\n", "b\n", "c"])
    new = old.spliced(1, 2, ["bb\r", "😋"])
    (edit,) = byte_edits(old, new)
    assert edit == (4, 6, 10, (1, 1), (2, 1), (2, 4))


def test_a_letter_in_a_line_is_reported_as_a_letter_and_no_character_is_cut() -> None:
    old = Lines.of(["one\n", "é = 'é'\n", ""])
    (edit,) = byte_edits(
        old, old.spliced(1, 1, ["é = 'è'\n"])
    )  # two characters that differ in their last byte
    assert edit == (10, 12, 12, (1, 6), (1, 8), (1, 8))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (["a"], ["a\n", ""], (1, 1, 2, (0, 1), (0, 1), (1, 0))),
        (["a\n", ""], ["a"], (1, 2, 1, (0, 1), (1, 0), (0, 1))),
        ([""], ["a"], (0, 0, 1, (0, 0), (0, 0), (0, 1))),
        (["a\n", "b"], ["b"], (0, 2, 0, (0, 0), (1, 0), (0, 0))),
    ],
)
def test_the_parser_reads_the_last_line_without_a_line_end(
    old: list[str], new: list[str], expected: tuple[object, ...]
) -> None:
    assert list(byte_edits(Lines.of(old), Lines.of(new))) == [expected]


def test_updating_a_tree_leaks_no_memory() -> None:
    """The binding keeps what it is given to read for ever; so it is always given the same buffer."""
    lines = Lines.of(f"value_{number} = {number}\n" for number in range(3_000))

    def type_on(lines: Lines, word: str) -> Lines:
        for number in range(20):
            lines = lines.spliced(number, 1, [f"{word}_{number} = 1\n"])
            parse_fully("python", lines)
        return lines

    lines = type_on(lines, "first")
    tracemalloc.start()
    lines = type_on(lines, "second")
    before, _ = tracemalloc.get_traced_memory()
    type_on(lines, "third")
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert after - before < 2 * lines.n_bytes


def test_the_text_of_a_node_can_be_read_after_its_tree_is_updated() -> None:
    lines = Lines.of(["a = 1\r\n", "é = 'é😋'\n", ""])
    parse("python", lines)
    source = parse("python", lines.spliced(0, 1, ["def f(): 'é'\n"]))
    assert source
    assert [source.text_of(node) for node in source.root.children] == ["def f(): 'é'", "é = 'é😋'"]
    assert errors_in(source.tree) == []


def test_a_language_without_grammar_is_not_parsed() -> None:
    assert parse("cobol", ["x"]) is None


def test_a_parse_stops_at_its_limit_of_processor_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Noise is the worst case: the parser repairs errors everywhere. A megabyte would take seconds."""
    random = Random(1)
    lines = ["".join(random.choices(string.printable[:95], k=199)) + "\n" for _ in range(5_000)]
    step = PARSE_LIMIT_S / 100
    clock = accumulate(repeat(step))
    monkeypatch.setattr(time, "thread_time", lambda: next(clock))
    monkeypatch.setattr(parsing, "LEAST_SPEED", 0)
    assert parse_fully("javascript", lines) is None
    assert next(clock) < PARSE_LIMIT_S + 4 * step


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("", "", (0, 0)),
        ("ab", "ab", (2, 0)),
        ("é", "è", (0, 0)),
        ("aé", "aè", (1, 0)),
        ("éa", "èa", (0, 1)),
        ("é", "©", (0, 0)),
        ("日", "å", (0, 0)),
        ("x日y", "x木y", (1, 1)),
        ("日", "嗥", (0, 0)),
        ("😀", "\U0009f600", (0, 0)),
        ("a😀b", "a😁b", (1, 1)),
        ("aéé", "aé", (3, 0)),
    ],
)
def test_common_ends_are_measured_in_bytes_of_whole_characters(
    old: str, new: str, expected: tuple[int, int]
) -> None:
    assert parsing._common_characters(old.encode(), new.encode()) == expected
    assert parsing._common_characters(new.encode(), old.encode()) == expected


def test_the_parser_reads_less_of_a_changed_version(monkeypatch: pytest.MonkeyPatch) -> None:
    offsets: list[int] = []

    class Noting(parsing._Reader):
        def __call__(self, offset: int, point: tuple[int, int]) -> bytes | bytearray:
            offsets.append(offset)
            return super().__call__(offset, point)

    monkeypatch.setattr(trees, "_kept", trees._KeptTrees())
    monkeypatch.setattr(parsing, "_Reader", Noting)
    lines = Lines.of(split_lines("def f(a):\n    return a\n\n\n" * 500))
    assert trees.parse("python", lines)
    n_all = len(offsets)
    offsets.clear()
    assert trees.parse("python", lines.spliced(1001, 1, ["    return a + 1\n"]))
    assert 0 < len(offsets) < n_all
