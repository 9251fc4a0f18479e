"""Choose where a suggestion ends: at a place where the document has no more syntax errors than without it."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator

from twospeed import syntax
from twospeed.text.document import ContentChange, Document
from twospeed.text.lines import indent_of
from twospeed.text.positions import Range

from .place import Place

logger = logging.getLogger(__name__)

MAX_ENDS = 8
"""Ends that are tried; each parse takes about a millisecond."""

PARSE_S = 0.3
"""Seconds for one parse of a long document, in a thread. A suggestion that takes longer is late."""

MAX_BYTES_AT_ONCE = 64 * 1024
"""Size of a document that is parsed on the event loop."""

_NEAR = 200
"""Lines on each side of the cursor whose brackets are paired."""

_UNFINISHED = (":", "(", "[", "{", ",", "=", "\\", "->", "=>", "+", "&&", "||", ".")
"""Ends of lines that continue below."""

_PAIRS = {")": "(", "]": "[", "}": "{"}


async def balanced_part(text: str, place: Place, *, is_cut: bool) -> str:
    """Return the longest part of a text that keeps the document balanced; empty if there is none, or it is unknown.

    A part ends at the end of a line. ``is_cut``: the answer is incomplete, so its last line is not used, and an end before
    a new block is preferred.
    """
    language_id = place.document.language_id
    before = await _count_errors(place.document)
    for _, part in zip(range(MAX_ENDS), _parts(text, place, is_cut=is_cut), strict=False):
        document = with_text(place, part)
        after = await _count_errors(document)
        if (before is None) != (after is None):
            logger.info("no suggestion: the %s document could not be parsed in time", language_id)
            return ""
        if _fits(part, place, document, before, after):
            return part
    return ""


async def _count_errors(document: Document) -> int | None:
    await syntax.wait_for_tree(document.language_id, document.lines, limit_s=PARSE_S)
    return syntax.count_errors(document.lines, document.language_id)


def with_text(place: Place, text: str) -> Document:
    """Return the document with a text inserted at the cursor."""
    at = place.document.position(place.line, place.column)
    return place.document.changed(ContentChange(Range(at, at), text))[0]


def adds_no_error(text: str, place: Place) -> bool:
    """Return whether the document with the text certainly has no more syntax errors; for documents of `MAX_BYTES_AT_ONCE`."""
    document, language_id = with_text(place, text), place.document.language_id
    before, after = (syntax.count_errors(each.lines, language_id) for each in (place.document, document))
    return before is not None and after is not None and after <= before


def _fits(text: str, place: Place, document: Document, before: int | None, after: int | None) -> bool:
    if before is not None and after is not None and after > before:
        return False
    n_closing, n_open = _unpaired((text,))
    if not n_closing and not n_open:
        return True
    # Some grammars accept unpaired brackets, and in broken code the number of errors says little.
    n_lines = text.count("\n")
    n_before, n_after = _n_unpaired(place.document, place.line, 0), _n_unpaired(document, place.line, n_lines)
    return n_after < n_before or (n_after == n_before and (before == 0 or not n_open))


def _parts(text: str, place: Place, *, is_cut: bool) -> Iterator[str]:
    lines = text.split("\n")
    first = text.startswith("\n") + 1  # lines of the shortest part
    if not is_cut:
        yield text
    ends = [end for end in range(len(lines) - 1, first - 1, -1) if _may_end(lines[end - 1], place)]
    if place.rest.strip():
        ends = []  # what is behind the cursor follows the last line, and no other
    width = len(place.indent)
    if is_cut:
        ends.sort(
            key=lambda end: not _begins_block(lines[end], width)
        )  # stable: the longest of each kind first
    yield from ("\n".join(lines[:end]) for end in ends)


def _may_end(line: str, place: Place) -> bool:
    text = line.rstrip()
    below = next((each.lstrip() for each in place.below if each.strip()), "")
    is_last_element = text.endswith(",") and below.startswith(tuple(_PAIRS))
    return bool(text) and (is_last_element or not text.endswith(_UNFINISHED))


def _begins_block(line: str, width: int) -> bool:
    """Return whether the line above it ends a block: this one is blank, or at the indentation of the cursor."""
    return not line.strip() or len(indent_of(line)) <= width


def _n_unpaired(document: Document, line: int, n_added: int) -> int:
    """Count the brackets without a partner around a line; without a grammar, strings count as code."""
    start, end = max(0, line - _NEAR), min(len(document.lines), line + n_added + _NEAR)
    return sum(_unpaired(syntax.scope_code(document.lines, document.language_id, start, end).code))


def _unpaired(parts: Iterable[str]) -> tuple[int, int]:
    """Return the numbers of closing and of opening brackets without a partner."""
    opened: list[str] = []
    n_closing = 0
    for part in parts:
        for character in part:
            if character in "([{":
                opened.append(character)
            elif character in _PAIRS:
                if opened and opened[-1] == _PAIRS[character]:
                    opened.pop()
                else:
                    n_closing += 1
    return n_closing, len(opened)
