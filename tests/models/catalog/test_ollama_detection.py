"""A local server with only one of the two pages, or with other content, is not Ollama."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.test_utils import TestServer
from aiohttp.web import Application, Request, Response, json_response
from tests.models.catalog.test_discovery import OLLAMA, names_at

from twospeed.models.http.connections import Connections
from twospeed.models.http.endpoints import HostRules
from twospeed.models.http.http_session import GuardedResolver


@pytest.fixture
async def served() -> AsyncIterator[dict[str, object]]:
    """Serve pages by their path; ``port`` is the port of the server."""
    pages: dict[str, object] = {}

    async def answer(request: Request) -> Response:
        page = pages.get(request.path)
        return Response(status=404) if page is None else json_response(page)

    app = Application()
    app.router.add_route("*", "/{path:.*}", answer)
    server = TestServer(app, host="127.0.0.1")
    await server.start_server()
    pages["port"] = server.port
    yield pages
    await server.close()


@pytest.mark.parametrize(
    ("changes", "is_found"),
    [
        ({}, True),
        ({"/api/version": None}, False),
        ({"/api/version": {"version": 3}}, False),
        ({"/api/version": {"name": "x"}}, False),
        ({"/api/tags": None}, False),
        ({"/api/tags": {"models": "none"}}, False),
        ({"/api/tags": {"others": []}}, False),
        ({"/api/version": None, "/api/tags": None}, False),
    ],
)
async def test_ollama_is_recognized_only_by_both_of_its_pages(
    connections: Connections, served: dict[str, Any], changes: dict[str, object], is_found: bool
) -> None:
    served |= OLLAMA | changes
    names = await names_at(connections, "ollama", served["port"])
    assert (names is not None) == is_found


async def test_a_host_is_resolved_for_any_port_by_default() -> None:
    asked: list[tuple[str, int]] = []

    class Recorder(AbstractResolver):
        async def resolve(self, host: str, port: int = 0, family: Any = 0) -> list[ResolveResult]:
            asked.append((host, port))
            return []

        async def close(self) -> None: ...

    await GuardedResolver(Recorder(), HostRules()).resolve("api.example")
    assert asked == [("api.example", 0)]
