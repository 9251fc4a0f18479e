"""Find early errors of JavaScript and TypeScript that their grammars accept.

One name declared twice, ``await`` in a function that is not async, ``return`` outside a function of a module
(ECMA-262, "Static Semantics: Early Errors").
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from twospeed.syntax.trees.trees import SourceTree, parse
from twospeed.syntax.trees.walks import Walk, children_of, named_children_of
from twospeed.text.code.scope import SyntaxErrorAt

if TYPE_CHECKING:  # see trees
    from tree_sitter import Node

LANGUAGES = frozenset({"javascript", "javascriptreact", "typescript", "typescriptreact"})

MAX_PLACES = 500
"""Declarations, ``await`` and ``return`` of a scope that are checked, in 20 ms."""

_LEXICAL = frozenset(
    {"lexical_declaration", "class_declaration", "abstract_class_declaration", "import_statement"}
)
_BINDING = _LEXICAL | {"function_declaration", "generator_function_declaration"}
_CHECKED = _LEXICAL | {"await_expression", "return_statement"}
_FUNCTIONS = frozenset(
    {
        "function_declaration",
        "generator_function_declaration",
        "function_expression",
        "generator_function",
        "arrow_function",
        "method_definition",
    }
)
_FIELDS = frozenset({"class_body", "class_static_block"})
"""An ``await`` or ``return`` inside these but in no function has rules of its own."""

Fault = tuple[str, int]
"""The error and its line."""


def early_errors(lines: Sequence[str], language_id: str, start: int, end: int) -> list[Fault]:
    """Return the early errors in some lines of a parsed document."""
    source = parse(language_id, lines) if language_id in LANGUAGES else None
    return _errors(source, start, end) if source else []


def new_early_error(
    before: Sequence[str], after: Sequence[str], language_id: str, scope: tuple[int, int, int]
) -> SyntaxErrorAt | None:
    """Return the first new early error of an edit. For ``scope`` see `find_new_fault`."""
    start, old_end, new_end = scope
    found = early_errors(after, language_id, start, new_end)
    return first_new(found, lambda: early_errors(before, language_id, start, old_end))


def first_new(faults: Sequence[Fault], old_faults: Callable[[], Sequence[Fault]]) -> SyntaxErrorAt | None:
    """Return the first fault that occurs more often than in the old text."""
    known = Counter(what for what, _ in old_faults()) if faults else Counter[str]()
    for what, line in faults:
        known[what] -= 1
        if known[what] < 0:
            return SyntaxErrorAt(line, what)
    return None


def _errors(source: SourceTree, start: int, end: int) -> list[Fault]:
    is_module = any(
        child.type in {"import_statement", "export_statement"} for child in named_children_of(source.root)
    )
    names_of_block: dict[int, Counter[str]] = {}
    found, twice = list[Fault](), dict[tuple[int, str], int]()
    for node in islice(_places(source, start, end), MAX_PLACES):
        row, kind = node.start_point.row, node.type
        around = source.path_to(row, source.column(node.start_point))
        around = [each for each in around if each != node and _holds(each, node)]
        if kind in _LEXICAL:
            block = _block_of(around)
            names = names_of_block.get(block.id)
            if names is None:
                names = names_of_block[block.id] = _names_in(source, block)
            twice.update({(block.id, name): row for name in _declared_names(source, node) if names[name] > 1})
            continue
        function = next((each for each in reversed(around) if each.type in _FUNCTIONS | _FIELDS), None)
        if kind == "await_expression":
            if function is not None and function.type in _FUNCTIONS and not _is_async(function):
                found.append(('"await" is in a function that is not async', row))
        elif function is None and is_module:
            found.append(('"return" is outside a function', row))
    found += [(f'"{name}" is declared twice', row) for (_, name), row in twice.items()]
    return sorted(found, key=lambda each: each[1])


def _places(source: SourceTree, start: int, end: int) -> Iterator[Node]:
    for node in Walk(source.root, row=start):
        row = node.start_point.row
        if row >= end:
            return
        if row >= start and node.type in _CHECKED:
            yield node


def _is_async(function: Node) -> bool:
    return any(child.type == "async" for child in children_of(function, MAX_MODIFIERS))


MAX_MODIFIERS = 8
"""Children of a function that are searched for ``async``, which precedes its name."""


def _holds(outer: Node, inner: Node) -> bool:
    return outer.start_byte <= inner.start_byte and inner.end_byte <= outer.end_byte


def _block_of(around: Sequence[Node]) -> Node:
    kinds = {"export_statement", "switch_case", "switch_default"}
    return next(each for each in reversed(around) if each.type not in kinds)


def _names_in(source: SourceTree, block: Node) -> Counter[str]:
    names, functions = Counter[str](), set[str]()
    for each in _declarations(block):
        if each.type in _LEXICAL:
            names.update(_declared_names(source, each))
        elif (name := each.child_by_field_name("name")) is not None:
            functions.add(source.text_of(name))
    names.update(functions)  # once for each name: functions of one name may be overloads
    return names


def _declarations(block: Node) -> Iterator[Node]:
    for child in named_children_of(block):
        if child.type in {"switch_case", "switch_default"}:
            yield from _declarations(child)
        elif child.type == "export_statement":
            yield from (each for each in named_children_of(child) if each.type in _BINDING)
        elif child.type in _BINDING:
            yield child


def _declared_names(source: SourceTree, declaration: Node) -> Iterator[str]:
    if declaration.type == "import_statement":
        for clause in named_children_of(declaration):
            yield from _names_of_import(source, clause)
        return
    if declaration.type != "lexical_declaration":
        if (name := declaration.child_by_field_name("name")) is not None:
            yield source.text_of(name)
        return
    for each in named_children_of(declaration):
        if each.type == "variable_declarator" and (pattern := each.child_by_field_name("name")) is not None:
            yield from _names_of_pattern(source, pattern)


def _names_of_import(source: SourceTree, clause: Node) -> Iterator[str]:
    if clause.type not in {"import_clause", "import_require_clause"}:
        return
    for node in Walk(clause):
        if node.type == "import_specifier":
            name = node.child_by_field_name("alias") or node.child_by_field_name("name")
            if name is not None:
                yield source.text_of(name)
        elif node.type == "identifier" and (node.parent is None or node.parent.type != "import_specifier"):
            yield source.text_of(node)


def _names_of_pattern(source: SourceTree, pattern: Node) -> Iterator[str]:
    pending = [pattern]
    while pending:
        node = pending.pop()
        if node.type in {"identifier", "shorthand_property_identifier_pattern"}:
            yield source.text_of(node)
        elif node.type in {"assignment_pattern", "object_assignment_pattern"}:
            pending += [left] if (left := node.child_by_field_name("left")) is not None else []
        elif node.type == "pair_pattern":
            pending += [value] if (value := node.child_by_field_name("value")) is not None else []
        elif node.type in {"object_pattern", "array_pattern", "rest_pattern"}:
            pending += named_children_of(node)
