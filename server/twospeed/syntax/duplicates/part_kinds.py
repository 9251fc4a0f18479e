"""Recognize common constructs in the parts of a function: calls, operators, lengths."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .function_parts import NAMES, STRINGS, Part

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

_EMPTY = frozenset({"0", "0.0", "''", "None", "null", "nil", "True", "False", "true", "false", "undefined"})
_EMPTY_MAKERS = frozenset({"list", "dict", "set", "tuple"})
_ONE_OPERATOR = {"===": "==", "!==": "!=", "&&": "and", "||": "or"}
_AROUND_ONE = frozenset({"parenthesized_expression", "tuple", "argument"})
_LENGTHS = frozenset({"length", "size", "Length", "Count", "len"})


def bare(part: Part) -> Part:
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


def is_empty(part: Part) -> bool:
    """Return whether it is an initial value of a loop: nothing, zero, an empty collection."""
    if (call := call_of(part)) and call[0].text in _EMPTY_MAKERS:
        return not call[1]
    is_collection = part.type in ("list", "dictionary", "array", "object", "tuple")
    return not part.parts and (literal(part) in _EMPTY or is_collection)


def call_of(part: Part) -> tuple[Part, list[Part]] | None:
    """Return the callee and the arguments of a call."""
    if part.type not in CALLS:
        return None
    arguments = part.get("arguments")
    values = [] if arguments is None else [bare(inner) for inner in arguments.parts]
    if arguments and arguments.type in COMPREHENSIONS:
        values = [arguments]  # ``sum(… for …)`` has no parentheses of its own
    if owner := part.get("object", "receiver"):
        name = part.get("name", "method")
        return Part("attribute", None, parts=[owner, name] if name else [owner]), values
    called = part.get("function") or part.parts[0]
    return called, values


def measured_by(part: Part) -> Part | None:
    """Return the collection whose length is read: ``len(it)``, ``it.length``, ``it.size()``."""
    if call := call_of(part):
        called, values = call
        if called.text == "len" and len(values) == 1:
            return values[0]
        part = called if not values else part
    if part.type in ATTRIBUTES and part.parts[-1].text in _LENGTHS:
        return part.parts[0]
    return None


def item_of(part: Part) -> Part | None:
    """Return the collection from which an item is read: ``it[i]``, ``it.get(i)``, ``it.at(i)``."""
    if part.type in SUBSCRIPTS:
        return part.parts[0]
    called, values = call_of(part) or (part, [])
    is_item = called.type in ATTRIBUTES and called.parts[-1].text in ("get", "at")
    return called.parts[0] if is_item and len(values) == 1 else None


def grown_by(target: Part, value: Part) -> tuple[str, Part] | None:
    """Read ``x = x + e`` as ``x += e``."""
    is_sum = value.type in ("binary_operator", "binary_expression") and target.type in NAMES
    if is_sum and bare(value.parts[0]).type in NAMES and bare(value.parts[0]).text == target.text:
        return operator_of(value), value.parts[-1]
    return None


def written(part: Part) -> str:
    """Serialize a part, to compare two parts."""
    return f"{part.type}{part.text}({','.join(written(inner) for inner in part.parts)})"


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
