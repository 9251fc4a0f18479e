"""A document as the person sees it, in which every character has an identity.

A second string of the same length contains the identities. They show which characters existed at an earlier version,
and so whether an edit changed text that it must not change. This module shares no code with the server. Positions are
those of LSP 3.17 in UTF-16.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

LINE_END = re.compile(r"\r\n|\n|\r")

Span = tuple[int, int, str]
"""Start, end and replacement of a span of characters."""


class Text(NamedTuple):
    """A text and the identities of its characters."""

    text: str
    ids: str

    def cut(self, start: int, end: int) -> Text:
        return Text(self.text[start:end], self.ids[start:end])

    def with_span(self, start: int, end: int, new: Text) -> Text:
        return Text(
            self.text[:start] + new.text + self.text[end:], self.ids[:start] + new.ids + self.ids[end:]
        )


class Places:
    """LSP positions of one text; a character above U+FFFF counts as ``large`` units, one or two."""

    def __init__(self, text: str, large: int = 2) -> None:
        self.text = text
        self.large = large

    @cached_property
    def starts(self) -> list[int]:
        """The index at which each line starts."""
        return [0, *(match.end() for match in LINE_END.finditer(self.text))]

    def line_of(self, offset: int) -> int:
        return bisect_right(self.starts, offset) - 1

    def span_of(self, line: int) -> tuple[int, int]:
        """Return start and end of a line, without its line end."""
        start = self.starts[line]
        end = self.starts[line + 1] if line + 1 < len(self.starts) else len(self.text)
        return start, start + len(self.text[start:end].rstrip("\r\n"))

    def place(self, offset: int) -> dict[str, int]:
        line = self.line_of(offset)
        start, end = self.span_of(line)
        return {"line": line, "character": self._units(self.text[start : min(offset, end)])}

    def range(self, start: int, end: int) -> dict[str, dict[str, int]]:
        return {"start": self.place(start), "end": self.place(end)}

    def offset(self, place: Mapping[str, int]) -> int:
        """Convert a position, which must exist, to an index."""
        line, character = place["line"], place["character"]
        assert 0 <= line < len(self.starts), f"there is no line {line}"
        start, end = self.span_of(line)
        offset = start
        for char in self.text[start:end]:
            if character <= 0:
                break
            character -= self._units(char)
            offset += 1
        assert character == 0, f"the place is not on line {line}, or inside a character"
        return offset

    def nearest(self, place: Mapping[str, int]) -> int:
        """Convert a position, which may no longer exist, to an index, as an editor without checks does."""
        if place["line"] >= len(self.starts):
            return len(self.text)
        start, end = self.span_of(place["line"])
        return min(start + place["character"], end)

    def spans(self, edits: Iterable[Mapping[str, Any]], *, exactly: bool = True) -> list[Span]:
        find = self.offset if exactly else self.nearest
        spans = [
            (find(edit["range"]["start"]), find(edit["range"]["end"]), edit["newText"]) for edit in edits
        ]
        if exactly:
            for first, second in pairwise(spans):
                assert first[1] <= second[0], "edits overlap, or stand in the wrong order"
        return sorted(spans, key=lambda span: span[:2])

    def _units(self, text: str) -> int:
        return len(text) + (self.large - 1) * sum(char > "\uffff" for char in text)


class Change(NamedTuple):
    """The old and the new text at an index.

    Attributes:
        range: Where, in the text before.
        is_of_ends: Whether only line ends have changed.
    """

    start: int
    old: Text
    new: Text
    range: Mapping[str, Any] = {}
    is_of_ends: bool = False

    @property
    def end(self) -> int:
        """The index after the old text."""
        return self.start + len(self.old.text)

    def reversed(self) -> Change:
        return Change(self.start, self.new, self.old, is_of_ends=self.is_of_ends)


class Ledger:
    """One open document.

    Attributes:
        now: Its text and identities.
        eol: What a line that is typed ends in.
        version: As the editor counts.
        told: Versions that were told to the server, and the texts then.
        taken_back: Versions that came of an undo or a redo.
        left_lines: Lines that the person has typed, or brought back.
        asked_lines: Lines of all scopes that a model was asked about, and of the answers.
        is_open: Until it is closed.
        is_harmed: Whether the editor has put something elsewhere than it was meant.
    """

    def __init__(self, uri: str, text: str, version: int, *, large: int = 2) -> None:
        self.uri = uri
        self._n_chars = 0
        self.now = self._made(text)
        self.eol = next((eol for eol in ("\r\n", "\r") if eol in text), "\n")
        self.version = version
        self.told: dict[int, Text] = {version: self.now}
        self.taken_back: set[int] = set()
        self.left_lines: set[str] = set()
        self.asked_lines: set[str] = set()
        self.is_open = True
        self.is_harmed = False
        self._done: list[list[Change]] = []
        self._undone: list[list[Change]] = []
        self._goes_on = False
        self._places = Places(text, large)

    @property
    def text(self) -> str:
        return self.now.text

    @property
    def is_run_by_tools(self) -> bool:
        """Whether tools run the file when it is saved."""
        return self.uri.endswith("/conftest.py")

    @property
    def places(self) -> Places:
        if self._places.text is not self.now.text:
            self._places = Places(self.now.text, self._places.large)
        return self._places

    def lines(self) -> list[str]:
        return LINE_END.split(self.now.text)

    def replace(self, spans: Sequence[Span], *, goes_on: bool = False) -> list[Change]:
        """Replace sorted, disjoint spans, last first, so that each change applies to the text of its moment.

        Args:
            spans: What becomes what.
            goes_on: Whether it belongs to the undo step of the change before.
        """
        changes = [
            self._perform(Change(start, self.now.cut(start, end), self._made(new)))
            for start, end, new in reversed(spans)
        ]
        if goes_on and self._goes_on and self._done:
            self._done[-1] += changes
        else:
            self._done.append(changes)
        self._undone.clear()
        self._goes_on = True
        return changes

    def change_ends(self, eol: str, *, one_by_one: bool) -> list[Change]:
        """Change all line ends in one undo step; each new line end has the identity of the old one.

        Args:
            eol: The line end.
            one_by_one: Whether each is a change of its own, from the bottom up.
        """
        self.eol = eol
        pieces, at = list[Change](), 0
        new = Text("", "")
        for match in LINE_END.finditer(self.now.text):
            end = Text(eol, self.now.ids[match.end() - 1] * len(eol))
            body = self.now.cut(at, match.start())
            new, at = Text(new.text + body.text + end.text, new.ids + body.ids + end.ids), match.end()
            pieces.append(Change(match.start(), self.now.cut(*match.span()), end, is_of_ends=True))
        whole = Change(0, self.now.cut(0, at), new, is_of_ends=True)
        changes = [self._perform(each) for each in (reversed(pieces) if one_by_one else [whole])]
        self._done.append(changes)
        self._undone.clear()
        self._goes_on = False
        return changes

    def end_step(self) -> None:
        """Let the next change begin a new undo step."""
        self._goes_on = False

    def undo(self) -> list[Change]:
        """Undo the last step; deleted characters return with their identities."""
        return self._move(self._done, self._undone)

    def redo(self) -> list[Change]:
        """Redo the last undone step."""
        return self._move(self._undone, self._done)

    def _move(self, steps: list[list[Change]], others: list[list[Change]]) -> list[Change]:
        if not steps:
            return []
        self._goes_on = False
        changes = [self._perform(change.reversed()) for change in reversed(steps.pop())]
        others.append(changes)
        if any(change.is_of_ends for change in changes):
            self.eol = next(iter(LINE_END.findall(self.now.text)), self.eol)
        return changes

    def _perform(self, change: Change) -> Change:
        where = self.places.range(change.start, change.end)
        assert self.now.cut(change.start, change.end) == change.old
        self.now = self.now.with_span(change.start, change.end, change.new)
        return change._replace(range=where)

    def _made(self, text: str) -> Text:
        first, self._n_chars = self._n_chars, self._n_chars + len(text)
        return Text(text, "".join(map(chr, range(first, self._n_chars))))


def ends_of(text: str) -> set[str]:
    """Return the kinds of line ends in a text."""
    return {*LINE_END.findall(text)}


def changes_of(edit: Mapping[str, Any]) -> tuple[Mapping[str, Any], Sequence[Mapping[str, Any]]]:
    """Read a ``WorkspaceEdit`` of one document."""
    if "changes" in edit:
        ((uri, edits),) = edit["changes"].items()
        return {"uri": uri, "version": None}, edits
    (change,) = edit["documentChanges"]
    return change["textDocument"], change["edits"]
