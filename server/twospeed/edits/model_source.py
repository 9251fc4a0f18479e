"""What an edit needs to get its model; `lanes.source` is how it does."""

from __future__ import annotations

from typing import Protocol

from twospeed.budget.values import Spending
from twospeed.errors import ModelError
from twospeed.models.base import Model
from twospeed.models.catalog.prices import Price
from twospeed.routing import LaneEntry, Mode, Route


class ModelSource(Protocol):
    """Gives an edit its model."""

    @property
    def spending(self) -> Spending:
        """What counts the user's spending."""

    def own_key_in(self, text: str) -> str | None:
        """Name one of the user's own API keys that stands in a text; ``None`` where none does."""

    def price_of(self, entry: LaneEntry) -> Price | None:
        """Say what a model's tokens cost; ``None`` where the user has not written it down."""

    async def choose(self, mode: Mode, *, asks: bool = True) -> tuple[Route, Model]:
        """Choose and open the model for one request; where it ``asks``, the user may be asked for a yes.

        The model keeps the limits of its lane entry.
        """

    async def serving(self, mode: Mode) -> LaneEntry:
        """Return the entry that would serve a mode now; asks nobody."""

    async def has_model(self, mode: Mode) -> bool:
        """Whether a model may serve a mode, if only after a yes or a while; else the built-in engine is alone."""

    def failed(self, route: Route, error: ModelError, *, n_requests: int, waited_s: float) -> float | None:
        """Take note that a request failed; see `routing.wait_before_next` for what is returned."""

    def answers(self, route: Route) -> None:
        """Take note that what a model sends is used: whoever it stands in for, the user is told."""

    def served(self, route: Route) -> None:
        """Take note that a model has answered to the end."""

    def obstacle_behind(self, route: Route) -> ModelError | None:
        """Say what keeps back the model that the built-in engine stands in for, if it does."""

    async def wait(self, route: Route, seconds: float) -> None:
        """Wait for a model; the user is told if it takes long."""
