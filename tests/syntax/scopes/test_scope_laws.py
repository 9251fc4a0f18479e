"""Laws for any text: scopes are in the document, contain the cursor and each other, and cost bounded work."""

from __future__ import annotations

import ast
import re
from functools import partial
from itertools import pairwise
from pathlib import Path
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.syntax.labelled import LANGUAGES, sample
from tests.syntax.work import MOST_CALLS, CountedLines, n_calls, parse_without_limit
from tree_sitter import Node

import twospeed.syntax
from twospeed.syntax import enclosing_scopes, find_scope
from twospeed.syntax.languages.core import CORE_PROFILES
from twospeed.syntax.scopes.scope import Place
from twospeed.syntax.trees.trees import MAX_DEPTH, SourceTree
from twospeed.text.line_blocks import Lines
from twospeed.text.lines import split_lines

PIECES = {
    language_id: re.findall(r"\w+|[^\w\s]+|\n|[ \t]+", "".join(sample(language_id)[0]))
    for language_id in LANGUAGES
}
"""What the samples are made of: words, marks, line ends and white space."""

ODD = ["\r", "\r\n", "\f", "é😋", "\ud800", "\0", "\u2028"]

languages = st.sampled_from(LANGUAGES)
numbers = st.integers(0, 10_000)


def check(lines: list[str], language_id: str, line: int, column: int) -> None:
    """Expect scopes that are in the document and hold a line, or an insertion at it."""
    line = min(line, len(lines) - 1)
    place = (line, column)
    scope = find_scope(lines, language_id, (place, place))
    around = enclosing_scopes(lines, language_id, *place)
    assert all(outer.start <= inner.start and inner.end <= outer.end for inner, outer in pairwise(around))
    for each in (scope, *around):
        assert 0 <= each.start <= each.end <= len(lines)
        if each.kind == "insertion":
            assert each.start == each.end <= line
        elif line < len(lines) - 1 or lines[-1]:
            assert each.start <= line < each.end
            assert lines[each.end - 1]


@given(languages, st.data())
def test_any_pieces_of_code_have_a_scope_that_holds_the_cursor(language_id: str, data: st.DataObject) -> None:
    pieces = data.draw(st.lists(st.sampled_from([*PIECES[language_id], *ODD]), max_size=60))
    check(
        split_lines("".join(pieces)),
        language_id,
        *data.draw(st.tuples(st.integers(0, 30), st.integers(0, 12))),
    )


@given(languages, st.text(max_size=60), st.tuples(st.integers(0, 5), st.integers(0, 12)))
def test_any_text_has_a_scope_that_holds_the_cursor(language_id: str, text: str, place: Place) -> None:
    check(split_lines(text), language_id, *place)


@given(languages, numbers, numbers, st.booleans(), numbers)
def test_a_piece_too_many_or_too_few_leaves_a_scope_that_holds_the_cursor(
    language_id: str, at: int, other: int, is_added: bool, line: int
) -> None:
    pieces = list(PIECES[language_id])
    at %= len(pieces)
    pieces[at : at + 1] = [pieces[at], pieces[other % len(pieces)]] if is_added else []
    lines = split_lines("".join(pieces))
    check(lines, language_id, "".join(pieces[:at]).count("\n"), 99)
    check(lines, language_id, line % len(lines), 99)


# Hostile documents

DEPTH = 50_000
PER_LINE = 1_000

NESTED = [
    ("python", "", "(", ")"),
    ("javascript", "", "{", "}"),
    ("javascriptreact", "", "<a>", "</a>"),
    ("typescript", "", "function f(){", "}"),
    ("typescriptreact", "", "<a>", "</a>"),
    ("go", "func f() ", "{", "}"),
    ("go", "func f() {", "f := func() {", "};"),
    ("rust", "fn f() ", "{", "}"),
    ("rust", "", "mod a {", "}"),
    ("java", "void f() ", "{", "}"),
    ("java", "", "class A {", "}"),
    ("c", "void f() ", "{", "}"),
    ("c", "", "struct {", "} a;"),
    ("cpp", "void f() ", "{", "}"),
    ("cpp", "", "namespace a {", "}"),
]


