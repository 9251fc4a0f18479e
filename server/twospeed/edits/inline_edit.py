"""One inline edit: what was asked, how far it is, what came of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

from twospeed import syntax
from twospeed.delivery import ApplyEditRequest, DocumentChannel
from twospeed.gate import Finding
from twospeed.routing import Mode, Route
from twospeed.stream import LiveScope, ScopeBatch
from twospeed.text.code.scope import Scope
from twospeed.text.document import Document, trimmed_splice
from twospeed.text.edits import TextEdit
from twospeed.text.lines import eol_of
from twospeed.text.positions import Range

from .state import EditState, EditStep, next_state
from .usage import RequestUsage, add_up
from .values import (
    EditRequest,
    Ending,
    PartialSink,
    Place,
    PlacedClash,
    PlacedFinding,
    PlacedHunk,
    PlacedScope,
    Report,
    Stats,
    Verdict,
)
from .writing.variations import Variations

MAX_MESSAGE_LINES, MAX_MESSAGE_CHARS = 5, 500
"""How much of what a model writes beside its code is kept."""

MAX_THOUGHT = 400
"""Characters of a model's thinking that are kept to be shown."""

_FINAL = ("never-send", "not-agreed")
"""Reasons of a refusal that no other answer changes."""


def comment_line_in(request: EditRequest, document: Document, start: int, end: int) -> int | None:
    """Find the instruction comment that a request consumes among the lines of another version of its document.

    Args:
        request: The request as it was made.
        document: The version to look in.
        start: First line to look at.
        end: Line after the last.

    Returns:
        The comment's line; ``None`` where the request has no comment, or it is gone or says something else.
    """
    if request.comment_line is None:
        return None
    for line in range(start, end):
        found = syntax.find_instruction_comment(document.lines, document.language_id, (line, line))
        if found == (line, request.first_words):
            return line
    return None


def selection_in(
    request: EditRequest, scope: Scope, document: Document, start: int, end: int
) -> tuple[Place, Place]:
    """Find the selection of a request in the lines that its scope has come to.

    Args:
        request: The request as it was made.
        scope: Its scope.
        document: The version to look in.
        start: First line of the scope there.
        end: Line after its last.

    Returns:
        The selection, moved along with its lines; the whole scope where one of them was changed or is gone.
    """
    change = trimmed_splice(request.document.lines[scope.start : scope.end], document.lines[start:end], 0)
    places = []
    for line, column in request.selection:
        moved = line - scope.start
        if moved >= change.start + change.count:
            moved += len(change.lines) - change.count
        elif moved >= change.start:
            return (start, 0), (end, 0)
        places.append((start + moved, column))
    return places[0], places[1]


