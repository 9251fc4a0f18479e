"""Check edits before they are sent, independently of the code that built them (R1.2 in SECURITY.md)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from twospeed.text.document import Document
from twospeed.text.edits import TextEdit
from twospeed.text.positions import Range


class EditOutOfBounds(RuntimeError):
    """The server built edits that no request allows: a bug; they are not sent."""


def check_document(made_for: Document, document: Document) -> None:
    """Raise `EditOutOfBounds` if edits were made for another document, version or text than the current one."""
    if made_for is document:
        return
    is_version = (made_for.uri, made_for.version) == (document.uri, document.version)
    if not is_version or made_for.lines != document.lines:
        raise EditOutOfBounds("the edit is for another document or version")


def check_edits(edits: Sequence[TextEdit], allowed: Sequence[Range]) -> None:
    """Raise `EditOutOfBounds` if sorted edits overlap, or one is in none of the ``allowed`` ranges."""
    ranges = [edit.range for edit in edits]
    if not all(any(part.start <= each.start <= each.end <= part.end for part in allowed) for each in ranges):
        raise EditOutOfBounds("the edit reaches beyond the lines that may change")
    if any(below.start < above.end for above, below in pairwise(ranges)):
        raise EditOutOfBounds("the edits overlap")
