"""Work-done progress and partial results of an edit (``$/progress``)."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Coroutine
from typing import Any

from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.phases import EditState
from twospeed.edits.values import PlacedScope
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
        # By the token in use: cancelling the progress cancels the edit.
        self.edits: dict[wire.Token, InlineEdit] = {}
        self._client = client
        self._spawn = spawn

    def start(self, edit: InlineEdit, token: wire.Token | None) -> None:
        """Report progress on the request's token, or on one of ours if the client shows progress."""
        if token is not None:
            self._spawn(self._report(edit, token))
        elif self._client.profile.shows_progress and not edit.is_preview:
            self._spawn(self._report_on_own_token(edit))

    async def _report_on_own_token(self, edit: InlineEdit) -> None:
        done, _ = await asyncio.wait([edit.finished], timeout=QUIET_S)
        if done:
            return
        token = f"twospeed-edit-{edit.id}"
        try:
            await self._client.request("window/workDoneProgress/create", {"token": token})
        except (RpcError, TimeoutError):
            return
        await self._report(edit, token)

    async def _report(self, edit: InlineEdit, token: wire.Token) -> None:
        def send(value: dict[str, object]) -> None:
            self._client.notify("$/progress", {"token": token, "value": value})

        self.edits[token] = edit
        title = f"{ICONS[edit.mode]} {LABELS[edit.mode]}"
        message = one_line(edit.request.all_words, 80)
        send({"kind": "begin", "title": title, "message": message, "cancellable": True})
        started = asyncio.get_running_loop().time()
        offered = asyncio.create_task(edit.decision.offered.wait())
        ends: list[asyncio.Future[Any]] = [edit.finished, offered]  # after an offer, only the user is awaited
        try:
            while True:
                done, _ = await asyncio.wait(ends, timeout=TICK_S, return_when=asyncio.FIRST_COMPLETED)
                if done:
                    break
                seconds = round(asyncio.get_running_loop().time() - started)
                send({"kind": "report", "message": _progress_message(edit, seconds), "cancellable": True})
        finally:
            offered.cancel()
            if self.edits.get(token) is edit:  # a later edit may use the same token
                del self.edits[token]
            send({"kind": "end"})


def _progress_message(edit: InlineEdit, seconds: int) -> str:
    if edit.state is EditState.QUEUED:
        return f"{seconds} s, waits for another edit"
    sentences = [each for each in _SENTENCE_END.split(edit.answer.reasoning.strip())[:-1] if each.strip()]
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
