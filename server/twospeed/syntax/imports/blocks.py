"""Find the import block of a document: statements, with the comments and blank lines between them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from twospeed.syntax.trees.trees import SourceTree
from twospeed.syntax.trees.walks import named_children_of
from twospeed.text.lines import DEFAULT_EOL, body_of, eol_of

from .statements import ImportDialect, ImportStatement

if TYPE_CHECKING:  # see trees
    from tree_sitter import Node

_MAX_ABOVE = 60
"""Nodes above the first import that are visited. Further down it is not at the head of the file."""

_MAX_STATEMENTS = 500
_MAX_CHARS = 40_000
"""Limits of a block, which is read in at most 15 ms. More is generated code."""

_HEADER_COMMENT = re.compile(
    r"#!|copyright|licen[cs]e|spdx|coding[:=]|@file|@jsx|@flow|@ts-|eslint|prettier|ruff|flake8|pylint"
    r"|mypy|pyright|vim:|\+build|go:|use strict|<reference|generated",
    re.IGNORECASE,
)
_LIMITS = (79, 88, 100, 120)


@dataclass(frozen=True, slots=True)
class BlockItem:
    """A statement, a comment or a blank line of a block.

    Attributes:
        lines: Its lines, with line ends.
        statement: ``None`` if it is no import, or one whose names are not certain.
        is_import: Whether it is one or more imports.
    """

    lines: tuple[str, ...]
    statement: ImportStatement | None = None
    is_import: bool = False

    @property
    def text(self) -> str:
        r"""The lines, with ``\n`` between them."""
        return "\n".join(map(body_of, self.lines))

    @property
    def is_blank(self) -> bool:
        """Whether it is a blank line."""
        return not self.is_import and not self.lines[0].strip()

    def rewritten(self, dialect: ImportDialect, text: str, eol: str) -> BlockItem:
        """Return an item with another text. Its last line keeps its end."""
        last = eol_of(self.lines[-1])
        *above, below = text.split("\n")
        lines = (*(line + (eol_of(self.lines[0]) or eol) for line in above), below + last)
        return BlockItem(lines, dialect.read(text), is_import=True)


@dataclass(frozen=True, slots=True)
class ImportBlock:
    """The lines of a document that its imports are in.

    Attributes:
        start: First line.
        end: Line below the last one; equal to ``start`` if the file has no imports.
        limit: Length that no line of an import exceeds when names are added.
        eol: Line end of new lines.
        is_at_head: Whether only the headers of the file are above it.
    """

    start: int
    end: int
    items: tuple[BlockItem, ...]
    limit: int
    eol: str
    is_at_head: bool

    @property
    def shown(self) -> list[str]:
        """The texts of all imports."""
        return [item.text for item in self.items if item.is_import]

    @property
    def imports(self) -> list[ImportStatement]:
        """The statements whose names are certain."""
        return [item.statement for item in self.items if item.statement]


def find_block(source: SourceTree, dialect: ImportDialect) -> ImportBlock | None:
    """Return the first import block of a document, or ``None`` if it is not certain where that is."""
    container = dialect.container(source)
    if container is None:
        return None
    finder = _Finder(source, dialect)
    for node in named_children_of(container):
        if not finder.accepts(node):
            break
    if finder.is_uncertain:
        return None
    if not finder.spans:
        first_row = 0 if container == source.root else container.start_point.row + 1
        return None if source.root.has_error else finder.empty_block(first_row)
    start, end = finder.spans[0].first, finder.spans[-1].last + 1
    if len(finder.spans) > _MAX_STATEMENTS or sum(map(len, source.lines[start:end])) > _MAX_CHARS:
        return None
    return finder.block(start, end)


def end_row_of(node: Node) -> int:
    """Return the row of the last character of a node. Some end behind their line end."""
    row, column = node.end_point
    return row - (column == 0 and row > node.start_point.row)


@dataclass
class _Span:
    """Rows of a block with one or more imports. With an attribute, names cannot be added."""

    first: int
    last: int
    nodes: list[Node]
    has_attribute: bool


class _Finder:
    """Finds the rows of the first import block."""

    def __init__(self, source: SourceTree, dialect: ImportDialect) -> None:
        self._source, self._dialect = source, dialect
        self.spans: list[_Span] = []
        self.is_uncertain = False
        self._header_end = -1
        self._comments: list[Node] = []
        self._attribute: Node | None = None
        self._n_above = 0
        self._first_code_row = -1  # below the header
        self._last_code_row = -1  # above the imports
        self._is_at_head = True

    def accepts(self, node: Node) -> bool:
        """Process the next child of the document. Return whether the block may go on."""
        row, end = node.start_point.row, end_row_of(node)
        if node.is_error or node.is_missing:
            self.is_uncertain = True
        elif "comment" in node.type and not self._dialect.is_header(self._source, node):
            self._comments.append(node)
            self.is_uncertain = bool(self.spans) and row == self.spans[-1].last < end
        elif self._dialect.is_import(self._source, node):
            self._add_import(node, row, end)
        elif node.type == "attribute_item":
            self._attribute = self._attribute or node
        elif self.spans:
            self._attribute = None
            self.is_uncertain = row <= self.spans[-1].last
            return not self.is_uncertain and self._dialect.is_before(self._source, node)
        else:
            return self._accepts_above(node, end)
        return not self.is_uncertain

    def _accepts_above(self, node: Node, end: int) -> bool:
        first, self._attribute = self._attribute or node, None
        self._n_above += 1
        if self._dialect.is_header(self._source, node):
            self._header_end, self._first_code_row = end, -1
            self._comments.clear()
        else:
            if self._first_code_row < 0:
                self._first_code_row = first.start_point.row
            if not self._dialect.is_before(self._source, node):
                self.is_uncertain = self._has_import_below(end)
                return False
            self._is_at_head = False
        self._last_code_row = end
        self.is_uncertain = self._n_above >= _MAX_ABOVE
        return not self.is_uncertain

    def _has_import_below(self, row: int) -> bool:
        later, text = self._dialect.later, "".join(self._source.lines[row:])
        return later is not None and any(not found[0][0].isspace() for found in later.finditer(text))

    def _add_import(self, node: Node, row: int, end: int) -> None:
        attribute, self._attribute = self._attribute, None
        row = attribute.start_point.row if attribute else row
        self.is_uncertain = node.has_error or row <= self._last_code_row
        if self.spans and row <= self.spans[-1].last:
            self.spans[-1].last = end
            self.spans[-1].nodes.append(node)
        else:
            self.spans.append(_Span(row, end, [node], has_attribute=attribute is not None))

    def block(self, start: int, end: int) -> ImportBlock:
        """Return the block of the rows that were found."""
        lines = self._source.lines
        items: list[BlockItem] = []
        at = start
        for span in self.spans:
            items += (BlockItem((line,)) for line in lines[at : span.first])
            items.append(self._item(span, lines[span.first : span.last + 1]))
            at = span.last + 1
        limit = _limit_of(self._dialect, items, lines.longest)
        return ImportBlock(start, end, tuple(items), limit, self._eol(), self._is_at_head)

    def _item(self, span: _Span, lines: tuple[str, ...]) -> BlockItem:
        if len(span.nodes) == 1 and not span.has_attribute:
            text = "\n".join(map(body_of, lines))
            return BlockItem(lines, self._dialect.read(text), is_import=True)
        found = [self._dialect.read(self._source.text_of(node)) for node in span.nodes]
        statements = [each for each in found if each]
        if len(statements) < len(found):
            return BlockItem(lines, is_import=True)
        names = [name for each in statements for name in each.names]
        return BlockItem(lines, statements[0].with_names(names), is_import=True)

    def empty_block(self, first_row: int) -> ImportBlock:
        """Return the place of the first import of a file, not above a row."""
        row = max(first_row, self._header_end + 1, self._end_of_head_comments() + 1)
        limit = max(79, min(120, self._source.lines.longest))
        return ImportBlock(row, row, (), limit, self._eol(), is_at_head=True)

    def _end_of_head_comments(self) -> int:
        """Return the last row of the comments that belong to the file, not to the code below them; -1 without any."""
        code_row = self._first_code_row if self._first_code_row >= 0 else len(self._source.lines)
        comments = [each for each in self._comments if end_row_of(each) < code_row]
        attached: list[Node] = []
        while comments and end_row_of(comments[-1]) + 1 == code_row:
            attached.append(comments.pop())
            code_row = attached[-1].start_point.row
        end = end_row_of(comments[-1]) if comments else -1
        is_head = False
        for comment in reversed(attached):
            text = self._source.text_of(comment)
            is_head = bool(_HEADER_COMMENT.search(text)) or (is_head and text.startswith(("#", "//")))
            if not is_head or self._header_end >= 0:
                break
            end = end_row_of(comment)
        return end

    def _eol(self) -> str:
        return self._source.lines.eols.most_frequent(DEFAULT_EOL)


def _limit_of(dialect: ImportDialect, items: Sequence[BlockItem], longest: int) -> int:
    shown = max((len(line.rstrip()) for item in items for line in item.lines if item.is_import), default=0)
    limit = next((each for each in _LIMITS if longest <= each + 1), _LIMITS[-1])
    for item in items:
        if item.statement and len(item.lines) > 1:
            joined = len(dialect.write(item.statement, (), 1000))
            if shown < joined <= limit:
                limit = joined - 1
    return max(limit, shown)
