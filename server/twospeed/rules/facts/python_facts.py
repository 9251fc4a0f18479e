"""Facts from Python trees: parameters, docstrings, how a body ends, older string formatting.

A type is given only if no other is possible: of a literal, ``not x``, ``x is y``, ``x in y``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from twospeed.syntax.identifiers.identifier import (
    Raised,
    Span,
)
from twospeed.syntax.identifiers.scoped_walk import Frame, ScopedSource

from .code_facts import (
    FormatArgument,
    FormatExpression,
    FormatStyle,
    Leaving,
    Parameter,
)

if TYPE_CHECKING:  # see trees
    from tree_sitter import Node

_STUBS = {"pass_statement", "ellipsis"}
_SURE_COMPARISONS = {"is", "is not", "in", "not in"}
"""Other comparisons return the result of ``__eq__`` and similar methods."""

_NUMBERS = {"integer", "float"}
_MAX_BRANCHES = 12
"""Depth of nested ``if`` statements that are followed."""


def parameters(scoped: ScopedSource, definition: Node) -> tuple[Parameter, ...]:
    """Return the parameters of a function in order, without the ``*`` and ``/`` markers."""
    node = definition.child_by_field_name("parameters")
    found = (_parameter(scoped, child) for child in (node.named_children if node else ()))
    return tuple(parameter for parameter in found if parameter)


def _parameter(scoped: ScopedSource, node: Node) -> Parameter | None:
    match node.type:
        case "identifier":
            return _named(scoped, node)
        case "default_parameter" | "typed_default_parameter":
            name, default = node.child_by_field_name("name"), node.child_by_field_name("value")
            annotation = node.child_by_field_name("type")
            return _named(scoped, name, annotation, default) if name else None
        case "typed_parameter":
            return _named(scoped, node.named_children[0], node.child_by_field_name("type"))
        case "list_splat_pattern" | "dictionary_splat_pattern":
            return _named(scoped, node)
        case "tuple_pattern":
            return Parameter("", "pattern")
        case _:
            return None


def _named(
    scoped: ScopedSource, node: Node, annotation: Node | None = None, default: Node | None = None
) -> Parameter:
    stars = scoped.text(node)
    name = stars.lstrip("* ")
    return Parameter(
        name=name,
        kind="keywords" if stars.startswith("**") else "rest" if stars.startswith("*") else "plain",
        annotation=scoped.text(annotation) or None,
        default=scoped.text(default) or None,
        default_type=certain_type(default) if default else None,
        name_end=scoped.place(node.end_point),
        default_start=scoped.place(default.start_point) if default else None,
    )


def certain_type(node: Node) -> str | None:
    """Return the built-in type that an expression certainly has, or ``None``."""
    while node.type in {"parenthesized_expression", "concatenated_string"} and node.named_child_count:
        node = node.named_children[0]
    text = (node.text or b"").decode("utf-8", "replace").lower()
    match node.type:
        case "true" | "false" | "not_operator":
            return "bool"
        case "integer" | "float":
            return "complex" if text.endswith("j") else "int" if node.type == "integer" else "float"
        case "string":
            prefix = text[: len(text) - len(text.lstrip("rbuft"))]
            return "bytes" if "b" in prefix else None if "t" in prefix else "str"
        case "unary_operator" if text[:1] in {"-", "+"} and node.named_children[-1].type in _NUMBERS:
            return certain_type(node.named_children[-1])
        case "comparison_operator":
            operators = [" ".join(child.type.split()) for child in node.children_by_field_name("operators")]
            return "bool" if len(operators) == 1 and operators[0] in _SURE_COMPARISONS else None
        case _:
            return None


def docstring(scoped: ScopedSource, definition: Node) -> Span | None:
    """Return the place of the docstring, or ``None``."""
    node = _docstring_node(definition)
    return scoped.span(node) if node else None


def _docstring_node(definition: Node) -> Node | None:
    body = definition.child_by_field_name("body")
    first = body.named_child(0) if body and body.named_child_count else None
    if first is None or first.type != "expression_statement" or first.named_child_count != 1:
        return None
    node = first.named_children[0]
    if node.type not in {"string", "concatenated_string"} or certain_type(node) != "str":
        return None
    return None if any(_is_f_string(part) for part in (node, *node.named_children)) else node


def _is_f_string(node: Node) -> bool:
    start = node.named_children[0] if node.type == "string" and node.named_child_count else None
    return start is not None and b"f" in (start.text or b"").lower()


def header_end(definition: Node) -> Node | None:
    """Return the colon that ends a header."""
    return next((child for child in definition.children if child.type == ":"), None)


def decorators(scoped: ScopedSource, outer: Node) -> tuple[str, ...]:
    """Return the names of the decorators, without arguments."""
    texts = (scoped.text(child) for child in outer.named_children if child.type == "decorator")
    return tuple(text.lstrip("@ ").partition("(")[0].strip() for text in texts)


def is_stub(scoped: ScopedSource, definition: Node) -> bool:
    """Return whether a body does nothing yet."""
    body = definition.child_by_field_name("body")
    doc = _docstring_node(definition)
    statements = [child for child in body.named_children if child.type != "comment"] if body else []
    rest = statements[1:] if doc else statements
    return all(_does_nothing(scoped, statement) for statement in rest)


def _does_nothing(scoped: ScopedSource, statement: Node) -> bool:
    if statement.type == "expression_statement" and statement.named_child_count == 1:
        return statement.named_children[0].type in _STUBS
    if statement.type == "raise_statement":
        return scoped.text(statement).removeprefix("raise").strip().startswith("NotImplementedError")
    return statement.type in _STUBS


def leaving(definition: Node) -> Leaving:
    """Return how a body ends, as far as ``return``, ``raise`` and ``if`` … ``else`` show it."""
    ends: set[str] = set()
    blocks = [(definition.child_by_field_name("body"), 0)]
    while blocks:
        block, depth = blocks.pop()
        last = _last_statement(block)
        if last is None or depth > _MAX_BRANCHES:
            return "unknown"
        if last.type in {"return_statement", "raise_statement"}:
            ends.add(last.type)
        elif last.type == "if_statement" and (branches := _branches(last)):
            blocks += [(branch, depth + 1) for branch in branches]
        else:
            return "unknown"
    return "returns" if "return_statement" in ends else "raises"


def _last_statement(block: Node | None) -> Node | None:
    children = block.named_children if block else []
    return next((child for child in reversed(children) if child.type != "comment"), None)


def _branches(node: Node) -> list[Node | None]:
    branches = [node.child_by_field_name("consequence")]
    has_else = False
    for clause in node.children_by_field_name("alternative"):
        has_else = has_else or clause.type == "else_clause"
        branches.append(clause.child_by_field_name("body" if clause.type == "else_clause" else "consequence"))
    return branches if has_else else []


def record(scoped: ScopedSource, frame: Frame) -> None:
    """Record a ``return``, ``yield`` or ``raise`` for the function that contains it."""
    if frame.owner is None or frame.owner.notes is None:
        return
    notes = frame.owner.notes
    match frame.type:
        case "return_statement" if frame.node.named_child_count:
            notes.returned.append(certain_type(frame.node.named_children[0]))
        case "return_statement":
            notes.has_bare_return = True
        case "yield":
            notes.yields = True
        case "raise_statement" if not frame.is_caught and (name := _raised_name(scoped, frame.node)):
            notes.raises.append(Raised(name, _condition(scoped, frame)))
        case _:
            pass


def _raised_name(scoped: ScopedSource, statement: Node) -> str | None:
    node = statement.named_children[0] if statement.named_child_count else None
    if node and node.type == "call":
        node = node.child_by_field_name("function")
    if node is None or node.type not in {"identifier", "attribute"}:
        return None
    name = scoped.text(node)
    # A lower-case name is a variable or a factory function.
    return name if name.rpartition(".")[2][:1].isupper() and name.replace(".", "").isidentifier() else None


def _condition(scoped: ScopedSource, frame: Frame) -> str | None:
    statement = frame.parent and frame.parent.parent  # the block is between them
    is_branch = statement is not None and statement.type == "if_statement"  # not of ``elif`` or ``else``
    text = scoped.text(statement.node.child_by_field_name("condition") if statement and is_branch else None)
    return text if text and "\n" not in text else None


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
