"""What an edit needs to get its model; `lanes.source` is how it does."""

from __future__ import annotations

from typing import Protocol

from twospeed.budget.spending import Spending
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
        """Return the name of a user's API key that a text contains; ``None`` if it contains none."""

    def price_of(self, entry: LaneEntry) -> Price | None:
        """Return the price of a model's tokens; ``None`` if the config has none."""

    async def choose(self, mode: Mode, *, asks: bool = True) -> tuple[Route, Model]:
        """Choose and open the model for one request; if ``asks``, the user may be asked for consent.

        The model keeps the limits of its lane entry.
        """

    async def serving(self, mode: Mode) -> LaneEntry:
        """Return the entry that would serve a mode now, without asking the user."""

    async def has_model(self, mode: Mode) -> bool:
        """Whether a model may serve a mode, perhaps after consent or a wait; otherwise only the built-in engine can."""

    def failed(self, route: Route, error: ModelError, *, n_requests: int, waited_s: float) -> float | None:
        """Record that a request failed; return the wait as `routing.wait_before_next` does."""

    def answers(self, route: Route) -> None:
        """Record that a model's answer is used; if it replaces another model, notify the user."""

    def served(self, route: Route) -> None:
        """Record that a model has answered to the end."""

    def obstacle_behind(self, route: Route) -> ModelError | None:
        """Return the error of the model that the built-in engine replaces, if it replaces one."""

    async def wait(self, route: Route, seconds: float) -> None:
        """Wait for a model; notify the user if it takes long."""
