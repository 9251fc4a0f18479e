"""Long scopes are analysed in a thread, and the trees of recent documents are kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest
from tree_sitter import Tree

from twospeed.rules.facts import gather
from twospeed.rules.facts.gather import are_facts_ready, code_facts, wait_for_facts
from twospeed.syntax import background
from twospeed.syntax.background import wait_for_names, wait_for_scope_code, wait_for_symbols
from twospeed.syntax.definitions import symbols
from twospeed.syntax.definitions.symbols import (
    AT_ONCE_BYTES,
    are_symbols_ready,
    cache_symbols,
    names_used_fully,
    symbols_of,
)
from twospeed.syntax.scopes.scope_code import scope_code_fully
from twospeed.syntax.trees import trees
from twospeed.syntax.trees.parsing import parse_lines
from twospeed.syntax.trees.trees import QUICK_BYTES, RecentResults, being_parsed, parse, parse_fully
from twospeed.text.code.scope import Scope
from twospeed.text.line_blocks import Lines
from twospeed.text.lines import split_lines


@pytest.fixture(autouse=True)
def no_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    """Empty the caches before each test."""
    monkeypatch.setattr(trees, "_kept", trees._KeptTrees())
    monkeypatch.setattr(symbols, "_kept_symbols", RecentResults(8))


@pytest.fixture
def in_threads(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Replace the threads by direct calls, and return the list of their results."""
    found: list[object] = []

    async def at_once(work: Callable[[], object]) -> None:
        found.append(work())

    monkeypatch.setattr(background, "in_thread", at_once)
    monkeypatch.setattr(gather, "in_thread", at_once)
    return found


def lines_of(text: str) -> Lines:
    return Lines.of(split_lines(text))


