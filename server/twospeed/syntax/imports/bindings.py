"""Find out whether the code of a file, outside its import block, gives a name another meaning."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from twospeed.syntax.identifiers.roles import identifier_at
from twospeed.syntax.trees.trees import SourceTree

from .blocks import ImportBlock, end_row_of
from .statements import ImportDialect, ImportStatement

if TYPE_CHECKING:  # see trees
    from tree_sitter import Node

_BINDING = frozenset({"definition", "import", "global"})
_MAX_PLACES = 600
"""Places of names that are looked up, each in 20 us. With more the answer is not certain."""

_GLOBAL = re.compile(r"global ([^\n]*)")
_NAME = r"NAME(?![\w$])(?<![\w$]NAME)(?<!(?<!\.\.)\.NAME)"
"""A name that is no attribute. It is first in the pattern, so that the search is fast."""


def are_bound_elsewhere(
    source: SourceTree, dialect: ImportDialect, block: ImportBlock, new: Sequence[ImportStatement]
) -> bool:
    """Return whether the file binds one of the new names outside its import block, or may do so."""
    bound = [name.bound for each in new for name in each.names if name.bound]
    lines = list(source.lines)
    row = block.start
    for item in block.items:
        if item.statement or not item.is_import:
            lines[row : row + len(item.lines)] = [" " * len(line) for line in item.lines]
        row += len(item.lines)
    text = "".join(lines)
    unread = [item.text for item in block.items if item.is_import and item.statement is None]
    if any(_pattern(_NAME, each).search(shown) for each in bound for shown in unread):
        return True
    if dialect.definition:
        return any(_pattern(dialect.definition, each).search(text) for each in bound)
    places = _Places(source, lines, text)
    if dialect.later and places.have_related_imports(dialect, dialect.later, block, new):
        return True
    return any(each in text and places.bind(each) for each in bound)


def _pattern(template: str, name: str) -> re.Pattern[str]:
    return re.compile(template.replace("NAME", re.escape(name)))


class _Places:
    """Looks names up in the tree."""

    def __init__(self, source: SourceTree, lines: Sequence[str], text: str) -> None:
        self._source, self._text = source, text
        self._starts = list(accumulate(map(len, lines), initial=0))
        self._n_places = 0
        self._globals = set(re.findall(r"\w+", " ".join(_GLOBAL.findall(text))))
        self._definitions = source.profile.functions | source.profile.classes | source.profile.wrappers

    def bind(self, name: str) -> bool:
        """Return whether the module binds a name outside its functions and classes."""
        pattern, at = _pattern(_NAME, name), 0
        while found := pattern.search(self._text, at):
            self._n_places += 1
            row, column = self._place(found.start())
            top = self._top_level(row, column)
            defined = _defined_by(top) if top and top.type in self._definitions else None
            at = found.end()
            if top and defined:
                if self._source.text_of(defined) == name:
                    return True
                at = max(at, self._starts[min(end_row_of(top) + 1, len(self._starts) - 1)])
            elif self._is_bound_at(row, column):
                return True
            if self._n_places > _MAX_PLACES:
                return True
        return name in self._globals

    def _place(self, offset: int) -> tuple[int, int]:
        row = bisect_right(self._starts, offset) - 1
        return row, offset - self._starts[row]

    def _is_bound_at(self, row: int, column: int) -> bool:
        identifier = identifier_at(self._source, row, column)
        return identifier is not None and identifier.role in _BINDING and identifier.scope == 0

    def have_related_imports(
        self,
        dialect: ImportDialect,
        pattern: re.Pattern[str],
        block: ImportBlock,
        new: Sequence[ImportStatement],
    ) -> bool:
        """Return whether an import below the block, or under a condition, may be why one is not in the block."""
        risky = [each for each in new if dialect.rank(each) > dialect.library_rank]
        modules, packages = {each.module for each in risky}, {dialect.package(each) for each in risky}
        is_new_package = not packages <= {dialect.package(each) for each in block.imports}
        for found in pattern.finditer(self._text) if risky else ():
            self._n_places += 1
            if self._n_places > _MAX_PLACES:
                return True
            row, _ = self._place(found.start(1))
            column = len(found[0]) - len(found[0].lstrip())
            leaf = self._source.root.descendant_for_point_range((row, column), (row, column))
            top = self._top_level(row, column)
            if leaf is None or leaf.type not in {"from", "import", "#include"}:
                continue  # text of a string
            if top is None or top.type in self._definitions:
                continue
            is_optional = top.type == "try_statement" and found[1].partition(".")[0] in packages
            if found[1] in modules or is_optional or (column == 0 and is_new_package):
                return True
        return False

    def _top_level(self, row: int, column: int) -> Node | None:
        cursor = self._source.root.walk()
        if cursor.goto_first_child_for_point(self._source.point(row, column)) is None:
            return None
        return cursor.node


def _defined_by(node: Node) -> Node | None:
    """Return the name of a function or class inside its decorators or ``export``, or ``None``."""
    for field in ("definition", "declaration"):
        node = node.child_by_field_name(field) or node
    return node.child_by_field_name("name")
