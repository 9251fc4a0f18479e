"""Copy the tree of a function without comments, types, quotes and commas, and recognize constructs in it.

One table serves every language, because grammars name similar nodes alike. An unknown type is copied
unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from dataclasses import field as dataclass_field
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

_IGNORED = frozenset(
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
_IGNORED_FIELDS = frozenset({"type", "return_type", "result", "type_parameters", "type_arguments", "label"})
_NO_FIELDS: frozenset[str] = frozenset()
_CONSTRUCTIONS = frozenset(
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
        parts: Child nodes, or the values in a string.
        binds: Whether names in it are bound here.
    """

    type: str
    field: str | None
    text: str = ""
    parts: list[Part] = dataclass_field(default_factory=list)
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
    """Copy the tree of a function, and return it with every name that is bound in it.

    ``code`` is its text: reading the text of each node is slower.
    """
    if function.descendant_count > MAX_NODES:
        raise FunctionTooLarge
    copier = _Copier(function, code)
    return copier.copy(function, function.type, None, 0, binds=False), copier.bound


class _Copier:
    def __init__(self, function: Node, code: bytes) -> None:
        self.bound: set[str] = set()
        self._cursor = function.walk()
        self._code = code
        self._start = function.start_byte

    def copy(self, node: Node, kind: str, field: str | None, depth: int, *, binds: bool) -> Part:
        """Copy the node at the cursor, which does not move."""
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
        cursor, add = self._cursor, part.parts.append
        binds_all = kind in _BINDING_TYPES
        passes_on = part.binds and kind in _PATTERNS
        ignored = _NO_FIELDS if kind in _CONSTRUCTIONS else _IGNORED_FIELDS
        while True:
            child, field = cursor.node, cursor.field_name
            assert child
            child_kind = child.type
            if child.is_named:
                if child_kind not in _IGNORED and field not in ignored:
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
            elif child.is_named and kind not in _IGNORED:
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
    try:
        return str(int(text, 0))
    except ValueError:
        pass
    try:
        return repr(float(text))
    except ValueError:
        return text


ATTRIBUTES = frozenset(
    {"attribute", "member_expression", "selector_expression", "field_access", "field_expression"}
)
SUBSCRIPTS = frozenset({"subscript", "subscript_expression", "index_expression", "array_access"})
COMPREHENSIONS = frozenset(
    {"list_comprehension", "set_comprehension", "generator_expression", "dictionary_comprehension"}
)
FUNCTIONS = frozenset({"arrow_function", "function_expression", "lambda", "closure_expression"})
BINARY = ("binary_operator", "binary_expression", "comparison_operator", "boolean_operator", "binary")
LOOPS = frozenset(
    {
        *("for_statement", "for_in_clause", "for_in_statement", "enhanced_for_statement", "range_clause"),
        *("for_expression", "for_range_loop", "for"),
    }
)
WHILES = frozenset({"while_statement", "while_expression", "do_statement", "for_clause"})
CONDITIONALS = frozenset(
    {
        *("if_statement", "if_expression", "elif_clause", "if_clause", "if"),
        *("conditional_expression", "ternary_expression"),
    }
)
ASSIGNMENTS = frozenset(
    {
        *("assignment", "augmented_assignment", "named_expression", "assignment_expression"),
        *("augmented_assignment_expression", "variable_declarator", "short_var_declaration", "var_spec"),
        *("assignment_statement", "init_declarator", "let_declaration", "compound_assignment_expr"),
    }
)
CALLS = frozenset({"call", "call_expression", "method_invocation"})

_INITIAL_VALUES = frozenset(
    {"0", "0.0", "''", "None", "null", "nil", "True", "False", "true", "false", "undefined"}
)
_COLLECTION_TYPES = frozenset({"list", "dict", "set", "tuple"})
_ONE_OPERATOR = {"===": "==", "!==": "!=", "&&": "and", "||": "or"}
_AROUND_ONE = frozenset({"parenthesized_expression", "tuple", "argument"})
_LENGTHS = frozenset({"length", "size", "Length", "Count", "len"})


