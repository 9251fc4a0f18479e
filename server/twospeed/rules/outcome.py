"""The result of a rule: the text with replacements, or a refusal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from twospeed.syntax.identifiers.identifier import (
    Place,
    Span,
)
from twospeed.text.lines import split_lines


@dataclass(frozen=True, slots=True)
class RuleRefusal:
    """A refusal. ``message`` gives the user the reason.

    Attributes:
        is_for_lack_of_lines: Whether the same instruction may work with the whole file as the scope.
    """

    message: str
    is_for_lack_of_lines: bool = False


Outcome = str | RuleRefusal
"""The whole new text of the scope, or a refusal."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """Replace ``span`` of the old text by ``text``. An empty span inserts."""

    span: Span
    text: str


def insertion(place: Place, text: str) -> Replacement:
    """Return a replacement that inserts a text at a place."""
    return Replacement(Span(place, place), text)


def replaced(text: str, replacements: Sequence[Replacement]) -> str:
    """Apply disjoint replacements, in any order, to a text. All other characters stay, including line ends."""
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
