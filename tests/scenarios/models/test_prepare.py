"""``twospeed/prepare`` connects to the likely model and warms its cache, once, and only with consent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.models.relay import Relay
from tests.scenarios.editor import URI, Editor, place_range
from tests.scenarios.model_lanes import Time, editor_on
from tests.scenarios.shop import NEW, TEXT

from twospeed.budget.spending import Spending
from twospeed.errors import BudgetSpent
from twospeed.models.catalog.discovery import DiscoveredProvider
from twospeed.models.catalog.providers import PROVIDERS
from twospeed.models.http.endpoints import Endpoint
from twospeed.models.http.http_session import HttpSession
from twospeed.testing.script import Drop, Hang, Reply, Script
from twospeed.testing.scripted_server import RecordedRequest, ScriptedServer

AT_RETURN = 3
KEY = "lab-live-0123456789abcdef"


@pytest.fixture
async def relay() -> AsyncIterator[Relay]:
    async with ScriptedServer(lambda _: Script(TEXT)) as server, Relay(server.port) as relay:
        yield relay


@pytest.fixture
def connected(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record the preconnected endpoints, without a connection."""
    made: list[str] = []

    async def note(_: HttpSession, endpoint: Endpoint, n: int, *, connect_s: float) -> None:
        made.append(str(endpoint.origin))

    monkeypatch.setattr(HttpSession, "open_connections", note)
    return made


async def settle(editor: Editor) -> None:
    """Run all tasks that do not wait for a server."""
    for _ in range(20):
        await editor.request("twospeed/status", {})


async def prepare(editor: Editor, mode: str = "lightning") -> None:
    document = {"uri": URI, "version": editor.buffers[URI].version}
    where = {"textDocument": document, "range": place_range(AT_RETURN, 0, AT_RETURN, 0), "mode": mode}
    assert await editor.request("twospeed/prepare", where) == {}


async def test_the_edit_goes_over_the_connection_that_was_prepared(tmp_path: Path, relay: Relay) -> None:
    async with editor_on(tmp_path, {"lab": relay.base_url}, Time(), key=KEY) as editor:
        for _ in range(100):
            await prepare(editor)
        await relay.wait_until(n_opened=1)
        assert relay.n_bytes == 0
        await editor.edit(AT_RETURN)
    assert relay.n_opened == 1
    assert relay.n_bytes > 0


async def test_prepare_connects_to_the_model_of_the_named_mode(tmp_path: Path, relay: Relay) -> None:
    nowhere = {"lab": "http://127.0.0.1:9/v1"}
    async with editor_on(tmp_path, nowhere, Time(), deep={"other": relay.base_url}) as editor:
        await prepare(editor, "deep")
        await relay.wait_until(n_opened=1)


async def test_prepare_connects_by_default(tmp_path: Path, relay: Relay, connected: list[str]) -> None:
    async with editor_on(tmp_path, {"lab": relay.base_url}, Time()) as editor:
        await prepare(editor)
        await settle(editor)
    assert connected == [relay.base_url.removesuffix("/v1")]


async def test_prepare_ignores_an_endpoint_that_is_down(tmp_path: Path) -> None:
    async with editor_on(tmp_path, {"lab": "http://127.0.0.1:9/v1"}, Time()) as editor:
        for mode in ("lightning", "deep"):
            await prepare(editor, mode)
        assert editor.notifications == []
    assert editor.notifications == []


async def test_typing_after_an_edit_connects_again_if_the_server_closed_the_connection(
    tmp_path: Path, relay: Relay
) -> None:
    async with editor_on(tmp_path, {"lab": relay.base_url}, Time()) as editor:
        assert editor.server.session
        editor.type(0, 0, "# a\n")
        assert relay.n_opened == 0
        await editor.edit(AT_RETURN)
        relay.hang_up()
        await relay.wait_until(n_closed=1)
        editor.type(0, 0, "# b\n")
        await relay.wait_until(n_opened=2)


async def test_disabled_preconnect_makes_no_connection_before_an_edit(
    tmp_path: Path, relay: Relay, connected: list[str]
) -> None:
    more = "[warm]\nenabled = false\n"
    async with editor_on(tmp_path, {"lab": relay.base_url}, Time(), more=more) as editor:
        await prepare(editor)
        await settle(editor)
        await editor.edit(AT_RETURN)
        editor.type(0, 0, "# a\n")
        await settle(editor)
    assert connected == []


