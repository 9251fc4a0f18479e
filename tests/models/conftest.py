"""Requests, connections and scripted providers for the tests of the models."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from twospeed.models.base import EditTask, Message, ModelEvent, ModelRequest, ProviderSettings
from twospeed.models.connections import Connections
from twospeed.models.endpoints import parse_endpoint
from twospeed.models.http_model import ChatModel
from twospeed.models.keys import Secret


@pytest.fixture
def request_to_model() -> ModelRequest:
    return ModelRequest(
        messages=(Message("system", "You edit code."), Message("user", "add a docstring")),
        task=EditTask("add a docstring", "python", "def f():\n    pass\n", None, lambda _text: True),
        max_output_tokens=512,
    )


@pytest.fixture
async def connections() -> AsyncIterator[Connections]:
    opened = Connections()
    yield opened
    await opened.aclose()


@pytest.fixture
def lab_key() -> str:
    return "lab-live-0123456789abcdef"


@pytest.fixture
def chat_at(connections: Connections, lab_key: str) -> Callable[..., ChatModel]:
    """``chat_at(base_url, **headers)``: the model ``m`` there, with a key that may be sent there."""

    def make(base_url: str, **headers: str) -> ChatModel:
        key = Secret(lab_key, name="LAB_API_KEY", origins=[parse_endpoint(base_url).origin])
        settings = ProviderSettings("lab", "chat", base_url, "LAB_API_KEY", headers)
        return ChatModel(settings, "m", connections=connections, key=key)

    return make


@pytest.fixture
def ask(
    chat_at: Callable[..., ChatModel], request_to_model: ModelRequest
) -> Callable[..., Awaitable[list[ModelEvent]]]:
    """``await ask(base_url, **headers)``: all events of one answer; ``into`` keeps those before an error."""

    async def run(base_url: str, *, into: list[ModelEvent] | None = None, **headers: str) -> list[ModelEvent]:
        events: list[ModelEvent] = [] if into is None else into
        async for event in chat_at(base_url, **headers).stream(request_to_model):
            events.append(event)  # noqa: PERF401  # those before an error stay
        return events

    return run
