"""The mode of one connection: lightning or deep."""

from __future__ import annotations

import asyncio

from twospeed.lanes.source import LaneSource
from twospeed.lsp.client.editor_client import INFO, EditorClient
from twospeed.routing import Mode
from twospeed.routing.lanes import ICONS, LABELS, MODES
from twospeed_protocol import messages as wire
from twospeed_protocol import methods

from .tasks import SessionTasks


class ModeSwitch:
    """Switches the mode and notifies the client."""

    def __init__(self, mode: Mode, client: EditorClient, source: LaneSource, tasks: SessionTasks) -> None:
        self.current = mode
        self._client = client
        self._source = source
        self._tasks = tasks

    def switch(self, mode: Mode) -> asyncio.Task[wire.ModeState]:
        """Switch the mode; the task sends ``twospeed/modeChanged`` and returns the state."""
        self.current = mode
        return self._tasks.run(self._notify())

    def switch_and_show(self, mode: Mode) -> None:
        """Switch the mode; show a message to a client without ``twospeed/modeChanged``."""
        self._tasks.spawn(self._show(mode, self.switch(mode)))

    async def _notify(self) -> wire.ModeState:
        state = await self._state()
        if self._client.profile.receives_events:
            self._client.notify(methods.MODE_CHANGED, state.to_json())
        return state

    async def _show(self, mode: Mode, switched: asyncio.Task[wire.ModeState]) -> None:
        state = await switched
        if not self._client.profile.receives_events:
            model = state.lightning if mode == "lightning" else state.deep
            self._client.show_message(INFO, f"{ICONS[mode]} {LABELS[mode]}: {model.provider}/{model.model}")

    async def _state(self) -> wire.ModeState:
        entries = {mode: await self._source.serving(mode) for mode in MODES}
        lightning, deep = (
            wire.ServedBy(provider=entries[mode].provider, model=entries[mode].model) for mode in MODES
        )
        return wire.ModeState(mode=self.current, lightning=lightning, deep=deep)
