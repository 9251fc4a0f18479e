"""Write Python docstrings: a sentence from the name, then parameters, result and errors from the code.

Layout: Google Python Style Guide, section 3.8, and PEP 257. A one-line function is split after its colon. No
other code changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from twospeed.syntax.identifiers.values import (
    Raised,
    Span,
)
from twospeed.text.lines import body_of

from .facts.values import (
    DefinitionFacts,
    Parameter,
)
from .outcome import Replacement, insertion
from .words import meaning, sentence

_RECEIVERS = {"self", "cls", "mcs", "mcls", "metacls"}
_LONGEST_TEXT = 60
"""Longer annotations, defaults and conditions are left out; the code below shows them."""

_NO_RESULT = {"None", "NoReturn", "Never", "typing.NoReturn", "typing.Never"}
_IMPLIED_DOCS = ("overload", "setter", "deleter")


def is_documented_elsewhere(definition: DefinitionFacts) -> bool:
    """Return whether another definition of the name has the docstring: the implementation or the property."""
    return any(name.rpartition(".")[2] in _IMPLIED_DOCS for name in definition.decorators)


def docstring_for(definition: DefinitionFacts, lines: Sequence[str], eol: str) -> Replacement | None:
    """Return the docstring for a definition that has none, as a replacement.

    Returns:
        ``None`` if the layout of the header is not supported.
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
    arguments = [step + _argument(parameter) for parameter in _described(definition)]
    yield ["Args:", *arguments] if arguments else []
    if definition.yields:
        yield ["Yields:", step + "The next item."]
    elif result := _result(definition):
        yield ["Returns:", step + result]
    errors = [step + _error(raised) for raised in definition.raises]
    yield ["Raises:", *errors] if errors else []


def _described(definition: DefinitionFacts) -> Sequence[Parameter]:
    parameters = definition.parameters
    if definition.kind == "method" and parameters and parameters[0].name in _RECEIVERS:
        parameters = parameters[1:]
    return [parameter for parameter in parameters if parameter.name]


def _argument(parameter: Parameter) -> str:
    kind = f" ({parameter.annotation})" if _needs_no_escapes(parameter.annotation) else ""
    if parameter.kind == "rest":
        return f"*{parameter.name}{kind}: Further positional arguments."
    if parameter.kind == "keywords":
        return f"**{parameter.name}{kind}: Further keyword arguments."
    has_default = _needs_no_escapes(parameter.default) and parameter.default != "..."  # as stubs write it
    default = f" Defaults to {parameter.default}." if has_default else ""
    return f"{parameter.name}{kind}: {meaning(parameter.name)}{default}"


def _result(definition: DefinitionFacts) -> str | None:
    if not definition.returned or definition.annotation in _NO_RESULT:
        return None
    kinds = set(definition.returned)
    certain = next(iter(kinds)) if len(kinds) == 1 and definition.leaving == "returns" else None
    shown = definition.annotation or (None if definition.has_bare_return else certain)
    return f"{shown}: The result." if _needs_no_escapes(shown) else "The result."


def _error(raised: Raised) -> str:
    if _needs_no_escapes(raised.condition):
        return f"{raised.name}: If ``{raised.condition}``."
    return f"{raised.name}: Raised in the body."


def _needs_no_escapes(text: str | None) -> bool:
    if not text or len(text) > _LONGEST_TEXT:
        return False
    return text.isprintable() and "\\" not in text and '"""' not in text and "#" not in text
