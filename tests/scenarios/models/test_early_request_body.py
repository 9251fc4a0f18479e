"""``early_body = true``: text that is sent before an edit is the start of the edit's own request."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.models.relay import Relay
from tests.scenarios.editor import URI, Editor, place_range
from tests.scenarios.model_lanes import Time, editor_on
from tests.scenarios.shop import NEW, TEXT

from twospeed.testing.script import Script
from twospeed.testing.scripted_server import RecordedRequest, ScriptedServer

AT_RETURN = 3
LONG = TEXT + "".join(f"LIMIT_{number} = {number}\n" for number in range(1500))


async def expect_an_edit(editor: Editor) -> None:
    document = {"uri": URI, "version": editor.buffers[URI].version}
    where = {"textDocument": document, "range": place_range(AT_RETURN, 0, AT_RETURN, 0)}
    assert await editor.request("twospeed/prepare", where) == {}


def edits_in(server: ScriptedServer) -> list[RecordedRequest]:
    return [request for request in server.requests if not request.is_warm_up]


async def test_the_file_is_sent_once_and_before_the_instruction(tmp_path: Path) -> None:
    async with (
        ScriptedServer(lambda _: Script(NEW)) as server,
        Relay(server.port) as relay,
        editor_on(tmp_path, {"lab": relay.base_url}, Time(), more="early_body = true\n") as editor,
    ):
        editor.type(TEXT.count("\n"), 0, LONG.removeprefix(TEXT))
        await expect_an_edit(editor)
        await relay.wait_until(
            n_bytes=2 * len(LONG)
        )  # once for the cache warm-up, once as the start of the request
        await server.wait_for_requests()
        assert edits_in(server) == []
        n_bytes = relay.n_bytes
        assert (await editor.edit(AT_RETURN))["outcome"] == "applied"
        assert relay.n_bytes - n_bytes < 5000
        [edit] = edits_in(server)
        assert edit.headers["transfer-encoding"] == "chunked"
        assert LONG.removeprefix(TEXT) in str(edit.body["messages"]).replace("\\n", "\n")


async def test_typing_that_changes_the_sent_start_sends_the_whole_request(tmp_path: Path) -> None:
    async with (
        ScriptedServer(lambda _: Script(NEW)) as server,
        Relay(server.port) as relay,
        editor_on(tmp_path, {"lab": relay.base_url}, Time(), more="early_body = true\n") as editor,
    ):
        editor.type(TEXT.count("\n"), 0, LONG.removeprefix(TEXT))
        await expect_an_edit(editor)
        await relay.wait_until(n_bytes=2 * len(LONG))
        editor.type(0, 0, "MORE = 1\n")
        assert (await editor.edit(AT_RETURN + 1))["outcome"] == "applied"
        [edit] = edits_in(server)
        assert edit.headers["content-length"]
        assert "MORE = 1" in str(edit.body["messages"])


@pytest.mark.parametrize("more", ["", "early_body = true\n[warm]\ncache = false\n"])
async def test_no_request_start_is_sent_by_default(tmp_path: Path, more: str) -> None:
    async with (
        ScriptedServer(lambda _: Script(NEW)) as server,
        editor_on(tmp_path, {"lab": server.base_url}, Time(), more=more) as editor,
    ):
        editor.type(TEXT.count("\n"), 0, LONG.removeprefix(TEXT))
        await expect_an_edit(editor)
        assert (await editor.edit(AT_RETURN))["outcome"] == "applied"
        assert server.requests
        assert all("content-length" in edit.headers for edit in server.requests)
