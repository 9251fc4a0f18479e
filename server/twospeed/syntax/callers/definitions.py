"""The definitions of functions, methods and classes in lines of a document, with what their callers must know."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, takewhile
from typing import TYPE_CHECKING, Literal

from twospeed.syntax.trees.trees import SourceTree
from twospeed.syntax.trees.walks import children_from, children_of
from twospeed.text.code import javascript

from .parameters import CallParameter, parameters_of

if TYPE_CHECKING:  # see trees
    from tree_sitter import Node

MAX_DEFINITIONS = 500
"""Definitions of one scope that are compared; a generated file has more."""

MAX_DEPTH = 60

DefinitionKind = Literal["function", "method", "class"]


@dataclass(frozen=True, slots=True)
class CallableDefinition:
    """A definition; parameters and result are read only when they are used.

    Attributes:
        within: Names of the enclosing classes and functions, outermost first.
        is_local: Whether it is inside of a function.
        is_static: Whether it is a static method of a Python class.
        is_default: Whether it is the default export of a JavaScript module.
        line: Line of the name.
        owner: The class or function around it.
        function: The node that has the parameters and the body.
    """

    kind: DefinitionKind
    name: str
    within: tuple[str, ...]
    is_local: bool
    is_static: bool
    is_default: bool
    line: int
    column: int
    owner: CallableDefinition | None
    source: SourceTree
    function: Node
    body_node: Node | None

    @property
    def body(self) -> str:
        """The text of the body."""
        return "" if self.body_node is None else self.source.text_of(self.body_node)

    @property
    def head(self) -> str:
        """The text above the body: equal heads have equal parameters and results."""
        end = self.function.end_point if self.body_node is None else self.body_node.start_point
        return self.source.text_between(self.function.start_point, end)

    @property
    def is_async(self) -> bool:
        """Whether it must be awaited."""
        return any(child.type == "async" for child in children_of(self.function, 3))

    @property
    def parameters(self) -> tuple[CallParameter, ...]:
        """The parameters that a caller gives: those of a class are its constructor's, and none here."""
        if self.kind == "class":
            return ()
        parameters = parameters_of(self.source, self.function)
        is_bound = (
            self.kind == "method" and self.source.profile.language_id == "python" and not self.is_static
        )
        return parameters[1:] if is_bound else parameters

    @property
    def result(self) -> str:
        """The written type of the result; empty without one."""
        node = self.function.child_by_field_name("return_type") or self.function.child_by_field_name("result")
        return "" if node is None else " ".join(self.source.text_of(node).split()).lstrip(": ").strip("'\"")

    @property
    def path(self) -> tuple[str, ...]:
        """Its names from the outermost one."""
        return (*self.within, self.name)


def definitions_in(source: SourceTree, start: int, end: int) -> list[CallableDefinition]:
    """Return the definitions in the lines from ``start`` to ``end``, in the order of the document."""
    found: list[CallableDefinition] = []
    lines = source.lines[start : end + 1]
    ends = list(accumulate(map(len, lines)))
    words = _WORD_OF_DEFINITION.finditer("".join(lines))
    rows = [start + bisect_right(ends, word.start()) for word in words]
    stack: list[tuple[Node, CallableDefinition | None]] = [(source.root, None)]
    while stack and len(found) < MAX_DEFINITIONS:
        node, owner = stack.pop()
        defined = _defined(source, node, owner)
        if defined and start <= node.start_point.row and node.end_point.row <= end:
            found.append(defined)
        inner = defined.body_node if defined else node
        owner = defined or owner
        if inner is None or (owner and len(owner.within) >= MAX_DEPTH):
            continue
        first, last = inner.start_point.row, inner.end_point.row
        is_class = owner is not None and owner.kind == "class"  # a method of JavaScript begins with its name
        if first >= start and not is_class and not _has_row(rows, first, last):
            continue
        children = takewhile(lambda child: child.start_point.row < end, children_from(inner, start))
        stack += reversed([(child, owner) for child in children if child.end_point.row >= start])
    return found


