"""The rule for f-strings: convert ``'…'.format(…)`` and ``'…' % …`` if both give the same text.

Only names, attributes and plain indices are inserted. ``%s`` becomes ``!s`` unless the value is a number or a
string, because ``format()`` depends on the type. A single value after ``%`` must have such a type, because a
tuple would be unpacked. Braces contain no quote of the literal, no backslash and no comment: PEP 701 allows
them only from Python 3.12 on.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Sequence

from twospeed.models.base import EditTask
from twospeed.text.lines import split_lines

from .facts.code_facts import CodeFacts, FormatArgument, FormatExpression
from .outcome import Outcome, Replacement, RuleRefusal, replaced

_LITERAL = re.compile(r"(?P<quote>'''|\"\"\"|'|\")(?P<body>.*)(?P=quote)", re.DOTALL)
_AMBIGUOUS_ESCAPE = re.compile(r"\\[xuUN0-7{}%]")
"""Escapes that may represent a brace or a percent sign, or precede one."""

_PERCENT = re.compile(r"%(?P<code>.)?", re.DOTALL)
_PLAIN_TYPES = {"str", "int", "float", "bool"}


def use_f_strings(task: EditTask, code: CodeFacts) -> Outcome:
    """Convert all formatting that certainly gives the same text."""
    if task.language_id != "python":
        return RuleRefusal("f-strings exist only in Python")
    if not code.format_expressions:
        return RuleRefusal("these lines contain no .format() call or % formatting of a plain string literal")
    plain = _plain_parameters(code)
    lines = split_lines(task.scope_text)
    found: list[Replacement] = []
    for expression in code.format_expressions:
        converted = None if expression.has_comment else _f_string(expression, plain)
        if converted is not None:
            found.append(Replacement(expression.span, _separator(lines, expression) + converted))
    if not found:
        return RuleRefusal("no formatting in these lines can be converted safely, so nothing was changed")
    return replaced(task.scope_text, found)


def _plain_parameters(code: CodeFacts) -> set[str]:
    bound = [one.name for one in code.identifiers if one.role == "definition"]
    parameters = (parameter for definition in code.definitions for parameter in definition.parameters)
    return {
        parameter.name
        for parameter in parameters
        if parameter.kind == "plain"
        and parameter.annotation in _PLAIN_TYPES
        and bound.count(parameter.name) == 1
    }


def _separator(lines: Sequence[str], expression: FormatExpression) -> str:
    line, column = expression.span.start
    before = lines[line][:column][-1:]
    # ``return'…'`` must not become ``returnf'…'``.
    return " " if before.isalnum() or before == "_" else ""


def _f_string(expression: FormatExpression, plain: set[str]) -> str | None:
    literal = _LITERAL.fullmatch(expression.literal)
    if literal is None or _AMBIGUOUS_ESCAPE.search(literal["body"]):
        return None
    parts = _format_parts if expression.style == "format" else _percent_parts
    body = parts(expression, literal["body"], literal["quote"], plain)
    return None if body is None else f"f{literal['quote']}{body}{literal['quote']}"


def _format_parts(expression: FormatExpression, body: str, quote: str, _plain: set[str]) -> str | None:
    values: dict[str, FormatArgument] = {}
    for argument in expression.arguments:
        values[argument.keyword or str(len(values))] = argument
    used: list[str] = []
    pieces: list[str] = []
    fields = _fields(body)
    for text, field, rest in fields or ():
        pieces.append(_escaped_braces(text))
        if field is not None:
            name = field or str(len(used))
            value = _inside_braces(values.get(name), quote)
            if value is None or "{" in rest:
                return None
            used.append(name)
            pieces.append(f"{{{value}{rest}}}")
    if fields is None or set(used) != set(values):
        return None
    # Each expression must be evaluated as often as before. For a bare name this does not matter.
    once = all(used.count(name) == 1 or values[name].kind == "name" for name in used)
    return "".join(pieces) if once else None


def _fields(body: str) -> list[tuple[str, str | None, str]] | None:
    """Split a format string into texts, each with the next field and its conversion and format.

    ``None`` if it is malformed or numbers only some fields.
    """
    try:
        parsed = list(string.Formatter().parse(body))
    except ValueError:
        return None
    fields = [field for _, field, _, _ in parsed if field is not None]
    if "" in fields and any(field.isdigit() for field in fields):
        return None
    return [
        (text, field, (f"!{conversion}" if conversion else "") + (f":{spec}" if spec else ""))
        for text, field, spec, conversion in parsed
    ]


def _percent_parts(expression: FormatExpression, body: str, quote: str, plain: set[str]) -> str | None:
    if not expression.is_tuple and any(argument.text not in plain for argument in expression.arguments):
        return None
    arguments: Iterator[FormatArgument] = iter(expression.arguments)
    pieces: list[str] = []
    at = 0
    for match in _PERCENT.finditer(body):
        pieces.append(_escaped_braces(body[at : match.start()]))
        at = match.end()
        if match["code"] == "%":
            pieces.append("%")
            continue
        argument = next(arguments, None)
        value = _inside_braces(argument, quote)
        if argument is None or value is None or match["code"] not in {"s", "r"}:
            return None
        conversion = "!r" if match["code"] == "r" else "" if argument.text in plain else "!s"
        pieces.append("{" + value + conversion + "}")
    pieces.append(_escaped_braces(body[at:]))
    return "".join(pieces) if next(arguments, None) is None else None


def _escaped_braces(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _inside_braces(argument: FormatArgument | None, quote: str) -> str | None:
    if argument is None or argument.kind == "other" or "\\" in argument.text or "\n" in argument.text:
        return None
    text = argument.text
    if quote[0] in text:
        other = "'" if quote[0] == '"' else '"'
        if other in text:
            return None
        text = text.replace(quote[0], other)
    return None if "#" in text else text
