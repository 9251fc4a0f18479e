"""Find Python's older string formatting: ``'…'.format(…)`` and ``'…' % …``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from twospeed.syntax.identifiers.scoped_walk import Frame, ScopedSource

from .values import FormatArgument, FormatExpression, FormatStyle

if TYPE_CHECKING:  # see trees
    from tree_sitter import Node

_PLAIN_INDICES = {"identifier", "integer", "string"}


def format_expression(scoped: ScopedSource, frame: Frame) -> FormatExpression | None:
    """Return a formatted string literal, or ``None`` for any other node and inside f-strings."""
    if frame.is_in_string or not scoped.contains(frame.node):
        return None
    if frame.type == "call":
        return _format_call(scoped, frame.node)
    if frame.type == "binary_operator":
        return _percent(scoped, frame.node)
    return None


def _format_call(scoped: ScopedSource, node: Node) -> FormatExpression | None:
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if (
        function is None or arguments is None or arguments.type != "argument_list"
    ):  # a bare generator is no list
        return None
    literal = function.child_by_field_name("object")
    if scoped.text(function.child_by_field_name("attribute")) != "format" or not _is_string(literal):
        return None
    return _expression(scoped, node, "format", literal, arguments.named_children)


def _percent(scoped: ScopedSource, node: Node) -> FormatExpression | None:
    literal, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    if not _is_string(literal) or right is None or operator is None or operator.type != "%":
        return None
    values = right.named_children if right.type == "tuple" else [right]
    return _expression(scoped, node, "percent", literal, values)


def _expression(
    scoped: ScopedSource, node: Node, style: FormatStyle, literal: Node | None, values: list[Node]
) -> FormatExpression:
    parents = (node, *node.named_children)
    return FormatExpression(
        span=scoped.span(node),
        style=style,
        literal=scoped.text(literal),
        arguments=tuple(_argument(scoped, value) for value in values if value.type != "comment"),
        is_tuple=style == "percent" and node.children[-1].type == "tuple",
        has_comment=any(child.type == "comment" for parent in parents for child in parent.children),
    )


def _argument(scoped: ScopedSource, node: Node) -> FormatArgument:
    if node.type == "keyword_argument" and (value := node.child_by_field_name("value")):
        return FormatArgument(scoped.text(value), scoped.text(node.child_by_field_name("name")), _kind(value))
    return FormatArgument(scoped.text(node), None, _kind(node))


def _kind(node: Node) -> Literal["name", "access", "other"]:
    if node.type == "identifier":
        return "name"
    inner: Node | None = node
    while inner and inner.type != "identifier":
        if inner.type == "attribute":
            inner = inner.child_by_field_name("object")
        elif inner.type == "subscript" and _is_plain_index(inner):
            inner = inner.child_by_field_name("value")
        else:
            return "other"
    return "access" if inner else "other"


def _is_plain_index(node: Node) -> bool:
    indices = node.children_by_field_name("subscript")
    if len(indices) != 1 or indices[0].type not in _PLAIN_INDICES:
        return False
    return all(child.type not in {"interpolation", "escape_sequence"} for child in indices[0].named_children)


def _is_string(node: Node | None) -> bool:
    if node is None or node.type != "string":
        return False
    return all(child.type != "interpolation" for child in node.named_children)
