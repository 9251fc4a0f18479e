"""The undo step of one edit in the client."""

from __future__ import annotations

from collections.abc import Sequence

from twospeed.text.document import Document
from twospeed.text.edits import TextEdit

from .client import ApplyEditRequest


class UndoStep:
    """Numbers the requests of an edit, and marks the first and the last one of its undo step.

    Args:
        edit_id: The edit.
        in_whole_lines: See the attribute.

    Attributes:
        in_whole_lines: Whether text edits replace whole lines, as editors without our client need while text streams.
        n_sent: Requests so far.
        n_chars: Characters sent so far.
        is_open: Whether the last request that changed text did not end the step.
    """

    def __init__(self, edit_id: str, *, in_whole_lines: bool) -> None:
        self.n_sent = 0
        self.n_chars = 0
        self.is_open = False
        self.in_whole_lines = in_whole_lines
        self._edit_id = edit_id

    def request(
        self, document: Document, edits: Sequence[TextEdit], *, begins: bool, ends: bool
    ) -> ApplyEditRequest:
        """Return the request for edits of a document; a request without edits has the number of the last one.

        Args:
            document: The document that the edits are against.
            edits: Sorted and disjoint.
            begins: Whether it begins the undo step.
            ends: Whether it ends the undo step.
        """
        if edits:
            self.n_sent += 1
            self.is_open = not ends
        request = ApplyEditRequest(self._edit_id, self.n_sent, document, edits, begins, ends)
        self.n_chars += request.n_chars
        return request

    def end(self, document: Document) -> ApplyEditRequest:
        """Return the request that ends the step without changing text."""
        self.n_sent += 1
        return ApplyEditRequest(self._edit_id, self.n_sent, document, (), is_first=False, is_last=True)