def of_bytes(n: int) -> Lines:
    """Write a document of which a parser reads so many bytes: a function, and long comments."""
    text = "def f():\n    pass\n"
    text += ("#" * 999 + "\n") * ((n - len(text)) // 1000)
    return lines_of(text + "#" * (n - len(text) - 1))


@pytest.mark.parametrize("n", [500, 501])
async def test_a_scope_of_501_lines_is_checked_in_a_thread(n: int, in_threads: list[object]) -> None:
    lines = lines_of("x = 1\n" * 7 + "y = z\n" * n)
    await wait_for_scope_code(lines, "python", 7, 7 + n)
    await wait_for_names(lines, "python", 7, 7 + n)
    wanted = (
        [
            scope_code_fully(lines, "python", 7, 7 + n),
            names_used_fully(lines, "python", 7, 7 + n),
        ]
        if n > 500
        else []
    )
    assert in_threads == wanted


@pytest.mark.parametrize("n", [100, 101])
async def test_the_facts_of_101_lines_are_gathered_in_a_thread(n: int, in_threads: list[object]) -> None:
    lines, scope = lines_of("x = 1\n" * 7 + "y = z\n" * n), Scope("block", None, 7, 7 + n)
    assert are_facts_ready(lines, "python", scope) is (n == 100)
    assert are_facts_ready(lines, "ruby", scope)
    await wait_for_facts(lines, "ruby", scope)
    await wait_for_facts(lines, "python", scope)
    assert len(in_threads) == (n > 100)
    assert code_facts(lines, "python", scope) is not None


async def test_the_symbols_of_a_long_document_are_listed_in_a_thread(in_threads: list[object]) -> None:
    short, long = of_bytes(AT_ONCE_BYTES), of_bytes(AT_ONCE_BYTES + 1)
    assert (short.n_bytes, long.n_bytes) == (AT_ONCE_BYTES, AT_ONCE_BYTES + 1)
    for lines in (short, long):
        parse_fully("python", lines)
        for nothing in ("json", "none"):
            assert are_symbols_ready(nothing, lines)
            assert symbols_of(lines, nothing) is None
    assert are_symbols_ready("python", short)
    assert not are_symbols_ready("python", long)
    assert symbols_of(long, "python") is None
    await wait_for_symbols("python", short)
    assert in_threads == []
    await wait_for_symbols("python", long)
    assert len(in_threads) == 1
    assert are_symbols_ready("python", long)
    known = symbols_of(long, "python")
    assert known is not None
    assert [each.name for each in known.symbols] == ["f"]
    cache_symbols("python", long)
    assert symbols_of(long, "python") is known, "it is not listed twice"


class RequestInfo(NamedTuple):
    """The arguments of a call of the parser."""

    lines: Lines
    base: Lines | None
    is_patient: bool


@pytest.fixture
def noted(monkeypatch: pytest.MonkeyPatch) -> list[RequestInfo]:
    """Record the calls of the parser. A text that contains "endless" exceeds its limit."""
    noted: list[RequestInfo] = []

    def note_then_parse(
        profile: object, lines: Lines, *, limit_s: float, base: tuple[Tree, Lines] | None
    ) -> Tree | None:
        noted.append(RequestInfo(lines, base and base[1], limit_s == trees.PARSE_LIMIT_S))
        return None if "endless\n" in lines else parse_lines(profile, lines, limit_s=limit_s, base=base)  # type: ignore[arg-type]

    monkeypatch.setattr(trees, "parse_lines", note_then_parse)
    return noted


def test_a_version_is_parsed_once_from_the_previous_version(noted: list[RequestInfo]) -> None:
    first = lines_of("def f():\n    pass\n")
    second = first.spliced(0, 0, ["import a\n"])
    found = parse("python", first)
    assert parse("python", first) is found
    parse("python", second)
    assert noted == [RequestInfo(first, None, False), RequestInfo(second, first, False)]


def test_a_fresh_parse_uses_no_earlier_tree_and_is_not_kept(noted: list[RequestInfo]) -> None:
    first = lines_of("def f():\n    pass\n")
    second = first.spliced(0, 0, ["import a\n"])
    kept = parse("python", first)
    fresh = parse_fully("python", first, is_fresh=True)
    assert fresh is not kept
    assert parse("python", first) is kept
    parse_fully("python", second, is_fresh=True)
    parse_fully("python", second)
    assert noted == [
        RequestInfo(first, None, False),
        RequestInfo(first, None, True),
        RequestInfo(second, None, True),
        RequestInfo(second, first, True),
    ]


def test_a_parse_in_a_thread_stops_at_its_limit(noted: list[RequestInfo]) -> None:
    short = lines_of("endless\n")
    assert parse_fully("python", short, is_fresh=True) is None
    assert parse("python", short) is None
    assert parse("python", short) is None
    assert parse_fully("python", short) is None
    assert noted == [RequestInfo(short, None, True), RequestInfo(short, None, False)]
    noted.clear()
    before = of_bytes(QUICK_BYTES + 1)
    long = before.spliced(0, 0, ["endless\n"])
    assert parse("python", before) is None
    assert parse_fully("python", before) is not None
    for _ in range(2):
        assert parse("python", long) is None
    for _ in range(2):
        assert parse_fully("python", long) is None
    assert parse("python", long) is None
    assert noted == [
        RequestInfo(before, None, True),
        *[RequestInfo(long, before, False)] * 2,
        RequestInfo(long, before, True),
    ]


def test_a_version_that_a_thread_parses_is_not_parsed_by_the_event_loop(noted: list[RequestInfo]) -> None:
    lines, other = lines_of("x = 1\n"), lines_of("x = 2\n")
    with being_parsed(lines):
        assert parse("python", lines) is None
        assert parse("python", other) is not None
        assert noted == [RequestInfo(other, None, False)]
        assert parse_fully("python", lines) is not None
    assert parse("python", lines) is not None
    assert len(noted) == 2


def test_the_newest_tree_of_the_last_closed_documents_is_kept(
    noted: list[RequestInfo], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trees, "_CLOSED_KEPT", 2)
    documents = [lines_of(f"x = {number}\n") for number in range(4)]
    versions = [[each, each.spliced(0, 0, ["import a\n"])] for each in documents]
    for old, new in versions:
        parse("python", old)
        parse("python", new)
    for _, new in versions[:3]:
        trees.forget_closed(new)
    noted.clear()
    for number, (old, new) in enumerate(versions):
        parse("python", Lines.of(new))
        assert len(noted) == (number < 1), "the first was closed before the last two"
        noted.clear()
        parse("python", Lines.of(old))
        assert len(noted) == (number < 3), "only the open one has its earlier version"
        noted.clear()


def test_the_least_recently_used_trees_are_dropped_above_the_limit(
    noted: list[RequestInfo], monkeypatch: pytest.MonkeyPatch
) -> None:
    documents = [lines_of(f"x = {number}\n") for number in range(3)]
    monkeypatch.setattr(trees, "_BYTES_KEPT", documents[0].n_bytes * 2)
    parse("python", documents[0])
    parse("python", documents[1])
    parse("python", documents[0])
    parse("python", documents[2])
    noted.clear()
    for lines in (documents[0], documents[2], documents[1]):
        parse("python", lines)
    assert noted == [RequestInfo(documents[1], None, False)]