@pytest.mark.security("R2.5")
async def test_a_cloud_without_consent_is_not_connected_to(
    connected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = PROVIDERS["groq"].settings

    async def discover(*_: object, **__: object) -> list[DiscoveredProvider]:
        return [DiscoveredProvider(settings, ("m", "m"), cloud=True)]

    monkeypatch.setattr("twospeed.lanes.discovered.discover", discover)
    async with await Editor.started(environ={"GROQ_API_KEY": KEY}) as editor:
        editor.open(TEXT)
        await prepare(editor)
        await settle(editor)
        status = await editor.request("twospeed/status", {})
        assert [entry["reason"] for entry in status["lanes"]["lightning"]] == ["needs your consent", None]
    assert connected == []


# Cache warm-up

LONG = TEXT + "".join(f"LIMIT_{number} = {number}\n" for number in range(400))
LONG_TOKENS = len(LONG) // 4


async def type_a_long_file(editor: Editor) -> None:
    """Make the document long enough for a cache warm-up."""
    editor.type(TEXT.count("\n"), 0, LONG.removeprefix(TEXT))
    await settle(editor)


def cache_warmup(server: ScriptedServer) -> list[RecordedRequest]:
    return [request for request in server.requests if request.is_warm_up]


async def test_a_prepared_edit_finds_the_file_in_the_prompt_cache(tmp_path: Path) -> None:
    async with (
        ScriptedServer([Script(NEW), Script(NEW)], counts_prompts=True) as server,
        editor_on(tmp_path, {"lab": server.base_url}, Time()) as editor,
    ):
        await type_a_long_file(editor)
        for _ in range(20):
            await prepare(editor)
        await server.wait_for_requests()
        await settle(editor)
        first = await editor.edit(AT_RETURN)
        again = await editor.edit(AT_RETURN, "once more")
        assert (first["outcome"], again["outcome"]) == ("applied", "unchanged")
        for result in (first, again):
            assert result["stats"]["cachedTokens"] >= 0.9 * LONG_TOKENS
    assert len(cache_warmup(server)) == 1


async def test_an_unprepared_edit_is_not_cached_and_the_next_one_is(tmp_path: Path) -> None:
    async with (
        ScriptedServer([Script(NEW), Script(NEW)], counts_prompts=True) as server,
        editor_on(tmp_path, {"lab": server.base_url}, Time()) as editor,
    ):
        await type_a_long_file(editor)
        assert (await editor.edit(AT_RETURN))["stats"]["cachedTokens"] == 0
        assert (await editor.edit(AT_RETURN, "once more"))["stats"]["cachedTokens"] >= 0.9 * LONG_TOKENS
    assert cache_warmup(server) == []


@pytest.mark.parametrize("more", ["[warm]\nenabled = false\n", "[warm]\ncache = false\n"])
async def test_disabled_cache_warm_up_sends_nothing(tmp_path: Path, more: str) -> None:
    async with (
        ScriptedServer([Script(NEW)]) as server,
        editor_on(tmp_path, {"lab": server.base_url}, Time(), more=more) as editor,
    ):
        await type_a_long_file(editor)
        await prepare(editor)
        await settle(editor)
        assert (await editor.edit(AT_RETURN))["outcome"] == "applied"
    assert cache_warmup(server) == []


async def test_an_edit_does_not_wait_for_the_cache_warm_up(tmp_path: Path) -> None:
    def pick(request: RecordedRequest) -> Script:
        return Script(faults=(Hang(None),)) if request.is_warm_up else Script(NEW)

    async with (
        ScriptedServer(pick) as server,
        editor_on(tmp_path, {"lab": server.base_url}, Time()) as editor,
    ):
        await type_a_long_file(editor)
        await prepare(editor)
        await server.wait_for_requests()
        assert (await editor.edit(AT_RETURN))["outcome"] == "applied"
        await server.wait_for_disconnects()


@pytest.mark.parametrize("fault", [Reply(400), Reply(429), Reply(500), Drop(None)])
async def test_a_failed_preparation_is_not_reported_and_delays_no_edit(
    tmp_path: Path, fault: Reply | Drop
) -> None:
    def pick(request: RecordedRequest) -> Script:
        return Script(faults=(fault,)) if request.is_warm_up else Script(NEW)

    async with (
        ScriptedServer(pick) as server,
        editor_on(tmp_path, {"lab": server.base_url}, Time()) as editor,
    ):
        await type_a_long_file(editor)
        await prepare(editor)
        await server.wait_for_requests()
        await settle(editor)
        assert editor.messages("window/showMessage") == []
        assert (await editor.edit(AT_RETURN))["outcome"] == "applied"


@pytest.mark.security("R4.1")
async def test_a_never_sent_file_is_not_warmed(tmp_path: Path) -> None:
    async with (
        ScriptedServer() as server,
        editor_on(tmp_path, {"lab": server.base_url}, Time()) as editor,
    ):
        uri = "file:///project/.env"
        editor.open(LONG, uri=uri)
        where = {"textDocument": {"uri": uri, "version": 1}, "range": place_range(1, 0, 1, 0)}
        assert await editor.request("twospeed/prepare", where) == {}
        await settle(editor)
    assert server.requests == []


def is_spent(spending: Spending) -> bool:
    try:
        spending.check()
    except BudgetSpent:
        return True
    return False


async def test_a_cache_warm_up_counts_towards_the_budget(tmp_path: Path) -> None:
    more = "[budget]\ntokens_per_day = 1000\n"
    async with (
        ScriptedServer(counts_prompts=True) as server,
        editor_on(tmp_path, {"lab": server.base_url}, Time(), more=more) as editor,
    ):
        await type_a_long_file(editor)
        await prepare(editor)
        assert editor.server.session
        spending = editor.server.session.source.spending
        async with asyncio.timeout(60):
            while not is_spent(spending):
                await settle(editor)
        result = await editor.edit(AT_RETURN)
        assert result["reason"]["code"] == "budget"
    assert len(server.requests) == 1
