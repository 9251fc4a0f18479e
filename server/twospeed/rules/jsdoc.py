"""Write JSDoc comments for JavaScript and TypeScript from names and code.

Tags: JSDoc reference, ``@param``, ``@returns``, ``@yields``, ``@throws``. TypeScript has types in the code,
so they are not repeated (TSDoc). The comment goes above decorators, ``export``, and tool comments that refer
to the next line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from twospeed.text.lines import body_of

from .facts.values import DefinitionFacts, Parameter
from .outcome import Replacement, insertion
from .words import meaning, sentence

_NEXT_LINE = re.compile(r"\s*//\s*(?:eslint-|@ts-|prettier-ignore|biome-ignore|istanbul |c8 |v8 )")
_LONGEST_TEXT = 60
_NO_RESULT = {"void", "never", "undefined", "Promise<void>", "Promise<never>", "Promise<undefined>"}


def jsdoc_for(
    definition: DefinitionFacts, lines: Sequence[str], eol: str, *, is_typed: bool
) -> Replacement | None:
    """Return a JSDoc comment above a definition that has none, as a replacement.

    Args:
        definition: A function or class.
        lines: Lines of the scope, with line ends.
        eol: Line end for new lines.
        is_typed: Whether the code has types.

    Returns:
        ``None`` if other code precedes the definition on its line.
    """
    line, column = definition.span.start
    indent = lines[line][:column]
    if indent.strip():
        return None
    while line > 0 and _NEXT_LINE.match(body_of(lines[line - 1])):
        line -= 1
    tags = list(_tags(definition, is_typed=is_typed))
    rows = [
        "/**",
        f" * {sentence(definition.name)}",
        *([" *"] if tags else []),
        *(f" * {tag}" for tag in tags),
        " */",
    ]
    return insertion((line, 0), "".join(indent + row + eol for row in rows))


def _tags(definition: DefinitionFacts, *, is_typed: bool) -> Iterator[str]:
    taken = {parameter.name for parameter in definition.parameters}
    for parameter in definition.parameters:
        yield from _param(parameter, taken, is_typed=is_typed)
    if definition.yields:
        yield "@yields The next item." if is_typed else "@yields {*} The next item."
    elif result := _result(definition, is_typed=is_typed):
        yield result
    for raised in definition.raises:
        condition = f" If `{raised.condition}`." if _needs_no_escapes(raised.condition) else ""
        yield f"@throws {{{raised.name}}}{condition}"


def _param(parameter: Parameter, taken: set[str], *, is_typed: bool) -> Iterator[str]:
    if parameter.kind == "rest" and parameter.name:
        yield f"@param {'' if is_typed else '{...*} '}{parameter.name} - {meaning(parameter.name)}"
        return
    if parameter.kind != "pattern":
        yield f"@param {_shown(parameter, parameter.name)} - {meaning(parameter.name)}"
        return
    name = _free_name("options" if parameter.properties else "items", taken)
    kind = "" if is_typed or not parameter.properties else "{Object} "
    yield f"@param {kind}{_shown(parameter, name)} - {meaning(name)}"
    for each in parameter.properties:
        yield f"@param {_shown(each, f'{name}.{each.name}')} - {meaning(each.name)}"


def _shown(parameter: Parameter, name: str) -> str:
    """Return the name of a parameter as JSDoc writes it: in brackets if optional, with its default."""
    if parameter.default is not None:
        return f"[{name}={parameter.default}]" if _needs_no_escapes(parameter.default) else f"[{name}]"
    return f"[{name}]" if parameter.is_optional else name


def _free_name(name: str, taken: set[str]) -> str:
    number = 1
    free = name
    while free in taken:
        number += 1
        free = f"{name}{number}"
    taken.add(free)
    return free


def _result(definition: DefinitionFacts, *, is_typed: bool) -> str | None:
    is_declared = definition.is_stub and definition.annotation is not None
    has_result = (definition.returned or is_declared) and definition.annotation not in _NO_RESULT
    if is_typed:
        return "@returns The result." if has_result else None
    if definition.is_async:
        return "@returns {Promise<*>} The result." if has_result else "@returns {Promise<void>}"
    return "@returns {*} The result." if has_result else None


def _needs_no_escapes(text: str | None) -> bool:
    return text is not None and len(text) <= _LONGEST_TEXT and text.isprintable() and "*/" not in text
