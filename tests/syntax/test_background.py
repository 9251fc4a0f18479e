"""A large document is parsed in a thread while the event loop runs, and its tree is available later."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Callable, Iterator

import pytest

from twospeed.syntax import (
    background,
    count_errors_of_fresh_tree,
    enclosing_scopes,
    find_scope,
    is_tree_ready,
    wait_for_tree,
)
from twospeed.syntax.definitions.symbols import are_symbols_ready
from twospeed.syntax.trees import parsing, trees
from twospeed.syntax.trees.trees import QUICK_BYTES, being_parsed, parse, parse_fully
from twospeed.text.line_blocks import Lines
from twospeed.text.lines import split_lines

N_FUNCTIONS = 3 * QUICK_BYTES // 100


def large() -> Lines:
    """Write a document that is too large to be parsed by the caller."""
    functions = (
        f"def price_{number}(item):\n    # what one of them costs\n    rate = {number}\n    return item * rate\n\n\n"
        for number in range(N_FUNCTIONS)
    )
    return Lines.of(split_lines("".join(functions)))


def scope_name(lines: Lines, line: int) -> str | None:
    return find_scope(lines, "python", ((line, 4), (line, 4))).name


@pytest.fixture(autouse=True)
def no_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    """Empty the cache before each test."""
    monkeypatch.setattr(trees, "_kept", trees._KeptTrees())


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """Hold every thread that parses until the test calls the result."""
    gate = threading.Event()

    def wait_then_parse(language_id: str, lines: Lines) -> object:
        assert gate.wait(10)
        return parse_fully(language_id, lines)

    monkeypatch.setattr(background, "parse_fully", wait_then_parse)
    yield gate.set
    gate.set()


async def test_a_caller_that_waits_for_the_tree_receives_the_function() -> None:
    lines = large()
    assert not is_tree_ready("python", lines)
    assert await wait_for_tree("python", lines, limit_s=10)
    assert scope_name(lines, 3) == "price_0"


async def test_a_caller_that_does_not_wait_receives_the_block() -> None:
    lines = large()
    assert parse("python", lines) is None
    assert find_scope(lines, "python", ((3, 4), (3, 4))).kind == "block"
    assert [scope.kind for scope in enclosing_scopes(lines, "python", 3, 4)] == ["block", "file"]


def test_one_thread_parses_a_document_ahead_and_only_its_newest_version(
    held: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: list[Lines] = []
    parse_in_turn = background._parse_in_order

    def note_then_parse(language_id: str, lines: Lines) -> None:
        parsed.append(lines)
        parse_in_turn(language_id, lines)

    monkeypatch.setattr(background, "_parse_in_order", note_then_parse)
    before = set(threading.enumerate())
    versions = [large()]
    for number in range(20):
        versions.append(versions[-1].spliced(0, 0, [f"# {number}\n"]))
    for lines in versions:
        background.start_parsing("python", lines)
    turn = background._queue_of(versions[0])  # as a request has that waits for it
    (thread,) = set(threading.enumerate()) - before
    assert thread.daemon
    held()
    thread.join(10)
    assert is_tree_ready("python", versions[-1])
    assert are_symbols_ready("python", versions[-1])
    assert not turn.is_parsing_ahead
    assert len(parsed) <= 2, "the version that was begun, and the newest"
    background.start_parsing("python", versions[5])
    for each in set(threading.enumerate()) - before:
        each.join(10)
    assert parsed[-1] is versions[5], "another thread begins when the first has ended"


async def test_parsing_continues_after_a_caller_stops_waiting(held: Callable[[], None]) -> None:
    lines = large()
    assert not await wait_for_tree("python", lines, limit_s=0.01)
    assert parse("python", lines) is None
    held()
    assert await wait_for_tree("python", lines, limit_s=10)
    assert scope_name(lines, 3) == "price_0"


async def test_a_changed_document_has_the_scopes_it_had_until_it_is_parsed_again(
    held: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = large()
    parse_fully("python", lines)
    line = 6 * 500 + 3
    assert (lines[line], scope_name(lines, line)) == ("    return item * rate\n", "price_500")
    lines = lines.spliced(line, 1, ['    return "item * rate\n', "    # and more\n"]).spliced(
        0, 0, ["import os\n"]
    )
    assert await wait_for_tree("python", lines, limit_s=0.01)
    assert parse("python", lines) is None
    scope = find_scope(lines, "python", ((line + 2, 4), (line + 2, 4)))
    assert (scope.name, scope.start, scope.end) == ("price_500", line - 2, line + 3)
    assert scope_name(lines, line + 7) == "price_501"
    held()
    await wait_for_tree("python", lines, limit_s=10)
    assert parse("python", lines) is not None


async def test_a_tree_is_not_shifted_to_a_rewritten_document(held: Callable[[], None]) -> None:
    lines = large()
    parse_fully("python", lines)
    lines = lines.spliced(0, 0, list(large()))
    assert not await wait_for_tree("python", lines, limit_s=0.01)
    assert find_scope(lines, "python", ((3, 4), (3, 4))).kind == "block"


async def test_a_small_document_needs_no_thread() -> None:
    lines = Lines.of(split_lines("def f():\n    pass\n"))
    assert await wait_for_tree("python", lines, limit_s=0)
    assert scope_name(lines, 1) == "f"


@pytest.mark.parametrize("language_id", ["cobol", ""])
async def test_no_caller_waits_for_a_tree_that_cannot_be_made(language_id: str) -> None:
    assert await wait_for_tree(language_id, large(), limit_s=0)


async def test_a_version_requested_during_a_parse_is_parsed_from_its_tree(
    held: Callable[[], None],
) -> None:
    old = large()
    new = old.spliced(0, 0, ["def added():\n", "    pass\n", "\n", "\n"])
    waiting = [asyncio.ensure_future(wait_for_tree("python", lines, limit_s=10)) for lines in (old, new)]
    await asyncio.sleep(0)
    held()
    assert await asyncio.gather(*waiting) == [True, True]
    assert scope_name(new, 1) == "added"
    assert scope_name(new, 7) == scope_name(old, 3) == "price_0"


async def test_every_changed_version_has_a_tree() -> None:
    lines = large()
    await wait_for_tree("python", lines, limit_s=10)
    choose = random.Random(1)
    for _ in range(20):
        line = choose.randrange(len(lines))
        lines = lines.spliced(line, 1, [f"    typed_{line} = 1\n"])
        assert await wait_for_tree("python", lines, limit_s=10)
        assert parse("python", lines) is not None


async def test_an_error_in_the_thread_is_raised_in_the_waiting_caller(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(language_id: str, lines: Lines) -> None:
        raise RuntimeError("the grammar is broken")

    monkeypatch.setattr(background, "parse_fully", fail)
    with pytest.raises(RuntimeError, match="the grammar is broken"):
        await wait_for_tree("python", large(), limit_s=10)


@pytest.mark.security("R11.2")
async def test_a_document_that_cannot_be_parsed_in_time_is_tried_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(trees, "PARSE_LIMIT_S", 0.0)
    lines = large()
    assert await wait_for_tree("python", lines, limit_s=10)
    monkeypatch.setattr(trees, "parse_lines", None)
    assert parse("python", lines) is None
    assert await wait_for_tree("python", lines, limit_s=0)


async def test_a_fresh_parse_that_takes_too_long_keeps_the_cached_tree(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines = large()
    assert await wait_for_tree("python", lines, limit_s=10)
    monkeypatch.setattr(trees, "PARSE_LIMIT_S", 0.0)
    assert await count_errors_of_fresh_tree(lines, "python") is None
    assert parse("python", lines) is not None
    monkeypatch.undo()
    assert await count_errors_of_fresh_tree(lines, "python") == 0


def test_a_version_is_being_parsed_until_both_of_its_threads_end() -> None:
    lines = Lines.of(["x = 1\n", ""])
    with being_parsed(lines):
        with being_parsed(lines):
            pass
        assert parse("python", lines) is None
    assert parse("python", lines) is not None


@pytest.mark.security("R11.2")
async def test_the_loop_continues_while_a_thread_parses() -> None:
    """A parse from one piece of bytes would hold the interpreter from start to end: the loop would turn once or twice."""
    lines = Lines.of(split_lines("".join(large()) * 4))
    parsing = asyncio.ensure_future(wait_for_tree("python", lines, limit_s=10))
    n_turns = 0
    while not parsing.done():
        await asyncio.sleep(0)
        n_turns += 1
    assert n_turns > 5


async def test_a_grammar_without_a_node_type_of_our_tables_is_not_used(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Scopes found by half of a table would be wrong ones; the block around the cursor is always right."""
    monkeypatch.setattr(parsing, "unknown_kinds", lambda profile, language: ["function_definition"])
    parsing.grammar_of.cache_clear()
    try:
        lines = Lines.of(split_lines("def f():\n\n    pass\n"))
        assert find_scope(lines, "python", ((2, 4), (2, 4))).kind == "block"
        assert find_scope(lines, "python", ((0, 4), (0, 4))).kind == "block"
        assert caplog.messages == [
            "documents in python are not parsed: their grammar does not know function_definition"
        ]
    finally:
        parsing.grammar_of.cache_clear()
