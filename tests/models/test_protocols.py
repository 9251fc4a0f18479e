"""A model behaves the same in every protocol: text, thinking, usage, endings, errors, connections."""

from __future__ import annotations

import asyncio

import pytest
from tests.models.events import text_of

from twospeed.errors import (
    AnswerBrokeOff,
    ContextTooLong,
    InvalidKey,
    ModelError,
    ModelProtocolError,
    ModelUnavailable,
    QuotaExhausted,
    RateLimited,
)
from twospeed.models.base import Finished, ModelEvent, ReasoningDelta, Usage
from twospeed.models.codecs.table import CODECS
from twospeed.testing import script_messages, script_responses
from twospeed.testing.script import PING, Drop, Fault, Hang, Inject, Reply, Script, error_event
from twospeed.testing.scripted_server import ScriptedServer

TEXT = "def total(rows):\n    return sum(row.amount for row in rows)  # é😋\n"
JSON = {"Content-Type": "application/json"}
STREAM = {"Content-Type": "text/event-stream"}

pytestmark = pytest.mark.parametrize("api", CODECS)


async def test_an_answer_is_reasoning_then_text_then_usage_then_finished(ask, api: str) -> None:
    if api == "completions":
        pytest.skip("a completion has no reasoning")
    script = Script(TEXT, reasoning="let me think", input_tokens=912, cached_tokens=800)
    async with ScriptedServer([script]) as server:
        events = await ask(server.base_url)
    said = [event for event in events if not isinstance(event, Usage)]
    assert text_of(events) == TEXT
    assert "".join(event.text for event in said if isinstance(event, ReasoningDelta)) == "let me think"
    assert isinstance(said[0], ReasoningDelta)
    assert events[-2] == Usage(912, script.output_tokens, 800, script.reasoning_tokens)
    assert events[-1] == Finished("stop")


async def test_a_request_has_the_body_key_and_headers_of_its_protocol(ask, api: str, lab_key: str) -> None:
    async with ScriptedServer([Script(TEXT)]) as server:
        await ask(
            server.base_url, **{"x-title": "twospeed", "anthropic-version": "1", "x-api-key": "another"}
        )
    [sent] = server.requests
    assert sent.path == "/v1" + CODECS[api].path
    assert (sent.body["model"], sent.body["stream"]) == ("m", True)
    assert sent.headers["x-title"] == "twospeed"
    if api == "messages":
        assert sent.headers["x-api-key"] == lab_key
        assert sent.headers["anthropic-version"] == "2023-06-01"
        assert "authorization" not in sent.headers
    else:
        assert sent.headers["authorization"] == f"Bearer {lab_key}"


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        (Script(TEXT, finish_reason="length"), Finished("length")),
        (Script(refusal="I cannot help with that"), Finished("refusal", "I cannot help with that")),
    ],
    ids=["length", "refusal"],
)
async def test_an_incomplete_answer_has_its_finish_reason(
    ask, api: str, script: Script, expected: Finished
) -> None:
    if api == "completions" and expected.reason == "refusal":
        pytest.skip("a completion has no field for a refusal")
    async with ScriptedServer([script]) as server:
        assert (await ask(server.base_url))[-1] == expected


async def test_a_filtered_answer_is_incomplete(ask, api: str) -> None:
    async with ScriptedServer([Script(TEXT, finish_reason="content_filter")]) as server:
        last = (await ask(server.base_url))[-1]
    assert last == Finished("refusal" if api == "messages" else "content_filter")


async def test_pings_are_ignored(ask) -> None:
    pings = tuple(Inject(PING, after_tokens=n) for n in range(4))
    async with ScriptedServer([Script(TEXT, faults=pings)]) as server:
        assert text_of(await ask(server.base_url)) == TEXT


async def test_sequential_answers_share_a_connection(ask, connections) -> None:
    async with ScriptedServer([Script(TEXT)] * 3) as server:
        for _ in range(3):
            assert text_of(await ask(server.base_url)) == TEXT
            await asyncio.gather(*connections.http()._drains)
    assert len({request.client_port for request in server.requests}) == 1