_WORD_OF_DEFINITION = re.compile("def|class|func|=>")


def _has_row(rows: Sequence[int], first: int, last: int) -> bool:
    at = bisect_left(rows, first)
    return at < len(rows) and rows[at] <= last


def _defined(source: SourceTree, node: Node, owner: CallableDefinition | None) -> CallableDefinition | None:
    within = owner.path if owner else ()
    is_in_class = owner is not None and owner.kind == "class"
    is_local = owner is not None and (owner.is_local or not is_in_class)
    parts = _parts(node, source.profile.language_id)
    if parts is None:
        return None
    kind, name, function = parts
    if kind == "function" and is_in_class:
        kind = "method"
    if kind == "method" and not is_in_class and node.type != "method_declaration":
        return None  # a method of an object literal
    receiver = node.child_by_field_name("receiver")
    if receiver is not None:
        within = (_receiver_type(source, receiver),)
    decorators = _decorators(source, node) if source.profile.language_id == "python" else []
    if any(map(_NOT_CALLED.match, decorators)):
        return None
    line, column = source.place(name.start_point)
    return CallableDefinition(
        kind=kind,
        name=source.text_of(name),
        within=within,
        is_local=is_local,
        is_static="@staticmethod" in decorators,
        is_default=_is_default_export(source, node),
        line=line,
        column=column,
        owner=owner,
        source=source,
        function=function,
        body_node=function.child_by_field_name("body"),
    )


_CLASSES = frozenset({"class_definition", "class_declaration", "abstract_class_declaration"})
_FUNCTIONS = frozenset(
    {"function_definition", "function_declaration", "generator_function_declaration", "function_signature"}
)
_METHODS = frozenset(
    {"method_definition", "method_declaration", "method_signature", "abstract_method_signature"}
)
_FIELDS = frozenset({"field_definition", "public_field_definition"})
_VALUES = frozenset({"arrow_function", "function_expression", "generator_function"})


def _parts(node: Node, language_id: str) -> tuple[DefinitionKind, Node, Node] | None:
    """Return the kind, the name and the function of a node that defines one."""
    name = node.child_by_field_name("name") or node.child_by_field_name("property")
    if name is None:
        return None
    kinds: tuple[tuple[frozenset[str], DefinitionKind], ...] = (
        (_CLASSES, "class"),
        (_FUNCTIONS, "function"),
        (_METHODS, "method"),
    )
    for types, kind in kinds:
        if node.type in types:
            is_accessor = any(child.type in ("get", "set") for child in children_of(node, 4))
            return None if is_accessor else (kind, name, node)
    value = node.child_by_field_name("value") if language_id in javascript.LANGUAGE_IDS else None
    if value is None or value.type not in _VALUES:
        return None
    if node.type == "variable_declarator":
        return ("function", name, value) if name.type == "identifier" else None
    return ("method", name, value) if node.type in _FIELDS else None


def _receiver_type(source: SourceTree, receiver: Node) -> str:
    text = source.text_of(receiver).strip("() ")
    return text.split()[-1].lstrip("*").partition("[")[0] if text else ""


_NOT_CALLED = re.compile(
    r"@(?:\w+\.)*(?:\w*property|setter|getter|deleter|overload|fixture|singledispatch)\b|@\w+\.register\b"
)
"""Decorators of a method that code reads instead of calling it, and of functions with several signatures."""


def _decorators(source: SourceTree, node: Node) -> list[str]:
    """Return the lines of the decorators above a Python function."""
    found: list[str] = []
    for number in range(node.start_point.row - 1, max(-1, node.start_point.row - 10), -1):
        text = source.lines[number].strip()
        if not text.startswith("@"):
            break
        found.append(text)
    return found


def _is_default_export(source: SourceTree, node: Node) -> bool:
    line = source.lines[node.start_point.row][: source.column(node.start_point)]
    return line.split() == ["export", "default"]
