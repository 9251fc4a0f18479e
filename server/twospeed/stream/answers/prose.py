"""Distinguish prose from code in answers without a fence.

"OK" is an expression in most languages; "Fixed: total(items)" is an annotation in Python and a label in C. So
a line must parse, in a place where words are a syntax error, and must be shaped like code.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from twospeed.text.lines import indent_of

from .evidence import OldText, Surroundings
from .line_kinds import LineKind, line_kinds

_SENTENCE = "Some words that are no code.\n"
"""A sentence that tests whether a grammar detects prose."""

_OPENING = re.compile(r"""[@#)\]}]|/\*|\"{3}|'{3}|[\w$.]*\w[(\[.:][^\s:]""")
"""A decorator, directive, closing bracket, long comment or string; a call, index or member."""

_ASSIGNMENT = re.compile(r"[^\s=]\s*=")
_CALL = re.compile(r"\w\(")
_CONTINUED = ("{", "(", "[", ";", "\\")
_LABEL = re.compile(r"\w+:\s")
_HEADING = re.compile(r"#{1,6} ")
_RULE = re.compile(r"[-*_=]{3,}")
"""Markdown's headings and rules are comments in some languages (CommonMark 0.31, sections 4.1 and 4.2)."""

_WORD = re.compile(r"\w")

_PROSE_NAMES = frozenset(
    {"markdown", "md", "mdx", "text", "txt", "plaintext", "plain", "rst", "restructuredtext", "asciidoc"}
)
"""Infos of blocks that contain only prose."""


class ProseClassifier:
    """Classifies lines with a grammar and the document's own lines."""

    def __init__(self, old: OldText, around: Surroundings) -> None:
        self._old = old
        self._around = around

    @cached_property
    def detects_prose(self) -> bool:
        """Whether a parse is evidence: not in prose, comments, strings, or broken old code."""
        parses = self._around.parses
        return parses is not None and not parses(_SENTENCE)

    @property
    def is_prose(self) -> bool:
        """Whether the document is prose, such as Markdown."""
        return self._around.is_prose

    def is_content_of_prose(self, info: str) -> bool:
        """Whether a block with this info, below text, may belong to a document of prose."""
        return self._around.is_prose and bool(info) and info.split(maxsplit=1)[0].lower() not in _PROSE_NAMES

    def fits(self, lines: Sequence[str]) -> bool:
        """Whether the scope could be these lines; meaningful only if `detects_prose`."""
        return self._around.parses is not None and self._around.parses("\n".join(lines) + "\n")

    def may_be_prose(self, line: str, below: str) -> bool:
        """Whether a line that parses may be prose; ``below`` distinguishes a heading from a comment."""
        text = line.strip()
        if not text or text in self._lines or self._is_in_block(line):
            return False
        if _RULE.fullmatch(text) or (_HEADING.match(text) and not below.strip()):
            return True
        markers = self._around.comment_markers
        if text.startswith(markers):
            return False
        if _LABEL.match(text) and not text.endswith((",", *_CONTINUED)) and "=" not in text:
            return True
        has_known_opener = " " in text and text.split(maxsplit=1)[0] in self._openers
        return not has_known_opener and not _has_shape(text) and bool(_WORD.search(text))

    def begins_like_prose(self, lines: Sequence[str]) -> bool:
        """Whether the first of the lines may be prose; see `may_be_prose`."""
        return self.may_be_prose(*(*lines, "")[:2])

    def may_contain_prose(self, lines: Sequence[str], below: str) -> bool:
        """Whether a line may be prose; inside a long comment all may be code."""
        is_inside = False
        for line, next_line in zip(lines, (*lines[1:], below), strict=True):
            is_inside = is_inside or line.lstrip().startswith("/*")
            if not is_inside and self.may_be_prose(line, next_line):
                return True
            is_inside = is_inside and not line.rstrip().endswith("*/")
        return False

    def count_comments(self, lines: Sequence[str]) -> int:
        """Count the comments at the start, up to a blank line or a heading."""
        kinds = line_kinds((line.strip() for line in lines), self._around.comment_markers)
        for n_comments, (line, kind) in enumerate(zip(lines, kinds, strict=True)):
            is_heading = _HEADING.match(line) and not line.startswith("# ")
            if kind not in (LineKind.COMMENT, LineKind.TEXT) or is_heading:
                return n_comments
        return len(lines)

    def resemble_document(self, lines: Sequence[str]) -> bool:
        """Whether each line has the indentation or a first word of the document's code."""
        if self._around.is_prose or not all(line.strip() for line in lines):
            return False
        base = indent_of(self._old.first)
        return all((line[:1].isspace() and line.startswith(base)) or self._has_opener(line) for line in lines)

    def _has_opener(self, line: str) -> bool:
        text = line.strip()
        return (
            " " in text
            and text.split(maxsplit=1)[0] in self._openers
            and not text.endswith((".", ":", "!", "?"))
        )

    def is_in_document(self, line: str) -> bool:
        """Whether the document contains a line, ignoring white space around it."""
        return line.strip() in self._lines

    def _is_in_block(self, line: str) -> bool:
        base = indent_of(self._old.first)
        return bool(base) and line.startswith(base)

    @cached_property
    def _lines(self) -> set[str]:
        lines = (*self._around.above, *self._old.lines, *self._around.below)
        return {text for line in lines if (text := line.strip())}

    @cached_property
    def _openers(self) -> set[str]:
        return {text.split(maxsplit=1)[0] for text in self._lines if " " in text}


def _has_shape(text: str) -> bool:
    is_header = text.endswith(":") and bool(_CALL.search(text))
    return is_header or text.endswith(_CONTINUED) or bool(_OPENING.match(text) or _ASSIGNMENT.search(text))


def is_element(line: str) -> bool:
    """Whether a line is markup from its first to its last character."""
    text = line.strip()
    return text.startswith("<") and text.endswith(">")
