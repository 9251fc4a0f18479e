"""Read what a model has to say about a change: a line for each finding, ``NUMBER: bug: message``.

The form is asked for in `texts.REVIEW_SYSTEM`. It is read with patience for marks of a list, the word "line", ranges and
other words for a kind; a line that has no number is talk, and left out. Nothing of an answer is ever carried out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from twospeed.text.hidden import make_visible_in_line

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
    """One thing a model has found.

    Attributes:
        line: Of the scope as it was sent, from 1.
        kind: How bad it is.
        message: On one line, without invisible characters.
    """

    line: int
    kind: Literal["bug", "note"]
    message: str


def read_findings(answer: str, *, n_lines: int) -> tuple[ReviewFinding, ...] | None:
    """Read a model's answer.

    Args:
        answer: The whole of it.
        n_lines: Lines of the scope that was sent.

    Returns:
        The findings, none where the change is as it should be; ``None`` where the answer is in no form that can be read.
    """
    found: list[ReviewFinding] = []
    for line in answer.splitlines():
        match = _FINDING.fullmatch(line.rstrip())
        if match is None or not 1 <= int(match["line"]) <= n_lines:
            continue
        kind, message = (match["kind"] or "").lower(), match["message"]
        if kind and kind not in _NOTES and kind not in _BUGS:
            message = f"{match['kind']}: {message}"  # the message's own first word
        message = make_visible_in_line(message).strip()[:MAX_MESSAGE_CHARS]
        found.append(ReviewFinding(int(match["line"]), "note" if kind in _NOTES else "bug", message))
    if found:
        return tuple(found[:MAX_FINDINGS])
    return () if answer.strip().strip(".`*") == NONE else None
