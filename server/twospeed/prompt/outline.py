"""The outline of a file, for a prompt that does not contain the whole file: imports and signatures.

It does not depend on the scope, so typing inside functions keeps the provider's cache valid.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from twospeed.text.code.symbols import FileSymbols, Symbol

INDENT = "    "
"""Indentation of members below their class."""


def outline_of(file: FileSymbols, *, n_chars: int, prepare: Callable[[str], str]) -> str:
    """Return an outline of a file in whole lines, at most ``n_chars`` code points long, or an empty string.

    A long one omits, in this order: values, further lines of signatures, members, the last definitions.
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
        signature_at(symbol, symbol.depth)
        for symbol in file.symbols
        if symbol.depth == 0 or symbol.kind != "value"
    ]
    yield [signature_at(symbol, symbol.depth) for symbol in definitions]
    yield _briefly(definitions)
    yield _briefly(_outermost(file))


def _outermost(file: FileSymbols) -> list[Symbol]:
    return [symbol for symbol in file.symbols if symbol.kind != "value" and symbol.depth == 0]


def _briefly(symbols: list[Symbol]) -> list[str]:
    return [signature_at(symbol, symbol.depth, is_brief=True) for symbol in symbols]


def signature_at(symbol: Symbol, depth: int, *, is_brief: bool = False) -> str:
    """Format a signature at a depth, with a line end after each line."""
    indent = INDENT * depth
    if "\n" not in symbol.signature:
        return f"{indent}{symbol.signature}\n"
    lines = symbol.signature.split("\n")
    if is_brief:  # the line with the name, not a decorator above it
        lines = [next((line for line in lines if symbol.word in line), lines[0])]
    return "".join(f"{indent}{line}\n" for line in lines)


def _cut(lines: list[str], n_chars: int, prepare: Callable[[str], str]) -> str:
    kept: list[str] = []
    for index, line in enumerate(map(prepare, lines)):
        note = f"({len(lines) - index} more left out)\n"
        if len(line) + len(note) > n_chars:
            return "".join((*kept, note)) if kept else ""
        kept.append(line)
        n_chars -= len(line)
    return "".join(kept)
