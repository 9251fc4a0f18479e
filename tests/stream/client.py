"""An independent LSP client: one string, edited as LSP 3.17 specifies.

It shares no code with the engine, and checks every batch before it applies it. Source: LSP 3.17, "Text
Documents", "Position", "TextEdit[]" and "TextDocumentEdit".
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

_LINE_END = re.compile(r"\r\n|\n|\r")
_CODECS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


class Edit(NamedTuple):
    """One text edit in plain values; characters in code units of the negotiated encoding."""

    start: tuple[int, int]
    end: tuple[int, int]
    new_text: str

    @classmethod
    def of(cls, edit: Any) -> Edit:
        """Convert an object with the attributes of an LSP text edit."""
        start, end = edit.range.start, edit.range.end
        return cls((start.line, start.character), (end.line, end.character), edit.new_text)


class State(NamedTuple):
    """The text of the document at a version, and who changed it last."""

    version: int
    text: str
    by: str
    edits: tuple[Edit, ...] = ()


@dataclass
class Client:
    """A document on the client's side.

    Attributes:
        text: The present text.
        encoding: The negotiated position encoding.
        version: Incremented with every change, by the server or the user.
        states: All states, including the first and the present one.
    """

    text: str
    encoding: str = "utf-16"
    version: int = 1
    states: list[State] = field(default_factory=list)
    _open: tuple[int, int] | None = None
    _starts: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._become(self.text, "open")

    # Document

    @property
    def lines(self) -> list[str]:
        """The document's lines without their ends; one more than there are line ends."""
        return _LINE_END.split(self.text)

    @property
    def batches(self) -> list[tuple[Edit, ...]]:
        """All applied edits, by batch."""
        return [state.edits for state in self.states if state.by == "server"]

    def offset(self, place: tuple[int, int]) -> int:
        """Convert a position to an index of the text; fails if there is no such position."""
        line, character = place
        assert 0 <= line < len(self._starts), f"there is no line {line}"
        start = self._starts[line]
        line_end = _LINE_END.search(self.text, start)
        codec, width = _CODECS[self.encoding]
        raw = self.text[start : line_end.start() if line_end else None].encode(codec, "surrogatepass")
        at = character * width
        assert 0 <= at <= len(raw), f"column {character} is not on line {line}"
        column = len(raw[:at].decode(codec, "surrogatepass"))
        assert len(raw[at:].decode(codec, "surrogatepass")) + column == self._length(line), (
            "inside a character"
        )
        return start + column

    def place(self, offset: int) -> tuple[int, int]:
        """Convert an index of the text to a position; an index inside a line end is the end of the line."""
        line = bisect_right(self._starts, offset) - 1
        start = self._starts[line]
        codec, width = _CODECS[self.encoding]
        column = min(offset - start, self._length(line))
        return line, len(self.text[start : start + column].encode(codec, "surrogatepass")) // width

    # Edits of the server

    def allow_lines(self, start: int, end: int) -> None:
        """Allow the server to edit only lines ``start`` up to ``end`` from now on.

        If they are the document's last lines, they include the line end above them: it is removed with them,
        and inserted with the first line that follows it.
        """
        first = self._starts[start] if start < len(self._starts) else len(self.text)
        last = self._starts[end] if end < len(self._starts) else len(self.text)
        if last == len(self.text) and end >= len(self._starts) and start:
            first = self._starts[start - 1] + self._length(start - 1)
        self._open = first, len(self.text) - last

    def apply(self, edits: Iterable[Any], version: int) -> bool:
        """Apply a batch for ``version``, or nothing if the document has another version.

        Raises:
            AssertionError: The batch is empty, unsorted, overlapping, outside the document or the allowed lines,
                or contains an edit that changes nothing.
        """
        if version != self.version:
            return False
        batch = tuple(edit if isinstance(edit, Edit) else Edit.of(edit) for edit in edits)
        assert batch, "an empty batch"
        spans = [(self.offset(edit.start), self.offset(edit.end), edit.new_text) for edit in batch]
        for (_, end, _), (start, _, _) in itertools.pairwise(spans):
            assert end <= start, "edits overlap, or stand in the wrong order"
        pieces, at = [], 0
        for start, end, new_text in spans:
            assert start <= end, "an edit whose end comes before its start"
            assert self.text[start:end] != new_text, "an edit that changes nothing"
            pieces += [self.text[at:start], new_text]
            at = end
        self._check_allowed(spans[0][0], spans[-1][1])
        self.version += 1
        self._become("".join([*pieces, self.text[at:]]), "server", batch)
        return True

    # Edits of the user

    def type(self, start: tuple[int, int], end: tuple[int, int], new_text: str) -> Edit:
        """Replace the text between two positions by ``new_text``; return the change for the server."""
        edit = Edit(start, end, new_text)
        first, last = self.offset(start), self.offset(end)
        self._open = self._moved(first, last, new_text)
        self.version += 1
        self._become(self.text[:first] + new_text + self.text[last:], "user", (edit,))
        return edit

    def type_at(self, offset: int, n_deleted: int, new_text: str) -> Edit:
        """Do the same by indices of the text; an index inside a line end means the place before it."""
        end = min(offset + n_deleted, len(self.text))
        return self.type(self.place(offset), self.place(max(offset, end)), new_text)

    # Helpers

    def _length(self, line: int) -> int:
        start = self._starts[line]
        line_end = _LINE_END.search(self.text, start)
        return (line_end.start() if line_end else len(self.text)) - start

    def _check_allowed(self, start: int, end: int) -> None:
        if self._open is not None:
            head, tail = self._open
            assert head <= start, "an edit above the scope"
            assert end <= len(self.text) - tail, "an edit below the scope"

    def _moved(self, first: int, last: int, new_text: str) -> tuple[int, int] | None:
        """Move the allowed lines with the user's change; after a change across an edge all lines are allowed."""
        if self._open is None:
            return None
        head, tail = self._open
        below = len(self.text) - tail
        if last < head:
            return head + len(new_text) - (last - first), tail
        if first > below:
            return head, tail + len(new_text) - (last - first)
        return (head, tail) if head <= first and last <= below else None

    def _become(self, text: str, by: str, edits: tuple[Edit, ...] = ()) -> None:
        self.text = text
        self._starts = [0, *(match.end() for match in _LINE_END.finditer(text))]
        self.states.append(State(self.version, text, by, edits))
