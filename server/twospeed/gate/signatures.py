"""Compare definitions of one name by the signatures that their language allows side by side."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate

from twospeed.text.code.scope import Definition
from twospeed.text.lines import indent_width

Signature = tuple[object, ...]
"""Equal if the language allows only one of two definitions, or if their headers are equal."""

MAX_HEADER_LINES = 30

_WITHOUT_OVERLOADS = frozenset(
    {"c", "go", "javascript", "javascriptreact", "php", "rust", "typescript", "typescriptreact"}
)
"""Languages in which a second function of one name is an error, or hides the first: Go, "Uniqueness of
identifiers"; Rust, "Namespaces"; ISO C, 6.9 (5); PHP, "User-defined functions"; ECMA-262.
"""
_NAME_FIRST = frozenset({"kotlin", "scala"})
"""Overloads differ in types, which follow the names of parameters."""
_NAME_LAST = frozenset({"csharp", "java"})
"""Overloads differ in types, which precede the names of parameters."""
_LABELLED = frozenset({"swift"})
"""Overloads differ in labels or types. Those that differ only in the result are rare."""

_WORD = re.compile(r"\w+")
_ACCESSORS = frozenset({"get", "set", "static"})
"""A getter, a setter and a static member of JavaScript may have the same name."""
_MARKS = ("#[", "@")
"""Prefixes of attributes and decorators, which select when a definition applies."""
_DIRECTIVE = re.compile(r"\s*#\s*(?:if|el|endif)")
"""The C preprocessor selects between definitions."""


def defined_twice(
    definitions: Sequence[Definition], lines: Sequence[str], start: int, language_id: str
) -> Iterator[tuple[Definition, Signature]]:
    """Yield each definition whose signature occurs above it in the same block.

    ``lines`` are those of the scope, which begins at line ``start`` of the document.
    """
    openers = _openers(lines)
    chosen = list(accumulate(map(bool, map(_DIRECTIVE.match, lines)))) if language_id == "c" else []
    known = set[tuple[Signature, int, int]]()
    for each in definitions:
        first = each.first_line - start
        if not 0 <= first < len(lines) or (language_id == "go" and each.name == "init"):  # Go allows many
            continue
        signature = _signature(each, lines, first, language_id)
        place = (signature, openers[first], chosen[first] if chosen else 0)
        if place in known:
            yield each, signature
        known.add(place)


def _openers(lines: Sequence[str]) -> list[int]:
    openers: list[int] = []
    around: list[tuple[int, int]] = []
    for index, line in enumerate(lines):
        width = indent_width(line)
        while around and around[-1][1] >= width and line.strip():
            around.pop()
        openers.append(around[-1][0] if around else -1)
        if line.strip():
            around.append((index, width))
    return openers


def _signature(definition: Definition, lines: Sequence[str], first: int, language_id: str) -> Signature:
    above = next((line.strip() for line in reversed(lines[max(first - 2, 0) : first]) if line.strip()), "")
    header = header_of(definition, lines, first)
    distinguishing: Signature | None = None
    last = lines[min(first + definition.last_line - definition.first_line, len(lines) - 1)]
    is_declared = definition.is_empty and not last.rstrip().endswith("}")  # an overload, or abstract
    if definition.kind == "function" and not is_declared and not above.startswith(_MARKS):
        distinguishing = _distinguishing_part(" ".join(header), definition.name, language_id)
    elif above.startswith(_MARKS):
        header.insert(0, above)
    return (definition.kind, definition.name, *(header if distinguishing is None else distinguishing))


def _distinguishing_part(header: str, name: str, language_id: str) -> Signature | None:
    before, _, behind = header.partition(name)
    if language_id in _WITHOUT_OVERLOADS:
        receiver = before.partition("(")[2].partition(")")[0].split() if language_id == "go" else ()
        accessors = _ACCESSORS.intersection(_WORD.findall(before)) if "script" in language_id else ()
        return (*sorted(accessors), *receiver[-1:])
    each = parameters_of(behind)
    if language_id in _NAME_LAST:
        return (before.partition("<")[2], *(" ".join(part.split()[:-1]) for part in each))
    if language_id in _NAME_FIRST:
        return (before, *(part.partition(":")[2].strip() for part in each))
    return (before, *each) if language_id in _LABELLED else None


def parameters_of(text: str) -> list[str]:
    """Split the content of the first parentheses at top-level commas."""
    found, depth = [""], 0
    for char in text[text.find("(") + 1 :]:
        depth += (char in "(<[{") - (char in ")>]}")
        if depth < 0:
            break
        if char == "," and not depth:
            found.append("")
        else:
            found[-1] += char
    return [part.strip() for part in found if part.strip()]


def header_of(definition: Definition, lines: Sequence[str], first: int) -> list[str]:
    """Return the lines of a definition up to the end of its parameters."""
    header: list[str] = []
    n_open, is_named = 0, False
    behind = first + definition.last_line - definition.first_line + 1
    for line in lines[first:behind][:MAX_HEADER_LINES]:
        header.append(line.strip())
        n_open += line.count("(") - line.count(")")
        is_named = is_named or definition.name in line
        if is_named and n_open <= 0:
            break
    return header
