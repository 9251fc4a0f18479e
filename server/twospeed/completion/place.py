"""The place of a suggestion, and whether a comment there says what is wanted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from twospeed import syntax
from twospeed.text.document import Document
from twospeed.text.lines import bodies_of, body_of, indent_of

_WORD = re.compile(r"[^\W\d_]{2,}")
_LEAST_WORDS = 3
"""Words of a comment that says what is wanted. Shorter ones are headings and remarks."""

_DIRECTIVE = re.compile(
    r"(?:ai|noqa|type|pylint|pragma|eslint|prettier|tslint|istanbul|nolint|region|endregion|clang-format|mypy|ruff|fmt"
    r"|copyright|spdx|license|todo|fixme)\b|@|!",
    re.IGNORECASE,
)
"""The start of a comment for a tool or about the file. ``ai:`` is an instruction of an edit."""

_CODE = re.compile(r"[;{},=:]\s*$|\w\(|==|[^<>!=]=[^=>]|\w\.\w+\(|://")
"""Marks of code or of an address in a comment."""

NEAR_LINES = 100
"""Lines on each side of the cursor that show how the document indents, and what an answer may repeat."""

_CLOSERS = re.compile(r"[\s)\]}>;,'\"`:]*")


@dataclass(frozen=True)
class Place:
    """A cursor in a document.

    Attributes:
        document: The document when the suggestion was requested.
        line: The line of the cursor, from 0.
        column: Its index in that line, in code points.
    """

    document: Document
    line: int
    column: int

    @cached_property
    def before(self) -> str:
        """The part of the line before the cursor."""
        return self.document.lines[self.line][: self.column]

    @cached_property
    def rest(self) -> str:
        """The part of the line behind the cursor, without its line end."""
        return body_of(self.document.lines[self.line])[self.column :]

    @cached_property
    def above(self) -> Sequence[str]:
        """The nearest lines above the one of the cursor, without line ends."""
        return bodies_of(self.document.lines[max(0, self.line - NEAR_LINES) : self.line])

    @cached_property
    def below(self) -> Sequence[str]:
        """The nearest lines below the one of the cursor, without line ends."""
        return bodies_of(self.document.lines[self.line + 1 : self.line + 1 + NEAR_LINES])

    @property
    def has_only_closers_behind(self) -> bool:
        """Whether nothing but closing brackets, quotes and punctuation is behind the cursor in its line."""
        return _CLOSERS.fullmatch(self.rest) is not None

    @property
    def indent(self) -> str:
        """The indentation of the lines that a suggestion adds at least."""
        return indent_of(self.before) if self.before.strip() else self.before

    @cached_property
    def comment_line(self) -> int | None:
        """The line of the comment at which the cursor is: its own line, or the one above a blank line."""
        if self.rest.strip():
            return None
        line = self.line if self.before.strip() else self.line - 1
        return line if line >= 0 and syntax.comment_text(self._body(line), self._language) else None

    @property
    def opening(self) -> str:
        """What a suggestion begins with: a new line at the end of a comment, else nothing."""
        return f"\n{self.indent}" if self.comment_line == self.line else ""

    @property
    def is_after_request(self) -> bool:
        """Whether the comment says what is wanted, and no code is directly below."""
        at = self.comment_line
        return (
            at is not None and says_what_is_wanted(self._body(at), self._language) and not self._is_followed
        )

    @property
    def _is_followed(self) -> bool:
        lines = self.document.lines
        below = lines[self.line + 1] if self.line + 1 < len(lines) else ""
        return bool(below.strip()) and len(indent_of(below)) >= len(self.indent)

    def _body(self, line: int) -> str:
        return body_of(self.document.lines[line])

    @property
    def _language(self) -> str:
        return self.document.language_id


def says_what_is_wanted(line: str, language_id: str) -> bool:
    """Return whether a line is a comment that may describe code to write.

    It has at least three words. Directives, headings of licenses and code that is commented out are none.
    """
    text = syntax.comment_text(line, language_id)
    return len(_WORD.findall(text)) >= _LEAST_WORDS and not _DIRECTIVE.match(text) and not _CODE.search(text)
