"""Models of real servers, asked as the product asks them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace

import pytest
from tests.gateway.real_servers import MODEL
from tests.models.conftest import api, connections

from twospeed.lanes.open_model import open_model
from twospeed.models.base import (
    EditTask,
    Limits,
    Message,
    Model,
    ModelEvent,
    ModelRequest,
    ProviderSettings,
)
from twospeed.models.http.connections import Connections
from twospeed.models.keys.key_store import KeyStore

REQUEST = ModelRequest(
    messages=(Message("system", "You edit code."), Message("user", "add a docstring")),
    task=EditTask("add a docstring", "python", "def f():\n    pass\n", lambda _text: True),
    max_output_tokens=64,
)

__all__ = ["api", "ask", "connections", "model_at"]

OpenModel = Callable[..., Model]
Ask = Callable[..., Awaitable[list[ModelEvent]]]


@pytest.fixture
def model_at(connections: Connections, api: str) -> OpenModel:
    """``model_at(base_url, key="", api=…)``: the model there."""

    def make(base_url: str, key: str = "", *, api: str = api) -> Model:
        settings = ProviderSettings("lab", api, base_url, "LAB_KEY" if key else None)  # type: ignore[arg-type]  # of a test
        keys = KeyStore({"LAB_KEY": key})
        return open_model(settings, MODEL, limits=Limits(), connections=connections, keys=keys)

    return make


@pytest.fixture
def ask(model_at: OpenModel) -> Ask:
    """``await ask(base_url, key="", api=…, max_output_tokens=…)``: all events of one answer."""

    async def run(
        base_url: str, key: str = "", *, max_output_tokens: int = 64, **more: str
    ) -> list[ModelEvent]:
        request = replace(REQUEST, max_output_tokens=max_output_tokens)
        async with aclosing(model_at(base_url, key, **more).stream(request)) as events:
            return [event async for event in events]

    return run
