"""List the definitions, imports and used names of a file, for outlines and the index of a workspace.

Queries are not used: tree-sitter visits all later siblings of each node that it tries
(``ts_tree_cursor_current_status``). For 125,000 open brackets that takes 10 seconds and holds the GIL.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from twospeed.syntax.languages import PROFILES, profile_for
from twospeed.syntax.languages.symbol_tables import SYMBOL_TABLES, SymbolTable
from twospeed.syntax.trees.parsing import parse_lines
from twospeed.syntax.trees.trees import (
    PARSE_LIMIT_S,
    QUICK_BYTES,
    RecentResults,
    SourceTree,
    can_be_parsed,
    column_at,
    parse,
)
from twospeed.syntax.trees.walks import MAX_NODES, Walk, children_of, follow
from twospeed.text.code.symbols import FileSymbols, Symbol, UsedName
from twospeed.text.line_blocks import Lines
from twospeed.text.lines import body_of, split_lines

from .definitions import is_wrapper, kind_of, name_of, unwrapped, wrapped_by

if TYPE_CHECKING:  # see trees
    from tree_sitter import Node, Point

logger = logging.getLogger(__name__)

Mark = Callable[[SourceTree, "Node"], Hashable]
"""A hook that returns a small value for a function, from the tree of its file and its node."""

AT_ONCE_BYTES = QUICK_BYTES
"""Longest document whose symbols the caller lists, in about 3 ms."""

_KEPT = 8

MAX_SYMBOLS = 5000
"""Limit for one file. A file with more is generated."""

MAX_LISTED_NODES = 400_000
"""Limit of visited nodes outside functions: 0.2 s of a thread. 50,000 lines have about 60,000."""

MAX_SIGNATURE_LINES = 12
MAX_SIGNATURE_CHARS = 600
MAX_VALUE_CHARS = 160
MAX_IMPORT_CHARS = 1000

_MAX_HEAD = 1000
"""Limit of nodes before the body of a definition."""

_BODIES = frozenset({"block", "declaration_list", "field_declaration_list", "enumerator_list"})
_OWNER = re.compile(r"(?:\b([^\W\d]\w*))?\s*(?:\?\.|\.|->|::)$")
_MAX_OWNER = 200
"""Limit of characters searched before a dot. No name is longer."""


def can_have_symbols(language_id: str) -> bool:
    """Return whether a language has functions or classes and its grammar is installed."""
    return language_id in PROFILES and profile_for(language_id) is not None


def symbols_of(lines: Sequence[str], language_id: str, *, mark: Mark | None = None) -> FileSymbols | None:
    """Return the definitions and imports of an open document. ``mark`` is called for each function.

    ``None`` without a tree or functions, or if the document is long and `background.wait_for_symbols` has not
    listed it. Cost: 15 ms for 10,000 lines of Python. Without ``mark`` results are cached.
    """
    source = parse(language_id, lines) if can_have_symbols(language_id) else None
    if source is None:
        return None
    if mark is not None:
        return _symbols_in(source, mark)
    if known := _kept_symbols.get(source.lines):
        return known
    return None if source.lines.n_bytes > AT_ONCE_BYTES else _list_symbols(source)


def are_symbols_ready(language_id: str, lines: Lines) -> bool:
    """Return whether `symbols_of` needs no thread: the symbols are cached, quick to list, or do not exist."""
    return (
        not can_have_symbols(language_id)
        or lines.n_bytes <= AT_ONCE_BYTES
        or _kept_symbols.get(lines) is not None
    )


def cache_symbols(language_id: str, lines: Lines) -> None:
    """Cache the result of `symbols_of`, in a thread, after a document is parsed."""
    source = None if are_symbols_ready(language_id, lines) else parse(language_id, lines)
    if source is not None:
        _list_symbols(source)


_kept_symbols = RecentResults[FileSymbols](_KEPT)
_kept_names = RecentResults[tuple[UsedName, ...]](_KEPT)


def _list_symbols(source: SourceTree) -> FileSymbols:
    return _kept_symbols.keep(_symbols_in(source), source.lines)


def read_symbols(text: str, language_id: str, *, mark: Mark | None = None) -> FileSymbols | None:
    """Return the definitions and imports of a file, in a thread. Its tree is not kept."""
    profile = profile_for(language_id) if language_id in PROFILES else None
    lines = Lines.of(split_lines(text))
    if profile is None or not can_be_parsed(language_id, lines):
        return None
    tree = parse_lines(profile, lines, limit_s=PARSE_LIMIT_S)
    return None if tree is None else _symbols_in(SourceTree(profile, lines, tree), mark)


def names_used(lines: Sequence[str], language_id: str, start: int, end: int) -> tuple[UsedName, ...]:
    """Return the unresolved names in some lines, each once, in text order.

    Only the first `MAX_NODES_AT_ONCE` nodes are searched; `names_used_fully` searches more.
    Cost: 1 ms for 300 lines with a tree, at most 25 ms. Recent results are cached.
    """
    return _names_used(lines, language_id, start, end, MAX_NODES_AT_ONCE)


def names_used_fully(lines: Sequence[str], language_id: str, start: int, end: int) -> tuple[UsedName, ...]:
    """Search up to `MAX_NODES` nodes, in a thread. `names_used` returns the result afterwards."""
    return _names_used(lines, language_id, start, end, MAX_NODES)


MAX_NODES_AT_ONCE = 8_000
"""Limit on the event loop, 25 ms if each is a name. 500 lines of code have about 6,000 nodes."""


def _names_used(
    lines: Sequence[str], language_id: str, start: int, end: int, max_nodes: int
) -> tuple[UsedName, ...]:
    source = parse(language_id, lines) if can_have_symbols(language_id) else None
    if source is None:
        return ()
    if known := _kept_names.get(source.lines, start, end):
        return known
    found: dict[UsedName, None] = {}
    types = _table(source.profile.language_id).names
    for node in Walk(source.root, max_nodes, row=start):
        if node.start_point.row >= end:
            break
        if node.type in types and node.is_named and start <= node.start_point.row:
            found[_used_name(source, node)] = None
    return _kept_names.keep(tuple(found), source.lines, start, end)


def is_imported_by_name(language_id: str) -> bool:
    """Return whether code of a language must import names of other files by name."""
    return _table(language_id).is_imported_by_name


def _table(language_id: str) -> SymbolTable:
    return SYMBOL_TABLES.get(language_id, SymbolTable())


# Walking


@cache
def _symbol_types(language_id: str) -> frozenset[str]:
    profile, table = PROFILES[language_id], _table(language_id)
    return profile.functions | profile.classes | profile.wrappers | table.imports | frozenset(table.values)


# Definitions


class _SymbolCollector:
    """Collects the symbols of one file."""

    def __init__(self, source: SourceTree, mark: Mark | None) -> None:
        self.source = source
        self.table = _table(source.profile.language_id)
        self.symbols: list[Symbol] = []
        self.imports: list[str] = []
        self._mark = mark
        self._wrapped: dict[int, Sequence[Node]] = {}
        self._classes: list[int] = []
        self._skip_until = 0
        self._no_values_until = 0

    def process(self, node: Node) -> bool:
        """Process the next node. Return whether its inside is complete with it."""
        at = node.start_byte
        while self._classes and self._classes[-1] <= at:
            self._classes.pop()
        if node.type in self.table.imports:
            self.imports.append(_shortened(self.source.text_of(node).rstrip(), MAX_IMPORT_CHARS))
        elif node.id not in self._wrapped and is_wrapper(self.source, node) and self._record_wrapper(node):
            pass
        elif kind_of(self.source, node):
            self._add_definition(node)
        elif self._is_import(node):
            self.imports.append(_shortened(self.source.text_of(node).rstrip(), MAX_IMPORT_CHARS))
        elif at >= self._no_values_until:
            self._add_value(node)
        return at < self._skip_until

    def _is_import(self, node: Node) -> bool:
        # ``const {load} = require("./prices")``
        if not self.table.import_calls or node.type not in self.table.values:
            return False
        value = node.child_by_field_name("value")
        called = value and value.child_by_field_name("function")
        return called is not None and self.source.text_of(called) in self.table.import_calls

    def _record_wrapper(self, node: Node) -> bool:
        wrapped = wrapped_by(self.source, node)
        if wrapped:
            self._wrapped.setdefault(wrapped[0].id, wrapped[1])
        return wrapped is not None

    def _add_definition(self, node: Node) -> None:
        kind = kind_of(self.source, node)
        assert kind
        wrappers = self._wrapped.pop(node.id, ())
        name = name_of(self.source, node, wrappers)
        if name is None:
            if kind == "function":
                self._no_values_until = max(self._no_values_until, node.end_byte)
            return
        outer = wrappers[0] if wrappers else node
        symbol = self._symbol(kind, name, _signature(self.source, node, outer), outer)
        if not self._extends_previous(node, symbol):
            mark = self._mark_of(node) if kind == "function" else None
            self.symbols.append(replace(symbol, mark=mark) if mark is not None else symbol)
        if kind == "function":
            self._skip_until = node.end_byte
        else:
            self._classes.append(node.end_byte)

    def _extends_previous(self, node: Node, symbol: Symbol) -> bool:
        above = self.symbols[-1] if self.symbols else None
        if node.type not in self.source.profile.clauses or above is None or above.name != symbol.name:
            return False
        self.symbols[-1] = replace(above, end=symbol.end)
        return True

    def _add_value(self, node: Node) -> None:
        path = self.table.values.get(node.type)
        name = unwrapped(self.source, follow(node, path)) if path else None
        if name is not None and name.type in self.table.names:
            self._no_values_until = node.end_byte
            line = self.source.lines[node.start_point.row].strip()
            self.symbols.append(
                self._symbol("value", self.source.text_of(name), _shortened(line, MAX_VALUE_CHARS), node)
            )

    def _symbol(self, kind: str, name: str, signature: str, outer: Node) -> Symbol:
        end = outer.end_point.row + (outer.end_point.column > 0)
        return Symbol(kind, name, signature, outer.start_point.row, end, len(self._classes))  # type: ignore[arg-type]

    def _mark_of(self, node: Node) -> Hashable:
        if self._mark is None:
            return None
        try:
            return self._mark(self.source, node)
        except Exception:
            logger.exception("a function could not be marked")
            return None


def _symbols_in(source: SourceTree, mark: Mark | None = None) -> FileSymbols:
    collector = _SymbolCollector(source, mark)
    types = _symbol_types(source.profile.language_id)
    walk = Walk(source.root, MAX_LISTED_NODES)
    for node in walk:
        if node.type in types and node.is_named and collector.process(node):
            walk.skip()
        if len(collector.symbols) >= MAX_SYMBOLS:
            break
    return FileSymbols(source.profile.language_id, tuple(collector.symbols), tuple(collector.imports))


def _signature(source: SourceTree, node: Node, outer: Node) -> str:
    row, column = source.place(outer.start_point)
    end = _end_of_head(source, node)
    if end is None:
        return _shortened(_without_opening(source.lines[row][column:]), MAX_SIGNATURE_CHARS)
    last, end_column = source.place(end)
    rows = source.lines[row : last + 1]
    first, *others = (body_of(line) for line in (*rows[:-1], rows[-1][:end_column])[:MAX_SIGNATURE_LINES])
    margin = source.lines[row][:column]
    text = "\n".join((first[column:], *(_without_margin(line, margin) for line in others)))
    return _shortened(_without_opening(text), MAX_SIGNATURE_CHARS)


def _without_opening(head: str) -> str:
    return head.rstrip().removesuffix("{").rstrip()


def _end_of_head(source: SourceTree, node: Node) -> Point | None:
    head: Node | None = None
    body = node.child_by_field_name("body")
    for child in children_of(node, _MAX_HEAD):
        if child == body or (body is None and child.is_named and _is_body(child)):
            return head and head.end_point
        if child.type not in source.profile.leading:
            head = child
    return None


def _is_body(node: Node) -> bool:
    return node.type in _BODIES or node.type.endswith("body")


def _without_margin(line: str, margin: str) -> str:
    return line.removeprefix(margin) if not margin.strip() else line.strip()


def _shortened(text: str, n_chars: int) -> str:
    return text if len(text) <= n_chars else text[:n_chars] + "…"


# Used names


def _used_name(source: SourceTree, node: Node) -> UsedName:
    start, end = node.start_point, node.end_point
    row, line = start.row, source.lines[start.row]
    column = column_at(line, start.column)
    name = line[column : column_at(line, end.column)] if end.row == row else source.text_of(node)
    before = line[max(0, column - _MAX_OWNER) : column].rstrip()
    if row and not before.strip(" \t.?->:"):
        before = (body_of(source.lines[row - 1]) + before).rstrip()  # a chain of calls over several lines
    if not before.endswith((".", "->", "::")):
        return UsedName(name)
    behind = _OWNER.search(before, max(0, len(before) - _MAX_OWNER))
    return UsedName(name, (behind and behind[1]) or "", is_member=True)
