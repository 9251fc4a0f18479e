"""Tell definitions apart that have one name: by what their language allows to stand side by side."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate

from twospeed.text.code.scope_code import Definition

Signature = tuple[object, ...]
"""Equal for two definitions where the language allows only one of them, or their whole headers are the same."""

MAX_HEADER_LINES = 30

_WITHOUT_OVERLOADS = frozenset(
    {"c", "go", "javascript", "javascriptreact", "php", "rust", "typescript", "typescriptreact"}
)
"""LSP language ids of languages in which a second function of a name in one place is an error, or hides the first.

Go, "Uniqueness of identifiers"; Rust, "Namespaces"; ISO C, 6.9 (5); PHP, "User-defined functions"; ECMA-262, where it is
allowed for functions of scripts and methods, and the last one is the only one that is called.
"""
_NAME_FIRST = frozenset({"kotlin", "scala"})
"""Overloads have other types, which stand behind the names of parameters."""
_NAME_LAST = frozenset({"csharp", "java"})
"""Overloads have other types, which stand before the names of parameters."""
_LABELLED = frozenset({"swift"})
"""Overloads have other labels or types. Those with another result alone are rare, and are as well two versions."""

_WORD = re.compile(r"\w+")
_ACCESSORS = frozenset({"get", "set", "static"})
"""Before a name in JavaScript: a getter and a setter belong together, and a class may have a static member besides."""
_MARKS = ("#[", "@")
"""How the line above a definition begins that says when it counts: Rust's attributes, decorators."""
_DIRECTIVE = re.compile(r"\s*#\s*(?:if|el|endif)")
"""C's preprocessor chooses between definitions."""


def defined_twice(
    definitions: Sequence[Definition], lines: Sequence[str], start: int, language_id: str
) -> Iterator[tuple[Definition, Signature]]:
    """Yield each definition with whose signature another one stands above it in the same block.

    Args:
        definitions: What a scope defines, in order.
        lines: The scope's lines, without line ends.
        start: Its first line, of the document.
        language_id: LSP language id.
    """
    openers = _openers(lines)
    chosen = list(accumulate(map(bool, map(_DIRECTIVE.match, lines)))) if language_id == "c" else []
    known = set[tuple[Signature, int, int]]()
    for each in definitions:
        first = each.first_line - start
        if not 0 <= first < len(lines) or (language_id == "go" and each.name == "init"):  # Go may have many
            continue
        signature = _signature(each, lines, first, language_id)
        place = (signature, openers[first], chosen[first] if chosen else 0)
        if place in known:
            yield each, signature
        known.add(place)


def _openers(lines: Sequence[str]) -> list[int]:
    """Return for each line the one above it that opens its block: the nearest with less indentation; -1 where there is none."""
    openers: list[int] = []
    around: list[tuple[int, int]] = []
    for index, line in enumerate(lines):
        width = len(line) - len(line.lstrip())
        while around and around[-1][1] >= width and line.strip():
            around.pop()
        openers.append(around[-1][0] if around else -1)
        if line.strip():
            around.append((index, width))
    return openers


def _signature(definition: Definition, lines: Sequence[str], first: int, language_id: str) -> Signature:
    above = next((line.strip() for line in reversed(lines[max(first - 2, 0) : first]) if line.strip()), "")
    header = header_of(definition, lines, first)
    told_apart: Signature | None = None
    last = lines[min(first + definition.last_line - definition.first_line, len(lines) - 1)]
    is_declared = definition.is_empty and not last.rstrip().endswith("}")  # an overload, or abstract
    if definition.kind == "function" and not is_declared and not above.startswith(_MARKS):
        told_apart = _told_apart(" ".join(header), definition.name, language_id)
    elif above.startswith(_MARKS):
        header.insert(0, above)
    return (definition.kind, definition.name, *(header if told_apart is None else told_apart))


def _told_apart(header: str, name: str, language_id: str) -> Signature | None:
    """Return what tells a function from others of its name; ``None`` where that is all of its header."""
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
    """Cut what stands in the first round brackets at its commas, but for those in brackets of their own."""
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
    """Return the lines of a definition down to the end of its parameters."""
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
