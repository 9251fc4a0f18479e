"""The work on any file is bounded by counts of nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest
from tests.syntax.work import n_calls, parse_without_limit
from tree_sitter import Node

from twospeed.rules.facts.gather import code_facts
from twospeed.syntax import (
    count_errors,
    enclosing_scopes,
    find_errors,
    import_statements,
    names_used,
    scope_code,
    symbols_of,
)
from twospeed.syntax.definitions.symbols import names_used_fully, read_symbols
from twospeed.syntax.scopes.scope_code import scope_code_fully
from twospeed.syntax.trees.trees import MAX_DEPTH, SourceTree, parse_fully
from twospeed.syntax.trees.walks import MAX_CHILDREN, MAX_NODES, Walk, children_of
from twospeed.text.code.scope import Scope
from twospeed.text.line_blocks import Lines
from twospeed.text.lines import body_of, split_lines

MOST_CALLS_OF_A_FILE = 2_500_000
"""Calls of functions and methods to list one file, about 0.5 s of a thread."""


@pytest.mark.parametrize(
    ("language_id", "line"), [("python", "(\n"), ("javascript", "[\n"), ("rust", "{\n"), ("cpp", "A<\n")]
)
def test_a_file_of_open_brackets_is_listed_with_bounded_work(language_id: str, line: str) -> None:
    assert n_calls(lambda: read_symbols(line * 90_000, language_id)) < MOST_CALLS_OF_A_FILE


def test_a_chain_of_assignments_is_listed_with_bounded_work() -> None:
    text = "a = \\\n" * 4_000 + "1\n"  # each is a wrapper: following each to its end takes 8,000,000 steps
    assert n_calls(lambda: read_symbols(text, "javascript")) < MOST_CALLS_OF_A_FILE


def test_a_parser_below_the_least_speed_is_stopped() -> None:
    assert parse_fully("cpp", Lines.of(split_lines("A<\n" * 300_000))) is None


LONGEST_STEP = 250_000
"""Calls of functions in one query, about 40 ms."""

HOSTILE = {
    "open": "(\n" * 50_000,
    "nested": "[1,\n" * 30_000,
    "closed": "x = \\\n" + "[\n" * 30_000 + "]\n" * 30_000,
    "flat": "x = [\n" + "1,\n" * 60_000 + "]\n",
    "chain": "a + \\\n" * 30_000 + "b\n",
    "names": "".join(f"x{number} = y{number}\n" for number in range(20_000)),
    "texts": ("'é' " * 4_000 + "\n") * 40,
    "comments": "# a\n" * 60_000,
    "functions": "def f(): return a(b)\n" * 20_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_every_query_of_a_hostile_document_takes_bounded_work(text: str) -> None:
    lines = Lines.of(split_lines(text))
    parse_without_limit("python", lines)
    middle = len(lines) // 2
    end = min(middle + 100, len(lines))
    questions: dict[str, Callable[[], object]] = {
        "enclosing_scopes": lambda: enclosing_scopes(lines, "python", middle, 0),
        "count_errors": lambda: count_errors(lines, "python"),
        "find_errors": lambda: find_errors(lines, "python", middle, end),
        "scope_code": lambda: scope_code(lines, "python", middle, end),
        "scope_code of 5,000 lines": lambda: scope_code(lines, "python", 0, min(len(lines), 5_000)),
        "names_used": lambda: names_used(lines, "python", middle, end),
        "names_used of all": lambda: names_used(lines, "python", 0, len(lines)),
        "import_statements": lambda: import_statements(lines, "python"),
        "code_facts": lambda: code_facts(lines, "python", Scope("selection", None, middle, end)),
        "code_facts of all": lambda: code_facts(lines, "python", Scope("file", None, 0, len(lines))),
        "symbols_of": lambda: symbols_of(lines, "python"),
    }
    many = {name: n for name, ask in questions.items() if (n := n_calls(ask)) > LONGEST_STEP}
    assert not many


def test_a_scope_among_comments_requests_a_bounded_number_of_paths(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The parser passes 100,000 comments in one call, each time a path is asked for: 2 ms."""
    lines = Lines.of(split_lines("# a\n" * 100_000))
    parse_without_limit("python", lines)
    asked = []

    def path_to(tree: SourceTree, line: int, column: int, known: Iterable[Node] = ()) -> list[Node]:
        asked.append(line)
        return whole_path(tree, line, column, known)

    whole_path = SourceTree.path_to
    monkeypatch.setattr(SourceTree, "path_to", path_to)
    enclosing_scopes(lines, "python", 99_000, 0)
    assert 0 < len(asked) <= 20


