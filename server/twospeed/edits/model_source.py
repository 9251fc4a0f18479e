"""What an edit needs to get its model; `lane_source` is how it does."""

from __future__ import annotations

from typing import Protocol

from twospeed.models.base import Model
from twospeed.routing import Mode, Route


class ModelSource(Protocol):
    """Gives an edit its model."""

    async def choose(self, mode: Mode) -> tuple[Route, Model]:
        """Choose and open the model for one edit; may ask the user for a yes.

        The model keeps the limits of its lane entry.
        """
