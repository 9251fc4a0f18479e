"""The place of an edit: its scope in a changing document, and the ranges that clients see."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from twospeed.delivery import DocumentChannel, UndoStep
from twospeed.gate import Finding
from twospeed.stream import EditScopes, Hunk, LiveScope
from twospeed.stream.aligner import aligned
from twospeed.stream.ops import Op
from twospeed.syntax import AddedImports
from twospeed.text.code.scope import Scope
from twospeed.text.document import Document, Splice
from twospeed.text.lines import bodies_of, eol_of
from twospeed.text.positions import Range

from .values import PlacedClash, PlacedFinding, PlacedHunk, PlacedImports, PlacedScope
from .writing.new_imports import NewImports

if TYPE_CHECKING:
    from .groups.joint_apply import JointApply


class _ImportBlock(NamedTuple):
    """The lines of an import block before the edit changed them, and where they were."""

    start: int
    end: int
    old_lines: Sequence[str]


def have_common_line(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Return whether spans of lines overlap; two empty ones at one position do, neighbours do not."""
    return one == other or (one[0] < other[1] and other[0] < one[1])


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
        scopes: `live` and the import block, if the edit changes it: what the channel changes and follows.
        joint: Applies the answer together with those of a group's other edits; ``None`` if each is applied alone.
        scope_found: Set once the scope is no longer approximate, or the edit ended.
        withdrawn_offer: Resolves once the user applied an offer that was cancelled; ``None`` without one.
        ended_version: The version of the document when the edit ended; ``None`` before.
    """

    def __init__(
        self, channel: DocumentChannel, requested: Document, scope: Scope, step: UndoStep, *, is_preview: bool
    ) -> None:
        self.channel = channel
        self.undo_step = step
        step.writers.add(self)
        self.joint: JointApply | None = None
        self.scope_found = asyncio.Event()
        self.withdrawn_offer: asyncio.Future[None] | None = None
        self.ended_version: int | None = None
        self.requested = requested
        self.scope = scope
        self.is_preview = is_preview
        self.live = self._live_scope(requested, scope.start, scope.end)
        self.scopes = EditScopes(self.live)
        self._block: _ImportBlock | None = None

    @property
    def document(self) -> Document:
        """The document that ranges refer to: for a preview that of the request, otherwise the current one."""
        return self.requested if self.is_preview else self.channel.seen_by(self.scopes)

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
        return self.scopes.has_hunks and not (self.is_preview or self.channel.is_closed)

    def has_lines(self, first: int, last: int) -> bool:
        """Return whether one of these lines is in the scope, or in the import block if the edit changes it."""
        imports = self.scopes.imports
        scopes = (self.live, imports) if imports else (self.live,)
        return any(each.start <= last and first <= max(each.start, each.end - 1) for each in scopes)

    def overlaps(self, other: EditPlace) -> bool:
        """Return whether both contain a common line; two empty scopes at one position do, neighbours do not."""
        mine, theirs = (self.live.start, self.live.end), (other.live.start, other.live.end)
        return self.requested.uri == other.requested.uri and have_common_line(mine, theirs)

    def resolve(self, scope: Scope, typed: Iterable[Splice]) -> None:
        """Replace the approximate scope by the final one, moved by the user's changes since the request."""
        self.scope = scope
        self.live = self._live_scope(self.requested, scope.start, scope.end)
        self.scopes = EditScopes(self.live)
        for splice in typed:
            self.live.follow(splice)

    def restart(self, document: Document, start: int, end: int) -> None:
        """Restart with lines of the current document; the undo step continues."""
        old = self.scopes
        self.live = self._live_scope(document, start, end)
        self.live.has_written = old.has_written
        self.scopes = EditScopes(self.live)
        self.channel.replace(old, self.scopes)
        self.requested = document

    def place_imports(self, added: AddedImports | None) -> bool:
        """Let the edit change the import block too; return whether the place of the imports is certain.

        Args:
            added: The import block in the current document; ``None`` if its place is uncertain.
        """
        if self.scopes.imports and self.scopes.imports.has_written:
            return True
        self._block = None
        self.scopes.set_imports(None)
        if added is None or (added.start < self.live.end and self.live.start < added.end):
            return False
        if not added.statements:
            return True
        document = self.document
        self._block = _ImportBlock(added.start, added.end, document.lines[added.start : added.end])
        live = self._live_scope(document, added.start, added.end)
        live.receive_ops(aligned(bodies_of(self._block.old_lines), bodies_of(added.lines)))
        live.end_writing()
        self.scopes.set_imports(live)
        return True

    def import_ops(self, imports: NewImports | None) -> Sequence[Op]:
        """Return the changes of the import block for another answer, against the lines that the block had at first.

        A block that no answer has changed yet is placed now; its changes then wait in `scopes`.
        """
        if self._block is None:
            if imports:
                self.place_imports(imports.against(self.document))
            return ()
        old = self._block.old_lines
        new = imports.added.lines if imports and imports.old_lines == old else old
        return aligned(bodies_of(old), bodies_of(new))

    def place_offered_imports(self, imports: NewImports | None) -> None:
        """Follow the import block of a deep answer, if no answer has changed it yet."""
        if self._block or imports is None:
            return
        document = self.document
        added = imports.against(document)
        if (
            added is None
            or not added.statements
            or (added.start < self.live.end and self.live.start < added.end)
        ):
            return
        self._block = _ImportBlock(added.start, added.end, document.lines[added.start : added.end])
        live = self._live_scope(document, added.start, added.end)
        live.end_writing()
        self.scopes.set_imports(live)

    def wanted_imports(self, imports: NewImports | None) -> tuple[str, ...] | None:
        """Return the lines of the import block with a deep answer; ``None`` if there is no block, or it is another one."""
        if self._block is None:
            return None
        old = self._block.old_lines
        new = imports.added.lines if imports and imports.old_lines == old else old
        return tuple(bodies_of(new))

    async def end_writing(self) -> None:
        """Note that the edit writes no more: its undo step may end, and its group need not wait for it."""
        step = self.undo_step
        if self not in step.writers:
            return
        step.writers.discard(self)
        if self.joint:
            self.joint.apply_if_complete()
        if not step.writers and step.is_open and step.has_written:
            await self.channel.end_undo_step(step.end)

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
        """Return the hunks of the scope that can be decided."""
        return self._placed(self.live) if self.has_hunks else ()

    def placed_imports(self) -> PlacedImports | None:
        """Return the import block and its hunks; ``None`` if the edit does not change it."""
        imports, block = self.scopes.imports, self._block
        if imports is None or block is None:
            return None
        if self.is_preview:
            return PlacedImports(self._range(block.start, block.end), ())
        hunks = self._placed(imports, "i") if self.has_hunks else ()
        return PlacedImports(self._range(imports.start, imports.end), hunks) if hunks else None

    def all_hunks(self) -> tuple[PlacedHunk, ...]:
        """Return the hunks of the scope and of the import block that can be decided."""
        imports = self.placed_imports()
        return (*self.placed_hunks(), *(imports.hunks if imports else ()))

    def _placed(self, scope: LiveScope, prefix: str = "h") -> tuple[PlacedHunk, ...]:
        return tuple(
            PlacedHunk(f"{prefix}{hunk.number}", self._range(hunk.start, hunk.end), self._removed_text(hunk))
            for hunk in scope.hunks()
        )

    def _removed_text(self, hunk: Hunk) -> str:
        # A line of the answer that was accepted, and removed later, has no line end in its row.
        document, lines = self.document, hunk.removed
        n_ended = len(lines) - (hunk.end >= len(document.lines))  # the last line of a document may have none
        ended = (line if eol_of(line) else line + document.eol for line in lines[:n_ended])
        return "".join((*ended, *lines[n_ended:]))

    def placed_clashes(self) -> tuple[PlacedClash, ...]:
        """Return the lines of the user that the answer would have changed."""
        return tuple(
            PlacedClash(self._range(clash.start, clash.end), clash.proposed)
            for clash in self.scopes.clashes()
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
