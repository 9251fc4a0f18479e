"""Faults of a model's WebSocket: the outcome for the user, and that the next edit works.

Before the first event HTTP replaces the socket; after it no other answer is requested.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.models.websocket.over_socket import n_sockets, ways
from tests.scenarios.editor import STREAMING, URI, Editor, place_range
from tests.scenarios.model_lanes import KEY, Time, check_ending, editor_on, shown_to_person
from tests.scenarios.shop import EDITED, NEW, OLD, TEXT

from twospeed.models.websocket import response_stream
from twospeed.testing import script_responses
from twospeed.testing.script import Drop, Fault, Hang, Inject, Reply, Script, event
from twospeed.testing.scripted_server import RecordedRequest, ScriptedServer

EDITORS = pytest.mark.parametrize("capabilities", [{}, STREAMING], ids=["stock", "streaming"])
CODES = pytest.mark.parametrize("code", [None, 1001, 1008, 1009, 1011, 1012, 1013])
"""Without a code the connection is cut, which is 1006."""

AT_RETURN = 4
MIDDLE = 30  # tokens: several lines of the answer were received
SHORT = "[limits]\nfirst_content_s = 0.4\ncontent_gap_s = 0.4\n"

Answers = Callable[[RecordedRequest], Script]


class Talk:
    """The behaviour of the model: faulty until `is_over`, then correct."""

    def __init__(self, fault: Answers) -> None:
        self._fault = fault
        self.is_over = False

    def __call__(self, request: RecordedRequest) -> Script:
        return Script(NEW) if self.is_over else self._fault(request)


@asynccontextmanager
async def editor_on_faulty_model(
    tmp_path: Path, fault: Answers, *, capabilities: Any = STREAMING, more: str = ""
) -> AsyncIterator[tuple[Editor, ScriptedServer]]:
    """Start an editor on a faulty model; afterwards the model works, and the next edit must work."""
    talk, time = Talk(fault), Time()
    async with (
        asyncio.timeout(20),
        ScriptedServer(talk, takes_sockets=True) as server,
        editor_on(
            tmp_path,
            {"lab": server.base_url},
            time,
            key=KEY,
            more=more,
            over_sockets=True,
            capabilities=capabilities,
        ) as editor,
    ):
        yield editor, server
        talk.is_over = True
        time.now += 90
        result = await editor.edit(AT_RETURN)
        assert result["outcome"] in ("applied", "unchanged")
        assert editor.buffers[URI].text == EDITED


def on_socket(*faults: Fault) -> Answers:
    """Fail over the WebSocket alone."""
    return lambda request: Script(NEW, faults=faults if request.method == "WS" else ())


def refused(code: str) -> Reply:
    error = {"type": "invalid_request_error", "code": code, "message": "words"}
    return Reply(400, {}, json.dumps({"error": error}).encode())


def check_applied(editor: Editor, result: Any) -> None:
    assert (result["outcome"], result["reason"]) == ("applied", None)
    assert editor.buffers[URI].text == EDITED
    assert shown_to_person(editor) == []


@pytest.mark.security("R10.4")
@EDITORS
@CODES
async def test_a_socket_closed_before_the_first_event_does_not_fail_the_edit(
    tmp_path: Path, code: int | None, capabilities: Any
) -> None:
    async with editor_on_faulty_model(tmp_path, on_socket(Drop(None, code)), capabilities=capabilities) as (
        editor,
        server,
    ):
        check_applied(editor, await editor.edit(AT_RETURN))
        assert ways(server) == ["WS", "POST"]


@pytest.mark.security("R10.3")
@EDITORS
@CODES
async def test_a_socket_closed_during_the_answer_ends_the_edit_without_another_request(
    tmp_path: Path, code: int | None, capabilities: Any
) -> None:
    async with editor_on_faulty_model(tmp_path, on_socket(Drop(MIDDLE, code)), capabilities=capabilities) as (
        editor,
        server,
    ):
        result = await editor.edit(AT_RETURN)
        place = server.base_url.split("/")[2]
        words = f"the answer broke off before its end: {place} closed the socket ({code or 1006})"
        check_ending(editor, result, outcome="failed", code="model-protocol", words=words)
        assert ways(server) == ["WS"]


@pytest.mark.security("R13")
@EDITORS
@CODES
async def test_a_socket_closed_before_a_line_is_tried_three_times(
    tmp_path: Path, code: int | None, capabilities: Any
) -> None:
    async with editor_on_faulty_model(tmp_path, on_socket(Drop(1, code)), capabilities=capabilities) as (
        editor,
        server,
    ):
        result = await editor.edit(AT_RETURN)
        check_ending(editor, result, outcome="failed", code="model-protocol", words="closed the socket")
        assert ways(server) == ["WS"] * 3


@EDITORS
@pytest.mark.parametrize(
    "code", ["websocket_connection_limit_reached", "websocket_stream_limit_reached", "invalid_stream_id"]
)
async def test_a_limit_of_the_socket_does_not_fail_the_edit(
    tmp_path: Path, code: str, capabilities: Any
) -> None:
    async with editor_on_faulty_model(tmp_path, on_socket(refused(code)), capabilities=capabilities) as (
        editor,
        server,
    ):
        check_applied(editor, await editor.edit(AT_RETURN))
        assert ways(server) == ["WS", "POST"]


async def test_a_connection_at_its_limit_is_replaced_and_the_next_edit_uses_a_socket(
    tmp_path: Path,
) -> None:
    fault = on_socket(refused("websocket_connection_limit_reached"))
    async with editor_on_faulty_model(tmp_path, fault) as (editor, server):
        await editor.edit(AT_RETURN)
    assert ways(server) == ["WS", "POST", "WS"]
    assert n_sockets(server) == 2


@EDITORS
async def test_a_forgotten_response_is_sent_again_in_full(tmp_path: Path, capabilities: Any) -> None:
    def fault(request: RecordedRequest) -> Script:
        is_short = "previous_response_id" in request.body
        return Script(NEW, faults=(refused("previous_response_not_found"),) if is_short else ())

    async with editor_on_faulty_model(tmp_path, fault, capabilities=capabilities) as (editor, server):
        await read_ahead(editor, server)
        result = await editor.edit(AT_RETURN)
        assert result["outcome"] == "applied"
        assert editor.buffers[URI].text.startswith(EDITED)
        _, short, whole = server.requests
        assert ways(server) == ["WS"] * 3
        assert len(str(short.body)) < len(str(whole.body)) / 4
        editor.type(*place_at(editor, len(EDITED)), "", end=place_at(editor, None))


@EDITORS
async def test_after_a_warm_up_only_the_rest_of_each_edit_is_sent(tmp_path: Path, capabilities: Any) -> None:
    async with editor_on_faulty_model(tmp_path, lambda _: Script(NEW), capabilities=capabilities) as (
        editor,
        server,
    ):
        await read_ahead(editor, server)
        assert (await editor.edit(AT_RETURN))["outcome"] == "applied"
        assert (await editor.edit(AT_RETURN, "again"))["outcome"] == "unchanged"
        warm_up, *edits = server.requests
        for asked in edits:
            assert asked.body["previous_response_id"] == "resp_1"
            assert len(str(asked.body["input"])) < len(str(warm_up.body["input"])) / 4
        assert n_sockets(server) == 1
        editor.type(*place_at(editor, len(EDITED)), "", end=place_at(editor, None))


async def read_ahead(editor: Editor, server: ScriptedServer) -> None:
    """Warm the cache with a file that is long enough, and wait for it."""
    editor.type(TEXT.count("\n"), 0, "".join(f"LIMIT_{number} = {number}\n" for number in range(400)))
    document = {"uri": URI, "version": editor.buffers[URI].version}
    where = place_range(AT_RETURN, 0, AT_RETURN, 0)
    await editor.request("twospeed/prepare", {"textDocument": document, "range": where})
    await server.wait_for_requests()
    session = editor.server.session
    assert session
    [socket] = session.models.connections._sockets.values()
    while not socket._connections[0].memory._responses:
        await editor.request("twospeed/status", {})


def place_at(editor: Editor, offset: int | None) -> tuple[int, int]:
    """Return the line and character of an offset, or of the end."""
    lines = editor.buffers[URI].text[:offset].split("\n")
    return len(lines) - 1, len(lines[-1])


@pytest.mark.security("R10.2")
@EDITORS
@pytest.mark.parametrize(
    ("after", "words"), [(None, "sent nothing"), (0, "sent nothing"), (MIDDLE, "stopped sending")]
)
async def test_a_socket_that_hangs_runs_into_a_limit(
    tmp_path: Path, after: int | None, words: str, capabilities: Any
) -> None:
    async with editor_on_faulty_model(
        tmp_path, on_socket(Hang(after)), capabilities=capabilities, more=SHORT
    ) as (
        editor,
        server,
    ):
        result = await editor.edit(AT_RETURN)
        check_ending(editor, result, outcome="failed", code="model-timeout", words=f"m {words} for 0.4")
        assert ways(server) == ["WS"]


@EDITORS
@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (Reply(401, {}, b'{"error": {"code": "invalid_api_key", "message": "words"}}'), "invalid-key"),
        (Reply(429, {}, b'{"error": {"code": "insufficient_quota", "message": "words"}}'), "quota"),
        (Inject(script_responses.error_event("words"), MIDDLE), "model-unavailable"),
        (Inject(script_responses.failed_event("words"), MIDDLE), "model-unavailable"),
        (Inject(event({"type": "response.output_text.delta", "delta": 7}), MIDDLE), "model-protocol"),
    ],
)
async def test_an_error_over_the_socket_fails_the_edit_without_http(
    tmp_path: Path, fault: Fault, code: str, capabilities: Any
) -> None:
    async with editor_on_faulty_model(tmp_path, on_socket(fault), capabilities=capabilities) as (
        editor,
        server,
    ):
        result = await editor.edit(AT_RETURN)
        check_ending(editor, result, outcome="failed", code=code, words="")
        assert ways(server) == ["WS"]


async def test_an_edit_that_is_steered_while_its_model_thinks_is_redirected_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The new instruction is sent to the same response; the document is as with any other steering."""
    monkeypatch.setattr(response_stream, "_MODELS_TO_STEER", "m")
    other = Script(NEW.replace("amount", "sum"), reasoning="again")
    scripts = [Script(OLD, reasoning="let me think", faults=(Hang(2),)), other]
    async with (
        asyncio.timeout(20),
        ScriptedServer(scripts, takes_sockets=True, steers=True) as server,
        editor_on(tmp_path, {"lab": server.base_url}, Time(), over_sockets=True) as editor,
    ):
        asked = editor.edit_params(AT_RETURN, "first words", editId="c1", partialResultToken=7)
        _, result = editor.ask("twospeed/edit", asked)
        await editor.wait_for(lambda: any("let" in str(each) for each in editor.messages("$/progress")))
        await editor.request("twospeed/steer", {"editId": "c1", "instruction": "other words"})
        ended = await result
        assert ended["outcome"] == "applied"
        assert editor.buffers[URI].text == EDITED.replace("amount", "sum")
        created, steered = server.requests
        assert (created.body["type"], steered.body["type"]) == ("response.create", "response.steer")
        assert "first words" in str(steered.body["input"])
        assert str(steered.body["input"]).rstrip("'}]").endswith("other words")
        assert n_sockets(server) == 1
        await editor.request("twospeed/decide", {"editId": "c1", "action": "reject"})
        assert editor.buffers[URI].text == TEXT


