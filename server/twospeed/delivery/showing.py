"""What a document shows of our edits: it holds them, or it holds them and something typed elsewhere, or it does not."""

from __future__ import annotations

from collections.abc import Sequence

from twospeed.text.document import Splice, trimmed_splice
from twospeed.text.edits import LineEdit
from twospeed.text.line_blocks import Lines
from twospeed.text.lines import body_of


def typed_elsewhere(edits: Sequence[LineEdit], expected: Lines, lines: Lines) -> Splice | None:
    """Explain a document that holds our edits and one more change, clear of their lines.

    A line that came or went among equal ones may have stood at any of them; then all of them must be clear.

    Args:
        edits: Ours, sorted and disjoint.
        expected: The document with them and nothing else.
        lines: The document.

    Returns:
        The change, against ``expected``; ``None`` where there is no such reading.
    """
    typed = trimmed_splice(expected, lines, 0)
    from_below = trimmed_splice(expected[::-1], lines[::-1], 0)
    first, last = len(expected) - from_below.start - from_below.count, typed.start + typed.count
    shift = 0
    for edit in edits:
        start, end = edit.start + shift, edit.start + shift + len(edit.lines)
        if first <= end and start <= last:
            return None
        shift += len(edit.lines) - edit.count
    return typed


def is_misplaced(edits: Sequence[LineEdit], splice: Splice) -> bool:
    """Whether a change that is not our edits brings all the lines of one of them, in their order.

    An editor that applies an edit where its lines were, not where they are, does that. A person who types the same
    lines would be told of a clash that is none, and nothing is lost.
    """
    came = [body_of(line) for line in splice.lines]
    for edit in edits:
        ours = [body_of(line) for line in edit.lines]
        if any(line.strip() for line in ours) and any(
            came[at : at + len(ours)] == ours for at in range(len(came) - len(ours) + 1)
        ):
            return True
    return False
