"""Faults of a model end in one outcome with a code and a clear sentence, the old text, and a running server.

What is read from each fault is `tests/models`' business; here it is what the user gets.
Those of WebSockets are in `test_websocket_failures`; models in child processes are not built.
"""

from __future__ import annotations

import asyncio
import gzip
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.scenarios.editor import STREAMING, URI
from tests.scenarios.model_lanes import KEY, Time, check_ending, editor_on
from tests.scenarios.raw_endpoint import HEAD, Talk, answer_of, endpoint, saying
from tests.scenarios.shop import EDITED, NEW

from twospeed.testing.script import PING, Drop, Hang, Inject, Reply, Script, error_event
from twospeed.testing.scripted_server import RecordedRequest, ScriptedServer

JSON = {"Content-Type": "application/json"}
STREAM = {"Content-Type": "text/event-stream"}
SHORT = "[limits]\nfirst_content_s = 0.4\ncontent_gap_s = 0.4\n"
EDITORS = pytest.mark.parametrize("capabilities", [{}, STREAMING], ids=["stock", "streaming"])


@dataclass(frozen=True)
class Fault:
    """A fault of a model, and the outcome for the user.

    Attributes:
        script: The behaviour of the model at each request, up to the outcome.
        code: The code of the reason.
        words: A part of the message.
        n_requests: The number of requests.
        outcome: The outcome of the edit.
        more: Further lines of the config.
    """

    script: Script
    code: str
    words: str
    n_requests: int = 1
    outcome: str = "failed"
    more: str = ""


def reply(status: int, code: str = "", **headers: str) -> Script:
    body = b'{"error": {"message": "words", "code": "%s"}}' % code.encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Script(faults=(Reply(status, {**JSON, **named}, body),))


def spoiled(*faults: Any, **more: Any) -> Script:
    return Script(NEW, faults=faults, **more)


MIDDLE = 30  # tokens: several lines of the answer were received
FAULTS = {
    "401": Fault(reply(401), "invalid-key", "lab rejected the key (HTTP 401)"),
    "403": Fault(reply(403), "invalid-key", "lab does not allow this key to use m (HTTP 403)"),
    "404": Fault(reply(404), "model-unavailable", "lab does not know m, or its base_url is wrong"),
    "408": Fault(reply(408), "model-unavailable", "lab could not answer (HTTP 408)", 3),
    "409": Fault(reply(409), "model-unavailable", "lab could not answer (HTTP 409)", 3),
    "413": Fault(reply(413), "context-too-long", "these lines are too long for m", 2),
    "429": Fault(reply(429), "rate-limited", "lab accepts no more requests for now (HTTP 429)", 3),
    "429 for 1 s": Fault(reply(429, Retry_After="1"), "rate-limited", "no more requests for 1 s", 3),
    "429 for 90 s": Fault(reply(429, Retry_After="90"), "rate-limited", "no more requests for 90 s"),
    "429 for quota": Fault(reply(429, "insufficient_quota"), "quota", "lab has no credit left"),
    "402": Fault(reply(402), "quota", "lab has no credit left for this account (HTTP 402)"),
    "500": Fault(reply(500), "model-unavailable", "lab could not answer (HTTP 500)", 3),
    "503": Fault(reply(503), "model-unavailable", "m has no capacity at lab for now (HTTP 503)", 3),
    "529": Fault(reply(529), "model-unavailable", "m has no capacity at lab for now (HTTP 529)", 3),
    "context overflow": Fault(
        reply(400, "context_length_exceeded"), "context-too-long", "these lines are too long for m", 2
    ),
    "400": Fault(reply(400), "model-protocol", "lab refused the request (HTTP 400)"),
    "hang before the first byte": Fault(
        spoiled(Hang(None)), "model-timeout", "m sent nothing for 0.4 seconds (first_content_s)", more=SHORT
    ),
    "hang before the first token": Fault(
        spoiled(Hang(0)), "model-timeout", "m sent nothing for 0.4 seconds (first_content_s)", more=SHORT
    ),
    "hang in the middle": Fault(
        spoiled(Hang(MIDDLE)),
        "model-timeout",
        "m stopped sending for 0.4 seconds (content_gap_s)",
        more=SHORT,
    ),
    "drop before its head": Fault(
        spoiled(Drop(None)), "model-unavailable", "closed the connection without an answer", 3
    ),
    "drop before a line": Fault(spoiled(Drop(1)), "model-protocol", "broke off before its end", 3),
    "drop in an event": Fault(
        spoiled(Inject(b'data: {"ch', MIDDLE), Drop(MIDDLE)), "model-protocol", "broke off before its end"
    ),
    "drop after the last token": Fault(
        spoiled(Drop(999), finish_reason=None), "model-protocol", "broke off before its end"
    ),
    "no ending": Fault(spoiled(finish_reason=None), "model-protocol", "broke off before its end"),
    "malformed JSON": Fault(spoiled(Inject(b"data: {nope\n\n", MIDDLE)), "model-protocol", "not JSON"),
    "error event before a line": Fault(
        spoiled(Inject(error_event("words"), 1)), "model-unavailable", "lab could not answer: words", 3
    ),
    "error event in the middle": Fault(
        spoiled(Inject(error_event("words"), MIDDLE)), "model-unavailable", "lab could not answer: words"
    ),
    "content filter": Fault(spoiled(finish_reason="content_filter"), "declined", "filter", outcome="refused"),
    "HTML": Fault(
        Script(faults=(Reply(200, {"Content-Type": "text/html"}, b"<html>"),)),
        "model-protocol",
        "127.0.0.1 sent text/html instead of an event stream; check base_url",
    ),
    "compressed bomb": Fault(
        Script(faults=(Reply(200, {**STREAM, "Content-Encoding": "gzip"}, gzip.compress(bytes(2**24))),)),
        "model-protocol",
        "127.0.0.1 sent a compressed answer, but the request asked for none",
    ),
    "compressed bomb in an error": Fault(
        Script(faults=(Reply(400, {**JSON, "Content-Encoding": "gzip"}, gzip.compress(bytes(2**24))),)),
        "model-protocol",
        "lab refused the request (HTTP 400)",
    ),
}


