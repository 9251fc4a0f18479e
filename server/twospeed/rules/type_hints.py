"""The rule for Python type hints: only those that are certain.

A parameter with a literal default gets the type of the literal. A function without a value gets ``None``; one
whose paths all end in literals of one type gets that type. Defaults of ``None``, stubs, abstract methods and
generators are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from twospeed.models.base import EditTask
from twospeed.syntax.identifiers.identifier import (
    Span,
)
from twospeed.text.lines import split_lines

from .facts.code_facts import (
    CodeFacts,
    DefinitionFacts,
    Parameter,
)
from .outcome import Outcome, Replacement, RuleRefusal, insertion, replaced

_CERTAIN = {"bool", "int", "float", "str", "bytes"}
_DECLARED_ONLY = ("abstractmethod", "abstractproperty", "overload")


def add_type_hints(task: EditTask, code: CodeFacts) -> Outcome:
    """Annotate the functions of the scope where the type is certain."""
    if task.language_id != "python":
        return RuleRefusal("type hints can be added to Python only")
    functions = [definition for definition in code.definitions if definition.kind != "class"]
    if not functions:
        return RuleRefusal(
            "these lines contain no complete function; put the cursor into one, or select all of it"
        )
    lines = split_lines(task.scope_text)
    found = [hint for function in functions for hint in _hints(function, lines)]
    if not found:
        return RuleRefusal(
            "no type here is certain: no literal default, and no result that could not be another type"
        )
    return replaced(task.scope_text, found)


def _hints(function: DefinitionFacts, lines: Sequence[str]) -> Iterator[Replacement]:
    for parameter in function.parameters:
        if hint := _parameter_hint(parameter, lines):
            yield hint
    if function.annotation is None and (result := _result(function)):
        yield insertion(function.parameters_end, f" -> {result}")


def _parameter_hint(parameter: Parameter, lines: Sequence[str]) -> Replacement | None:
    if parameter.annotation or parameter.default_type not in _CERTAIN or parameter.default_start is None:
        return None
    (line, column), (default_line, default_column) = parameter.name_end, parameter.default_start
    if line != default_line or lines[line][column:default_column].strip() != "=":
        return None
    return Replacement(Span(parameter.name_end, parameter.default_start), f": {parameter.default_type} = ")


def _result(function: DefinitionFacts) -> str | None:
    if function.name == "__init__" and not function.returned and not function.yields:
        return "None"
    is_declared_only = any(name.rpartition(".")[2] in _DECLARED_ONLY for name in function.decorators)
    if function.yields or function.is_stub or is_declared_only:
        return None
    if not function.returned:
        return None if function.leaving == "raises" else "None"
    kinds = set(function.returned)
    certain = kinds.pop() if len(kinds) == 1 else None
    is_sure = function.leaving == "returns" and not function.has_bare_return
    return certain if is_sure and certain in _CERTAIN else None
