"""The requested form of an answer: the whole scope, only its changes, or findings about it.

Models get a whole scope right most often, and it streams from its first line. It costs the tokens of every
line, so a long scope is requested as search/replace blocks. Either form is accepted. The closing fence proves
that an answer is complete.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from twospeed.text.hidden import make_visible_in_line

AnswerForm = Literal["whole", "blocks", "findings"]
"""``findings`` requests no code but a list of the faults in it."""

MAX_WHOLE_CHARS = 12_000
"""Longest scope that is requested whole: 300 lines, 3,000 tokens, half a minute of a reasoning model."""

_LIKE_A_MARK = re.compile(r"^(?:<{5,9}|={5,9}|>{5,9}|\|{5,9}|-{5,9}|\+{5,9})(?: .*)?\r?$", re.MULTILINE)
"""Lines like the marks of a block: merge conflicts, underlined titles."""


_FENCE_AT_START = re.compile(r"^[ \t]*+(`{3,})", re.MULTILINE)
_MIN_FENCE = 3
"""Shortest fence, in backticks (CommonMark 0.31, section 4.5)."""

_FENCE_IN_PROSE = 4
"""Backticks around prose, which may contain code blocks of its own."""

_PROSE = frozenset({"markdown", "mdx", "plaintext", "restructuredtext", "asciidoc", "quarto", "rmd"})


def answer_fence_for(scope_text: str, language_id: str) -> str:
    """Return the fence for an answer: more backticks than any fence of the scope has."""
    longest = max(map(len, _FENCE_AT_START.findall(scope_text)), default=0)
    least = _FENCE_IN_PROSE if is_prose(language_id) else _MIN_FENCE
    return "`" * max(least, longest + 1 if longest else 0)


def is_prose(language_id: str) -> bool:
    """Return whether documents of a language may contain code blocks."""
    return language_id in _PROSE


def answer_form_for(scope_text: str) -> AnswerForm:
    """Return the form for a scope; it depends only on the text."""
    is_long = len(scope_text) > MAX_WHOLE_CHARS
    return "blocks" if is_long and not _LIKE_A_MARK.search(scope_text) else "whole"


MAX_FINDINGS = 20
MAX_MESSAGE_CHARS = 500

NONE = "NONE"

_FINDING = re.compile(
    r"""\s*(?:[-*•]\s+)?[*_`]*(?:line\s+|L)?(?P<line>\d{1,6})(?:\s*[-\u2013]\s*\d{1,6})?[*_`]*\s*[:|.)]\s*
        (?:[*_`\[(]*(?P<kind>[A-Za-z]{3,12})[*_`\])]*\s*:\s*)?(?P<message>\S.*)""",
    re.VERBOSE | re.IGNORECASE,
)
_BUGS = frozenset({"bug", "error", "warning"})
_NOTES = frozenset({"note", "info", "information", "hint", "nit", "suggestion"})


@dataclass(frozen=True, slots=True)
class ReviewFinding:
    """A finding of a model about a line of the sent scope, from 1; the message has no invisible characters."""

    line: int
    kind: Literal["bug", "note"]
    message: str


def read_findings(answer: str, *, n_lines: int) -> tuple[ReviewFinding, ...] | None:
    """Parse the findings of a model, one a line: ``NUMBER: bug: message``. ``None`` if the form is unknown.

    List marks, the word "line", ranges and other kinds are accepted.
    """
    found: list[ReviewFinding] = []
    for line in answer.splitlines():
        match = _FINDING.fullmatch(line.rstrip())
        if match is None or not 1 <= int(match["line"]) <= n_lines:
            continue
        kind, message = (match["kind"] or "").lower(), match["message"]
        if kind and kind not in _NOTES and kind not in _BUGS:
            message = f"{match['kind']}: {message}"  # it is the first word of the message, not a kind
        message = make_visible_in_line(message).strip()[:MAX_MESSAGE_CHARS]
        found.append(ReviewFinding(int(match["line"]), "note" if kind in _NOTES else "bug", message))
    if found:
        return tuple(found[:MAX_FINDINGS])
    return () if answer.strip().strip(".`*") == NONE else None
