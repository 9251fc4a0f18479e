"""Copy the tree of a function without comments, types, quotes and commas.

One table serves every language, because grammars name similar nodes alike. An unknown type is copied
unchanged. The tables of `identifiers.grammars` and some more show which names are bound.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from dataclasses import field as made_by
from typing import TYPE_CHECKING

from twospeed.syntax.identifiers.grammars import JAVASCRIPT, PYTHON

if TYPE_CHECKING:  # see trees
    from tree_sitter import Node

MAX_NODES = 8_000
"""Largest function that is compared: about 600 lines."""

MAX_DEPTH = 100
"""Limit of nesting. People do not nest deeper."""

NAMES = frozenset(
    {
        *("identifier", "shorthand_property_identifier", "shorthand_property_identifier_pattern"),
        *("simple_identifier", "variable_name", "package_identifier", "constant"),
    }
)
STRINGS = frozenset(
    {
        *("string", "template_string", "string_literal", "interpreted_string_literal", "raw_string_literal"),
        *("char_literal", "character_literal", "rune_literal", "concatenated_string", "encapsed_string"),
    }
)

_UNSEEN = frozenset(
    {
        *("comment", "line_comment", "block_comment", "doc_comment", "decorator", "pass_statement"),
        *(
            "type_annotation",
            "type_arguments",
            "type_parameters",
            "type_parameter",
            "type",
            "type_conversion",
        ),
        *(
            "global_statement",
            "nonlocal_statement",
            "empty_statement",
            "break_statement",
            "continue_statement",
        ),
        *("modifiers", "line_continuation", "mutable_specifier", "visibility_modifier", "lifetime"),
        *("string_start", "string_end"),
    }
)
_UNSEEN_FIELDS = frozenset({"type", "return_type", "result", "type_parameters", "type_arguments", "label"})
_NO_FIELDS: frozenset[str] = frozenset()
_MAKERS = frozenset(
    {"object_creation_expression", "composite_literal", "struct_expression", "cast_expression"}
)
"""Nodes with a type that shows what is created."""

_ONE_TYPE = {"expression_list": "tuple", "subscript_argument_list": "tuple"}
"""Types that differ only in parentheses."""

_NUMBERS = frozenset({"integer", "float", "number", "int_literal", "float_literal", "integer_literal"})
_VALUES_IN_STRINGS = frozenset({"interpolation", "template_substitution", "interpolated_expression"})
_ESCAPE = re.compile(
    r"\\(?:(?P<code>x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})|(?P<letter>.|\n))", re.DOTALL
)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "b": "\b", "a": "\a", "0": "\0", "\n": ""}
_ESCAPED |= {mark: mark for mark in "\\'\"`"}
_LAST_CODE = 0x10FFFF

_BINDING_FIELDS = (
    PYTHON.binding_fields
    | JAVASCRIPT.binding_fields
    | {
        *(("short_var_declaration", "left"), ("range_clause", "left"), ("assignment", "left")),
        *(("var_spec", "name"), ("const_spec", "name"), ("parameter_declaration", "name")),
        *(("parameter_declaration", "declarator"), ("formal_parameter", "name"), ("parameter", "name")),
        *(("init_declarator", "declarator"), ("enhanced_for_statement", "name"), ("parameter", "pattern")),
        *(("let_declaration", "pattern"), ("for_expression", "pattern"), ("declaration", "declarator")),
        *(("catch_formal_parameter", "name"), ("simple_parameter", "name")),
    }
)
_BINDING_TYPES = (
    PYTHON.binding_types | (JAVASCRIPT.binding_types - {"import_clause"}) | {"closure_parameters"}
)
_PATTERNS = (
    PYTHON.patterns
    | JAVASCRIPT.patterns
    | {
        *(
            "expression_list",
            "pointer_declarator",
            "array_declarator",
            "function_declarator",
        ),
        *("reference_declarator", "parameter_list", "mut_pattern", "ref_pattern", "reference_pattern"),
        *("left_assignment_list", "block_parameters"),
    }
)
_UNBOUND_FIELDS = PYTHON.unbound_fields | JAVASCRIPT.unbound_fields | {"size", "value"}


@dataclass(slots=True)
class Part:
    """A node of the copy.

    Attributes:
        field: Field of the parent that contains it.
        text: Text of a leaf, content of a string with ``{}`` for values, or the operator.
        parts: Child nodes. Of a string, the interpolated values.
        binds: Whether names in it are bound here.
    """

    type: str
    field: str | None
    text: str = ""
    parts: list[Part] = made_by(default_factory=list)
    binds: bool = False

    def get(self, *fields: str) -> Part | None:
        """Return the first part in one of these fields."""
        for part in self.parts:
            if part.field in fields:
                return part
        return None


class FunctionTooLarge(Exception):
    """The function exceeds `MAX_NODES` or `MAX_DEPTH`."""


def parts_of(function: Node, code: bytes) -> tuple[Part, set[str]]:
    """Copy the tree of a function.

    Args:
        function: Its node.
        code: Its text. Reading the text of each node is slower.

    Returns:
        The copy, and every name that is bound in it.

    Raises:
        FunctionTooLarge: It has more than ``MAX_NODES`` nodes, or is deeper than ``MAX_DEPTH``.
    """
    if function.descendant_count > MAX_NODES:
        raise FunctionTooLarge
    copier = _Copier(function, code)
    return copier.copy(function, function.type, None, 0, binds=False), copier.bound


class _Copier:
    """One copy, made with a cursor.

    Attributes:
        bound: Names that are bound in the copied nodes.
    """

    def __init__(self, function: Node, code: bytes) -> None:
        self.bound: set[str] = set()
        self._cursor = function.walk()
        self._code = code
        self._start = function.start_byte

    def copy(self, node: Node, kind: str, field: str | None, depth: int, *, binds: bool) -> Part:
        """Copy the node at the cursor. The cursor does not move."""
        if depth > MAX_DEPTH:
            raise FunctionTooLarge
        part = Part(_ONE_TYPE.get(kind, kind), field, "", [], binds)
        cursor = self._cursor
        if kind in STRINGS:
            self._copy_string(part, node, depth)
        elif cursor.goto_first_child():
            self._copy_children(part, kind, depth)
            cursor.goto_parent()
        else:
            text = self._text_of(node)
            part.text = _number(text) if kind in _NUMBERS else text
            if binds and kind in NAMES:
                self.bound.add(text)
        return part

    def _copy_children(self, part: Part, kind: str, depth: int) -> None:
        """Copy the node at the cursor and its following siblings as children of ``part``."""
        cursor, add = self._cursor, part.parts.append
        binds_all = kind in _BINDING_TYPES
        passes_on = part.binds and kind in _PATTERNS
        unseen = _NO_FIELDS if kind in _MAKERS else _UNSEEN_FIELDS
        while True:
            child, field = cursor.node, cursor.field_name
            assert child
            child_kind = child.type
            if child.is_named:
                if child_kind not in _UNSEEN and field not in unseen:
                    binds = (
                        binds_all
                        or (kind, field) in _BINDING_FIELDS
                        or (passes_on and field not in _UNBOUND_FIELDS)
                    )
                    add(self.copy(child, child_kind, field, depth + 1, binds=binds))
            elif (field and "operator" in field) or child_kind == "async":
                part.text = f"{part.text} {child_kind}".strip()
            if not cursor.goto_next_sibling():
                return

    def _copy_string(self, part: Part, node: Node, depth: int) -> None:
        cursor, text = self._cursor, self._text_of(node)
        if not cursor.goto_first_child():
            part.text = text.strip("'\"`")
            return
        prefix = text[:3].partition('"')[0].partition("'")[0].lower()
        is_raw = "r" in prefix
        pieces = ["b:"] if "b" in prefix else []
        while True:
            child = cursor.node
            assert child
            kind = child.type
            if kind in STRINGS or kind in _VALUES_IN_STRINGS:
                inner = self.copy(child, kind, None, depth + 1, binds=False)
                pieces.append(inner.text if kind in STRINGS else "{}")  # adjacent strings are one string
                part.parts += inner.parts
            elif child.is_named and kind not in _UNSEEN:
                written = self._text_of(child)
                pieces.append(written if is_raw or "\\" not in written else _ESCAPE.sub(_unescaped, written))
            if not cursor.goto_next_sibling():
                break
        cursor.goto_parent()
        part.text = "".join(pieces)

    def _text_of(self, node: Node) -> str:
        start = self._start
        return self._code[node.start_byte - start : node.end_byte - start].decode("utf-8", "replace")


def _unescaped(match: re.Match[str]) -> str:
    if code := match["code"]:
        return chr(min(int(code[1:], 16), _LAST_CODE))
    return _ESCAPED.get(match["letter"], match[0])  # an unknown escape is unchanged


def _number(text: str) -> str:
    """Normalize a number. A number that is no Python literal is unchanged."""
    try:
        return str(int(text, 0))
    except ValueError:
        pass
    try:
        return repr(float(text))
    except ValueError:
        return text
