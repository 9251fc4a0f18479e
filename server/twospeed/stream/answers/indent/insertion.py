"""Indent the lines of an insertion at least as the lines around it require.

A blank line between two lines of a block is in the block, so an insertion there must not end it. Only the
lines around it are used, so no grammar is needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from twospeed.stream.answers.evidence import Surroundings, annotates
from twospeed.text.lines import indent_of

from .indent_style import unit_near

_NEAR = 200
"""Blank lines on each side that are skipped."""

_CLOSING = (")", "]", "}", "</", "end", "fi", "done", "esac")
"""Starts of lines that close a block in some language."""


class Insertion:
    """Indents an answer's lines that are too far left."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._added = ""
        self._is_decided = False

    def indented(self, line: str) -> str:
        """Return a line of the answer with its indentation in the document.

        The first line that is not blank decides for all. If it is an annotation, the next line decides again:
        both have the same indentation, unless the model omitted that of the first line only.
        """
        if not line.strip():
            return line
        if not self._is_decided:
            self._added = self._missing(line)
            self._is_decided = not annotates(line.strip())
        return self._added + line

    def _missing(self, first: str) -> str:
        text, indent = first.strip(), indent_of(first)
        if self._around.is_prose or text.startswith("#!") or _is_closing(text):
            return ""
        least = _least(self._around)
        return least.removesuffix(indent) if least.endswith(indent) else ""


def _least(around: Surroundings) -> str:
    """Return the least indentation of a line here that ends no block."""
    above, below = (_first(lines) for lines in (_upwards(around.above), around.below))
    if not above or not below:
        return ""
    outer, inner = sorted((indent_of(above), indent_of(below)), key=len)
    if not inner.startswith(outer):
        return ""
    if len(indent_of(above)) > len(indent_of(below)) and _is_closing(below.strip()):
        # The lines of the block that ends below are one level deeper than its end.
        unit = unit_near(around)
        return outer + unit if unit and inner.startswith(outer + unit) else inner
    return outer


def _is_closing(text: str) -> bool:
    word = text[: len(text) - len(text.lstrip("abcdefghijklmnopqrstuvwxyz"))]
    return text.startswith(_CLOSING[:4]) or (word in _CLOSING[4:] and text.rstrip(";,") == word)


def _first(lines: Iterable[str]) -> str:
    return next((line for line in islice(lines, _NEAR) if line.strip()), "")


def _upwards(lines: Sequence[str]) -> Iterator[str]:
    return (lines[index] for index in range(len(lines) - 1, -1, -1))
