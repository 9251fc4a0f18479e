"""Parse the findings of a model about a change: a line for each, ``NUMBER: bug: message``.

`texts.REVIEW_SYSTEM` requests this form. The parser also accepts list marks, the word "line", ranges and
other words for the kind. A line without a number is ignored. Nothing in the answer is executed.
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
    """A finding of a model.

    Attributes:
        line: Line of the sent scope, from 1.
        message: One line, without invisible characters.
    """

    line: int
    kind: Literal["bug", "note"]
    message: str


def read_findings(answer: str, *, n_lines: int) -> tuple[ReviewFinding, ...] | None:
    """Parse the answer of a model.

    Args:
        answer: The whole answer.
        n_lines: Number of lines of the sent scope.

    Returns:
        The findings, empty if the model found none. ``None`` if the answer has no known form.
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
