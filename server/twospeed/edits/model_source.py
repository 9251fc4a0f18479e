"""The interface through which an edit obtains its model; `lanes.source` implements it."""

from __future__ import annotations

from typing import Protocol

from twospeed.budget.spending import Spending
from twospeed.errors import ModelError
from twospeed.models.base import Model, Price
from twospeed.routing import LaneEntry, Mode, Route


class ModelSource(Protocol):
    """Provides the models of edits."""

    @property
    def spending(self) -> Spending:
        """The count of the user's spending."""

    def own_key_in(self, text: str) -> str | None:
        """Return the name of a user's API key in a text."""

    def price_of(self, entry: LaneEntry) -> Price | None:
        """Return the price of a model's tokens in the config."""

    async def choose(self, mode: Mode, *, may_ask_user: bool = True) -> tuple[Route, Model]:
        """Choose and open the model for one request; ``may_ask_user`` allows a question for consent."""

    async def serving(self, mode: Mode) -> LaneEntry:
        """Return the entry that would serve a mode now, without a question to the user."""

    async def has_model(self, mode: Mode) -> bool:
        """Return whether a model, not only the built-in engine, may serve a mode."""

    def failed(self, route: Route, error: ModelError, *, n_requests: int, waited_s: float) -> float | None:
        """Record a failed request; return the seconds to wait, as `routing.wait_before_next` does."""

    def notify_substitute(self, route: Route) -> None:
        """Notify the user once if the answer comes from a model that replaces another."""

    def served(self, route: Route) -> None:
        """Record that an answer is complete."""

    def error_replaced_by_builtin(self, route: Route) -> ModelError | None:
        """Return the error of the model that the built-in engine replaces."""

    async def wait(self, route: Route, seconds: float) -> None:
        """Wait for a model; notify the user of a long wait."""
