"""Send requests over a WebSocket, and list how each was sent."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing

from twospeed.models.base import ModelEvent, ModelRequest
from twospeed.models.websocket.socket_model import SocketModel
from twospeed.testing.scripted_server import ScriptedServer

TEXT = "def total(rows):\n    return sum(row.amount for row in rows)  # é😋\n"
OTHER = "x = 1\n" * 20

ModelAt = Callable[[ScriptedServer], SocketModel]


async def ask(
    model: SocketModel, request: ModelRequest, *, into: list[ModelEvent] | None = None
) -> list[ModelEvent]:
    """Return all events of one answer; ``into`` keeps those before an error."""
    events: list[ModelEvent] = [] if into is None else into
    async with aclosing(model.stream(request)) as stream:
        async for event in stream:
            events.append(event)  # noqa: PERF401  # those before an error stay
    return events


def ways(server: ScriptedServer) -> list[str]:
    """Return the method of each request: WS or POST."""
    return [request.method for request in server.requests]


def n_sockets(server: ScriptedServer) -> int:
    return len({request.client_port for request in server.requests if request.method == "WS"})
