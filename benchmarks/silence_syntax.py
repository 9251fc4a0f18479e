"""Hostile documents for every entry of ``syntax``: the cases that ``bench_silence`` measures for this room."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from twospeed import syntax
from twospeed.syntax.symbols import read_symbols
from twospeed.syntax.trees import parse_fully
from twospeed.text.line_blocks import Lines
from twospeed.text.lines import split_lines
from twospeed.text.scope import Scope

_TEXTS = {
    "equal lines": "x = 1\n" * 20_000,
    "blank lines": "\n" * 100_000,
    "one line": "x " * 500_000,
    "open brackets": "(\n" * 125_000,
    "nested lists": "[1,\n" * 60_000,
    "nested blocks": "".join(" " * depth + "if x:\n" for depth in range(600)),
    "elif chain": "if x:\n  y\n" + "elif x:\n  y\n" * 20_000,
    "operators": "a + \\\n" * 60_000 + "b\n",
    "texts": '"a" \\\n' * 60_000 + "\n",
    "open text": '"""\n' + "a\n" * 60_000,
    "comments": "# a\n" * 100_000,
}


def cases() -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield the name of each case and what is measured; trees are made before, as a thread of the server does."""
    for name, text in _TEXTS.items():
        lines = Lines.of(split_lines(text))
        parse_fully("python", lines)
        middle = len(lines) // 2
        scope = Scope("selection", None, middle, min(middle + 100, len(lines)))
        place = (lines, "python", scope.start, scope.end)
        entries: dict[str, Callable[[], object]] = {
            "enclosing_scopes": partial(syntax.enclosing_scopes, lines, "python", middle, 0),
            "count_errors": partial(syntax.count_errors, lines, "python"),
            "find_errors": partial(syntax.find_errors, *place),
            "scope_code": partial(syntax.scope_code, *place),
            "names_used": partial(syntax.names_used, *place),
            "import_statements": partial(syntax.import_statements, lines, "python"),
        }
        for entry, work in entries.items():
            yield f"{entry}: {name}", work


def in_threads() -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield what a thread does for the index: it may take long, but has to give up the interpreter."""
    for name, text in _TEXTS.items():
        yield f"read_symbols: {name}", partial(read_symbols, text, "python")
