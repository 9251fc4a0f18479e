"""Walk over the part of a tree that lies in a scope, with what is known from further up at hand.

Every visited node comes in a ``Frame``, which is linked to the frame above: a node is never asked for its
parent, and what is inherited is handed down as the walk descends. The walk is a loop, whatever the depth.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from twospeed.syntax.trees import SourceTree
from twospeed.text.code_facts import Place, Raised, Span

if TYPE_CHECKING:  # see trees
    from tree_sitter import Node, Point


_HANDLERS = {"except_clause", "except_group_clause", "catch_clause"}


@dataclass(frozen=True, slots=True)
class Grammar:
    """Node types that decide what is handed down, for one family of languages.

    Attributes:
        functions: Function-like nodes, with or without a name: whose ``return`` it is.
        classes: Class-like nodes: whose member a name in their body is.
        binding_fields: Type and field of the places where a name is bound.
        binding_types: Types all of whose children are bound names.
        patterns: Types that hand the binding on to their children.
        unbound_fields: Fields of patterns that do not.
    """

    functions: frozenset[str]
    classes: frozenset[str]
    binding_fields: frozenset[tuple[str, str]]
    binding_types: frozenset[str]
    patterns: frozenset[str]
    unbound_fields: frozenset[str]


@dataclass(slots=True)
class Notes:
    """What is gathered about one function while its body is walked."""

    returned: list[str | None] = field(default_factory=list)
    raises: list[Raised] = field(default_factory=list)
    has_bare_return: bool = False
    yields: bool = False


@dataclass(slots=True, eq=False)
class Frame:
    """A node on the way down.

    Attributes:
        node: The node.
        type: Its type.
        field: The field of the node above that it fills.
        parent: The frame above.
        owner: The innermost function or class around the node, not the node itself.
        binds: Whether a name here is bound.
        is_caught: Whether an error raised here meets a handler of the same function.
        is_in_string: Whether it is code inside a string.
        notes: For a function: what is gathered about it.
    """

    node: Node
    type: str
    field: str | None
    parent: Frame | None
    owner: Frame | None = None
    binds: bool = False
    is_caught: bool = False
    is_in_string: bool = False
    notes: Notes | None = None


@dataclass(frozen=True, slots=True)
class ScopedSource:
    """The lines ``start`` up to ``end`` of a tree; places are told from ``start`` on."""

    source: SourceTree
    start: int
    end: int

    def place(self, point: Point) -> Place:
        """Turn a place of the tree into a place of the scope."""
        line, column = self.source.place(point)
        return line - self.start, column

    def span(self, node: Node) -> Span:
        """Return where a node stands in the scope."""
        return Span(self.place(node.start_point), self.place(node.end_point))

    def text(self, node: Node | None) -> str:
        """Return a node's text, empty without a node."""
        return self.source.text_of(node) if node else ""

    def contains(self, node: Node) -> bool:
        """Whether all of a node lies in the scope."""
        return node.start_point.row >= self.start and node.end_point <= (self.end, 0)


def walk(scoped: ScopedSource, grammar: Grammar) -> Iterator[Frame]:
    """Visit the named nodes that touch the scope, from the top down, in the order of the text."""
    cursor = scoped.source.tree.walk()
    above: Frame | None = Frame(scoped.source.root, scoped.source.root.type, None, None)
    has_next = cursor.goto_first_child()
    while above is not None and has_next:
        node = cursor.node
        assert node
        is_past = node.start_point.row >= scoped.end
        if node.is_named and not is_past and node.end_point >= (scoped.start, 0):
            frame = _frame(node, cursor.field_name, above, grammar)
            yield frame
            if cursor.goto_first_child():
                above = frame
                continue
        has_next = not is_past and cursor.goto_next_sibling()
        while above is not None and not has_next and cursor.goto_parent():
            above = above.parent
            has_next = cursor.goto_next_sibling()


def _frame(node: Node, name: str | None, above: Frame, grammar: Grammar) -> Frame:
    kind = node.type
    frame = Frame(node, kind, name, above)
    is_scope = above.type in grammar.functions or above.type in grammar.classes
    frame.owner = above if is_scope else above.owner
    frame.binds = (
        (above.type, name) in grammar.binding_fields
        or above.type in grammar.binding_types
        or (above.binds and above.type in grammar.patterns and name not in grammar.unbound_fields)
    )
    is_tried = above.type == "try_statement" and name == "body" and _has_handler(above.node)
    frame.is_caught = is_tried or (above.is_caught and not is_scope)
    frame.is_in_string = above.is_in_string or above.type == "interpolation"
    frame.notes = Notes() if kind in grammar.functions else None
    return frame


def _has_handler(node: Node) -> bool:
    return any(child.type in _HANDLERS for child in node.children)
