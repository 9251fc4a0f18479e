"""The mode of one connection: lightning, deep or both."""

from __future__ import annotations

import asyncio

from twospeed.lanes.source import LaneSource
from twospeed.lsp.client.editor_client import INFO, EditorClient
from twospeed.routing import ModeChoice
from twospeed.routing.lanes import ICONS, LABELS, MODES, modes_of, next_choice
from twospeed_protocol import messages as wire
from twospeed_protocol import methods

from .tasks import SessionTasks


class ModeSwitch:
    """Switches the mode and notifies the client."""

    def __init__(
        self, mode: ModeChoice, client: EditorClient, source: LaneSource, tasks: SessionTasks
    ) -> None:
        self.current = mode
        self._client = client
        self._source = source
        self._tasks = tasks

    @property
    def following(self) -> ModeChoice:
        """The mode after the current one, among those that have a model."""
        return next_choice(self.current, has_both=self._source.knows_both_modes)

    def switch(self, mode: ModeChoice) -> asyncio.Task[wire.ModeState]:
        """Switch the mode; the task sends ``twospeed/modeChanged`` and returns the state."""
        self.current = mode
        return self._tasks.run(self._notify())

    def switch_and_show(self, mode: ModeChoice) -> None:
        """Switch the mode; show a message to a client without ``twospeed/modeChanged``."""
        self._tasks.spawn(self._show(mode, self.switch(mode)))

    async def _notify(self) -> wire.ModeState:
        state = await self._state()
        if self._client.profile.receives_events:
            self._client.notify(methods.MODE_CHANGED, state.to_json())
        return state

    async def _show(self, mode: ModeChoice, switched: asyncio.Task[wire.ModeState]) -> None:
        state = await switched
        if not self._client.profile.receives_events:
            models = {"lightning": state.lightning, "deep": state.deep}
            serving = (models[each] for each in modes_of(mode))
            names = " and ".join(f"{each.provider}/{each.model}" for each in serving)
            self._client.show_message(INFO, f"{ICONS[mode]} {LABELS[mode]}: {names}")

    async def _state(self) -> wire.ModeState:
        entries = {mode: await self._source.serving(mode) for mode in MODES}
        lightning, deep = (
            wire.ServedBy(provider=entries[mode].provider, model=entries[mode].model) for mode in MODES
        )
        return wire.ModeState(mode=self.current, lightning=lightning, deep=deep)
