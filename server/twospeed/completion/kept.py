"""A suggestion, and what is left of it in later versions of its document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from twospeed.routing import LaneEntry
from twospeed.text.document import Document
from twospeed.text.lines import body_of

from .place import Place


@dataclass(frozen=True, slots=True)
class SuggestionStats:
    """Times and tokens of the request: milliseconds until the first text and until its end."""

    ttft_ms: float | None
    duration_ms: float
    input_tokens: int | None
    output_tokens: int | None


@dataclass(frozen=True, slots=True)
class Suggestion:
    r"""A text for a place in a document.

    Attributes:
        id: Names it in the command of its item.
        place: Where it was requested.
        text: The whole text, with ``\n`` for every line end.
        imports: Import statements of the answer that are for the import block, as written.
        entry: The model.
        stats: Of its request.
    """

    id: str
    place: Place
    text: str
    imports: Sequence[str]
    entry: LaneEntry
    stats: SuggestionStats

    def rest_at(self, document: Document, line: int, column: int) -> str:
        """Return what is left at a later cursor, if only a beginning of the text was typed since; else an empty text.

        Cost: independent of the length of the document, except for its list of blocks.
        """
        first = self.place.line
        n_new = line - first
        if n_new < 0 or len(document.lines) != len(self.place.document.lines) + n_new:
            return ""
        typed = self._typed(document, line, column)
        if (
            typed is None
            or not self.text.startswith(typed)
            or not self._is_all_else_equal(document, line, column)
        ):
            return ""
        return self.text[len(typed) :]

    def is_in(self, document: Document) -> bool:
        """Return whether a document is that of the request with the whole text inserted, and nothing else changed."""
        line = self.place.line + self.text.count("\n")
        column = len(self.text.rpartition("\n")[2]) + (self.place.column if line == self.place.line else 0)
        if line >= len(document.lines) or len(body_of(document.lines[line])) < column:
            return False
        n_new = line - self.place.line
        is_grown = len(document.lines) == len(self.place.document.lines) + n_new
        return (
            is_grown
            and self._typed(document, line, column) == self.text
            and self._is_all_else_equal(document, line, column)
        )

    def _typed(self, document: Document, line: int, column: int) -> str | None:
        first = self.place.line
        lines = [body_of(each) for each in document.lines[first : line + 1]]
        lines[-1] = lines[-1][:column]
        text = "\n".join(lines)
        return text[self.place.column :] if text.startswith(self.place.before) else None

    def _is_all_else_equal(self, document: Document, line: int, column: int) -> bool:
        old, first = self.place.document.lines, self.place.line
        if document.lines is old:
            return True
        if document.lines[line][column:] != old[first][self.place.column :]:
            return False
        return old.spliced(first, 1, document.lines[first : line + 1]) == document.lines
