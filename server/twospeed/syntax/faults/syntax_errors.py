"""Count syntax errors, to tell whether an edit has broken something, and say where they are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from twospeed.aio import in_thread
from twospeed.syntax.languages import profile_for
from twospeed.syntax.scopes.scope_code import scope_code
from twospeed.syntax.trees.trees import SourceTree, parse, parse_fully
from twospeed.syntax.trees.walks import MAX_NODES
from twospeed.text.code.scope_code import SyntaxErrorAt

if TYPE_CHECKING:  # see trees
    from tree_sitter import Node, Tree

_MAX_SHOWN = 40
"""Characters of unreadable code that are quoted; its line is named anyway."""

MAX_ERRORS = 100
"""Errors that are named; a model and a person are shown a few of them."""

MAX_LINES_PAIRED = 5_000
"""Lines whose brackets are paired, in 20 ms."""

_BRACKET = re.compile(r"[()\[\]{}]")
_CLOSES = {")": "(", "]": "[", "}": "{"}


def count_errors(lines: Sequence[str], language_id: str) -> int | None:
    """Count what the parser could not read, and what it had to imagine.

    Args:
        lines: The document's lines, with their line ends.
        language_id: LSP language id.

    Returns:
        The number of ``ERROR`` and ``MISSING`` nodes, ``None`` where the document cannot be parsed, has too many of them
        to be looked at, or the grammar knows so little of the language that its errors say nothing.
    """
    return _count(parse(language_id, lines))


def tells_code_from_talk(lines: Sequence[str], language_id: str) -> bool:
    """Whether it says something about a text that it parses in the place of some of these lines."""
    profile = profile_for(language_id)
    return profile is not None and not profile.reads_talk and count_errors(lines, language_id) is not None


async def count_errors_afresh(lines: Sequence[str], language_id: str) -> int | None:
    """Count as `count_errors`, in a thread and from a tree that no earlier version has had a hand in.

    Where code is broken, what the parser makes of it may depend on what it read before: two trees of the same text can
    differ by an error. A refusal should not.
    """
    return _count(await in_thread(lambda: parse_fully(language_id, lines, is_fresh=True)))


def _count(source: SourceTree | None) -> int | None:
    if source is None or source.profile.is_partial:
        return None
    errors = errors_in(source.tree)
    return None if errors is None else len(errors)


def errors_in(tree: Tree) -> list[Node] | None:
    """List the ``ERROR`` and ``MISSING`` nodes of a tree; parts without any are not entered.

    Returns:
        ``None`` where more than ``walks.MAX_NODES`` nodes would have to be looked at.
    """
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
    """Say where some lines of a document cannot be read.

    A bracket that is open at the end, or closes nothing, is named first: parsers notice it far away, if at all.

    Args:
        lines: The document's lines, with their line ends.
        language_id: LSP language id.
        start: First line.
        end: Line behind the last.

    Returns:
        At most one for a line and `MAX_ERRORS` in all, the most telling first; none where the document cannot be parsed, or
        the lines can be read. Brackets are not looked at in more than `MAX_LINES_PAIRED` lines.
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
            line = max(line - 1, 0)  # it should have stood at the end of the line above
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
    """Find the first bracket that closes nothing, and the last that is never closed."""
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
                yield SyntaxErrorAt(line, f'"{character}" closes nothing')
                return
    if opened:
        bracket, at = opened[-1]
        yield SyntaxErrorAt(at, f'"{bracket}" is not closed')