class InlineEdit:
    """The record of an edit; `run`, `scheduler` and `review` move it on.

    Args:
        edit_id: Unique among the edits of this session.
        request: What was asked.
        channel: The document's channel.
        scope: Where, in the document of the request.
        partials: Where partial results go, if anybody asked for them.
        on_change: Called after every step of the edit's life.
    """

    def __init__(
        self,
        edit_id: str,
        request: EditRequest,
        channel: DocumentChannel,
        scope: Scope,
        *,
        partials: PartialSink | None,
        on_change: Callable[[InlineEdit], None],
    ) -> None:
        self.id = edit_id
        self.request = request
        self.channel = channel
        self.scope = scope
        self.partials = partials
        self.live = self._live_scope(request.document, scope.start, scope.end)
        self.state = EditState.QUEUED
        self.ending: Ending | None = None
        self.verdict: Verdict | None = None
        self.was_undone = False
        self.route: Route | None = None
        self.preview: tuple[TextEdit, ...] | None = None
        self.preview_text = ""
        self.answer: tuple[str, ...] = ()
        self.message = ""
        self.thought = ""
        self.findings: tuple[Finding, ...] = ()
        self.variations = Variations()
        self.is_partly_decided = False
        self.is_being_reviewed = False
        self.stats = Stats()
        self.n_shipped = 0
        self.needs_seal = False
        self.is_offered = asyncio.Event()
        self.withdrawn: asyncio.Future[None] | None = None
        self.ended_version: int | None = None
        self.deciding = asyncio.Lock()
        self.is_placed = asyncio.Event()
        self.finished: asyncio.Future[Report] = asyncio.get_running_loop().create_future()
        self.on_change = on_change

    @property
    def mode(self) -> Mode:
        """The mode it runs in."""
        return self.request.mode

    @property
    def uri(self) -> str:
        """The document's URI."""
        return self.request.document.uri

    @property
    def is_preview(self) -> bool:
        """Whether the document is left alone."""
        return self.request.style == "preview"

    @property
    def is_live(self) -> bool:
        """Whether it has no outcome yet."""
        return self.state in (EditState.QUEUED, EditState.RUNNING)

    @property
    def old_lines(self) -> tuple[str, ...]:
        """The lines of its scope, in the document of the request."""
        return self.request.document.lines[self.scope.start : self.scope.end]

    @property
    def has_hunks(self) -> bool:
        """Whether something can be decided: nothing of a preview, nor of a document that was closed."""
        return self.live.has_hunks and not (self.is_preview or self.channel.is_closed)

    @property
    def refused_text(self) -> str | None:
        """What a refused edit would have made of its scope; ``None`` where there is no such text."""
        if self.ending is None or self.ending.outcome != "refused" or not self.answer:
            return None
        document, end = self.document, self.live.end
        ends_open = end > self.live.start and not eol_of(document.lines[end - 1])
        text = "".join(line + document.eol for line in self.answer)
        return text.removesuffix(document.eol) if ends_open else text

    @property
    def is_answer_current(self) -> bool:
        """Whether the lines that a refused answer would replace read as they did when it was asked for."""
        return self.document.lines[self.live.start : self.live.end] == self.old_lines

    @property
    def confirmation_reason(self) -> str | None:
        """Why the user has to agree before it lands, as words behind the file's name; ``None`` where no question is asked."""
        gone = [each.message for each in self.findings if each.code == "secret-gone"]
        if (
            self.request.confirmation_reason
            or not gone
            or not (self.route and self.route.entry.hides_secrets)
        ):
            return self.request.confirmation_reason
        return "loses what the model was not shown: " + "; ".join(gone)

    @property
    def may_be_retried(self) -> bool:
        """Whether its answer could not be used, another may be, and the text is as it was left."""
        reason = self.ending.reason if self.ending and self.ending.outcome == "refused" else None
        if reason is None or reason.code in _FINAL:
            return False
        return self.ended_version == self.channel.document.version

    def take(self, step: EditStep) -> None:
        """Move on in the table of states, and tell."""
        self.state = next_state(self.state, step)
        if self.state is EditState.ENDED:
            self.ended_version = self.channel.document.version
            self.variations.stop()
        self.on_change(self)

    def serve(self, route: Route) -> None:
        """Take note of who carries it out; whoever follows the edit is told, and again where that changes."""
        is_new = self.route is None or route.entry != self.route.entry
        self.route = route
        if self.state is EditState.QUEUED:
            self.take(EditStep.START)
        elif is_new:
            self.on_change(self)
        if self.partials and is_new:
            entry = route.entry
            self.partials.started(self.id, self.mode, entry.provider, entry.model, self.placed_scope())

    def note_reasoning(self, text: str) -> None:
        """Take a piece of the model's thinking: it goes to those who follow the edit, and is never part of an answer."""
        self.thought = (self.thought + text)[-MAX_THOUGHT:]
        if self.partials:
            self.partials.reasoning(text)

    def note_prose(self, lines: Sequence[str]) -> None:
        """Keep what the model wrote beside its code: the lines that are not blank, as many as a person reads."""
        told = [text for line in lines if (text := line.strip())]
        self.message = "\n".join(told[:MAX_MESSAGE_LINES])[:MAX_MESSAGE_CHARS]

    def add_usage(self, request_usage: RequestUsage) -> None:
        """Add what a request has used."""
        add_up(self.stats, request_usage)

    def count_lines(self) -> None:
        """Count the lines that have come and gone."""
        for hunk in self.live.hunks():
            self.stats.lines_added += hunk.end - hunk.start
            self.stats.lines_removed += len(hunk.removed)

    def steer(self, instruction: str, draft: str) -> None:
        """Take other words; ``draft`` is the scope as far as it was rewritten."""
        earlier = (*self.request.earlier, self.request.instruction)
        self.request = replace(self.request, instruction=instruction, earlier=earlier, draft=draft, fault="")
        self.findings = ()
        self.is_offered.clear()
        self.take(EditStep.STEER)

    def mend(self, fault: str, draft: str) -> None:
        """Begin anew with the same words; ``draft`` is an answer that cannot land, ``fault`` says why."""
        self.request = replace(self.request, draft=draft, fault=fault)
        self.findings = ()
        self.take(EditStep.REPAIR)

    def send_to(self, mode: Mode) -> None:
        """Have another mode carry it out than was asked for."""
        self.request = replace(self.request, mode=mode)

    def offer(self) -> None:
        """Say that its answer waits for the user to take it."""
        self.is_offered.set()
        self.on_change(self)

    def overlaps(self, other: InlineEdit) -> bool:
        """Whether both want lines of one document; two insertions at one place do, neighbours do not."""
        if self.uri != other.uri:
            return False
        mine, theirs = (self.live.start, self.live.end), (other.live.start, other.live.end)
        return mine == theirs or (mine[0] < theirs[1] and theirs[0] < mine[1])

    def restart_here(self) -> None:
        """Begin anew on the lines the scope has come to, in the document as it stands after the edits ahead."""
        document, start, end = self.document, self.live.start, self.live.end
        old, self.live = self.live, self._live_scope(document, start, end)
        self.live.has_landed = old.has_landed  # its undo step has begun
        self.channel.replace(old, self.live)
        comment_line = comment_line_in(self.request, document, start, end)
        selection = selection_in(self.request, self.scope, document, start, end)
        self.request = replace(
            self.request, document=document, comment_line=comment_line, selection=selection
        )
        self.scope = replace(self.scope, start=start, end=end)

    def _live_scope(self, document: Document, start: int, end: int) -> LiveScope:
        return LiveScope(document.lines[start:end], start, is_one_step=self.channel.behavior.is_ours)

    def ship(self, document: Document, batch: ScopeBatch, *, is_last: bool) -> ApplyEditRequest:
        """Make the message for a batch, and count it; the first that lands begins the edit's undo step."""
        is_stock_stream = self.request.style == "stream" and not self.channel.behavior.is_ours
        edits = document.text_edits(batch.edits, in_whole_lines=is_stock_stream)
        if edits:
            self.n_shipped += 1
            self.needs_seal = not is_last
        is_first = not self.live.has_landed or self.state is EditState.REVIEW
        apply_request = ApplyEditRequest(self.id, self.n_shipped, document, edits, is_first, is_last)
        self.stats.chars_sent += apply_request.n_chars
        return apply_request

    def seal(self, document: Document) -> ApplyEditRequest:
        """Make the message that ends the edit's undo step and changes nothing."""
        self.n_shipped += 1
        return ApplyEditRequest(self.id, self.n_shipped, document, (), is_first=False, is_last=True)

    def placed_scope(self) -> PlacedScope:
        """Return the scope, and its range in the document as it stands."""
        start, end = (
            (self.scope.start, self.scope.end) if self.is_preview else (self.live.start, self.live.end)
        )
        return PlacedScope(self.scope.kind, self.scope.name, self._range(start, end))

    def placed_hunks(self) -> tuple[PlacedHunk, ...]:
        """Return what can be decided, in ranges of the document as it stands."""
        return tuple(
            PlacedHunk(f"h{hunk.number}", self._range(hunk.start, hunk.end), "".join(hunk.removed))
            for hunk in (self.live.hunks() if self.has_hunks else ())
        )

    def placed_findings(self) -> tuple[PlacedFinding, ...]:
        """Return what the gate noticed, moved along with the lines it is about."""
        return tuple(
            PlacedFinding(finding, self._range(*self.lines_now(finding.first_line, finding.last_line)))
            for finding in self.findings
        )

    def lines_now(self, first_line: int, last_line: int) -> tuple[int, int]:
        """Say where lines of the answer are now.

        Args:
            first_line: The first one, of the document of the request with the answer in place.
            last_line: The last one, likewise.

        Returns:
            The first line and the one behind the last, in the document as it stands; the place of those that are gone.
        """
        start, end = self.live.start, self.live.end
        places = [] if self.is_preview else self.live.answer_places()
        first, last = first_line - self.scope.start, last_line - self.scope.start
        if 0 <= first <= last < len(places):
            return places[first][0], places[last][1]
        shift = start - self.scope.start
        return first_line + shift, min(last_line + 1 + shift, max(end, start + 1))

    def report(self) -> Report:
        """Return the edit as it stands; of a preview, ranges are in the document it was asked about."""
        assert self.ending is not None
        return Report(
            edit_id=self.id,
            outcome=self.ending.outcome,
            reason=self.ending.reason,
            mode=self.mode,
            provider=self.route.entry.provider if self.route else None,
            model=self.route.entry.model if self.route else None,
            route=self.route.reason if self.route else None,
            version=self.document.version,
            scope=self.placed_scope(),
            new_text=self.preview_text or "".join(self.document.lines[self.live.start : self.live.end]),
            answer=self.refused_text,
            message=self.message or None,
            preview=self.preview,
            hunks=self.placed_hunks(),
            clashes=tuple(
                PlacedClash(self._range(clash.start, clash.end), clash.proposed)
                for clash in self.live.clashes()
            ),
            findings=self.placed_findings(),
            stats=self.stats,
        )

    @property
    def document(self) -> Document:
        """The document its ranges are in: as it stands, or, of a preview, as it was asked about."""
        return self.request.document if self.is_preview else self.channel.seen_by(self.live)

    def _range(self, start: int, end: int) -> Range:
        return self.document.line_range(start, end)
