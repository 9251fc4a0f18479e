"""Determine the role of each name in code: variable, attribute, keyword, key. The default is ``reference``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from twospeed.syntax.trees.trees import SourceTree

from .grammars import JAVASCRIPT, PYTHON, Grammar
from .identifier import (
    Identifier,
    NameScope,
    Role,
)
from .scoped_walk import Frame, ScopedSource, path_to

if TYPE_CHECKING:  # see trees
    from tree_sitter import Node

_IMPORTS = {"import_statement", "import_from_statement", "future_import_statement"}
_JSX_TAGS = {"jsx_opening_element", "jsx_closing_element", "jsx_self_closing_element"}
_PROPERTY_MODIFIERS = {"accessibility_modifier", "readonly", "override_modifier"}
_PROPERTY_OWNERS = {"identifier", "this", "super"}
_JAVASCRIPT_NAMES = {
    "identifier",
    "property_identifier",
    "private_property_identifier",
    "shorthand_property_identifier",
    "shorthand_property_identifier_pattern",
    "type_identifier",
}


def python_identifier(scoped: ScopedSource, frame: Frame, scopes: Sequence[NameScope]) -> Identifier | None:
    """Return a Python name, or ``None`` for any other node."""
    if frame.type != "identifier" or frame.parent is None:
        return None
    scope = _bound_in(frame, scopes)
    role, owner = _python_role(scoped, frame, frame.parent)
    if role == "definition" and scopes[scope].kind == "class":
        role = "member"  # an attribute for code outside
    return Identifier(scoped.text(frame.node), scoped.span(frame.node), role, owner, scope=scope)


def javascript_identifier(
    scoped: ScopedSource, frame: Frame, scopes: Sequence[NameScope]
) -> Identifier | None:
    """Return a JavaScript or TypeScript name, or ``None`` for any other node."""
    if frame.type not in _JAVASCRIPT_NAMES or frame.parent is None:
        return None
    role, owner = _javascript_role(scoped, frame, frame.parent)
    is_shorthand = frame.type.startswith("shorthand")
    scope = _bound_in(frame, scopes)
    return Identifier(scoped.text(frame.node), scoped.span(frame.node), role, owner, is_shorthand, scope)


def _bound_in(frame: Frame, scopes: Sequence[NameScope]) -> int:
    scope = frame.scope
    while frame.hoists and scopes[scope].kind == "block":
        scope = scopes[scope].parent or 0
    return scope


def _python_role(scoped: ScopedSource, frame: Frame, parent: Frame) -> tuple[Role, str]:
    is_first = frame.node.start_point == parent.node.start_point
    role: Role = "reference"
    owner = ""
    if frame.binds:
        role = "definition"
    elif parent.type == "attribute" and frame.field == "attribute":
        role, owner = "attribute", _owner(scoped, parent.node.child_by_field_name("object"))
    elif parent.type == "keyword_argument" and frame.field == "name":
        role, owner = "keyword", _called(scoped, parent.parent.parent if parent.parent else None)
    elif parent.type == "keyword_pattern" and is_first:
        role = "keyword"
    elif parent.type in {"global_statement", "nonlocal_statement"}:
        role = "global"
    elif parent.type == "as_pattern" and not is_first:
        role = "definition"  # ``case … as name``
    elif parent.type == "dotted_name":
        role, owner = _dotted_role(scoped, frame, parent)
    return role, owner


def _dotted_role(scoped: ScopedSource, frame: Frame, dotted: Frame) -> tuple[Role, str]:
    above = dotted.parent
    for _ in range(3):
        if above and above.type in _IMPORTS:
            return "import", ""
        above = above.parent if above else None
    if frame.node.start_point != dotted.node.start_point:
        return "attribute", scoped.text(dotted.node).rpartition(".")[0]
    is_bare = dotted.node.named_child_count == 1
    is_bound = is_bare and dotted.parent is not None and dotted.parent.type != "class_pattern"
    return ("definition" if is_bound else "reference"), ""


def _javascript_role(scoped: ScopedSource, frame: Frame, parent: Frame) -> tuple[Role, str]:
    role: Role = "reference"
    if frame.type in {"property_identifier", "private_property_identifier"}:
        return _property_role(scoped, frame, parent)
    if frame.binds:
        role = _javascript_bound(parent.node)
    elif parent.type == "import_specifier":
        role = "import"
    elif parent.type == "export_specifier":
        role = _export_role(frame, parent)
    elif parent.type == "nested_type_identifier" and frame.field == "name":
        role = "attribute"
    elif parent.type in _JSX_TAGS and frame.field == "name":
        role = "key" if scoped.text(frame.node)[:1].islower() else "component"
    return role, ""


def _export_role(frame: Frame, specifier: Frame) -> Role:
    statement = specifier.parent.parent if specifier.parent else None
    if frame.field == "alias" or (statement and statement.node.child_by_field_name("source")):
        return "key"  # ``export {name} from "module"`` refers to no local name
    return "export" if specifier.node.child_by_field_name("alias") is None else "reference"


def _property_role(scoped: ScopedSource, frame: Frame, parent: Frame) -> tuple[Role, str]:
    if parent.type == "member_expression" and frame.field == "property":
        return "attribute", _owner(scoped, parent.node.child_by_field_name("object"))
    is_in_class = parent.parent is not None and parent.parent.type == "class_body"
    is_name = frame.field in {"name", "property"}
    return ("member" if is_in_class and is_name else "key"), ""


def _javascript_bound(parent: Node) -> Role:
    if parent.type == "for_in_statement" and parent.child_by_field_name("kind") is None:
        return "reference"  # ``for (name of …)`` without ``const`` assigns an existing variable
    is_property = parent.type == "required_parameter" and any(
        child.type in _PROPERTY_MODIFIERS for child in parent.children
    )
    return "member" if is_property else "definition"  # ``constructor(private name: string)`` declares a field


def _owner(scoped: ScopedSource, node: Node | None) -> str:
    return scoped.text(node) if node and node.type in _PROPERTY_OWNERS else ""


def _called(scoped: ScopedSource, call: Frame | None) -> str:
    node = call.node.child_by_field_name("function") if call and call.type == "call" else None
    if node is None or node.type not in {"identifier", "attribute"}:
        return ""
    text = scoped.text(node)
    return text if text.replace(".", "", 1).isidentifier() else ""


_Describe = Callable[[ScopedSource, Frame, Sequence[NameScope]], Identifier | None]

_LANGUAGES: Mapping[str, tuple[Grammar, _Describe]] = {
    "python": (PYTHON, python_identifier),
    "javascript": (JAVASCRIPT, javascript_identifier),
    "javascriptreact": (JAVASCRIPT, javascript_identifier),
    "typescript": (JAVASCRIPT, javascript_identifier),
    "typescriptreact": (JAVASCRIPT, javascript_identifier),
}


def identifier_at(source: SourceTree, line: int, column: int) -> Identifier | None:
    """Return the Python, JavaScript or TypeScript identifier at a place of a document, or ``None``.

    Cost: linear in the depth; 20 us for usual nesting.
    """
    grammar, describe = _LANGUAGES[source.profile.language_id]
    scoped = ScopedSource(source, 0, len(source.lines))
    scopes: list[NameScope] = []
    frame = path_to(scoped, grammar, scopes, source.point(line, column))
    return describe(scoped, frame, scopes)
