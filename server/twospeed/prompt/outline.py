"""A file's outline, for models that are not shown all of it: imports, and what is defined, by signature.

It holds no line numbers and does not depend on the scope, so that typing inside of functions, and edits elsewhere in
the file, leave it as it is: what stands behind it stays in providers' caches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from twospeed.text.code.symbols import FileSymbols, Symbol

INDENT = "    "
"""Of members, below their class."""


def outline_of(file: FileSymbols, *, n_chars: int, prepare: Callable[[str], str]) -> str:
    """Write an outline.

    Args:
        file: What the file defines.
        n_chars: Code points there is room for.
        prepare: Applied to whole lines before they are measured and kept; makes none shorter.

    Returns:
        Whole lines. What there is no room for is left out in this order: values, all but first lines of signatures,
        members, then what comes last, with a line that says how much. Empty where there is nothing to say, or no room.
    """
    imports = [f"{line}\n" for line in file.imports]
    for lines in _forms(file):
        whole = "".join((*imports, *lines))
        if len(whole) <= n_chars and len(whole := prepare(whole)) <= n_chars:
            return whole
    return _cut([*imports, *_briefly(_outermost(file))], n_chars, prepare)


def _forms(file: FileSymbols) -> Iterator[list[str]]:
    definitions = [symbol for symbol in file.symbols if symbol.kind != "value"]
    yield [
        shown(symbol, symbol.depth) for symbol in file.symbols if symbol.depth == 0 or symbol.kind != "value"
    ]
    yield [shown(symbol, symbol.depth) for symbol in definitions]
    yield _briefly(definitions)
    yield _briefly(_outermost(file))


def _outermost(file: FileSymbols) -> list[Symbol]:
    return [symbol for symbol in file.symbols if symbol.kind != "value" and symbol.depth == 0]


def _briefly(symbols: list[Symbol]) -> list[str]:
    return [shown(symbol, symbol.depth, is_brief=True) for symbol in symbols]


def shown(symbol: Symbol, depth: int, *, is_brief: bool = False) -> str:
    """Write a signature at a depth, with a line end behind each line."""
    indent = INDENT * depth
    if "\n" not in symbol.signature:
        return f"{indent}{symbol.signature}\n"
    lines = symbol.signature.split("\n")
    if is_brief:  # the line that names it, not the decorator above
        lines = [next((line for line in lines if symbol.word in line), lines[0])]
    return "".join(f"{indent}{line}\n" for line in lines)


def _cut(lines: list[str], n_chars: int, prepare: Callable[[str], str]) -> str:
    """Keep as many lines as there is room for, beside one that says how many are left out."""
    kept: list[str] = []
    for index, line in enumerate(map(prepare, lines)):
        note = f"({len(lines) - index} more left out)\n"
        if len(line) + len(note) > n_chars:
            return "".join((*kept, note)) if kept else ""
        kept.append(line)
        n_chars -= len(line)
    return "".join(kept)
