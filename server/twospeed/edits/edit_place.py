"""The place of an edit: its scope in a changing document, and the ranges that clients see."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from twospeed.delivery import DocumentChannel, UndoStep
from twospeed.gate import Finding
from twospeed.stream import LiveScope
from twospeed.text.code.scope import Scope
from twospeed.text.document import Document, Splice
from twospeed.text.positions import Range

from .values import PlacedClash, PlacedFinding, PlacedHunk, PlacedScope


class EditPlace:
    """The lines of an edit in its document.

    Args:
        channel: The document's channel.
        requested: The document of the request.
        scope: The lines to edit, in that document.
        step: The undo step of the edit.
        is_preview: Whether the edit is a preview, which does not change the document.

    Attributes:
        scope: The scope, in the document of the request.
        live: The lines as they are now.
        scope_found: Set once the scope is no longer approximate, or the edit ended.
        withdrawn_offer: Resolves once the user applied an offer that was cancelled; ``None`` without one.
        ended_version: The version of the document when the edit ended; ``None`` before.
    """

    def __init__(
        self, channel: DocumentChannel, requested: Document, scope: Scope, step: UndoStep, *, is_preview: bool
    ) -> None:
        self.channel = channel
        self.undo_step = step
        self.scope_found = asyncio.Event()
        self.withdrawn_offer: asyncio.Future[None] | None = None
        self.ended_version: int | None = None
        self.requested = requested
        self.scope = scope
        self.is_preview = is_preview
        self.live = self._live_scope(requested, scope.start, scope.end)

    @property
    def document(self) -> Document:
        """The document that ranges refer to: for a preview that of the request, otherwise the current one."""
        return self.requested if self.is_preview else self.channel.seen_by(self.live)

    @property
    def old_lines(self) -> tuple[str, ...]:
        """The lines of the scope in the document of the request."""
        return self.requested.lines[self.scope.start : self.scope.end]

    @property
    def lines(self) -> tuple[str, ...]:
        """The current lines of the scope, with line ends."""
        return self.document.lines[self.live.start : self.live.end]

    @property
    def text(self) -> str:
        """The current text of the scope."""
        return "".join(self.lines)

    @property
    def has_hunks(self) -> bool:
        """Whether there is a hunk to decide; a preview and a closed document have none."""
        return self.live.has_hunks and not (self.is_preview or self.channel.is_closed)

    def overlaps(self, other: EditPlace) -> bool:
        """Return whether both contain a common line; two empty scopes at one position do, neighbours do not."""
        mine, theirs = (self.live.start, self.live.end), (other.live.start, other.live.end)
        return mine == theirs or (mine[0] < theirs[1] and theirs[0] < mine[1])

    def resolve(self, scope: Scope, typed: Iterable[Splice]) -> None:
        """Replace the approximate scope by the final one, moved by the user's changes since the request."""
        self.scope, self.live = scope, self._live_scope(self.requested, scope.start, scope.end)
        for splice in typed:
            self.live.follow(splice)

    def restart(self, document: Document, start: int, end: int) -> None:
        """Restart with lines of the current document; the undo step continues."""
        old, self.live = self.live, self._live_scope(document, start, end)
        self.live.has_written = old.has_written
        self.channel.replace(old, self.live)
        self.requested = document

    def move_scope(self, scope: Scope) -> None:
        """Set the scope's lines in the document of the request."""
        self.scope = scope

    def _live_scope(self, document: Document, start: int, end: int) -> LiveScope:
        return LiveScope(document.lines[start:end], start, is_one_step=self.channel.behavior.is_ours)

    def placed_scope(self) -> PlacedScope:
        """Return the scope with its range in `document`."""
        place = self.scope if self.is_preview else self.live
        return PlacedScope(self.scope.kind, self.scope.name, self._range(place.start, place.end))

    def placed_hunks(self) -> tuple[PlacedHunk, ...]:
        """Return the hunks that can be decided."""
        return tuple(
            PlacedHunk(f"h{hunk.number}", self._range(hunk.start, hunk.end), "".join(hunk.removed))
            for hunk in (self.live.hunks() if self.has_hunks else ())
        )

    def placed_clashes(self) -> tuple[PlacedClash, ...]:
        """Return the lines of the user that the answer would have changed."""
        return tuple(
            PlacedClash(self._range(clash.start, clash.end), clash.proposed) for clash in self.live.clashes()
        )

    def placed_findings(self, findings: Iterable[Finding]) -> tuple[PlacedFinding, ...]:
        """Return findings with the ranges of their lines."""
        return tuple(
            PlacedFinding(finding, self._range(*self.lines_now(finding.first_line, finding.last_line)))
            for finding in findings
        )

    def lines_now(self, first_line: int, last_line: int) -> tuple[int, int]:
        """Return the current lines of a part of the answer, as the first line and the line after the last.

        Args:
            first_line: The first line, in the document of the request with the answer applied.
            last_line: The last line, likewise.

        Returns:
            For removed lines, the place where they were.
        """
        start, end = self.live.start, self.live.end
        places = [] if self.is_preview else self.live.answer_places()
        first, last = first_line - self.scope.start, last_line - self.scope.start
        if 0 <= first <= last < len(places):
            return places[first][0], places[last][1]
        shift = start - self.scope.start
        return first_line + shift, min(last_line + 1 + shift, max(end, start + 1))

    def _range(self, start: int, end: int) -> Range:
        return self.document.line_range(start, end)
