"""Check edits before they are sent, independently of the code that made them (R1.2 in SECURITY.md).

The edits must be for the current document of their channel, inside the lines they may change. A violation is a bug of
the server; the edits are not sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from twospeed.text.document import Document
from twospeed.text.edits import TextEdit
from twospeed.text.lines import body_of
from twospeed.text.positions import Position, units


class EditOutOfBounds(RuntimeError):
    """Edits that nothing requested were about to be sent: a bug of the server."""


def check_edits(
    edits: Sequence[TextEdit], made_for: Document, document: Document, start: int, end: int
) -> None:
    """Check edits that are about to be sent.

    Args:
        edits: The edits, sorted.
        made_for: The document and version that the edits were made for.
        document: The current document of the channel.
        start: The first line that may change.
        end: The line after the last one that may change.

    Raises:
        EditOutOfBounds: The edits are for another document or version, overlap, or reach beyond these lines.
    """
    lines = document.lines
    if (made_for.uri, made_for.version) != (document.uri, document.version) or made_for.lines != lines:
        raise EditOutOfBounds("the edit is for another document or version")
    first, last = Position(start, 0), Position(end, 0)
    if end >= len(
        lines
    ):  # at the end of the document, the line end above is inserted or deleted with the lines
        last = Position(len(lines) - 1, units(lines[-1], document.encoding))
        if start > 0:
            first = Position(start - 1, units(body_of(lines[start - 1]), document.encoding))
    ranges = [edit.range for edit in edits]
    if any(not first <= each.start <= each.end <= last for each in ranges):
        raise EditOutOfBounds("the edit reaches beyond the lines that may change")
    if any(below.start < above.end for above, below in pairwise(ranges)):
        raise EditOutOfBounds("the edits overlap")
