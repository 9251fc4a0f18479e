"""Read comments that are alone on a line, and find instructions in them: ``# ai: add error handling``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from .languages import comment_marks


def find_instruction_comment(
    lines: Sequence[str], language_id: str, line_range: tuple[int, int]
) -> tuple[int, str] | None:
    """Return the line and the text of the first instruction comment in or directly above some lines.

    It is alone on its line: ``# ai: …``, ``// ai: …``, ``<!-- ai: … -->``. An empty range means its line.
    """
    patterns = _patterns(language_id)
    first, end = line_range
    for line in range(max(0, first - 1), min(len(lines), max(end, first + 1))):
        text = lines[line].strip()
        for pattern, closing in patterns:
            match = pattern.fullmatch(text)
            if match and (instruction := match[1].rstrip(closing).strip()):
                return line, instruction
    return None


def comment_text(line: str, language_id: str) -> str:
    """Return the text of a comment that is alone on its line, or an empty text."""
    text, marks = line.strip(), comment_marks(language_id)
    for start, end in marks.block:
        if text.startswith(start) and text.endswith(end) and len(text) >= len(start) + len(end):
            return text[len(start) : len(text) - len(end)].strip(" \t*")
    for mark in sorted(map(str.rstrip, marks.line), key=len, reverse=True):
        if text.startswith(mark):
            return text[len(mark) :].lstrip(mark[-1]).strip()
    return ""


@lru_cache
def _patterns(language_id: str) -> list[tuple[re.Pattern[str], str]]:
    """Return the patterns of such a comment, each with the characters that may repeat before its end.

    White space is stripped instead of matched: a pattern with two parts that match it takes quadratic time.
    """
    marks = comment_marks(language_id)
    # Doc comments and repeated marks count, too: ``/// ai:``, ``;; ai:``, ``/** ai: */``.
    line_marks = [mark.rstrip() for mark in marks.line]
    forms = [(rf"{re.escape(mark)}{re.escape(mark[-1])}*!?\s*ai:(.*)", " ") for mark in line_marks]
    forms += [(rf"{re.escape(start)}\**\s*ai:(.*){re.escape(end)}", "*") for start, end in marks.block]
    return [(re.compile(form, re.IGNORECASE), closing) for form, closing in forms]