def unparenthesized(part: Part) -> Part:
    """Remove parentheses and lists of one item."""
    while part.type in _AROUND_ONE and len(part.parts) == 1:
        part = part.parts[0]
    return part


def literal(part: Part) -> str:
    """Return the text of a leaf, in quotes for a string."""
    return f"'{part.text}'" if part.type in STRINGS else part.text


def operator_of(part: Part) -> str:
    """Return the operator between two operands, or an empty string."""
    if part.type not in BINARY:
        return ""
    operator = part.text.strip()
    return _ONE_OPERATOR.get(operator, operator)


def is_initial_value(part: Part) -> bool:
    """Return whether it is a value that variables begin with: nothing, zero, a truth value, an empty text or collection."""
    if (call := call_of(part)) and call[0].text in _COLLECTION_TYPES:
        return not call[1]
    is_collection = part.type in ("list", "dictionary", "array", "object", "tuple")
    return not part.parts and (literal(part) in _INITIAL_VALUES or is_collection)


def call_of(part: Part) -> tuple[Part, list[Part]] | None:
    """Return the callee and the arguments of a call."""
    if part.type not in CALLS:
        return None
    arguments = part.get("arguments")
    values = [] if arguments is None else [unparenthesized(inner) for inner in arguments.parts]
    if arguments and arguments.type in COMPREHENSIONS:
        values = [arguments]  # ``sum(… for …)`` has no parentheses of its own
    if owner := part.get("object", "receiver"):
        name = part.get("name", "method")
        return Part("attribute", None, parts=[owner, name] if name else [owner]), values
    called = part.get("function") or part.parts[0]
    return called, values


def length_owner_of(part: Part) -> Part | None:
    """Return the collection whose length is read: ``len(it)``, ``it.length``, ``it.size()``."""
    if call := call_of(part):
        called, values = call
        if called.text == "len" and len(values) == 1:
            return values[0]
        part = called if not values else part
    if part.type in ATTRIBUTES and part.parts[-1].text in _LENGTHS:
        return part.parts[0]
    return None


def indexed_collection_of(part: Part) -> Part | None:
    """Return the collection of which an item is read: ``it[i]``, ``it.get(i)``, ``it.at(i)``."""
    if part.type in SUBSCRIPTS:
        return part.parts[0]
    called, values = call_of(part) or (part, [])
    is_item = called.type in ATTRIBUTES and called.parts[-1].text in ("get", "at")
    return called.parts[0] if is_item and len(values) == 1 else None


def augmentation_of(target: Part, value: Part) -> tuple[str, Part] | None:
    """Return the operator and ``e`` of ``x = x + e``."""
    is_sum = value.type in ("binary_operator", "binary_expression") and target.type in NAMES
    if (
        is_sum
        and unparenthesized(value.parts[0]).type in NAMES
        and unparenthesized(value.parts[0]).text == target.text
    ):
        return operator_of(value), value.parts[-1]
    return None


def serialized(part: Part) -> str:
    """Serialize a part, to compare two parts."""
    return f"{part.type}{part.text}({','.join(serialized(inner) for inner in part.parts)})"


def variables_of(function: Part, bound: Iterable[str]) -> dict[str, str]:
    """Return the label of each variable of a function. ``bound`` are the names bound in it."""
    names = dict.fromkeys(bound, "$")
    numbered = 0
    for holder in _parameter_lists(function):
        for parameter in holder.parts:
            own_names = [parameter] if parameter.type in NAMES else list(_bound(parameter))
            names |= {name.text: f"${numbered}" for name in own_names}
            numbered += bool(own_names)
    if (own := function.get("name")) and not own.parts:
        names.setdefault(own.text, "$f")
    return names


def _parameter_lists(function: Part) -> Iterator[Part]:
    holder = function.get("declarator") or function
    for field in ("receiver", "parameters", "parameter"):
        if part := holder.get(field):
            yield part


def _bound(part: Part) -> Iterator[Part]:
    for inner in part.parts:
        if inner.binds and inner.type in NAMES and not inner.parts:
            yield inner
        yield from _bound(inner)
