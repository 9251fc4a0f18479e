"""Tell where indentation says nothing: on lines that begin within a text or a comment.

An open quote takes everything up to the next one for a text. So a text that holds what ends a definition for a reader,
or begins another one, is not believed to be one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from twospeed.syntax.definitions.comment_lines import indent_of
from twospeed.syntax.trees.trees import SourceTree
from twospeed.text.lines import body_of

from .scope_code import is_text_or_comment

HEADER = re.compile(r"[ \t]*(?:async[ \t]+)?(?P<kind>def|class)[ \t]+(?P<name>\w+)")

_MAX_LOOKED_UP = 20
_MAX_LEVELS = 20_000
"""Places that are looked at in the tree, and nodes around all of them: 10 ms."""


class Margins:
    """The texts and comments of a document, looked for where somebody wants to know.

    Args:
        source: The document.
    """

    def __init__(self, source: SourceTree) -> None:
        self._source = source
        self._n_looked_up = self._n_levels = 0
        self._known: tuple[range, int | None] = (range(0), None)

    def says_nothing(self, line: int, limit: int) -> bool:
        """Whether a line begins within a text or a comment.

        Args:
            line: 0-based line.
            limit: How far a definition is indented that may end here.
        """
        lines, end_column = self._known
        if line not in lines:
            self._known = lines, end_column = self._look_up(line)
        return line in lines and (end_column is None or end_column > limit)

    def _look_up(self, line: int) -> tuple[range, int | None]:
        """Return the lines that begin within the text a line begins in, and how far what ends a definition is indented."""
        if line == 0 or self._n_looked_up == _MAX_LOOKED_UP or self._n_levels > _MAX_LEVELS:
            return range(0), None
        above = line - 1
        path = self._source.path_to(above, len(body_of(self._source.lines[above])))
        self._n_looked_up, self._n_levels = self._n_looked_up + 1, self._n_levels + len(path)
        for node in path:
            first, last = node.start_point.row, node.end_point
            if is_text_or_comment(node) and first < line and last > (line, 0):
                lines = range(first + 1, last.row + 1)
                return lines, min(self._ends(lines), default=None)
        return range(0), None

    def _ends(self, lines: range) -> Iterator[int]:
        profile = self._source.profile
        for text in islice(self._source.lines, lines.start, lines.stop):
            is_end = HEADER.match(text) if profile.is_indented else text.lstrip().startswith(profile.closers)
            if is_end:
                yield indent_of(text)
