"""The settings of one connection: the user's config, the client's and the workspace's."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from twospeed.config import Settings
from twospeed.config.layers import Layer, compose, read_editor_layer, read_workspace_layer
from twospeed.edits.scheduler import EditScheduler
from twospeed.errors import SettingsError
from twospeed.lsp.client.editor_client import ERROR, EditorClient

from .mode_switch import ModeSwitch
from .models import SessionModels
from .tasks import SessionTasks

Slot = Literal["initializationOptions", "editor", "workspace"]

_ORDER: tuple[Slot, ...] = ("initializationOptions", "editor", "workspace")
"""Later layers override earlier ones."""


class SettingsLayers:
    """The layers of settings, at most one for each source.

    ``didChangeConfiguration`` and ``workspace/configuration`` contain all settings of a client, so the newer replaces the older.
    """

    def __init__(self, user: Settings) -> None:
        self._user = user
        self._layers: dict[Slot, Layer | None] = {}
        self._n_changes = 0

    def put(self, slot: Slot, layer: Layer | None) -> Settings:
        """Replace a layer and return the settings; raises `SettingsError` if it loosens the user's config."""
        layers = {**self._layers, slot: layer}
        composed = compose(self._user, *(layers.get(each) for each in _ORDER))
        self._layers = layers
        return composed

    def begin_change(self) -> int:
        """Count a change of the client's settings; return its number."""
        self._n_changes += 1
        return self._n_changes

    def is_newest(self, change: int) -> bool:
        """Return whether no later change has begun."""
        return change == self._n_changes


class Configuration:
    """Composes the settings for models, scheduler and modes; if they cannot be read, every edit is refused."""

    def __init__(
        self,
        user: Settings,
        *,
        client: EditorClient,
        models: SessionModels,
        scheduler: EditScheduler,
        modes: ModeSwitch,
        tasks: SessionTasks,
    ) -> None:
        self.settings = user
        self._config_path = user.path
        self._layers = SettingsLayers(user)
        self._client = client
        self._models = models
        self._scheduler = scheduler
        self._modes = modes
        self._tasks = tasks
        self._errors = [models.source.error] if models.source.error else []
        self._apply(user)

    def load(self, initialization_options: object, root: Path | None) -> None:
        """Read the layers of ``initialize`` and the workspace."""
        try:
            layer = read_editor_layer(
                initialization_options, name="initializationOptions", config_path=self._config_path
            )
            self._put("initializationOptions", layer)
        except SettingsError as error:
            self._refuse_edits(error)
        try:
            if root:
                self._put("workspace", read_workspace_layer(root, config_path=self._config_path))
        except SettingsError as error:
            self._refuse_edits(error)

    def show_errors(self) -> None:
        """Show why settings could not be read."""
        for error in self._errors:
            self._client.show_message(ERROR, str(error))
        self._errors.clear()

    def request(self) -> None:
        """Request the client's settings if it supports that."""
        if self._client.profile.has_configuration:
            self._tasks.spawn(self._request(self._layers.begin_change()))

    def change(self, value: object) -> None:
        """Apply the settings of ``didChangeConfiguration``; if it has none, request them."""
        change = self._layers.begin_change()
        if self._client.profile.has_configuration and value in (None, {}, []):
            self._tasks.spawn(self._request(change))
        else:
            self._change_editor_layer("didChangeConfiguration", value)

    async def _request(self, change: int) -> None:
        params = {"items": [{"section": "twospeed"}]}
        try:
            response = await self._client.request("workspace/configuration", params)
        except Exception:  # noqa: BLE001 - without a response, the settings stay as they are
            return
        if isinstance(response, list) and response and self._layers.is_newest(change):
            self._change_editor_layer("workspace/configuration", response[0])

    def _change_editor_layer(self, name: str, value: object) -> None:
        mode = self._modes.current
        try:
            self._put("editor", read_editor_layer(value, name=name, config_path=self._config_path))
        except SettingsError as error:
            self._client.show_message(ERROR, str(error))
        if self._modes.current != mode:
            self._modes.switch(self._modes.current)

    def _put(self, slot: Slot, layer: Layer | None) -> None:
        settings = self._layers.put(slot, layer)
        if settings.mode != self.settings.mode:
            self._modes.current = settings.mode
        self._apply(settings)

    def _apply(self, settings: Settings) -> None:
        self.settings = settings
        self._models.configure(settings)
        self._scheduler.gate_settings, self._scheduler.ignore = settings.gate, settings.ignore

    def _refuse_edits(self, error: SettingsError) -> None:
        # The unreadable settings may name files that must never be sent.
        self._errors.append(error)
        self._models.refuse(error)
