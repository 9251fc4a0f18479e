"""Work-done progress and partial results of an edit (``$/progress``)."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any

from twospeed.edits.deepen.deep_answer import DeepAnswer
from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.phases import EditState
from twospeed.edits.values import PlacedScope, Report
from twospeed.lsp.wire.convert import plain_edits, scope_to
from twospeed.lsp.wire.error_codes import RpcError
from twospeed.routing import Mode
from twospeed.routing.lanes import ICONS, LABELS
from twospeed.text.edits import TextEdit
from twospeed_protocol import messages as wire

from .editor_client import EditorClient, one_line

_SENTENCE_END = re.compile(r"(?<=[.!?])\s|\n")

QUIET_S = 0.3
"""Seconds before a token of ours is created, because a progress bar that flashes distracts."""

TICK_S = 1.0
"""Seconds between two reports."""


class WorkDoneProgress:
    """Reports the progress of edits, on the token of the request or on one of ours."""

    def __init__(self, client: EditorClient, spawn: Callable[[Coroutine[None, None, None]], None]) -> None:
        # By the token in use: cancelling the progress cancels the edits.
        self.edits: dict[wire.Token, Sequence[InlineEdit]] = {}
        self.deepened: dict[wire.Token, InlineEdit] = {}  # likewise, of deep answers in the background
        self._client = client
        self._spawn = spawn

    def start(self, edits: Sequence[InlineEdit], token: wire.Token | None) -> None:
        """Report progress of an edit or a group on the request's token, or on one of ours if the client shows progress."""
        if not edits:
            return
        if token is not None:
            self._spawn(self._report(edits, token))
        elif self._client.profile.shows_progress and not edits[0].is_preview:
            self._spawn(self._report_on_own_token(edits))

    async def _report_on_own_token(self, edits: Sequence[InlineEdit]) -> None:
        outcomes: list[asyncio.Future[Report]] = [edit.finished for edit in edits]
        _, unfinished = await asyncio.wait(outcomes, timeout=QUIET_S)
        if not unfinished:
            return
        token = f"twospeed-edit-{edits[0].id}"
        if await self._create(token):
            await self._report(edits, token)

    async def _report(self, edits: Sequence[InlineEdit], token: wire.Token) -> None:
        self.edits[token] = edits
        ends: list[asyncio.Future[None]] = [asyncio.ensure_future(_end_of(edit)) for edit in edits]

        async def is_done_within(seconds: float) -> bool:
            _, unfinished = await asyncio.wait(ends, timeout=seconds)
            return not unfinished

        def message_at(seconds: int) -> str:
            if len(edits) == 1:
                return _progress_message(edits[0], seconds)
            return f"{seconds} s, {sum(end.done() for end in ends)} of {len(edits)} places"

        try:
            await self._show(token, edits[0].mode, edits[0], is_done_within, message_at)
        finally:
            for end in ends:
                end.cancel()
            if self.edits.get(token) is edits:  # a later edit may use the same token
                del self.edits[token]

    async def _create(self, token: wire.Token) -> bool:
        """Create a token of ours; return whether the client did."""
        try:
            await self._client.request("window/workDoneProgress/create", {"token": token})
        except (RpcError, TimeoutError):
            return False
        return True

    async def _show(
        self,
        token: wire.Token,
        mode: Mode,
        edit: InlineEdit,
        is_done_within: Callable[[float], Awaitable[bool]],
        message_at: Callable[[int], str],
    ) -> None:
        """Report progress on a token until the work is done."""

        def send(value: dict[str, object]) -> None:
            self._client.notify("$/progress", {"token": token, "value": value})

        title, message = f"{ICONS[mode]} {LABELS[mode]}", one_line(edit.request.all_words, 80)
        send({"kind": "begin", "title": title, "message": message, "cancellable": True})
        started = asyncio.get_running_loop().time()
        try:
            while not await is_done_within(TICK_S):
                seconds = round(asyncio.get_running_loop().time() - started)
                send({"kind": "report", "message": message_at(seconds), "cancellable": True})
        finally:
            send({"kind": "end"})

    def start_deep(self, edit: InlineEdit, deep: DeepAnswer) -> None:
        """Report progress of a deep answer on a token of ours, if the client shows progress."""
        if self._client.profile.shows_progress and not edit.is_preview:
            self._spawn(self._report_deep(edit, deep))

    async def _report_deep(self, edit: InlineEdit, deep: DeepAnswer) -> None:
        if await deep.is_done_within(QUIET_S):
            return
        token = f"twospeed-deep-{edit.id}"
        if not await self._create(token):
            return
        self.deepened[token] = edit
        try:
            await self._show(
                token,
                "deep",
                edit,
                deep.is_done_within,
                lambda seconds: _thoughts(seconds, deep.notes.reasoning),
            )
        finally:
            del self.deepened[token]


async def _end_of(edit: InlineEdit) -> None:
    """Wait for the outcome of an edit, or until it is offered: then only the user is awaited."""
    offered = asyncio.create_task(edit.decision.offered.wait())
    try:
        ends: list[asyncio.Future[Any]] = [edit.finished, offered]
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
    finally:
        offered.cancel()


def _progress_message(edit: InlineEdit, seconds: int) -> str:
    if edit.state is EditState.QUEUED:
        return f"{seconds} s, waits for another edit"
    return _thoughts(seconds, edit.answer.reasoning)


def _thoughts(seconds: int, reasoning: str) -> str:
    sentences = [each for each in _SENTENCE_END.split(reasoning.strip())[:-1] if each.strip()]
    return one_line(f"{seconds} s · {sentences[-1]}", 120) if sentences else f"{seconds} s"


class PartialReporter:
    """Sends partial results on the token of one request; implements `edits.values.PartialSink`."""

    def __init__(self, client: EditorClient, token: wire.Token) -> None:
        self._client = client
        self._token = token

    def started(self, edit_id: str, mode: Mode, provider: str, model: str, scope: PlacedScope) -> None:
        """See `PartialSink`."""
        part = wire.StartedPart(
            edit_id=edit_id, mode=mode, provider=provider, model=model, scope=scope_to(scope)
        )
        self._report(part.to_json())

    def reasoning(self, text: str) -> None:
        """See `PartialSink`."""
        self._report(wire.ReasoningPart(text=text).to_json())

    def edits(self, seq: int, edits: list[TextEdit]) -> None:
        """See `PartialSink`."""
        self._report({"type": "edits", "seq": seq, "edits": plain_edits(edits)})  # `wire.EditsPart`

    def _report(self, value: dict[str, Any]) -> None:
        self._client.notify("$/progress", {"token": self._token, "value": value})
