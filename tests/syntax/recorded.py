"""Record the results of the public functions of the syntax room for sources in every language.

The sources are ``records/go.txt`` and the labelled sample of the same name. ``records/go.found`` has their results: the
scopes of every line, symbols, imports, names, errors, code without literals, facts, normal forms of functions, and the
scopes and errors of versions with a missing line. ``python -m tests.syntax.recorded`` writes these files. Read the
differences before you commit them: users will see them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from itertools import groupby
from pathlib import Path

from tests.syntax.labelled import LANGUAGES as LABELLED
from tests.syntax.labelled import sample

from twospeed.errors import InvalidRequest
from twospeed.rules.facts.code_facts import (
    CodeFacts,
)
from twospeed.rules.facts.gather import code_facts, gather_facts
from twospeed.syntax import (
    count_errors,
    distinguishes_code_from_prose,
    enclosing_scopes,
    find_errors,
    find_scope,
    import_statements,
    names_used,
    scope_code,
    symbols_of,
    unknown_names,
)
from twospeed.syntax.definitions.symbols import Mark
from twospeed.syntax.duplicates.function_parts import FunctionTooLarge, parts_of
from twospeed.syntax.duplicates.normal_form import NormalForm
from twospeed.syntax.identifiers.identifier import (
    Identifier,
    Span,
)
from twospeed.text.code.scope import Scope, ScopeChoice, ScopeCode
from twospeed.text.code.symbols import UsedName
from twospeed.text.line_blocks import Lines
from twospeed.text.lines import split_lines

FOLDER = Path(__file__).parent / "records"
LANGUAGES = sorted({*LABELLED, *(path.stem for path in FOLDER.glob("*.txt"))})
N_BROKEN = 5
"""Versions of a source with one missing line. Python has three times as many, because its indentation is syntax."""


def found_in(language_id: str) -> list[str]:
    """Return the lines of the record of a language."""
    written = []
    for title, lines in _sources(language_id):
        written += [f"#### {title}", *_found(language_id, lines)]
    return "\n".join(written).split("\n")


def _sources(language_id: str) -> Iterator[tuple[str, Lines]]:
    if language_id in LABELLED:
        yield "sample", Lines.of(sample(language_id)[0])
    file = FOLDER / f"{language_id}.txt"
    if file.exists():
        yield "source", Lines.of(split_lines(file.read_text("utf-8")))


def _found(language_id: str, lines: Lines) -> Iterator[str]:
    yield f"errors: {count_errors(lines, language_id)} {_errors(lines, language_id)}"
    yield f"tells code from talk: {distinguishes_code_from_prose(lines, language_id)}"
    yield "## scopes"
    yield from _scopes(lines, language_id)
    yield "## scopes asked for"
    yield from _asked_for(lines, language_id)
    yield "## code"
    yield from _code(scope_code(lines, language_id, 0, len(lines)))
    yield "## imports"
    yield from (repr(each) for each in import_statements(lines, language_id))
    yield "## symbols"
    yield from _symbols(lines, language_id)
    yield "## unknown names"
    new = scope_code(lines, language_id, 0, len(lines))
    yield from map(shown, unknown_names((), lines, language_id, old=ScopeCode(0), new=new))
    yield "## facts"
    whole = Scope("file", None, 0, len(lines))
    gather_facts(lines, language_id, whole)
    yield from _facts(code_facts(lines, language_id, whole))
    yield "## without a line"
    yield from _broken(lines, language_id)


def shown(value: object) -> str:
    """Write a value on one line, without its empty, zero and false fields."""
    if isinstance(value, Span):
        return f"{shown(value.start)}-{shown(value.end)}"
    if isinstance(value, tuple) and len(value) == 2 and all(type(each) is int for each in value):
        return f"{value[0]}:{value[1]}"
    if isinstance(value, tuple):
        return f"[{', '.join(map(shown, value))}]"
    if is_dataclass(value):
        known = ((each.name, getattr(value, each.name)) for each in fields(value))
        said = (f"{name}={shown(held)}" for name, held in known if held not in (None, False, (), "", 0))
        return f"{type(value).__name__}({', '.join(said)})"
    return value if isinstance(value, str) and value.isidentifier() else repr(value)


def _errors(lines: Lines, language_id: str) -> str:
    return "; ".join(f"{each.line}: {each.what}" for each in find_errors(lines, language_id, 0, len(lines)))


def _scope(scope: Scope) -> str:
    return f"{scope.kind} {scope.name or ''} {scope.start}-{scope.end}".replace("  ", " ")


def _scopes(lines: Lines, language_id: str) -> Iterator[str]:
    """Yield the scopes of each line: at its start, at its first and last character, and at its end."""
    said = [_at(lines, language_id, number, _columns(line)) for number, line in enumerate(lines)]
    for text, group in groupby(range(len(lines)), key=lambda line: said[line]):
        rows = list(group)
        yield f"{rows[0]}-{rows[-1]}: {text}"


def _at(lines: Lines, language_id: str, line: int, columns: Iterable[int]) -> str:
    said = [" < ".join(map(_scope, enclosing_scopes(lines, language_id, line, column))) for column in columns]
    return " | ".join(each for each, _ in groupby(said))


def _columns(line: str) -> list[int]:
    text = line.rstrip("\r\n")
    return sorted({0, len(text) - len(text.lstrip()), max(0, len(text.rstrip()) - 1), len(text)})


def _asked_for(lines: Lines, language_id: str) -> Iterator[str]:
    choices: tuple[ScopeChoice, ...] = ("function", "class")
    for choice in choices:
        said = [_chosen(lines, language_id, line, choice) for line in range(len(lines))]
        for text, group in groupby(range(len(lines)), key=lambda line: said[line]):
            rows = list(group)
            yield f"{choice} {rows[0]}-{rows[-1]}: {text}"


def _chosen(lines: Lines, language_id: str, line: int, choice: ScopeChoice) -> str:
    place = (line, len(lines[line].rstrip()))
    try:
        return _scope(find_scope(lines, language_id, (place, place), choice))
    except InvalidRequest as error:
        return f"{error.field}: {error}"


def _code(code: ScopeCode) -> Iterator[str]:
    for line, text in enumerate(code.code, code.first_line):
        yield f"{line}: {text.rstrip()}"
    for literal in code.literals:
        yield f"literal {literal.line}: {literal.text!r}"
    if code.definitions is None:
        yield "no definitions are known"
    yield from map(shown, code.definitions or ())


def _symbols(lines: Lines, language_id: str) -> Iterator[str]:
    forms: list[str] = []

    def mark(source: object, node: object) -> None:
        forms.append(_form(node))

    taken: Mark = mark
    file = symbols_of(lines, language_id, mark=taken)
    if file is None:
        yield "none"
        return
    yield from file.imports
    for symbol in file.symbols:
        yield shown(symbol)
        if symbol.kind == "function":
            yield f"    {forms.pop(0)}"
        if not symbol.depth:
            yield f"    uses {_used(names_used(lines, language_id, symbol.start, symbol.end))}"
    yield f"uses {_used(names_used(lines, language_id, 0, len(lines)))}"


def _form(node: object) -> str:
    try:
        form = NormalForm(*parts_of(node, node.text or b""))  # type: ignore[arg-type, attr-defined]
    except FunctionTooLarge:
        return "too much"
    return f"{'logic' if form.has_logic else 'plain'} {form.words} {' '.join(form.shapes)}"


def _used(names: Iterable[UsedName]) -> str:
    return " ".join(f"{each.owner}.{each.name}" if each.is_member else each.name for each in names)


def _facts(facts: CodeFacts | None) -> Iterator[str]:
    if facts is None:
        yield "none"
        return
    yield f"{facts.kind} {facts.name} {facts.has_errors}"
    yield from map(shown, facts.definitions)
    for line, group in groupby(facts.identifiers, key=lambda each: each.span.start[0]):
        yield f"{line}: {' '.join(map(_identifier, group))}"
    yield from map(shown, facts.format_expressions)
    yield " ".join(
        f"{n}:{each.parent}{each.kind}{each.is_inside:d}" for n, each in enumerate(facts.name_scopes)
    )
    yield f"{sorted(facts.words_outside)} {sorted(facts.keywords_outside)}"


def _identifier(each: Identifier) -> str:
    owner = f" of {each.owner}" if each.owner else ""
    place = f"{each.span.start[1]}-{each.span.end[1]}"
    return f"{each.name}({each.role}{owner} {each.scope} {place}{' short' * each.is_shorthand})"


def _broken(lines: Lines, language_id: str) -> Iterator[str]:
    """Yield the results for versions that lack one line with an opening or closing token."""
    telling = [number for number, line in enumerate(lines) if _is_telling(line)]
    n_broken = 3 * N_BROKEN if language_id == "python" else N_BROKEN
    step = max(1, len(telling) // n_broken)
    for number in telling[::step][:n_broken]:
        rest = Lines.of([*lines[:number], *lines[number + 1 :]])
        yield f"{number}: {count_errors(rest, language_id)} {_errors(rest, language_id)}"
        said = [_at(rest, language_id, at, [len(line)]).rpartition(" < ")[0] for at, line in enumerate(rest)]
        yield "; ".join(
            f"{min(rows)}: {text or '-'}"
            for text, rows in (
                (text, list(group)) for text, group in groupby(range(len(rest)), key=lambda line: said[line])
            )
        )


def _is_telling(line: str) -> bool:
    text = line.strip()
    return text.endswith(("{", "(", "[", ":", '"""', "do", "then")) or text.startswith(
        (")", "]", "}", "end", '"""')
    )


def main(languages: Sequence[str]) -> None:
    """Write the records."""
    for language_id in languages or LANGUAGES:
        text = "\n".join(found_in(language_id))
        (FOLDER / f"{language_id}.found").write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