@pytest.mark.security("R10.4")
@pytest.mark.security("R13")
@EDITORS
@pytest.mark.parametrize("name", FAULTS)
async def test_a_fault_is_one_outcome_and_the_next_edit_works(
    tmp_path: Path, name: str, capabilities: Any
) -> None:
    fault, time = FAULTS[name], Time()
    is_over = False

    def answers(_: RecordedRequest) -> Script:
        return Script(NEW) if is_over else fault.script

    async with (
        ScriptedServer(answers) as server,
        editor_on(
            tmp_path, {"lab": server.base_url}, time, key=KEY, more=fault.more, capabilities=capabilities
        ) as editor,
    ):
        result = await editor.edit(4)
        check_ending(editor, result, outcome=fault.outcome, code=fault.code, words=fault.words)
        assert (result["provider"], result["model"]) == ("lab", "m")
        assert [each.method for each in server.requests].count("POST") == fault.n_requests
        is_over = True
        time.now += 90
        result = await editor.edit(4)
        assert (result["outcome"], editor.buffers[URI].text) == ("applied", EDITED)


@pytest.mark.security("R10.2")
@EDITORS
async def test_pings_without_content_do_not_keep_an_edit_alive(tmp_path: Path, capabilities: Any) -> None:
    async def ping_on(writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD)
        while True:
            writer.write(PING * 1000)
            await writer.drain()
            await asyncio.sleep(0)  # the test itself must not block the event loop

    await check_raw(
        tmp_path,
        ping_on,
        capabilities,
        code="model-timeout",
        words="m sent nothing for 0.4 seconds",
        more=SHORT,
    )


@pytest.mark.security("R10.2")
@EDITORS
async def test_slow_bytes_run_into_the_time_for_a_whole_answer(tmp_path: Path, capabilities: Any) -> None:
    async def drip(writer: asyncio.StreamWriter) -> None:
        loop = asyncio.get_running_loop()
        writer.write(HEAD)
        writer.write(b"data: ")
        while True:  # an event without an end
            writer.write(b" ")
            await writer.drain()
            turn = loop.create_future()
            loop.call_later(0.001, turn.set_result, None)
            await turn

    await check_raw(
        tmp_path,
        drip,
        capabilities,
        code="model-timeout",
        words="(total_s)",
        more="[limits]\ntotal_s = 0.4\n",
    )


