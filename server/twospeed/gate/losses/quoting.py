"""Detect an answer inside quotes, or with the line prefix of a terminal, a mail or a patch."""

from __future__ import annotations

import re

from twospeed.gate.facts import PROSE, GateFacts

MIN_QUOTED = 2
"""Quoted lines that count. Quotes around a single line may be intended."""

_CALL = re.compile(r"[A-Za-z]\w*\((?=['\"`])")

_QUOTES = ('"""', "'''", '"', "'", "`")


def is_quoted(facts: GateFacts) -> bool:
    """Return whether new quotes enclose all lines of code."""
    if facts.language_id in PROSE or (mark := quotes_around(facts)) is None:
        return False
    new = [line for line in facts.new_lines if line.strip()]
    return len(new) >= MIN_QUOTED and all(line.count(mark) % 2 for line in (new[0], new[-1]))


def sign_of_quoting(facts: GateFacts) -> str:
    """Return the line prefix that only the answer has, or an empty string."""
    old, new = ([line for line in lines if line.strip()] for lines in (facts.old_lines, facts.new_lines))
    if facts.language_id in PROSE or len(new) < MIN_QUOTED:
        return ""
    if new[0].startswith("$ ") and not any(line.startswith("$ ") for line in old):
        return "$"
    first = new[0][0]
    is_marked = first in ">+" and all(line.startswith(first) for line in new)
    return first if is_marked and not any(line.startswith(first) for line in old) else ""


def quotes_around(facts: GateFacts) -> str | None:
    """Return the new quotes at both ends of an answer, or ``None``."""
    old, new = (
        [line.strip() for line in lines if line.strip()] for lines in (facts.old_lines, facts.new_lines)
    )
    if not old or not new:
        return None
    first, last = new[0], new[-1]
    if (
        len(new) >= MIN_QUOTED
        and (call := _CALL.match(first))
        and last.endswith(")")
        and not _CALL.match(old[0])
    ):
        first, last = first[call.end() :], last.removesuffix(")")
    mark = next((mark for mark in _QUOTES if first.startswith(mark) and last.endswith(mark)), None)
    if mark is None or (len(new) == 1 and len(first) <= 2 * len(mark)):
        return None
    was_text = old[0].startswith(_QUOTES if len(mark) == 1 else mark)  # quotes may change their kind
    return None if was_text else mark
