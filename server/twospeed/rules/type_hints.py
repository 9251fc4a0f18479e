"""Add Python type hints, only where the type is certain.

A parameter with a literal default gets the type of the literal. A function that returns no value gets ``None``; one
whose paths all return literals of one type gets that type. Defaults of ``None``, stubs, abstract methods and
generators are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from twospeed.models.base import EditTask
from twospeed.syntax.identifiers.identifier import Span
from twospeed.text.lines import split_lines

from .facts.code_facts import CodeFacts, DefinitionFacts, Parameter
from .outcome import Outcome, Replacement, RuleRefusal, insertion, replaced

_CERTAIN = {"bool", "int", "float", "str", "bytes"}
_WITHOUT_BODY = ("abstractmethod", "abstractproperty", "overload")


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
    if function.annotation is None and (return_type := _return_type(function)):
        yield insertion(function.parameters_end, f" -> {return_type}")


def _parameter_hint(parameter: Parameter, lines: Sequence[str]) -> Replacement | None:
    if parameter.annotation or parameter.default_type not in _CERTAIN or parameter.default_start is None:
        return None
    (line, column), (default_line, default_column) = parameter.name_end, parameter.default_start
    if line != default_line or lines[line][column:default_column].strip() != "=":  # a comment or a line break
        return None
    return Replacement(Span(parameter.name_end, parameter.default_start), f": {parameter.default_type} = ")


def _return_type(function: DefinitionFacts) -> str | None:
    if function.name == "__init__" and not function.returned and not function.yields:
        return "None"  # even if it is a stub or always raises
    has_no_body = any(name.rpartition(".")[2] in _WITHOUT_BODY for name in function.decorators)
    if function.yields or function.is_stub or has_no_body:
        return None
    if not function.returned:
        return None if function.leaving == "raises" else "None"
    if function.leaving != "returns" or function.has_bare_return:
        return None
    types = set(function.returned)
    return types.pop() if len(types) == 1 and types <= _CERTAIN else None
