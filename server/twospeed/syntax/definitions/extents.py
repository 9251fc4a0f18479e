"""Find the first and last line of a definition as a reader sees it.

Some nodes include blank lines and comments up to the next definition. One function may be several nodes: in
Haskell a signature and its equations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from twospeed.syntax.trees.trees import SourceTree
from twospeed.text.lines import indent_width

from .comment_lines import first_line_above
from .definitions import DefinitionNode
from .leading import path_near
from .names import name_of

if TYPE_CHECKING:  # see trees
    from tree_sitter import Node

_MAX_CLAUSES = 500
"""Limit of neighbours that are checked on either side. It bounds the time for hostile documents."""

_AROUND_OPERATORS = "()`"


def end_of(source: SourceTree, node: Node) -> int:
    """Return the line after a node, without trailing blank lines and the comments of the next definition.

    If bodies end by indentation, a comment that is not deeper than the node is outside it.
    """
    first = node.start_point.row
    last, column = source.place(node.end_point)
    end = last + 1 if last < len(source.lines) and source.lines[last][:column].strip() else last
    if end < len(source.lines) and source.lines[end].strip():
        end = first_line_above(source, end, indent_width(source.lines[end]))
    while end > first + 1:
        above = end - 1
        if source.lines[above].strip():
            above = end
            if source.profile.is_indented:
                above = first_line_above(source, end, indent_width(source.lines[first]))
            if above == end:
                break
        end = above
    return max(end, first + 1)


def clauses_of(source: SourceTree, definition: DefinitionNode) -> tuple[Node, Node]:
    """Return the first and the last clause of a function that is written as several nodes.

    Comments and blank lines may be between them. Most functions are one node, which is returned twice.
    """
    first = last = definition.outer
    if first.type in source.profile.clauses:
        first = _furthest(source, definition, step=-1)
        last = _furthest(source, definition, step=1)
    return first, last


def _furthest(source: SourceTree, definition: DefinitionNode, *, step: int) -> Node:
    """Return the last clause of a function above (-1) or below (1)."""
    around = definition.path[definition.depth - 1]
    name = _bare(name_of(source, definition.node, ()))
    found = at = definition.outer
    for _ in range(_MAX_CLAUSES):
        place = _text_beyond(source, at, step)
        near = path_near(source, *place, (source.root, around), 2) if place else []
        if len(near) == 1 or around not in near[:1]:
            break
        at = near[1]
        if at.type in source.profile.clauses and _bare(name_of(source, at, ())) == name:
            found = at
        elif at.type not in source.profile.leading:
            break
    return found


def _text_beyond(source: SourceTree, node: Node, step: int) -> tuple[int, int] | None:
    """Return the place of the last character above a node, or of the first below it."""
    end = end_of(source, node)
    numbers = range(node.start_point.row - 1, -1, -1) if step < 0 else range(end, len(source.lines))
    number = next((number for number in numbers if source.lines[number].strip()), None)
    if number is None:
        return None
    text = source.lines[number]
    return number, (len(text.rstrip()) - 1 if step < 0 else indent_width(text))


def _bare(name: str | None) -> str | None:
    """Return an operator without its brackets: ``(+)`` and ``+`` are one."""
    return name.strip(_AROUND_OPERATORS) if name else None
