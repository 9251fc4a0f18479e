"""The rule for doc comments: a summary from the words of the name, then parameters and errors from the code.

Nothing is invented: a parameter has no description, and a definition whose name gives no summary has no doc comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from twospeed.models.base import EditTask
from twospeed.syntax.identifiers.identifier import (
    Raised,
    Span,
)
from twospeed.text.lines import body_of, dominant_eol, split_lines

from .facts.code_facts import CodeFacts, DefinitionFacts, Parameter
from .instruction import AddDocs
from .outcome import Outcome, Replacement, RuleRefusal, insertion, replaced


def add_docs(task: EditTask, code: CodeFacts, command: AddDocs) -> Outcome:
    """Document the function of the scope, or all undocumented definitions outside functions."""
    is_python = task.language_id == "python"
    if command.is_jsdoc and is_python:
        return RuleRefusal("JSDoc is for JavaScript and TypeScript; ask for a docstring")
    chosen = _definitions_to_document(code, command.name)
    if not chosen:
        return RuleRefusal(_why_none(command.name))
    unnamed = [definition for definition in chosen if definition.doc is None]
    undocumented = [definition for definition in unnamed if sentence(definition.name)]
    if unnamed and not undocumented:
        return RuleRefusal(
            f"the name {unnamed[0].name} gives no summary, and the built-in engine invents none; "
            "set up a model to write it, or rename it to two or more whole words"
        )
    found = _replacements(task, undocumented)
    if undocumented and not found:
        return RuleRefusal(
            f"{undocumented[0].name} shares its lines with other code; put it on lines of its own first"
        )
    return replaced(task.scope_text, found)


def _why_none(name: str | None) -> str:
    if name:
        return f"these lines contain no function or class named {name}"
    return "these lines contain no complete function or class; put the cursor into one, or select all of it"


def _definitions_to_document(code: CodeFacts, name: str | None) -> list[DefinitionFacts]:
    if name is not None:
        return [definition for definition in code.definitions if definition.name == name.rpartition(".")[2]]
    outermost = [definition for definition in code.definitions if not definition.is_nested]
    if code.kind == "function":
        own = [definition for definition in outermost if definition.name == code.name]
        return (own or outermost)[:1]
    return [definition for definition in outermost if not is_documented_elsewhere(definition)]


def _replacements(task: EditTask, definitions: Sequence[DefinitionFacts]) -> list[Replacement]:
    lines = split_lines(task.scope_text)
    eol = dominant_eol(task.scope_text)
    found: dict[object, Replacement] = {}
    for definition in definitions:
        if task.language_id == "python":
            replacement = docstring_for(definition, lines, eol)
        else:
            replacement = jsdoc_for(
                definition, lines, eol, is_typed=task.language_id.startswith("typescript")
            )
        if replacement:
            # ``const a = …, b = …`` is one declaration at one place.
            found.setdefault(replacement.span, replacement)
    return list(found.values())


_RECEIVERS = {"self", "cls", "mcs", "mcls", "metacls"}
_MAX_QUOTED_CHARS = 60
"""Longer annotations, defaults and conditions are left out; the code below shows them."""

_IMPLIED_DOCS = ("overload", "setter", "deleter")


def is_documented_elsewhere(definition: DefinitionFacts) -> bool:
    """Return whether the implementation or property of the same name has the docstring."""
    return any(name.rpartition(".")[2] in _IMPLIED_DOCS for name in definition.decorators)


def docstring_for(definition: DefinitionFacts, lines: Sequence[str], eol: str) -> Replacement | None:
    """Return the docstring for a definition without one, if the layout of its header is supported.

    Layout: Google Python Style Guide, section 3.8, and PEP 257.
    """
    (header, column), (first, body) = definition.header_end, definition.body_start
    if first == header:
        start, start_column = definition.span.start
        outside = lines[start][:start_column]
        if outside.strip():
            return None
        indent = outside + ("\t" if "\t" in outside else "    ")
        text = eol + _layout(definition, indent, eol) + indent
        return Replacement(Span((header, column), (first, body)), text)
    if body_of(lines[header]).endswith("\\") or lines[first][:body].strip():
        return None
    text = _layout(definition, lines[first][:body], eol)
    if definition.kind == "class" and lines[header + 1].strip():
        text += eol
    return insertion((header + 1, 0), text)


def _layout(definition: DefinitionFacts, indent: str, eol: str) -> str:
    step = "\t" if "\t" in indent else "    "
    sections = [section for section in _sections(definition, step) if section]
    summary = sentence(definition.name)
    if not sections:
        return f'{indent}"""{summary}"""{eol}'
    rows = [f'"""{summary}']
    for section in sections:
        rows += ["", *section]
    rows.append('"""')
    return "".join((indent + row if row else "") + eol for row in rows)


def _sections(definition: DefinitionFacts, step: str) -> Iterator[list[str]]:
    arguments = [step + _argument_row(parameter) for parameter in _parameters_of(definition)]
    yield ["Args:", *arguments] if arguments else []
    errors = [step + _error_row(raised) for raised in definition.raises]
    yield ["Raises:", *errors] if errors else []


def _parameters_of(definition: DefinitionFacts) -> Sequence[Parameter]:
    parameters = definition.parameters
    if definition.kind == "method" and parameters and parameters[0].name in _RECEIVERS:
        parameters = parameters[1:]
    return [parameter for parameter in parameters if parameter.name]


def _argument_row(parameter: Parameter) -> str:
    stars = {"rest": "*", "keywords": "**"}.get(parameter.kind, "")
    kind = f" ({parameter.annotation})" if _fits_in_docstring(parameter.annotation) else ""
    has_default = _fits_in_docstring(parameter.default) and parameter.default != "..."  # as stubs write it
    default = f" Defaults to {parameter.default}." if has_default else ""
    return f"{stars}{parameter.name}{kind}:{default}"


