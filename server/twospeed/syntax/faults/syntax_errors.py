"""Count syntax errors before and after an edit, and find their lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from twospeed.aio import in_thread
from twospeed.syntax.languages import profile_for
from twospeed.syntax.scopes.scope_code import scope_code
from twospeed.syntax.trees.trees import SourceTree, parse, parse_fully
from twospeed.syntax.trees.walks import MAX_NODES
from twospeed.text.code.scope import SyntaxErrorAt

if TYPE_CHECKING:  # see trees
    from tree_sitter import Node, Tree

_MAX_SHOWN = 40
"""Longest quote of unreadable code."""

MAX_ERRORS = 100
"""Errors that are named. Models and users see only a few."""

MAX_LINES_PAIRED = 5_000
"""Longest scope whose brackets are paired, in 20 ms."""

_BRACKET = re.compile(r"[()\[\]{}]")
_CLOSES = {")": "(", "]": "[", "}": "{"}


def count_errors(lines: Sequence[str], language_id: str) -> int | None:
    """Return the number of ``ERROR`` and ``MISSING`` nodes, or ``None`` if it is unknown or unreliable."""
    return _count(parse(language_id, lines))


def distinguishes_code_from_prose(lines: Sequence[str], language_id: str) -> bool:
    """Return whether a parse of these lines can distinguish code from prose."""
    profile = profile_for(language_id)
    return profile is not None and not profile.accepts_prose and count_errors(lines, language_id) is not None


async def count_errors_of_fresh_tree(lines: Sequence[str], language_id: str) -> int | None:
    """Like `count_errors`, in a thread and without the tree of an earlier version.

    Two trees of one broken text can differ by an error. A refusal must not depend on that.
    """
    return _count(await in_thread(lambda: parse_fully(language_id, lines, is_fresh=True)))


def _count(source: SourceTree | None) -> int | None:
    if source is None or source.profile.is_partial:
        return None
    errors = errors_in(source.tree)
    return None if errors is None else len(errors)


def errors_in(tree: Tree) -> list[Node] | None:
    """Return the ``ERROR`` and ``MISSING`` nodes of a tree, or ``None`` after ``walks.MAX_NODES`` nodes."""
    found: list[Node] = []
    cursor = tree.walk()
    for _ in range(MAX_NODES):
        node = cursor.node
        assert node
        if node.is_error or node.is_missing:
            found.append(node)
        if node.has_error and cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return found
    return None


def find_errors(lines: Sequence[str], language_id: str, start: int, end: int) -> tuple[SyntaxErrorAt, ...]:
    """Return the syntax errors in some lines, at most one for a line and `MAX_ERRORS` in all.

    An unpaired bracket comes first, because parsers report it far away or not at all.
    """
    source = parse(language_id, lines)
    if source is None or source.profile.is_partial:
        return ()
    found = {}
    if source.root.has_error and end - start <= MAX_LINES_PAIRED:
        found = {each.line: each for each in _unpaired(lines, language_id, start, end)}
    for node in errors_in(source.tree) or ():
        line = min(node.start_point.row, len(source.lines) - 1)
        if node.is_missing and not source.lines[line][: node.start_point.column].strip():
            line = max(line - 1, 0)  # it belongs at the end of the line above
        if len(found) >= MAX_ERRORS:
            break
        if start <= line < end and line not in found:
            found[line] = SyntaxErrorAt(line, _what_is_wrong(source, node))
    return tuple(found.values())


def _what_is_wrong(source: SourceTree, node: Node) -> str:
    if node.is_missing:
        return (
            f'"{node.type}" is missing' if not node.is_named else f"{node.type.replace('_', ' ')} is missing"
        )
    (line, column), (last, end) = source.place(node.start_point), source.place(node.end_point)
    text = (
        source.lines[line][column : end if line == last else None].strip() if line < len(source.lines) else ""
    )
    return f'the parser cannot read "{text[:_MAX_SHOWN]}"' if text else "the parser cannot read this"


def _unpaired(lines: Sequence[str], language_id: str, start: int, end: int) -> Iterator[SyntaxErrorAt]:
    opened: list[tuple[str, int]] = []
    for line, code in enumerate(scope_code(lines, language_id, start, end).code, start):
        for character in _BRACKET.findall(code):
            if character not in _CLOSES:
                opened.append((character, line))
            elif opened and opened[-1][0] == _CLOSES[character]:
                opened.pop()
            elif opened and any(bracket == _CLOSES[character] for bracket, _ in opened):
                bracket, at = opened[-1]
                yield SyntaxErrorAt(at, f'"{bracket}" is not closed')
                return
            else:
                yield SyntaxErrorAt(line, f'"{character}" has no opening bracket')
                return
    if opened:
        bracket, at = opened[-1]
        yield SyntaxErrorAt(at, f'"{bracket}" is not closed')
