"""A provider's list of models is read if it exists, and delays nothing if it does not."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import orjson
import pytest
from aiohttp import web

from twospeed.models.base import ProviderSettings
from twospeed.models.catalog.model_lists import ListedModel, list_models
from twospeed.models.http.connections import Connections
from twospeed.models.keys.key_store import KeyStore

KEY = "lab-live-0123456789abcdef"

Answer = web.Response | asyncio.Event
Serve = Callable[[Answer], Awaitable[str]]


@pytest.fixture
async def serve(seen: list[web.BaseRequest]) -> AsyncIterator[Serve]:
    """``await serve(answer)``: an endpoint with one answer to everything; an event delays it until it is set."""
    runners: list[web.ServerRunner] = []

    async def start(answer: Answer) -> str:
        async def respond(request: web.BaseRequest) -> web.Response:
            seen.append(request)
            if isinstance(answer, asyncio.Event):
                await answer.wait()
                return web.Response()
            return web.Response(status=answer.status, headers=answer.headers, body=answer.body)

        runner = web.ServerRunner(web.Server(respond, access_log=None), shutdown_timeout=0.01)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        runners.append(runner)
        return f"http://127.0.0.1:{runner.addresses[0][1]}/v1"

    yield start
    for runner in runners:
        await runner.cleanup()


def page(value: object) -> web.Response:
    return web.Response(body=orjson.dumps(value), content_type="application/json")


async def listed_at(
    base_url: str, connections: Connections, *, api: str = "chat", timeout_s: float = 5.0
) -> tuple[ListedModel, ...] | None:
    provider = ProviderSettings("lab", api, base_url, "LAB_API_KEY")  # type: ignore[arg-type]  # of the parameters
    keys = KeyStore({"LAB_API_KEY": KEY})
    found = await list_models([provider], keys=keys, connections=connections, timeout_s=timeout_s)
    return found.get("lab")


async def test_names_and_dates_are_read_in_the_order_of_the_list(
    connections: Connections, serve: Serve, seen: list[web.BaseRequest]
) -> None:
    data = [{"id": "new", "created": 1790000000}, {"id": "old", "created": 7}, {"id": "undated"}]
    assert await listed_at(await serve(page({"object": "list", "data": data})), connections) == (
        ListedModel("new", 1790000000.0),
        ListedModel("old", 7.0),
        ListedModel("undated"),
    )
    [request] = seen
    assert (request.method, request.raw_path) == ("GET", "/v1/models")
    assert request.headers["Authorization"] == f"Bearer {KEY}"


async def test_the_context_window_is_read_under_each_known_name(
    connections: Connections, serve: Serve
) -> None:
    sizes = {
        "context_length": 1,
        "context_window": 2,
        "max_context_length": 3,
        "max_model_len": 4,
        "max_input_tokens": 5,
        "n_vocab": 6,
    }
    data = [{"id": name, name: size} for name, size in sizes.items()]
    data += [
        {"id": f"odd{index}", "context_length": odd}
        for index, odd in enumerate((0, -1, True, "9", 10**12, 9.5))
    ]
    listed = await listed_at(await serve(page({"data": data})), connections)
    assert listed
    assert [model.window_tokens for model in listed] == [1, 2, 3, 4, 5, None, *[None] * 6]


async def test_the_list_of_anthropic_is_requested_and_parsed_in_its_form(
    connections: Connections, serve: Serve, seen: list[web.BaseRequest]
) -> None:
    data = [{"type": "model", "id": "claude-opus-4-6", "created_at": "2026-02-04T00:00:00Z"}]
    base_url = await serve(page({"data": data, "has_more": False}))
    assert await listed_at(base_url, connections, api="messages") == (
        ListedModel("claude-opus-4-6", 1770163200.0),
    )
    [request] = seen
    assert request.raw_path == "/v1/models?limit=1000"
    assert request.headers["x-api-key"] == KEY
    assert request.headers["anthropic-version"]
    assert "Authorization" not in request.headers


@pytest.mark.parametrize(
    "answer",
    [
        web.Response(status=401, body=b'{"error": {"message": "no"}}'),
        web.Response(status=404),
        web.Response(body=b"<html>"),
        page([]),
        page({"data": "x"}),
        page({"data": []}),
        page({"data": [7, {"id": 7}, {"id": ""}, {"id": "x" * 300}, {"id": "a\x1b[31m"}]}),
    ],
    ids=["wrong key", "no such page", "html", "a bare list", "odd", "empty", "odd names"],
)
async def test_a_missing_list_is_no_error(
    connections: Connections, serve: Serve, answer: web.Response
) -> None:
    assert await listed_at(await serve(answer), connections) is None


async def test_lists_names_and_windows_have_a_maximum(connections: Connections, serve: Serve) -> None:
    data: list[dict[str, object]] = [
        {"id": "n" * 200},
        {"id": "n" * 201},
        {"id": "fits", "context_length": 10**8},
        {"id": "too large", "context_length": 10**8 + 1, "context_window": 5},
        {"id": "dated later", "created": 0, "created_at": "1970-01-01T00:01:00+00:00"},
    ]
    described = [{"id": f"m{number}", "description": "words " * 50} for number in range(5000)]
    whole = {"data": [*data, *described]}
    assert len(orjson.dumps(whole)) > 1024 * 1024
    listed = await listed_at(await serve(page(whole)), connections)
    assert listed
    assert listed[:4] == (
        ListedModel("n" * 200),
        ListedModel("fits", window_tokens=10**8),
        ListedModel("too large", window_tokens=5),
        ListedModel("dated later", 60.0),
    )
    assert listed[4:] == tuple(ListedModel(f"m{number}") for number in range(5000 - len(data)))


async def test_an_invalid_date_is_ignored(connections: Connections, serve: Serve) -> None:
    data = [
        {"id": "a", "created_at": "soon"},
        {"id": "b", "created": [1]},
        {"id": "c", "created_at": "9" * 40},
    ]
    listed = await listed_at(await serve(page({"data": data})), connections)
    assert listed == (ListedModel("a"), ListedModel("b"), ListedModel("c"))


async def test_silent_providers_share_one_timeout_and_delay_no_other_list(
    connections: Connections, serve: Serve
) -> None:
    silent = [ProviderSettings(f"silent{n}", "chat", await serve(asyncio.Event())) for n in range(5)]
    there = ProviderSettings("there", "chat", await serve(page({"data": [{"id": "m"}]})))
    started = asyncio.get_running_loop().time()
    found = await list_models([*silent, there], keys=KeyStore({}), connections=connections, timeout_s=1.0)
    assert dict(found) == {"there": (ListedModel("m"),)}
    assert asyncio.get_running_loop().time() - started < len(silent) * 1.0 / 2, (
        "one after the other takes 5 s"
    )
    assert not [task for task in asyncio.all_tasks() if "object _list " in repr(task.get_coro())]


async def test_without_a_server_there_is_no_list(connections: Connections) -> None:
    assert await listed_at("http://127.0.0.1:9/v1", connections) is None
    assert await list_models([], keys=KeyStore({}), connections=connections) == {}


@pytest.mark.security("R2.1")
async def test_the_key_does_not_follow_a_redirect(
    connections: Connections, serve: Serve, seen: list[web.BaseRequest]
) -> None:
    elsewhere = await serve(page({"data": [{"id": "m"}]}))
    moved = web.Response(status=307, headers={"Location": f"{elsewhere}/models"})
    assert await listed_at(await serve(moved), connections) is None
    assert len(seen) == 1


@pytest.mark.security("R2.1")
async def test_a_key_of_another_origin_is_not_sent_for_a_list(connections: Connections) -> None:
    provider = ProviderSettings("openai", "chat", "https://api.groq.com/openai/v1", "OPENAI_API_KEY")
    keys = KeyStore({"OPENAI_API_KEY": KEY})
    assert await list_models([provider], keys=keys, connections=connections) == {}


async def test_the_next_edit_uses_the_connection_of_the_list(
    connections: Connections, serve: Serve, seen: list[web.BaseRequest]
) -> None:
    base_url = await serve(page({"data": [{"id": "m"}]}))
    assert await listed_at(base_url, connections) == await listed_at(base_url, connections) != ()
    ports = {request.transport.get_extra_info("peername")[1] for request in seen if request.transport}
    assert len(ports) == 1
