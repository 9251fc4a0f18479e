"""Copy a function's tree without what is there for the parser's or a reader's sake: comments, types, quotes, commas.

One table serves every language, since grammars call like things alike; a type that stands in no table is copied as it
is. Names are told from names that are bound, with the tables of `facts.grammars` and some more.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from dataclasses import field as made_by
from typing import TYPE_CHECKING

from .facts.grammars import JAVASCRIPT, PYTHON

if TYPE_CHECKING:  # see trees
    from tree_sitter import Node, TreeCursor

MAX_NODES = 8_000
"""Of a function that is looked at: some 600 lines."""

MAX_DEPTH = 100
"""Nesting that is followed; what is deeper was written by no person."""

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
_MAKERS = frozenset(
    {"object_creation_expression", "composite_literal", "struct_expression", "cast_expression"}
)
"""Where a type says what is made."""

_ONE_TYPE = {"expression_list": "tuple", "subscript_argument_list": "tuple"}
"""Types that differ in nothing but parentheses."""

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
            "identifier_list",
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
        type: The node's.
        field: What it is to the node above.
        text: Of a leaf; of a string, what it holds, with ``{}`` for values; of others, their operator.
        parts: The nodes below; of a string, the values that are put into it.
        binds: Whether names that stand here are bound here.
    """

    type: str
    field: str | None
    text: str = ""
    parts: list[Part] = made_by(default_factory=list)
    binds: bool = False

    def get(self, *fields: str) -> Part | None:
        """Return the first part that fills one of these fields."""
        for part in self.parts:
            if part.field in fields:
                return part
        return None


class TooMuch(Exception):
    """The function is larger or deeper than what is looked at."""


def parts_of(function: Node) -> Part:
    """Copy a function's tree.

    Raises:
        TooMuch: It has more than ``MAX_NODES`` nodes, or is deeper than ``MAX_DEPTH``.
    """
    if function.descendant_count > MAX_NODES:
        raise TooMuch
    return _Copying(function).copy()


class _Copying:
    """One copy; the function's text is fetched once, since nodes fetch theirs line by line."""

    def __init__(self, function: Node) -> None:
        self._cursor = function.walk()
        self._text = function.text or b""
        self._start = function.start_byte

    def copy(self) -> Part:
        node = self._cursor.node
        assert node
        return _copied(node, None, self._cursor, self, 0, binds=False)

    def text_of(self, node: Node) -> str:
        return self._text[node.start_byte - self._start : node.end_byte - self._start].decode(
            "utf-8", "replace"
        )


def _copied(
    node: Node, field: str | None, cursor: TreeCursor, whole: _Copying, depth: int, *, binds: bool
) -> Part:
    """Copy the node that the cursor is at, and stay there."""
    if depth > MAX_DEPTH:
        raise TooMuch
    kind = node.type
    part = Part(_ONE_TYPE.get(kind, kind), field, binds=binds)
    if kind in STRINGS:
        _copy_string(part, node, cursor, whole, depth)
        return part
    if not cursor.goto_first_child():
        text = whole.text_of(node)
        part.text = _number(text) if kind in _NUMBERS else text
        return part
    binds_all = kind in _BINDING_TYPES
    hands_on = binds and kind in _PATTERNS
    while True:
        child, name = cursor.node, cursor.field_name
        assert child
        if child.is_named:
            if child.type not in _UNSEEN and (name not in _UNSEEN_FIELDS or kind in _MAKERS):
                is_bound = (
                    binds_all or (kind, name) in _BINDING_FIELDS or (hands_on and name not in _UNBOUND_FIELDS)
                )
                part.parts.append(_copied(child, name, cursor, whole, depth + 1, binds=is_bound))
        elif (name and "operator" in name) or child.type == "async":
            part.text = f"{part.text} {child.type}".strip()
        if not cursor.goto_next_sibling():
            break
    cursor.goto_parent()
    return part


def _copy_string(part: Part, node: Node, cursor: TreeCursor, whole: _Copying, depth: int) -> None:
    text = whole.text_of(node)
    if not cursor.goto_first_child():
        part.text = text.strip("'\"`")
        return
    prefix = text[:3].partition('"')[0].partition("'")[0].lower()
    is_raw = "r" in prefix
    held = ["b:"] if "b" in prefix else []
    while True:
        child = cursor.node
        assert child
        if child.type in STRINGS or child.type in _VALUES_IN_STRINGS:
            inner = _copied(child, None, cursor, whole, depth + 1, binds=False)
            is_string = child.type in STRINGS  # one behind the other are one string
            held.append(inner.text if is_string else "{}")
            part.parts += inner.parts
        elif child.is_named and child.type not in _UNSEEN:
            written = whole.text_of(child)
            held.append(written if is_raw or "\\" not in written else _ESCAPE.sub(_unescaped, written))
        if not cursor.goto_next_sibling():
            break
    cursor.goto_parent()
    part.text = "".join(held)


def _unescaped(match: re.Match[str]) -> str:
    if code := match["code"]:
        return chr(min(int(code[1:], 16), _LAST_CODE))
    return _ESCAPED.get(match["letter"], match[0])  # an escape that is none stays as it is


def _number(text: str) -> str:
    """Write a number one way; one that no literal of Python is written like stays as it is."""
    try:
        return str(int(text, 0))
    except ValueError:
        pass
    try:
        return repr(float(text))
    except ValueError:
        return text
