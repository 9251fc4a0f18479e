"""``twospeed/prepare`` connects to who would serve, once, and to nobody who was not agreed to."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.lsp.editor import URI, Editor, place_range
from tests.lsp.model_lanes import Time, editor_on
from tests.lsp.shop import TEXT
from tests.models.relay import Relay

from twospeed.models.discovery import Found
from twospeed.models.endpoints import Endpoint
from twospeed.models.http_session import HttpSession
from twospeed.models.providers import PROVIDERS
from twospeed.models.script import Script
from twospeed.models.scripted_server import ScriptedServer

AT_RETURN = 3
KEY = "lab-live-0123456789abcdef"


@pytest.fixture
async def relay() -> AsyncIterator[Relay]:
    async with ScriptedServer(lambda _: Script(TEXT)) as server, Relay(server.port) as relay:
        yield relay


@pytest.fixture
def connected(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Where connections are made ahead, instead of making them."""
    made: list[str] = []

    async def note(_: HttpSession, endpoint: Endpoint, *, connect_s: float) -> None:
        made.append(str(endpoint.origin))

    monkeypatch.setattr(HttpSession, "open_connection", note)
    return made


async def settle(editor: Editor) -> None:
    """Let everything that needs nobody outside happen."""
    for _ in range(20):
        await editor.request("twospeed/status", {})


async def prepare(editor: Editor, mode: str = "lightning") -> None:
    version = editor.buffers[URI].version
    where = {"textDocument": {"uri": URI, "version": version}, "range": place_range(1, 0, 1, 0), "mode": mode}
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


async def test_it_connects_to_the_mode_that_is_named(tmp_path: Path, relay: Relay) -> None:
    nowhere = {"lab": "http://127.0.0.1:9/v1"}
    async with editor_on(tmp_path, nowhere, Time(), deep={"other": relay.base_url}) as editor:
        await prepare(editor, "deep")
        await relay.wait_until(n_opened=1)


async def test_what_is_not_switched_off_is_on(tmp_path: Path, relay: Relay, connected: list[str]) -> None:
    async with editor_on(tmp_path, {"lab": relay.base_url}, Time()) as editor:
        await prepare(editor)
        await settle(editor)
    assert connected == [relay.base_url.removesuffix("/v1")]


async def test_an_endpoint_that_is_down_is_no_trouble(tmp_path: Path) -> None:
    async with editor_on(tmp_path, {"lab": "http://127.0.0.1:9/v1"}, Time()) as editor:
        for mode in ("lightning", "deep"):
            await prepare(editor, mode)
        assert editor.notifications == []
    assert editor.notifications == []


async def test_typing_after_an_edit_connects_again_where_the_server_hung_up(
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


async def test_switched_off_nobody_is_connected_to_before_an_edit(
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
async def test_a_cloud_that_nobody_agreed_to_is_not_connected_to(
    connected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = PROVIDERS["groq"].settings

    async def discover(*_: object, **__: object) -> list[Found]:
        return [Found(settings, ("m", "m"), cloud=True)]

    monkeypatch.setattr("twospeed.edits.finding_models.discover", discover)
    async with await Editor.started(environ={"GROQ_API_KEY": KEY}) as editor:
        editor.open(TEXT)
        await prepare(editor)
        await settle(editor)
        status = await editor.request("twospeed/status", {})
        assert [entry["reason"] for entry in status["lanes"]["lightning"]] == ["needs your yes", None]
    assert connected == []
