"""Check edits before they are sent, independently of the code that made them (R1.2 in SECURITY.md).

The edits must be for the current document of their channel, inside the lines they may change. A violation is a bug of
the server; the edits are not sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from twospeed.text.document import Document
from twospeed.text.edits import TextEdit
from twospeed.text.positions import Range


class EditOutOfBounds(RuntimeError):
    """Edits that nothing requested were about to be sent: a bug of the server."""


def check_document(made_for: Document, document: Document) -> None:
    """Check that edits were made for the current document of a channel.

    Raises:
        EditOutOfBounds: They were made for another document, version or text.
    """
    if made_for is document:
        return
    is_version = (made_for.uri, made_for.version) == (document.uri, document.version)
    if not is_version or made_for.lines != document.lines:
        raise EditOutOfBounds("the edit is for another document or version")


def check_edits(edits: Sequence[TextEdit], allowed: Range) -> None:
    """Check edits that are about to be sent.

    Args:
        edits: The edits, sorted.
        allowed: The range that they may change.

    Raises:
        EditOutOfBounds: The edits overlap, or reach beyond the range.
    """
    ranges = [edit.range for edit in edits]
    if any(not allowed.start <= each.start <= each.end <= allowed.end for each in ranges):
        raise EditOutOfBounds("the edit reaches beyond the lines that may change")
    if any(below.start < above.end for above, below in pairwise(ranges)):
        raise EditOutOfBounds("the edits overlap")