@pytest.mark.security("R10.1")
@EDITORS
async def test_a_line_of_100_mb_is_not_read_to_its_end(tmp_path: Path, capabilities: Any) -> None:
    n_written = 0

    async def one_line(writer: asyncio.StreamWriter) -> None:
        nonlocal n_written
        writer.write(HEAD + b"data: ")
        for _ in range(1600):
            writer.write(b"x" * 2**16)
            await writer.drain()
            n_written += 2**16

    await check_raw(tmp_path, one_line, capabilities, code="model-protocol", words="larger")
    assert n_written < 16 * 2**20


PATIENT = "[limits]\nfirst_content_s = 300\ntotal_s = 300\n"


@pytest.mark.security("R10.5")
async def test_a_million_tiny_events_do_not_block_responses_to_the_editor(
    tmp_path: Path,
) -> None:
    is_written = asyncio.Event()

    async def events(writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD)
        for _ in range(1000):
            writer.write(b"data: {}\n\n" * 1000)
            await writer.drain()
        is_written.set()
        writer.write(answer_of(NEW).removeprefix(HEAD))

    async with (
        endpoint([events]) as base_url,
        editor_on(tmp_path, {"lab": base_url}, Time(), more=PATIENT) as editor,
    ):
        _, result = editor.ask("twospeed/edit", editor.edit_params(4))
        n_answered = 0
        while not is_written.is_set():
            await editor.request("twospeed/status", {})
            n_answered += 1
        assert n_answered > 10
        async with asyncio.timeout(300):
            assert (await result)["outcome"] == "applied"
        assert editor.buffers[URI].text == EDITED


async def check_raw(
    tmp_path: Path, talk: Talk, capabilities: Any, *, code: str, words: str, more: str = ""
) -> None:
    """Assert the outcome of a faulty first connection, and that the next edit works."""
    async with (
        endpoint([talk, saying(answer_of(NEW))]) as base_url,
        editor_on(tmp_path, {"lab": base_url}, Time(), more=more, capabilities=capabilities) as editor,
    ):
        result = await editor.edit(4)
        check_ending(editor, result, outcome="failed", code=code, words=words)
        assert (await editor.edit(4))["outcome"] == "applied"
        assert editor.buffers[URI].text == EDITED


# Elsewhere


@pytest.mark.security("R2.1")
@pytest.mark.security("R8")
@EDITORS
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_receives_neither_key_nor_code(
    tmp_path: Path, status: int, capabilities: Any
) -> None:
    async with ScriptedServer() as target:
        location = f"http://localhost:{target.port}/v1/chat/completions"
        redirect = Script(faults=(Reply(status, {"Location": location}),))
        async with (
            ScriptedServer([redirect, Script(NEW)]) as server,
            editor_on(
                tmp_path, {"lab": server.base_url}, Time(), key=KEY, capabilities=capabilities
            ) as editor,
        ):
            result = await editor.edit(4)
            words = "127.0.0.1 redirects to localhost, which is not followed; check base_url"
            check_ending(editor, result, outcome="failed", code="model-protocol", words=words)
            assert target.requests == []
            assert (await editor.edit(4))["outcome"] == "applied"


@pytest.mark.security("R13")
@EDITORS
async def test_a_fault_of_one_edit_does_not_affect_another(tmp_path: Path, capabilities: Any) -> None:
    """Both run at once on different lines: one fails, one is applied."""

    def answers(request: RecordedRequest) -> Script:
        return (
            Script(NEW) if "change the total" in str(request.body) else spoiled(Inject(b"data: {nope\n\n", 1))
        )

    async with (
        ScriptedServer(answers) as server,
        editor_on(tmp_path, {"lab": server.base_url}, Time(), capabilities=capabilities) as editor,
    ):
        _, good = editor.ask("twospeed/edit", editor.edit_params(4, "change the total"))
        _, bad = editor.ask("twospeed/edit", editor.edit_params(11, "change the area"))
        async with asyncio.timeout(60):
            assert (await bad)["reason"]["code"] == "model-protocol"
            assert (await good)["outcome"] == "applied"
        assert editor.buffers[URI].text == EDITED
