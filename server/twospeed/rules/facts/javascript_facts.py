"""Facts from JavaScript and TypeScript trees about functions and classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from twospeed.syntax.identifiers.identifier import (
    Raised,
)
from twospeed.syntax.identifiers.scoped_walk import Frame, ScopedSource

from .code_facts import (
    Parameter,
)

if TYPE_CHECKING:  # see trees
    from tree_sitter import Node


def parameters(scoped: ScopedSource, definition: Node) -> tuple[Parameter, ...]:
    """Return the parameters of a function in order, without TypeScript's ``this``."""
    if single := definition.child_by_field_name("parameter"):  # ``x => …``
        return (Parameter(scoped.text(single), "plain"),)
    node = definition.child_by_field_name("parameters")
    found = (_parameter(scoped, child) for child in (node.named_children if node else ()))
    return tuple(parameter for parameter in found if parameter)


def _parameter(scoped: ScopedSource, node: Node) -> Parameter | None:
    default: Node | None = None
    annotation: Node | None = None
    is_optional = node.type == "optional_parameter"
    pattern: Node | None = node
    if node.type in {"required_parameter", "optional_parameter"}:
        default, annotation = node.child_by_field_name("value"), node.child_by_field_name("type")
        pattern = node.child_by_field_name("pattern")
    elif node.type in {"assignment_pattern", "object_assignment_pattern"}:
        default, pattern = node.child_by_field_name("right"), node.child_by_field_name("left")
    if pattern is None or pattern.type in {"this", "comment", "ERROR", "decorator"}:
        return None
    name = scoped.text(pattern).removeprefix("...").strip()
    is_pattern = name.startswith(("{", "["))
    return Parameter(
        name="" if is_pattern else name,
        kind="pattern" if is_pattern else "rest" if pattern.type == "rest_pattern" else "plain",
        annotation=scoped.text(annotation).removeprefix(":").strip() or None,
        default=scoped.text(default) or None,
        is_optional=is_optional,
        properties=_properties(scoped, pattern),
    )


def _properties(scoped: ScopedSource, pattern: Node) -> tuple[Parameter, ...]:
    if pattern.type != "object_pattern":
        return ()
    found: list[Parameter] = []
    for child in pattern.named_children:
        if child.type == "pair_pattern":
            key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
            default = value.child_by_field_name("right") if value else None
            if key is not None and key.type == "property_identifier":
                found.append(Parameter(scoped.text(key), "plain", default=scoped.text(default) or None))
        elif child.type != "rest_pattern" and (parameter := _parameter(scoped, child)):
            found.append(parameter)
    return tuple(found)


def is_async(definition: Node) -> bool:
    """Return whether a function is declared ``async``."""
    return any(child.type == "async" for child in definition.children)


def is_generator(definition: Node) -> bool:
    """Return whether a function is declared with a star."""
    return any(child.type == "*" for child in definition.children)


def record(scoped: ScopedSource, frame: Frame) -> None:
    """Record a ``return`` or ``throw`` for the function that contains it."""
    if frame.owner is None or frame.owner.notes is None:
        return
    notes = frame.owner.notes
    match frame.type:
        case "return_statement" if frame.node.named_child_count:
            notes.returned.append(None)
        case "return_statement":
            notes.has_bare_return = True
        case "throw_statement" if not frame.is_caught and (name := _thrown_name(scoped, frame.node)):
            notes.raises.append(Raised(name, _condition(scoped, frame)))
        case _ if frame.parent is frame.owner and frame.field == "body" and frame.type != "statement_block":
            notes.returned.append(None)  # the value of an arrow function
        case _:
            pass


def _thrown_name(scoped: ScopedSource, statement: Node) -> str | None:
    node = statement.named_children[0] if statement.named_child_count else None
    if node and node.type in {"new_expression", "call_expression"}:
        is_new = node.type == "new_expression"
        node = node.child_by_field_name("constructor" if is_new else "function")
        name = scoped.text(node)
        if name.replace(".", "").isidentifier() and name.rpartition(".")[2][:1].isupper():
            return name
    return None


def _condition(scoped: ScopedSource, frame: Frame) -> str | None:
    above = frame.parent
    branch = above if above and above.type == "statement_block" else frame
    if branch.parent is None or branch.parent.type != "if_statement":
        return None
    text = scoped.text(branch.parent.node.child_by_field_name("condition"))
    return text.removeprefix("(").removesuffix(")") if text and "\n" not in text else None
