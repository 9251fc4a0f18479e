r"""Parse a document's lines into a tree, and translate between the tree's places and ours.

The parser is given the lines with every line end as one ``\n``: tree-sitter starts a row at ``\n`` only, LSP a
line at a lone ``\r`` too, so only then rows are lines, and columns are not touched by it. Columns of the tree are
UTF-8 bytes, ours are code points; a lone surrogate is parsed as ``?``, which is one of either.

Parsing holds the interpreter, so a document that is too large, or takes too long, is not parsed at all; whoever
asks goes on without a tree. The last trees are kept, because one edit asks several questions about the same
lines. Reparsing only what changed would replace ``_parse`` alone: nothing outside knows how a tree came about.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from typing import TYPE_CHECKING

from twospeed.text.lines import body_of

from .languages import LanguageProfile, profile_for

if TYPE_CHECKING:  # tree_sitter is loaded by the first parse, not by the import of this room
    from tree_sitter import Language, Node, Point, Tree

MAX_DOCUMENT_BYTES = 1024 * 1024
MAX_LINE_LENGTH = 20_000
PARSE_LIMIT_S = 0.5
"""Processor time. Helix gives up after the same span (helix-editor/helix, ``tree_sitter`` timeout); 1 MiB of
ordinary code takes a third of it, hostile input of that size may take seconds."""

_CHUNK_BYTES = 4096
_TREES_KEPT = 3


@dataclass(frozen=True, slots=True)
class SourceTree:
    """The parsed lines of one document.

    Attributes:
        profile: The language.
        lines: As given, with their line ends.
        tree: Rows are indices of ``lines``; columns are UTF-8 bytes.
    """

    profile: LanguageProfile
    lines: tuple[str, ...]
    tree: Tree

    @property
    def root(self) -> Node:
        """The node of the whole document."""
        return self.tree.root_node

    def column(self, point: Point) -> int:
        """Turn a place of the tree into the column, in code points, on its line."""
        line = self.lines[point.row] if point.row < len(self.lines) else ""
        if line.isascii():
            return point.column
        return len(_encoded(line)[: point.column].decode("utf-8", "ignore"))

    def place(self, point: Point) -> tuple[int, int]:
        """Turn a place of the tree into a line and a column in code points."""
        return point.row, self.column(point)

    def path_to(self, line: int, column: int) -> list[Node]:
        """List the nodes around the character at a place, outermost first.

        Args:
            line: 0-based line.
            column: Code points from the line's start.

        Returns:
            At least the root.

        Cost: linear in the depth. Going down with a cursor is: asking 50,000 nested nodes for their ``parent``
        takes a minute, since each starts again from the root.
        """
        point = (line, len(_encoded(self.lines[line][:column])))
        cursor = self.tree.walk()
        path = [self.root]
        while cursor.goto_first_child_for_point(point) is not None:
            node = cursor.node
            assert node
            if not node.start_point <= point < node.end_point:
                break
            path.append(node)
        return path

    def text_of(self, node: Node) -> str:
        r"""Return a node's text, with ``\n`` for every line end."""
        return node.text.decode("utf-8", "replace") if node.text else ""


def parse(language_id: str, lines: Sequence[str]) -> SourceTree | None:
    """Parse a document.

    Args:
        language_id: LSP language id.
        lines: With their line ends, the last without one (``text.lines.split_lines``).

    Returns:
        Its tree, or ``None`` where there is no grammar, the document is larger than ``MAX_DOCUMENT_BYTES``, has a
        line longer than ``MAX_LINE_LENGTH``, or took longer than ``PARSE_LIMIT_S``.

    Cost: 50 ms for 10,000 lines of Python, next to nothing for lines that were parsed just before.
    """
    profile = profile_for(language_id)
    if profile is None or max(map(len, lines), default=0) > MAX_LINE_LENGTH:
        return None
    return _parse(profile.language_id, tuple(lines))


@lru_cache(maxsize=_TREES_KEPT)
def _parse(language_id: str, lines: tuple[str, ...]) -> SourceTree | None:
    from tree_sitter import Parser  # noqa: PLC0415  # loaded by the first parse, so that start-up stays fast

    profile = profile_for(language_id)
    assert profile
    data = _encoded("\n".join(map(body_of, lines)))
    if len(data) > MAX_DOCUMENT_BYTES:
        return None
    deadline = time.thread_time() + PARSE_LIMIT_S
    # A progress callback needs tree-sitter 0.26: 0.25.2 crashes in it, on more than a few lines.
    try:
        tree = Parser(_language(profile.module, profile.accessor)).parse(
            lambda offset, _point: data[offset : offset + _CHUNK_BYTES],
            encoding="utf8",
            progress_callback=lambda _offset, _has_error: time.thread_time() > deadline,
        )
    except ValueError:  # what an aborted parse raises (tree-sitter 0.26)
        return None
    return SourceTree(profile, lines, tree)


@cache
def _language(module: str, accessor: str) -> Language:
    from tree_sitter import Language  # noqa: PLC0415  # see _parse

    return Language(getattr(import_module(module), accessor)())


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")