def test_a_thread_analyses_a_long_scope_that_the_event_loop_does_not() -> None:
    lines = Lines.of(split_lines("x = 'a'  # b\n" * 6_000))
    parse_without_limit("python", lines)
    assert scope_code(lines, "python", 0, 6_000).code[0] == body_of(lines[0])
    seen = scope_code_fully(lines, "python", 0, 6_000)
    assert seen.code[0].rstrip() == "x = ' '"
    assert scope_code(lines, "python", 0, 6_000) is seen
    names = "".join(f"x{number}\n" for number in range(10_000))
    lines = Lines.of(split_lines(names))
    parse_without_limit("python", lines)
    assert [name.name for name in names_used_fully(lines, "python", 0, 10_000)] == names.split()
    assert len(names_used(lines, "python", 0, 10_000)) == 10_000


def test_a_walk_visits_no_more_nodes_than_it_may() -> None:
    source = parse_without_limit("python", Lines.of(split_lines("[1]\n" * (MAX_NODES // 4))))
    walk = Walk(source.root)
    assert sum(1 for _ in walk) == MAX_NODES
    assert walk.is_cut
    assert sum(1 for _ in Walk(source.root, 10)) == 10


def test_a_walk_omits_skipped_nodes_and_those_above_its_first_line() -> None:
    source = parse_without_limit("python", Lines.of(split_lines("a\nf(b)\ng(c)\n")))
    walk = Walk(source.root, row=1)
    seen: list[str] = []
    for node in walk:
        if node.type == "identifier":
            seen.append(source.text_of(node))
        if node.type == "argument_list" and node.start_point.row == 1:
            walk.skip()
    assert seen == ["f", "g", "c"]
    assert not walk.is_cut


def test_a_walk_from_a_blank_line_has_the_declarations_below_it() -> None:
    lines = ("package a", "", "func F() {}", "", "// G", "func G() {", "\tg := 1", "", "\t_ = g", "}", "")
    source = parse_without_limit("go", Lines.of(split_lines("\n".join(lines))))
    for row in range(len(lines) - 1):
        below = {node.start_byte for node in Walk(source.root) if node.start_point.row >= row}
        assert below <= {node.start_byte for node in Walk(source.root, row=row)}


def test_only_the_first_of_many_children_are_checked() -> None:
    source = parse_without_limit("python", Lines.of(split_lines("a\n" * (MAX_CHILDREN + 5))))
    assert sum(1 for _ in children_of(source.root)) == MAX_CHILDREN


def test_a_path_is_followed_to_its_limit_and_no_deeper() -> None:
    source = parse_without_limit(
        "javascript", Lines.of(split_lines("[\n" * (MAX_DEPTH + 9) + "]\n" * (MAX_DEPTH + 9)))
    )
    assert len(source.path_to(MAX_DEPTH + 8, 0)) == MAX_DEPTH + 1


@pytest.mark.parametrize("language_id", ["plaintext", "yaml"])
def test_a_scope_without_a_tree_is_checked_once(language_id: str) -> None:
    lines = Lines.of(split_lines("a: 1\n" * 1000))
    assert scope_code(lines, language_id, 0, 1000) is scope_code(lines, language_id, 0, 1000)
    assert len(scope_code(lines, language_id, 0, 10).code) == 10
