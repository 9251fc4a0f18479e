"""The last look at what leaves for an editor, by rules that know nothing of how it was made (R1.2 in SECURITY.md).

A shipment is text edits of one document at one version; this sees that it is the document of its channel as it stands,
and that no edit reaches beyond the lines it may touch. What breaks a rule is our bug, and is not sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from twospeed.text.document import Document
from twospeed.text.edits import TextEdit
from twospeed.text.lines import body_of
from twospeed.text.positions import Position, units


class EditOutOfBounds(RuntimeError):
    """An edit that nobody asked for was about to be sent: our bug."""


def check_edits(
    edits: Sequence[TextEdit], made_for: Document, document: Document, start: int, end: int
) -> None:
    """Let edits pass.

    Args:
        edits: About to be sent.
        made_for: The document, and version, that goes with them.
        document: The channel's, as it stands.
        start: The first line that may change.
        end: The line behind the last one.

    Raises:
        EditOutOfBounds: They are for another document or version, or reach beyond those lines.
    """
    lines = document.lines
    if (made_for.uri, made_for.version) != (document.uri, document.version) or made_for.lines != lines:
        raise EditOutOfBounds("an edit of another document, or of another version of it")
    first, last = Position(start, 0), Position(end, 0)
    if end >= len(lines):  # there, the line end above belongs to the lines: they come and go with it
        last = Position(len(lines) - 1, units(lines[-1], document.encoding))
        if start > 0:
            first = Position(start - 1, units(body_of(lines[start - 1]), document.encoding))
    ranges = [edit.range for edit in edits]
    if any(not first <= each.start <= each.end <= last for each in ranges):
        raise EditOutOfBounds("an edit beyond the lines it was asked for")
    if any(below.start < above.end for above, below in pairwise(ranges)):
        raise EditOutOfBounds("edits that overlap")
