"""Walk over the part of a tree inside a scope, with inherited facts.

Every visited node has a ``Frame`` that links to the frame above, so ``Node.parent`` is never called.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from twospeed.syntax.trees.trees import SourceTree

from .grammars import Grammar
from .identifier import (
    NameScope,
    Place,
    Raised,
    Span,
)

if TYPE_CHECKING:  # see trees
    from tree_sitter import Node, Point


_MAX_DEPTH = 200
"""Limit of nodes around a place for `path_to`. People nest twenty."""

MAX_NODES = 300_000
"""Limit of visited nodes: 2 s of a thread. 10,000 lines of Python have 120,000."""

_HANDLERS = {"except_clause", "catch_clause"}


class TooManyNodes(Exception):
    """The scope has more nodes than the limit."""


@dataclass(slots=True)
class FunctionNotes:
    """Facts about one function, collected while its body is walked."""

    returned: list[str | None] = field(default_factory=list)
    raises: list[Raised] = field(default_factory=list)
    has_bare_return: bool = False
    yields: bool = False


@dataclass(slots=True, eq=False)
class Frame:
    """A visited node.

    Attributes:
        field: Field of the parent that contains it.
        owner: The innermost enclosing function or class.
        scope: Number of the scope in which its names are resolved.
        inner_scope: The same for names inside the node.
        hoists: Whether a name bound here is bound in the function instead of the block.
        is_caught: Whether a handler of the same function may catch an error raised here.
        is_in_string: Whether it is code inside a string.
    """

    node: Node
    type: str
    field: str | None
    parent: Frame | None
    owner: Frame | None = None
    scope: int = 0
    inner_scope: int = 0
    hoists: bool = False
    binds: bool = False
    is_caught: bool = False
    is_in_string: bool = False
    notes: FunctionNotes | None = None

    def around(self) -> Iterator[Frame]:
        """Yield the frames around it, innermost first."""
        above = self.parent
        while above is not None:
            yield above
            above = above.parent


@dataclass(frozen=True, slots=True)
class ScopedSource:
    """The lines ``start`` up to ``end`` of a tree. Places are relative to ``start``."""

    source: SourceTree
    start: int
    end: int
    max_nodes: int = MAX_NODES

    def place(self, point: Point) -> Place:
        """Convert a point of the tree to a place in the scope."""
        line, column = self.source.place(point)
        return line - self.start, column

    def span(self, node: Node) -> Span:
        """Return the span of a node in the scope."""
        return Span(self.place(node.start_point), self.place(node.end_point))

    def text(self, node: Node | None) -> str:
        """Return the text of a node, or an empty string without a node."""
        return self.source.text_of(node) if node else ""

    def contains(self, node: Node) -> bool:
        """Return whether a node is inside the scope, except for comments after its last statement."""
        last = min(node.end_point.row, len(self.source.lines) - 1)
        while last >= self.end and self.source.lines[last].strip()[:1] in {"", "#"}:
            last -= 1
        return self.start <= node.start_point.row and last < self.end


def walk(scoped: ScopedSource, grammar: Grammar, scopes: list[NameScope]) -> Iterator[Frame]:
    """Visit the named nodes that touch the scope, parents first, in text order.

    It fills ``scopes`` with the scopes of names, by the numbers in the frames. Raises `TooManyNodes`.
    """
    cursor = scoped.source.tree.walk()
    root = scoped.source.root
    scopes.append(NameScope(None, "module", scoped.contains(root)))
    n_visited = 0
    above: Frame | None = Frame(root, root.type, None, None)
    has_next = cursor.goto_first_child()
    while above is not None and has_next:
        node = cursor.node
        assert node
        n_visited += 1
        if n_visited > scoped.max_nodes:
            raise TooManyNodes
        is_past = node.start_point.row >= scoped.end
        if node.is_named and not is_past and node.end_point >= (scoped.start, 0):
            frame = _frame(node, cursor.field_name, above, grammar)
            if kind := grammar.scopes.get(frame.type):
                frame.inner_scope = len(scopes)
                scopes.append(NameScope(frame.scope, kind, scoped.contains(node)))
            yield frame
            if cursor.goto_first_child():
                above = frame
                continue
        has_next = not is_past and cursor.goto_next_sibling()
        while above is not None and not has_next and cursor.goto_parent():
            above = above.parent
            has_next = cursor.goto_next_sibling()


def path_to(scoped: ScopedSource, grammar: Grammar, scopes: list[NameScope], point: Place) -> Frame:
    """Return the frame of the innermost named node at a point of the tree, and fill ``scopes`` as `walk` does."""
    cursor = scoped.source.tree.walk()
    root = scoped.source.root
    scopes.append(NameScope(None, "module", scoped.contains(root)))
    frame = Frame(root, root.type, None, None)
    for _ in range(_MAX_DEPTH):
        if cursor.goto_first_child_for_point(point) is None:
            break
        node = cursor.node
        assert node
        if not node.is_named or not node.start_point <= point < node.end_point:
            break
        frame = _frame(node, cursor.field_name, frame, grammar)
        if kind := grammar.scopes.get(frame.type):
            frame.inner_scope = len(scopes)
            scopes.append(NameScope(frame.scope, kind, scoped.contains(node)))
    return frame


def _frame(node: Node, name: str | None, above: Frame, grammar: Grammar) -> Frame:
    frame = Frame(node, node.type, name, above)
    is_owner = above.type in grammar.functions or above.type in grammar.classes
    frame.owner = above if is_owner else above.owner
    frame.binds = (
        (above.type, name) in grammar.binding_fields
        or above.type in grammar.binding_types
        or (above.binds and above.type in grammar.patterns and name not in grammar.unbound_fields)
    )
    frame.scope = frame.inner_scope = _scope(name, above, frame.owner, grammar)
    frame.hoists = above.type in grammar.hoisting or (above.hoists and frame.binds)
    is_tried = above.type == "try_statement" and name == "body" and _has_handler(above.node)
    frame.is_caught = is_tried or (above.is_caught and not is_owner)
    frame.is_in_string = above.is_in_string or above.type == "interpolation"
    frame.notes = FunctionNotes() if frame.type in grammar.functions else None
    return frame


def _scope(name: str | None, above: Frame, owner: Frame | None, grammar: Grammar) -> int:
    if (above.type, name) in grammar.outside_fields:
        return above.scope
    if owner and (above.type, name) in grammar.parameter_fields:
        return owner.scope
    if (
        above.type == "for_in_clause"
        and name == "right"
        and above.parent
        and _is_first_clause(above, above.parent)
    ):
        return above.parent.scope  # Python reference, "Displays": the first iterable is evaluated outside
    return above.inner_scope


def _is_first_clause(clause: Frame, comprehension: Frame) -> bool:
    first = next((child for child in comprehension.node.named_children if child.type == clause.type), None)
    return first is not None and first.id == clause.node.id


def _has_handler(node: Node) -> bool:
    return any(child.type in _HANDLERS for child in node.children)
