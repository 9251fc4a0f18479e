"""Shows the deep answers of edits: progress, what they would change, and a quiet line if there is none."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine

from twospeed.edits.deepen.offer import offer_of
from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.phases import EditState
from twospeed.edits.values import OfferReport
from twospeed.routing.lanes import ICONS

from .editor_client import INFO, EditorClient
from .progress import WorkDoneProgress

QUIET_S = 0.3
"""Seconds without typing before a changed offer is sent again: computing it reads the whole scope."""


def offer_title(n_places: int) -> str:
    """Return one sentence about an offer."""
    places = "1 place" if n_places == 1 else f"{n_places} places"
    return f"{ICONS['deep']} would change {places}"


class DeepOffers:
    """Informs one client of the deep answers of its edits."""

    def __init__(
        self,
        client: EditorClient,
        progress: WorkDoneProgress,
        *,
        spawn: Callable[[Coroutine[None, None, None]], None],
        notify: Callable[[InlineEdit], None],
    ) -> None:
        self._client = client
        self._progress = progress
        self._spawn = spawn
        self._notify = notify
        self._reported: set[str] = set()
        self._open: dict[str, InlineEdit] = {}
        self._sent: dict[str, OfferReport | None] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}

    def changed(self, edit: InlineEdit) -> None:
        """Show a change of a deep answer or of its offer."""
        deep = edit.deep
        if deep is None:
            return
        if deep.is_running and edit.id not in self._open:
            self._open[edit.id] = edit
            self._progress.start_deep(edit, deep)
        if edit.state is EditState.REVIEW:
            self._send(edit, offer_of(edit))
        if edit.state is EditState.ENDED or not deep.is_open:
            self._open.pop(edit.id, None)
            self._sent.pop(edit.id, None)
        if edit.id not in self._reported and not deep.is_running and not edit.is_unfinished:
            self._report(edit)

    def _report(self, edit: InlineEdit) -> None:
        deep = edit.deep
        assert deep
        self._reported.add(edit.id)
        if deep.state == "offered" and not self._client.profile.receives_events and not edit.is_preview:
            self._client.show_message(
                INFO, f"{offer_title(deep.places.n_offered)}; take them with a code action"
            )
        elif deep.state in ("refused", "failed") and deep.reason:
            self._client.log_message(f"{ICONS['deep']} {deep.state}: {deep.reason.message}")

    def text_changed(self, uri: str) -> None:
        """Send the offers for a document again, after a typing pause, if they have changed."""
        if timer := self._timers.pop(uri, None):
            timer.cancel()
        if any(edit.uri == uri for edit in self._open.values()):
            loop = asyncio.get_running_loop()
            self._timers[uri] = loop.call_later(QUIET_S, self._send_changed, uri)

    def _send_changed(self, uri: str) -> None:
        self._timers.pop(uri, None)
        for edit in list(self._open.values()):
            is_known = edit.uri == uri and edit.state is EditState.REVIEW and edit.deep is not None
            if not is_known or edit.decision.lock.locked():
                continue
            offer = offer_of(edit)
            if offer != self._sent.get(edit.id):
                self._send(edit, offer)

    def _send(self, edit: InlineEdit, offer: OfferReport | None) -> None:
        self._sent[edit.id] = offer
        self._notify(edit)

    def close(self) -> None:
        """Send nothing any more."""
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
