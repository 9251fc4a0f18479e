"""Whatever a file holds, looking at it ends soon: work is limited by counts of nodes, not by what a text looks like."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from twospeed.syntax import (
    code_facts,
    count_errors,
    enclosing_scopes,
    find_errors,
    import_statements,
    names_used,
    scope_code,
)
from twospeed.syntax.symbols import read_symbols
from twospeed.syntax.trees import MAX_DEPTH, parse_fully
from twospeed.syntax.walks import MAX_CHILDREN, MAX_NODES, Walk, children_of
from twospeed.text.line_blocks import Lines
from twospeed.text.lines import split_lines
from twospeed.text.scope import Scope

SECONDS_OF_WORK = 2.5
"""Of processor time, for what takes a fifth of it."""


def cpu_seconds(work: Callable[[], object]) -> float:
    start = time.thread_time()
    work()
    return time.thread_time() - start


@pytest.mark.parametrize(
    ("language_id", "line"), [("python", "(\n"), ("javascript", "[\n"), ("rust", "{\n"), ("cpp", "A<\n")]
)
def test_a_file_of_open_brackets_is_soon_listed(language_id: str, line: str) -> None:
    # A query of tree-sitter took 5 seconds for the first three, and 20 for twice as many lines.
    assert cpu_seconds(lambda: read_symbols(line * 90_000, language_id)) < SECONDS_OF_WORK


def test_a_chain_of_assignments_is_soon_listed() -> None:
    text = "a = \\\n" * 10_000 + "1\n"  # each is a wrapper, and was followed to its end
    assert cpu_seconds(lambda: read_symbols(text, "javascript")) < SECONDS_OF_WORK


def test_a_parser_that_hardly_gets_on_is_stopped_before_it_has_taken_much_memory() -> None:
    assert parse_fully("cpp", Lines.of(split_lines("A<\n" * 300_000))) is None


@pytest.mark.parametrize(
    "text",
    ["(\n" * 50_000, "[1,\n" * 30_000, "x = [\n" + "1,\n" * 60_000 + "]\n", "a + \\\n" * 30_000 + "b\n"],
    ids=["open", "nested", "flat", "chain"],
)
def test_no_question_about_a_hostile_document_takes_long(text: str) -> None:
    lines = Lines.of(split_lines(text))
    parse_fully("python", lines)
    middle = len(lines) // 2
    scope = Scope("selection", None, middle, middle + 100)
    questions: list[Callable[[], object]] = [
        lambda: enclosing_scopes(lines, "python", middle, 0),
        lambda: count_errors(lines, "python"),
        lambda: find_errors(lines, "python", middle, middle + 100),
        lambda: scope_code(lines, "python", 0, len(lines)),
        lambda: names_used(lines, "python", middle, middle + 100),
        lambda: import_statements(lines, "python"),
        lambda: code_facts(lines, "python", scope),
    ]
    for ask in questions:
        assert cpu_seconds(ask) < SECONDS_OF_WORK / 10


def test_a_walk_visits_no_more_nodes_than_it_may() -> None:
    source = parse_fully("python", Lines.of(split_lines("[1]\n" * (MAX_NODES // 4))))
    assert source
    walk = Walk(source.root)
    assert sum(1 for _ in walk) == MAX_NODES
    assert walk.is_cut
    assert sum(1 for _ in Walk(source.root, 10)) == 10


def test_a_walk_leaves_out_what_is_skipped_and_what_ends_above_its_first_line() -> None:
    source = parse_fully("python", Lines.of(split_lines("a\nf(b)\ng(c)\n")))
    assert source
    walk = Walk(source.root, row=1)
    seen: list[str] = []
    for node in walk:
        if node.type == "identifier":
            seen.append(source.text_of(node))
        if node.type == "argument_list" and node.start_point.row == 1:
            walk.skip()
    assert seen == ["f", "g", "c"]
    assert not walk.is_cut


def test_only_the_first_of_many_children_are_looked_at() -> None:
    source = parse_fully("python", Lines.of(split_lines("a\n" * (MAX_CHILDREN + 5))))
    assert source
    assert sum(1 for _ in children_of(source.root)) == MAX_CHILDREN


def test_a_path_is_followed_to_its_limit_and_no_deeper() -> None:
    source = parse_fully(
        "javascript", Lines.of(split_lines("[\n" * (MAX_DEPTH + 9) + "]\n" * (MAX_DEPTH + 9)))
    )
    assert source
    assert len(source.path_to(MAX_DEPTH + 8, 0)) == MAX_DEPTH + 1


@pytest.mark.parametrize("language_id", ["plaintext", "yaml"])
def test_a_scope_without_a_tree_is_looked_at_once(language_id: str) -> None:
    lines = Lines.of(split_lines("a: 1\n" * 1000))
    assert scope_code(lines, language_id, 0, 1000) is scope_code(lines, language_id, 0, 1000)
    assert len(scope_code(lines, language_id, 0, 10).code) == 10
