"""Laws for any text: a scope is in the document and contains the cursor, within bounded time.

And of the scopes at a place each holds the one before it.
"""

from __future__ import annotations

import re
import time
from itertools import pairwise
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.syntax.labelled import LANGUAGES, sample

from twospeed.syntax import enclosing_scopes, find_scope
from twospeed.syntax.languages.core import CORE_PROFILES
from twospeed.syntax.scopes.scope import Place
from twospeed.syntax.trees.trees import MAX_DEPTH, parse_fully
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
LIMIT_S = 5
"""Of processor time; what asks nodes for their parents takes a minute."""
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
def test_fifty_thousand_levels_are_neither_slow_nor_fatal(
    language_id: str, header: str, opening: str, closing: str, is_closed: bool
) -> None:
    opened = [header + "\n", *[opening * PER_LINE + "\n"] * (DEPTH // PER_LINE)]
    closed = [closing * PER_LINE + "\n"] * (DEPTH // PER_LINE + 1)
    lines = Lines.of([*opened, *(closed if is_closed else ()), ""])
    parse_fully(language_id, lines)
    began = time.thread_time()
    scope = find_scope(lines, language_id, ((len(opened) - 1, 9_000), (len(opened) - 1, 9_000)))
    assert time.thread_time() - began < LIMIT_S
    assert scope.start < len(opened) <= scope.end


@pytest.mark.security("R11.2")
def test_comments_above_a_function_in_deep_nesting_are_not_slow() -> None:
    depth = 5_000  # each is a function and its body, so that the place is nearly as deep as is looked
    opened = ["function f(){\n"] * depth
    lines = Lines.of([*opened, *["// note\n"] * 1_000, "function g() {\n", "}\n", *["}\n"] * depth, ""])
    source = parse_fully("javascript", lines)
    assert source
    line = depth + 1_000
    assert 2 * depth < len(source.path_to(line, 9)) < MAX_DEPTH
    began = time.thread_time()
    assert find_scope(lines, "javascript", ((line, 9), (line, 9))).name == "g"
    assert enclosing_scopes(lines, "javascript", line, 9)[0].name == "g"
    assert time.thread_time() - began < LIMIT_S


@pytest.mark.security("R11.2")
def test_names_that_hold_one_another_are_not_slow() -> None:
    depth = 10_000
    lines = Lines.of([*["({[\n"] * depth, "x\n", *["]: () => {}})\n"] * depth, ""])
    source = parse_fully("javascript", lines)
    assert source
    assert len(source.path_to(depth, 0)) > depth
    began = time.thread_time()
    scopes = enclosing_scopes(lines, "javascript", depth, 0)
    assert time.thread_time() - began < LIMIT_S
    assert len(scopes) > 1
    assert all(len(scope.name or "") <= 500 for scope in scopes)


def test_a_function_in_the_middle_of_deep_nesting_is_found() -> None:
    depth = 10_000
    opening = ["(" * 5_000 + "\n"] * (depth // 5_000)
    closing = [")" * 5_000 + "\n"] * (depth // 5_000)
    lines = Lines.of([*opening, "function deep() {\n", "  x\n", "}\n", *closing, ""])
    parse_fully("javascript", lines)
    scope = find_scope(lines, "javascript", ((len(opening) + 1, 2), (len(opening) + 1, 2)))
    assert (scope.kind, scope.name) == ("function", "deep")


def test_thousands_of_comments_above_a_function_are_not_slow() -> None:
    lines = Lines.of([*["# note\n"] * 5_000, "def f():\n", "    pass\n", ""])
    parse_fully("python", lines)
    began = time.thread_time()
    assert find_scope(lines, "python", ((5_001, 4), (5_001, 4))).name == "f"
    assert time.thread_time() - began < LIMIT_S


@pytest.mark.parametrize("language_id", [profile.language_id for profile in CORE_PROFILES])
def test_a_scope_in_ten_thousand_lines_takes_less_than_a_millisecond(language_id: str) -> None:
    text = [*sample(language_id)[0], "\n"]
    text[-2] += "\n"
    lines = Lines.of([*(text * (10_000 // len(text))), ""])
    assert parse_fully(language_id, lines)
    times = []
    for line in range(0, len(lines), 50):
        began = time.thread_time()
        find_scope(lines, language_id, ((line, 20), (line, 20)))
        times.append(time.thread_time() - began)
    assert median(times) < 0.001
