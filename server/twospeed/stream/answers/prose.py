"""Tell talk from code where nothing but a parse could vouch for it.

A parse alone cannot: "OK" is an expression in most languages, "Fixed: total(items)" an annotation in Python and a
label in C. So a line on its own has to be shaped like code as well, and be of a place where words are an error.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from .evidence import OldText, Surroundings, indent_of
from .line_kinds import LineKind, line_kinds

_WORDS = "Some words that are no code.\n"
"""A sentence, to ask a grammar whether it would notice one."""

_OPENING = re.compile(r"""[@#)\]}]|/\*|\"{3}|'{3}|[\w$.]*\w[(\[.:][^\s:]""")
"""A decorator, a directive, the end of a bracket, a long comment or string; a call, an index or a member."""

_ASSIGNMENT = re.compile(r"[^\s=]\s*=")
_CALL = re.compile(r"\w\(")
_GOES_ON = ("{", "(", "[", ";", "\\")
_LABEL = re.compile(r"\w+:\s")
_HEADING = re.compile(r"#{1,6} ")
_RULE = re.compile(r"[-*_=]{3,}")
"""Markdown's headings and rules are comments in some languages (CommonMark 0.31, sections 4.1 and 4.2)."""

_WORD = re.compile(r"\w")

_PROSE_NAMES = frozenset(
    {"markdown", "md", "mdx", "text", "txt", "plaintext", "plain", "rst", "restructuredtext", "asciidoc"}
)
"""Names of blocks that hold prose as a whole."""


class ProseClassifier:
    """What a grammar and the document's own lines can say of an answer's lines.

    Args:
        old: The scope's lines.
        around: The scope's place.
    """

    def __init__(self, old: OldText, around: Surroundings) -> None:
        self._old = old
        self._around = around

    @cached_property
    def tells(self) -> bool:
        """Whether a parse says anything: not in a text, a comment, a string, or where the old code is broken."""
        parses = self._around.parses
        return parses is not None and not parses(_WORDS)

    @property
    def is_prose(self) -> bool:
        """Whether the document is a text, such as Markdown."""
        return self._around.is_prose

    def is_content_of_prose(self, info: str) -> bool:
        """Whether a block with this info, below text, may be a part of the document: prose that has blocks of code."""
        return self._around.is_prose and bool(info) and info.split(maxsplit=1)[0].lower() not in _PROSE_NAMES

    def fits(self, lines: Sequence[str]) -> bool:
        """Whether the scope could be these lines; asked only where a parse says anything."""
        return self._around.parses is not None and self._around.parses("\n".join(lines) + "\n")

    def is_talk(self, line: str, below: str) -> bool:
        """Whether a line that parses could still be talk: it has no shape of code, and no model in the document.

        Args:
            line: Of the answer.
            below: The next one: a heading stands alone, a comment with what it explains.
        """
        text = line.strip()
        if not text or text in self._lines or self._is_in_block(line):
            return False
        if _RULE.fullmatch(text) or (_HEADING.match(text) and not below.strip()):
            return True
        markers = self._around.comment_markers
        if text.startswith(markers):
            return False
        if _LABEL.match(text) and not text.endswith((",", *_GOES_ON)) and "=" not in text:
            return True
        has_model = " " in text and text.split(maxsplit=1)[0] in self._openers
        return not has_model and not _has_shape(text) and bool(_WORD.search(text))

    def has_talk(self, lines: Sequence[str], below: str) -> bool:
        """Whether any of some lines above another could be talk; within a long comment all may be content."""
        is_inside = False
        for line, next_line in zip(lines, (*lines[1:], below), strict=True):
            is_inside = is_inside or line.lstrip().startswith("/*")
            if not is_inside and self.is_talk(line, next_line):
                return True
            is_inside = is_inside and not line.rstrip().endswith("*/")
        return False

    def count_comments(self, lines: Sequence[str]) -> int:
        """Count the comments of this language that some lines begin with, up to the first that is blank, or a heading."""
        kinds = line_kinds((line.strip() for line in lines), self._around.comment_markers)
        for n_comments, (line, kind) in enumerate(zip(lines, kinds, strict=True)):
            is_heading = _HEADING.match(line) and not line.startswith("# ")
            if kind not in (LineKind.COMMENT, LineKind.TEXT) or is_heading:
                return n_comments
        return len(lines)

    def are_like_lines_here(self, lines: Sequence[str]) -> bool:
        """Whether each line is written as others of a document of code: indented as the scope, or opened by a word of its.

        What stands apart, behind a blank line, is not judged so: talk does.
        """
        if self._around.is_prose or not all(line.strip() for line in lines):
            return False
        base = indent_of(self._old.first)
        return all((line[:1].isspace() and line.startswith(base)) or self._has_opener(line) for line in lines)

    def _has_opener(self, line: str) -> bool:
        """Whether a line begins with a word, in its spelling, that opens lines of this document, and is no sentence."""
        text = line.strip()
        return (
            " " in text
            and text.split(maxsplit=1)[0] in self._openers
            and not text.endswith((".", ":", "!", "?"))
        )

    def knows(self, line: str) -> bool:
        """Whether a line stands in the document, whatever white space is around it."""
        return line.strip() in self._lines

    def _is_in_block(self, line: str) -> bool:
        """Whether a line is indented as the scope is, which talk is not."""
        base = indent_of(self._old.first)
        return bool(base) and line.startswith(base)

    @cached_property
    def _lines(self) -> set[str]:
        lines = (*self._around.above, *self._old.lines, *self._around.below)
        return {text for line in lines if (text := line.strip())}

    @cached_property
    def _openers(self) -> set[str]:
        """The words that lines of this document begin with: its keywords, mostly."""
        return {text.split(maxsplit=1)[0] for text in self._lines if " " in text}


def _has_shape(text: str) -> bool:
    """Whether a line is written as code is, in most languages."""
    is_header = text.endswith(":") and bool(_CALL.search(text))
    return is_header or text.endswith(_GOES_ON) or bool(_OPENING.match(text) or _ASSIGNMENT.search(text))


def is_element(line: str) -> bool:
    """Whether a line is markup from its beginning to its end, as talk never is."""
    text = line.strip()
    return text.startswith("<") and text.endswith(">")
