"""Strings and comments that may name a variable, a parameter or an attribute."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from twospeed.syntax.identifiers.scoped_walk import Frame, ScopedSource

from .code_facts import TextFacts, TextRole

if TYPE_CHECKING:  # see trees
    from tree_sitter import Node

_BY_NAME = {"getattr", "setattr", "hasattr", "delattr", "attrgetter", "methodcaller", "patch.object"}
"""Calls that access an attribute by its name: the whole name, or its last parts."""

_OF_ATTRIBUTES = {"__slots__", "__match_args__"}
_STATEMENTS = re.compile(r".*(?:_statement|_definition|_declaration)|block|module|program|class_body")


def text_facts(scoped: ScopedSource, frame: Frame) -> TextFacts | None:
    """Return the facts of a string or comment inside the scope, or ``None`` for any other node."""
    node = frame.node
    if frame.type not in {"string", "comment"} or not scoped.start <= node.start_point.row < scoped.end:
        return None
    if any(child.type == "interpolation" for child in node.named_children):
        return None
    if frame.type == "comment":
        return _facts(scoped, node, "doc" if scoped.text(node).startswith("/**") else "comment")
    if frame.parent and frame.parent.type == "expression_statement":
        return _facts(scoped, node, "doc")
    return _string(scoped, frame)


def _string(scoped: ScopedSource, frame: Frame) -> TextFacts:
    is_type = False
    for above in frame.around():
        if _STATEMENTS.fullmatch(above.type):
            break
        is_type = is_type or above.type == "type"
        describe = _DESCRIBERS.get(above.type)
        if describe and (found := describe(scoped, frame.node, above.node)):
            return found
    return _facts(scoped, frame.node, "type" if is_type else "string")


def _facts(scoped: ScopedSource, string: Node, role: TextRole, owner: str = "", shown: str = "") -> TextFacts:
    return TextFacts(role, scoped.place(string.start_point), scoped.text(string), owner, shown)


def _of_generic_type(scoped: ScopedSource, string: Node, node: Node) -> TextFacts | None:
    name = scoped.text(node.named_children[0]) if node.named_child_count else ""
    return _facts(scoped, string, "string") if name.endswith("Literal") else None


def _of_subscript(scoped: ScopedSource, string: Node, node: Node) -> TextFacts:
    owner = scoped.text(node.child_by_field_name("object"))
    return _facts(scoped, string, "attribute", owner, f"…[{scoped.text(string)}]")


def _of_assignment(scoped: ScopedSource, string: Node, node: Node) -> TextFacts | None:
    left = scoped.text(node.child_by_field_name("left"))
    if left in _OF_ATTRIBUTES:
        return _facts(scoped, string, "attribute", shown=left)
    return _facts(scoped, string, "export") if left == "__all__" else None


def _of_call(scoped: ScopedSource, string: Node, node: Node) -> TextFacts | None:
    name = scoped.text(node.child_by_field_name("function"))
    arguments = node.child_by_field_name("arguments")
    first = arguments.named_children[0] if arguments and arguments.named_child_count else None
    is_first = first is not None and first.id == string.id
    if name.startswith("__all__."):
        return _facts(scoped, string, "export")
    if name.rpartition(".")[2] == "cast" and is_first:
        return _facts(scoped, string, "type")
    known = next((each for each in _BY_NAME if f".{name}".endswith(f".{each}")), None)
    if known is None:
        return None
    owner = "" if is_first else scoped.text(first)
    return _facts(
        scoped, string, "attribute", owner, f"{known}({'' if is_first else '…, '}{scoped.text(string)})"
    )


_DESCRIBERS: Mapping[str, Callable[[ScopedSource, Node, Node], TextFacts | None]] = {
    "assignment": _of_assignment,
    "augmented_assignment": _of_assignment,
    "call": _of_call,
    "decorator": lambda scoped, string, _: _facts(scoped, string, "decorator"),
    "dictionary_splat": lambda scoped, string, _: _facts(scoped, string, "keyword"),
    "generic_type": _of_generic_type,
    "literal_type": lambda scoped, string, _: _facts(scoped, string, "attribute", shown=scoped.text(string)),
    "subscript": _of_generic_type,
    "subscript_expression": _of_subscript,
}
"""By the type of a node around the string, innermost first."""