# Three requests in all (R13)


@pytest.mark.security("R13")
async def test_a_fallback_request_over_http_is_one_of_three(tmp_path: Path) -> None:
    def fault(request: RecordedRequest) -> Script:
        return Script(faults=(Drop(None, 1011) if request.method == "WS" else Reply(500),))

    async with editor_on_faulty_model(tmp_path, fault) as (editor, server):
        result = await editor.edit(AT_RETURN)
        check_ending(editor, result, outcome="failed", code="model-unavailable", words="HTTP 500")
        assert ways(server) == ["WS", "POST", "POST"]


@pytest.mark.security("R13")
async def test_a_request_repeated_over_a_new_connection_is_one_of_three(tmp_path: Path) -> None:
    talk, time = Talk(lambda _: Script(faults=(Drop(None),))), Time()
    talk.is_over = True
    async with (
        asyncio.timeout(20),
        ScriptedServer(talk) as server,
        editor_on(tmp_path, {"lab": server.base_url}, time) as editor,
    ):
        assert (await editor.edit(AT_RETURN))["outcome"] == "applied"  # its connection is kept
        talk.is_over = False
        result = await editor.edit(AT_RETURN, "again")
        assert (result["outcome"], result["reason"]["code"]) == ("failed", "model-unavailable")
        assert editor.buffers[URI].text == EDITED
        assert len(server.requests) == 1 + 3
        talk.is_over = True
        time.now += 90
        assert (await editor.edit(AT_RETURN, "again"))["outcome"] == "unchanged"


@EDITORS
@pytest.mark.parametrize("codes", [(0xD83D,), (0xDE0B,), (0xD83D, 0xD83D), (0xDE0B, 0xD83D)], ids=str)
async def test_half_a_character_has_one_outcome_and_leaves_valid_text(
    tmp_path: Path, capabilities: Any, codes: tuple[int, ...]
) -> None:
    half = "".join(map(chr, codes))
    answers = lambda _: Script(NEW.replace("result", f"result{half}", 1))  # noqa: E731
    async with editor_on_faulty_model(tmp_path, answers, capabilities=capabilities) as (editor, _):
        result = await editor.edit(AT_RETURN)
        assert result["outcome"] in ("applied", "refused", "failed")
        editor.buffers[URI].text.encode()
        if result["outcome"] != "applied":
            assert editor.buffers[URI].text == TEXT
