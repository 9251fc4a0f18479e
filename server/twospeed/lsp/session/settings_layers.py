"""The settings of one connection: the user's config, and on top of it what the editor and the workspace say.

The order is fixed: ``initializationOptions``, then what the editor forwards later, then ``.twospeed.toml``. What an
editor pushes (``didChangeConfiguration``) and what it answers when asked (``workspace/configuration``) are both all of
its settings, so the newer one takes the place of the older, and a setting that was removed is gone.
"""

from __future__ import annotations

from typing import Literal

from twospeed.config import Settings
from twospeed.config.layers import Layer, compose

Slot = Literal["initializationOptions", "editor", "workspace"]

_ORDER: tuple[Slot, ...] = ("initializationOptions", "editor", "workspace")
"""Later ones are on top."""


class SettingsLayers:
    """Settings by where they come from.

    Args:
        user: The user's config.
    """

    def __init__(self, user: Settings) -> None:
        self._user = user
        self._layers: dict[Slot, Layer | None] = {}
        self._n_changes = 0

    def put(self, slot: Slot, layer: Layer | None) -> Settings:
        """Take a layer in the place of the one before it, and return the settings that hold now.

        Raises:
            SettingsError: It loosens what the user's config sets; then everything stays as it was.
        """
        layers = {**self._layers, slot: layer}
        composed = compose(self._user, *(layers.get(each) for each in _ORDER))
        self._layers = layers
        return composed

    def begin_change(self) -> int:
        """Note that the editor's settings have changed; return the number of the change."""
        self._n_changes += 1
        return self._n_changes

    def is_newest(self, change: int) -> bool:
        """Whether no change came after one: an answer to an older question says nothing about a newer one."""
        return change == self._n_changes