@pytest.mark.security("R11.2")
@pytest.mark.parametrize("is_closed", [True, False], ids=["closed", "open"])
@pytest.mark.parametrize(("language_id", "header", "opening", "closing"), NESTED)
def test_a_scope_in_fifty_thousand_levels_takes_bounded_work(
    language_id: str, header: str, opening: str, closing: str, is_closed: bool
) -> None:
    opened = [header + "\n", *[opening * PER_LINE + "\n"] * (DEPTH // PER_LINE)]
    closed = [closing * PER_LINE + "\n"] * (DEPTH // PER_LINE + 1)
    lines = Lines.of([*opened, *(closed if is_closed else ()), ""])
    parse_without_limit(language_id, lines)
    place = (len(opened) - 1, 9_000)
    assert n_calls(lambda: find_scope(lines, language_id, (place, place))) < MOST_CALLS
    scope = find_scope(lines, language_id, (place, place))
    assert scope.start < len(opened) <= scope.end


@pytest.mark.security("R11.2")
def test_a_function_below_comments_in_deep_nesting_takes_bounded_work() -> None:
    depth = 5_000  # each is a function and its body, so the place is nearly at the limit of depth
    opened = ["function f(){\n"] * depth
    lines = Lines.of([*opened, *["// note\n"] * 1_000, "function g() {\n", "}\n", *["}\n"] * depth, ""])
    source = parse_without_limit("javascript", lines)
    line = depth + 1_000
    assert 2 * depth < len(source.path_to(line, 9)) < MAX_DEPTH
    assert find_scope(lines, "javascript", ((line, 9), (line, 9))).name == "g"
    assert enclosing_scopes(lines, "javascript", line, 9)[0].name == "g"
    assert n_calls(lambda: find_scope(lines, "javascript", ((line, 9), (line, 9)))) < MOST_CALLS
    assert n_calls(lambda: enclosing_scopes(lines, "javascript", line, 9)) < MOST_CALLS


@pytest.mark.security("R11.2")
def test_names_that_contain_one_another_are_not_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    depth = 10_000
    lines = Lines.of([*["({[\n"] * depth, "x\n", *["]: () => {}})\n"] * depth, ""])
    source = parse_without_limit("javascript", lines)
    assert len(source.path_to(depth, 0)) > depth
    copied = []

    def text_of(source: SourceTree, node: Node) -> str:
        copied.append(whole_text_of(source, node))
        return copied[-1]

    whole_text_of = SourceTree.text_of
    monkeypatch.setattr(SourceTree, "text_of", text_of)
    scopes = enclosing_scopes(lines, "javascript", depth, 0)
    assert sum(map(len, copied)) < 20_000
    assert n_calls(lambda: enclosing_scopes(lines, "javascript", depth, 0)) < MOST_CALLS
    assert len(scopes) > 1
    assert all(len(scope.name or "") <= 500 for scope in scopes)


def test_a_function_in_the_middle_of_deep_nesting_is_found() -> None:
    depth = 10_000
    opening = ["(" * 5_000 + "\n"] * (depth // 5_000)
    closing = [")" * 5_000 + "\n"] * (depth // 5_000)
    lines = Lines.of([*opening, "function deep() {\n", "  x\n", "}\n", *closing, ""])
    parse_without_limit("javascript", lines)
    scope = find_scope(lines, "javascript", ((len(opening) + 1, 2), (len(opening) + 1, 2)))
    assert (scope.kind, scope.name) == ("function", "deep")


def test_a_function_below_thousands_of_comments_takes_bounded_work() -> None:
    lines = Lines.of([*["# note\n"] * 5_000, "def f():\n", "    pass\n", ""])
    parse_without_limit("python", lines)
    assert find_scope(lines, "python", ((5_001, 4), (5_001, 4))).name == "f"
    assert n_calls(lambda: find_scope(lines, "python", ((5_001, 4), (5_001, 4)))) < MOST_CALLS


def test_trees_are_searched_without_queries_and_parents() -> None:
    """Both hide work from `n_calls`.

    ``Node.parent`` descends from the root each time: a minute for 50,000 levels. A query visits all later siblings of
    each node: 5 seconds for 90,000 open brackets.
    """
    room = Path(twospeed.syntax.__file__).parent
    found = [
        f"{path.name}:{node.lineno}"
        for folder in ("trees", "definitions", "scopes")
        for path in (room / folder).glob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if (isinstance(node, ast.Attribute) and node.attr in {"parent", "matches", "captures"})
        or (isinstance(node, ast.alias) and node.name in {"Query", "QueryCursor"})
    ]
    assert not found


MAY_GROW = 1.25
"""Limit for the work in 10,000 lines, relative to 1,000: the blocks of a document are counted at each request."""


@pytest.mark.parametrize("language_id", [profile.language_id for profile in CORE_PROFILES])
def test_the_work_for_a_scope_does_not_depend_on_the_length_of_the_document(language_id: str) -> None:
    def work(n_lines: int) -> float:
        """Return the calls and the read lines of a search, the median over the last 1,000 lines."""
        lines = CountedLines.of([*(text * (n_lines // len(text))), ""])
        assert isinstance(lines, CountedLines)
        parse_without_limit(language_id, lines)
        counts = []
        for line in range(len(lines) - len(text) * (1_000 // len(text)), len(lines), 5):
            lines.n_read = 0
            n = n_calls(partial(find_scope, lines, language_id, ((line, 20), (line, 20))))
            counts.append(n + lines.n_read)
        return median(counts)

    text = [*sample(language_id)[0], "\n"]
    text[-2] += "\n"
    short, long = work(1_000), work(10_000)
    assert long < 1_000  # a quarter of a millisecond
    assert long < MAY_GROW * short
