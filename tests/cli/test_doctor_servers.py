"""``doctor`` names a server at a usual port that is none of the known kinds."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest
from aiohttp import web

from twospeed.cli.doctor import provider_findings
from twospeed.cli.doctor.provider_findings import NOT_NAMED, ProviderFinding, find_unknown_servers
from twospeed.cli.doctor.report import advice, findings_lines
from twospeed.models.catalog.discovery import LocalServer


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> int:
    """The one port that is tried."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        number: int = free.getsockname()[1]
    monkeypatch.setattr(
        provider_findings, "local_servers", lambda _environ: [LocalServer("llamacpp", number)]
    )
    return number


async def found_with(
    port: int, page: object, known: tuple[ProviderFinding, ...] = ()
) -> list[ProviderFinding]:
    """Return the findings while a server at a port answers a request for its models with a page."""

    async def models(_request: web.Request) -> web.Response:
        return web.json_response(page)

    app = web.Application()
    app.router.add_get("/v1/models", models)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    try:
        return await find_unknown_servers({}, known)
    finally:
        await runner.cleanup()


async def test_an_unknown_model_server_is_named_with_its_models(port: int) -> None:
    found = await found_with(port, {"data": [{"id": "qwen"}, {"id": 7}, "x"]})
    place = f"http://127.0.0.1:{port}"
    assert found == [ProviderFinding("unknown", place, "", ("qwen",), NOT_NAMED)]
    assert f"  unknown  {place}  qwen  {NOT_NAMED}" in findings_lines(found)
    assert f"to use {place}: [providers.NAME] with api and base_url" in "\n".join(
        advice(found, [], [], Path("c"))
    )


@pytest.mark.parametrize("page", [{}, [], {"data": None}, {"data": {"id": "x"}}])
async def test_a_program_that_lists_no_models_is_named(port: int, page: object) -> None:
    (found,) = await found_with(port, page)
    assert (found.models, found.trouble) == ((), "a program that lists no models")


async def test_a_server_that_was_found_is_not_named_twice(port: int) -> None:
    known = ProviderFinding("llamacpp", f"http://127.0.0.1:{port}", "needs no key", ("qwen",))
    assert await found_with(port, {"data": [{"id": "qwen"}]}, (known,)) == []


async def test_a_port_without_a_server_is_not_named(port: int) -> None:
    assert await asyncio.wait_for(find_unknown_servers({}, ()), 60) == []
