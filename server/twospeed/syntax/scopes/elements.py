"""Find the element, rule, member, entry or table at the cursor in a data, markup or style format.

An element has two lines or more. The comments directly above belong to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from twospeed.syntax.definitions.definitions import end_of
from twospeed.syntax.definitions.leading import first_line_above, first_line_below, is_comment
from twospeed.syntax.languages.formats import FormatProfile
from twospeed.syntax.trees.trees import SourceTree
from twospeed.syntax.trees.walks import first_child, follow
from twospeed.text.code.scope import Scope
from twospeed.text.lines import indent_width

if TYPE_CHECKING:  # see trees
    from tree_sitter import Node

_MAX_ELEMENTS = 100
"""Innermost elements that are checked. It bounds the time for hostile documents."""

_MAX_NAME_LENGTH = 200
"""A longer text is no name: a key may be a whole document."""


def elements_at(source: SourceTree, profile: FormatProfile, line: int, column: int) -> list[Scope]:
    """Return the elements of two lines or more around a place, innermost first, with distinct lines.

    At white space, only elements that span the place are found.
    """
    path = source.path_to(line, column)
    scopes = [scope for scope in _elements_on(source, profile, path) if scope.start <= line < scope.end]
    below = _line_below_comments(source, path)
    if below is not None:
        path = source.path_to(below, indent_width(source.lines[below]))
        there = [scope for scope in _elements_on(source, profile, path) if scope.start <= line < scope.end]
        scopes = [*there, *(scope for scope in scopes if scope.end > below)] if there else scopes
    return _merge_equal_ranges(scopes)


def _elements_on(source: SourceTree, profile: FormatProfile, path: Sequence[Node]) -> Iterator[Scope]:
    n_found = 0
    for depth in range(len(path) - 1, 0, -1):
        node = path[depth]
        if node.type not in profile.elements or not node.is_named:
            continue
        parents = profile.parents.get(node.type)
        if parents and path[depth - 1].type not in parents:
            continue
        first = node.start_point.row
        end = end_of(source, node)
        if end - first < 2:  # noqa: PLR2004 # two lines or more
            continue
        start = first_line_above(source, first, indent_width(source.lines[first]))
        yield Scope("block", _name_of(source, profile, node), start, end)
        n_found += 1
        if n_found == _MAX_ELEMENTS:
            return


def _line_below_comments(source: SourceTree, path: Sequence[Node]) -> int | None:
    comment = next((node for node in path if node.type in source.profile.leading), None)
    if comment is None or not is_comment(source, source.lines[comment.start_point.row]):
        return None
    return first_line_below(source, comment.end_point.row + (comment.end_point.column > 0))


def _merge_equal_ranges(scopes: Sequence[Scope]) -> list[Scope]:
    kept: dict[tuple[int, int], Scope] = {}
    for scope in scopes:
        known = kept.get((scope.start, scope.end))
        if known is None or known.name is None:
            kept[scope.start, scope.end] = scope
    return sorted(kept.values(), key=lambda scope: scope.end - scope.start)


def _name_of(source: SourceTree, profile: FormatProfile, node: Node) -> str | None:
    paths = profile.elements[node.type]
    for path in paths:
        if found := follow(node, path):
            return _name_text(source.text_of(found))
    body = first_child(node, profile.bodies)
    if body is None or node.text is None:
        return None
    return _name_text(node.text[: body.start_byte - node.start_byte].decode("utf-8", "replace"))


def _name_text(text: str) -> str | None:
    name = " ".join(text.split())
    if len(name) > 1 and name[0] == name[-1] and name[0] in "\"'`":
        name = name[1:-1]
    return name if 0 < len(name) <= _MAX_NAME_LENGTH else None
