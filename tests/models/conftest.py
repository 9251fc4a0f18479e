"""Requests, connections and scripted providers for the tests of the models."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from types import ModuleType
from typing import Literal

import pytest

from twospeed.models.base import EditTask, Infill, Message, ModelEvent, ModelRequest, ProviderSettings
from twospeed.models.http.connections import Connections
from twospeed.models.http.endpoints import parse_endpoint
from twospeed.models.http.http_model import HttpModel
from twospeed.models.keys.secret import Secret
from twospeed.models.websocket.socket_model import SocketModel
from twospeed.testing.scripted_server import ScriptedServer

Api = Literal["chat", "responses", "messages"]


@pytest.fixture(scope="session")
def openai() -> ModuleType:
    """OpenAI's SDK; importing it takes a second, so only a process that runs its tests does."""
    return pytest.importorskip("openai")


@pytest.fixture(scope="session")
def anthropic() -> ModuleType:
    """Anthropic's SDK."""
    return pytest.importorskip("anthropic")


@pytest.fixture
def request_to_model() -> ModelRequest:
    return ModelRequest(
        messages=(Message("system", "You edit code."), Message("user", "add a docstring")),
        task=EditTask("add a docstring", "python", "def f():\n    pass\n", lambda _text: True),
        max_output_tokens=512,
        infill=Infill("def f():\n    ", "\n"),
    )


@pytest.fixture
async def connections() -> AsyncIterator[Connections]:
    opened = Connections()
    yield opened
    await opened.aclose()


@pytest.fixture
def sleep_for(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """``sleep_for(seconds)``: pretend that the machine slept: the wall clock advances, timers do not."""

    def sleep(seconds: float) -> None:
        wall = time.time
        monkeypatch.setattr(time, "time", lambda: wall() + seconds)

    return sleep


@pytest.fixture
def lab_key() -> str:
    return "lab-live-0123456789abcdef"


@pytest.fixture
def api() -> Api:
    """The protocol of `model_at` and `ask`; a test may be parametrized by it."""
    return "chat"


@pytest.fixture
def model_at(connections: Connections, lab_key: str, api: Api) -> Callable[..., HttpModel]:
    """``model_at(base_url, **headers)``: the model ``m`` there, with a key for this origin."""

    def make(base_url: str, **headers: str) -> HttpModel:
        key = Secret(lab_key, name="LAB_API_KEY", origins=[parse_endpoint(base_url).origin])
        settings = ProviderSettings("lab", api, base_url, "LAB_API_KEY", headers)
        return HttpModel(settings, "m", connections=connections, key=key)

    return make


@pytest.fixture
def ask(
    model_at: Callable[..., HttpModel], request_to_model: ModelRequest
) -> Callable[..., Awaitable[list[ModelEvent]]]:
    """``await ask(base_url, **headers)``: all events of one answer; ``into`` keeps those before an error."""

    async def run(base_url: str, *, into: list[ModelEvent] | None = None, **headers: str) -> list[ModelEvent]:
        events: list[ModelEvent] = [] if into is None else into
        async for event in model_at(base_url, **headers).stream(request_to_model):
            events.append(event)  # noqa: PERF401  # those before an error stay
        return events

    return run


@pytest.fixture
def socket_model_at(connections: Connections, lab_key: str) -> Callable[[ScriptedServer], SocketModel]:
    """Return a server's model ``m`` that uses a WebSocket."""

    def make(server: ScriptedServer) -> SocketModel:
        key = Secret(lab_key, name="LAB_API_KEY", origins=[parse_endpoint(server.base_url).origin])
        settings = ProviderSettings("lab", "responses", server.base_url, "LAB_API_KEY", websocket=True)
        return SocketModel(settings, "m", connections=connections, key=key, connect_s=1.0)

    return make