def _error_row(raised: Raised) -> str:
    if _fits_in_docstring(raised.condition):
        return f"{raised.name}: If ``{raised.condition}``."
    return f"{raised.name}:"


def _fits_in_docstring(text: str | None) -> bool:
    if not text or len(text) > _MAX_QUOTED_CHARS:
        return False
    return text.isprintable() and "\\" not in text and '"""' not in text and "#" not in text


_TOOL_COMMENT = re.compile(r"\s*//\s*(?:eslint-|@ts-|prettier-ignore|biome-ignore|istanbul |c8 |v8 )")


def jsdoc_for(
    definition: DefinitionFacts, lines: Sequence[str], eol: str, *, is_typed: bool
) -> Replacement | None:
    """Return a JSDoc comment above a definition that has none, if no code precedes it on its line.

    Types that the code has are not repeated (TSDoc). Tool comments that refer to the next line stay above it.
    """
    line, column = definition.span.start
    indent = lines[line][:column]
    if indent.strip():
        return None
    while line > 0 and _TOOL_COMMENT.match(body_of(lines[line - 1])):
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
    used = {parameter.name for parameter in definition.parameters}
    for parameter in definition.parameters:
        yield from _param(parameter, used, is_typed=is_typed)
    for raised in definition.raises:
        condition = f" If `{raised.condition}`." if _fits_in_jsdoc(raised.condition) else ""
        yield f"@throws {{{raised.name}}}{condition}"


def _param(parameter: Parameter, used: set[str], *, is_typed: bool) -> Iterator[str]:
    if parameter.kind == "rest" and parameter.name:
        yield f"@param {'' if is_typed else '{...*} '}{parameter.name}"
        return
    if parameter.kind != "pattern":
        yield f"@param {_name_of_tag(parameter, parameter.name)}"
        return
    name = _free_name("options" if parameter.properties else "items", used)
    kind = "" if is_typed or not parameter.properties else "{Object} "
    yield f"@param {kind}{_name_of_tag(parameter, name)}"
    for each in parameter.properties:
        yield f"@param {_name_of_tag(each, f'{name}.{each.name}')}"


def _name_of_tag(parameter: Parameter, name: str) -> str:
    if parameter.default is not None:
        return f"[{name}={parameter.default}]" if _fits_in_jsdoc(parameter.default) else f"[{name}]"
    return f"[{name}]" if parameter.is_optional else name


def _free_name(name: str, used: set[str]) -> str:
    number = 1
    free = name
    while free in used:
        number += 1
        free = f"{name}{number}"
    used.add(free)
    return free


def _fits_in_jsdoc(text: str | None) -> bool:
    return text is not None and len(text) <= _MAX_QUOTED_CHARS and text.isprintable() and "*/" not in text


_PART = re.compile(r"[A-Z]+(?![a-z])\d*|[A-Z]?[^\W_A-Z]+|\d+")

_SPECIAL = {
    "__init__": "Initialize the instance",
    "constructor": "Initialize the instance",
    "__repr__": "Return the representation for developers",
    "__str__": "Return the text for users",
    "__len__": "Return the number of items",
    "__iter__": "Iterate over the items",
    "__next__": "Return the next item",
    "__contains__": "Return whether an item is contained",
    "__eq__": "Return whether the other is equal",
    "__ne__": "Return whether the other is not equal",
    "__lt__": "Return whether this is less than the other",
    "__hash__": "Return the hash",
    "__bool__": "Return whether this counts as true",
    "__getitem__": "Return an item",
    "__setitem__": "Set an item",
    "__delitem__": "Delete an item",
    "__enter__": "Enter the context",
    "__exit__": "Leave the context",
    "__aenter__": "Enter the context",
    "__aexit__": "Leave the context",
    "__call__": "Call the instance",
}
_CLAIMS = {"is", "has", "can", "should", "was", "needs"}
_SHORT_WORDS = frozenset(
    [
        "a",
        "an",
        "as",
        "at",
        "by",
        "do",
        "go",
        "id",
        "if",
        "in",
        "is",
        "it",
        "me",
        "my",
        "no",
        "of",
        "off",
        "on",
        "or",
        "so",
        "to",
        "up",
        "us",
        "we",
    ]
)
_VOWELS = frozenset("aeiouy")
_MIN_WORD_CHARS = 3


def sentence(name: str) -> str:
    """Return the summary that a name gives: "Fetch user data." for ``fetchUserData``.

    Empty for one word, and if a part of the name is no word: ``f``, ``_monthlen``, ``rgb_to_hls``.
    """
    name = name.rpartition(".")[2]
    if name in _SPECIAL:
        return _SPECIAL[name] + "."
    parts = words_of(name)
    if not parts[1:] or not all(map(_is_word, parts)):
        return ""
    words = " ".join(parts)
    return f"Return whether it {words}." if parts[0] in _CLAIMS else f"{words[0].upper()}{words[1:]}."


def _is_word(part: str) -> bool:
    if not part.isalpha() or len(part) < _MIN_WORD_CHARS:
        return part in _SHORT_WORDS or (part.isupper() and len(part) > 1)
    return part.isupper() or not part.isascii() or not _VOWELS.isdisjoint(part)


def words_of(name: str) -> list[str]:
    """Split a name at underscores and capitals. Abbreviations keep their capitals."""
    parts = _PART.findall(name)
    return [part if len(part) > 1 and part.isupper() and name != part else part.lower() for part in parts]