@pytest.mark.parametrize("hang", [Hang(None), Hang(0), Hang(2)])
async def test_cancelling_the_consumer_disconnects_at_once(ask, hang: Hang) -> None:
    async with ScriptedServer([Script(TEXT, faults=(hang,))]) as server, asyncio.timeout(1):
        consumer = asyncio.create_task(ask(server.base_url))
        await server.wait_for_requests()
        consumer.cancel()
        with pytest.raises(asyncio.CancelledError):
            await consumer
        await server.wait_for_disconnects()


def refused(status: int, code: str = "", kind: str = "") -> Reply:
    body = b'{"type": "error", "error": {"message": "words", "code": "%s", "type": "%s"}}'
    return Reply(status, JSON, body % (code.encode(), kind.encode()))


FAULTS: dict[str, tuple[Fault, type[ModelError], str]] = {
    "401": (refused(401, kind="authentication_error"), InvalidKey, "rejected the key"),
    "403": (refused(403), InvalidKey, "HTTP 403"),
    "402": (refused(402, kind="billing_error"), QuotaExhausted, "no credit"),
    "404": (refused(404, kind="not_found_error"), ModelUnavailable, "does not know m"),
    "413": (refused(413, kind="request_too_large"), ContextTooLong, "too long"),
    "429": (refused(429, kind="rate_limit_error"), RateLimited, "words"),
    "429 for quota": (refused(429, "insufficient_quota"), QuotaExhausted, "no credit"),
    "400": (refused(400, kind="invalid_request_error"), ModelProtocolError, "refused the request"),
    "400 for length": (refused(400, "context_length_exceeded"), ContextTooLong, "too long"),
    "500": (refused(500, kind="api_error"), ModelUnavailable, "words"),
    "529": (refused(529, kind="overloaded_error"), ModelUnavailable, "HTTP 529"),
    "JSON in 200": (Reply(200, JSON, b"{}"), ModelProtocolError, "application/json"),
    "error in 200": (refused(200, "rate_limit_exceeded"), RateLimited, "words"),
    "no bytes": (Reply(200, STREAM), AnswerBrokeOff, "broke off"),
    "cut": (Drop(3), AnswerBrokeOff, "broke off"),
    "error event": (Inject(error_event("words"), 3), ModelUnavailable, "words"),
    "broken JSON": (Inject(b"data: {nope\n\n", 3), ModelProtocolError, "not JSON"),
}


@pytest.mark.security("R10.3")
@pytest.mark.security("R10.4")
@pytest.mark.parametrize(("fault", "expected", "words"), FAULTS.values(), ids=FAULTS)
async def test_every_fault_is_one_typed_error(
    ask, fault: Fault, expected: type[ModelError], words: str
) -> None:
    events: list[ModelEvent] = []
    async with ScriptedServer([Script(TEXT, faults=(fault,))]) as server:
        with pytest.raises(expected, match=words) as caught:
            await ask(server.base_url, into=events)
    assert (caught.value.provider, caught.value.model) == ("lab", "m")
    assert TEXT.startswith(text_of(events))
    assert not any(isinstance(event, Finished) for event in events)


async def test_an_answer_without_a_finish_reason_broke_off(ask) -> None:
    async with ScriptedServer([Script(TEXT, finish_reason=None)]) as server:
        with pytest.raises(AnswerBrokeOff):
            await ask(server.base_url)


OWN_ERRORS = {
    "chat": [error_event("words", code=429)],
    "completions": [error_event("words", code=429)],
    "responses": [
        script_responses.error_event("words", code="rate_limit_exceeded"),
        script_responses.failed_event("words", code="rate_limit_exceeded"),
    ],
    "messages": [script_messages.error_event("words", kind="rate_limit_error")],
}


@pytest.mark.security("R10.4")
async def test_the_error_events_of_each_protocol_are_decoded(ask, api: str) -> None:
    for fault in OWN_ERRORS[api]:
        async with ScriptedServer([Script(TEXT, faults=(Inject(fault, 3),))]) as server:
            with pytest.raises(RateLimited, match="words"):
                await ask(server.base_url)


@pytest.mark.security("R7")
async def test_a_key_that_the_provider_repeats_is_not_shown(ask, lab_key: str) -> None:
    async with ScriptedServer([Script(TEXT, faults=(Inject(error_event(f"bad {lab_key}"), 1),))]) as server:
        with pytest.raises(ModelUnavailable) as caught:
            await ask(server.base_url)
    assert lab_key not in f"{caught.value} {caught.value!r} {vars(caught.value)}"
