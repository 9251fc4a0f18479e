"""What a rule answers, and how it changes a text: replacements at places, everything else as it was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from twospeed.syntax.identifiers.values import (
    Place,
    Span,
)
from twospeed.text.lines import split_lines


@dataclass(frozen=True, slots=True)
class RuleRefusal:
    """A rule that will not do it; ``message`` tells the user why."""

    message: str


Outcome = str | RuleRefusal
"""The scope's whole new text, or why there is none."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """Put ``text`` where ``span`` of the old text is; an empty span inserts."""

    span: Span
    text: str


def insertion(place: Place, text: str) -> Replacement:
    """Put a text at a place."""
    return Replacement(Span(place, place), text)


def replaced(text: str, replacements: Sequence[Replacement]) -> str:
    """Apply disjoint replacements to a text; every other character stays, line ends too.

    Args:
        text: The scope's text.
        replacements: In any order; spans are places of ``text``.
    """
    starts = [0]
    for line in split_lines(text):
        starts.append(starts[-1] + len(line))
    pieces: list[str] = []
    at = 0
    for replacement in sorted(replacements, key=lambda one: one.span.start):
        start, end = (
            starts[line] + column for line, column in (replacement.span.start, replacement.span.end)
        )
        pieces += [text[at:start], replacement.text]
        at = end
    return "".join([*pieces, text[at:]])
