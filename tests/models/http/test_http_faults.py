"""Every fault of an endpoint ends in one typed error."""

from __future__ import annotations

import logging

import pytest

from twospeed.errors import (
    AnswerBrokeOff,
    ContextTooLong,
    InvalidKey,
    ModelError,
    ModelOverloaded,
    ModelProtocolError,
    ModelUnavailable,
    QuotaExhausted,
    RateLimited,
    UnknownModel,
)
from twospeed.models.base import Finished, ModelEvent, ModelRequest, ProviderSettings, TextDelta
from twospeed.models.http.connections import Connections
from twospeed.models.http.http_model import HttpModel
from twospeed.testing.script import Drop, Fault, Hang, Inject, Reply, Script, error_event
from twospeed.testing.scripted_server import ScriptedServer

TEXT = "def total(rows):\n    return sum(row.amount for row in rows)\n"
JSON = {"Content-Type": "application/json"}
HTML = {"Content-Type": "text/html; charset=utf-8"}
STREAM = {"Content-Type": "text/event-stream"}
DONE = Inject(b"data: [DONE]\n\n", after_tokens=999)


def error(status: int, code: str = "", **headers: str) -> Reply:
    return Reply(
        status, {**JSON, **headers}, b'{"error": {"message": "words", "code": "%s"}}' % code.encode()
    )


def spoiled(*faults: Fault) -> Script:
    return Script(TEXT, faults=faults)


FAULTS: dict[str, tuple[Script, type[ModelError], str]] = {
    "401": (spoiled(error(401)), InvalidKey, "rejected the key"),
    "403 in HTML": (spoiled(Reply(403, HTML, b"<html>")), InvalidKey, "HTTP 403"),
    "402": (spoiled(error(402)), QuotaExhausted, "no credit"),
    "429": (spoiled(error(429)), RateLimited, "no more requests"),
    "429 for quota": (spoiled(error(429, "insufficient_quota")), QuotaExhausted, "no credit"),
    "400": (spoiled(error(400)), ModelProtocolError, "refused the request"),
    "400 for length": (spoiled(error(400, "context_length_exceeded")), ContextTooLong, "too long"),
    "404": (spoiled(error(404)), UnknownModel, "does not know m"),
    "500": (spoiled(error(500)), ModelUnavailable, "words"),
    "503": (spoiled(error(503)), ModelOverloaded, "HTTP 503"),
    "529": (spoiled(error(529)), ModelOverloaded, "HTTP 529"),
    "204": (spoiled(Reply(204)), ModelProtocolError, "event stream"),
    "201": (spoiled(Reply(201, STREAM)), ModelProtocolError, "event stream"),
    "HTML in 200": (spoiled(Reply(200, HTML, b"<html>")), ModelProtocolError, "text/html"),
    "JSON in 200": (spoiled(Reply(200, JSON, b'{"choices": []}')), ModelProtocolError, "application/json"),
    "error in 200": (spoiled(error(200, "rate_limit_exceeded")), RateLimited, "words"),
    "no content type": (spoiled(Reply()), ModelProtocolError, "event stream"),
    "no bytes": (spoiled(Reply(200, STREAM)), AnswerBrokeOff, "broke off"),
    "compressed": (
        spoiled(Reply(200, {**STREAM, "Content-Encoding": "gzip"})),
        ModelProtocolError,
        "compressed",
    ),
    "no ending": (Script(TEXT, finish_reason=None), AnswerBrokeOff, "broke off"),
    "[DONE] alone": (Script(TEXT, finish_reason=None, faults=(DONE,)), AnswerBrokeOff, "broke off"),
    "cut": (spoiled(Drop(3)), AnswerBrokeOff, "broke off"),
    "cut in an event": (spoiled(Inject(b'data: {"ch', 3), Drop(3)), AnswerBrokeOff, "broke off"),
    "error event": (spoiled(Inject(error_event("words"), 3)), ModelUnavailable, "words"),
    "broken JSON": (spoiled(Inject(b"data: {nope\n\n", 3)), ModelProtocolError, "not JSON"),
    "not UTF-8": (spoiled(Inject(b'data: {"a": "\xff"}\n\n', 3)), ModelProtocolError, "not JSON"),
    "NUL": (spoiled(Inject(b"data: \x00\n\n", 3)), ModelProtocolError, "not JSON"),
    "endless line": (spoiled(Inject(b"data: " + b"x" * 2**20, 3), Hang(3)), ModelProtocolError, "larger"),
    "unknown ending": (Script(TEXT, finish_reason="tool_calls"), ModelProtocolError, "tool_calls"),
}


@pytest.mark.security("R10.4")
@pytest.mark.parametrize("fault", FAULTS)
async def test_every_fault_is_one_typed_error(
    ask, lab_key: str, caplog: pytest.LogCaptureFixture, fault: str
) -> None:
    script, expected, words = FAULTS[fault]
    caplog.set_level(logging.DEBUG)
    events: list[ModelEvent] = []
    async with ScriptedServer([script]) as server:
        with pytest.raises(expected, match=words) as caught:
            await ask(server.base_url, into=events)
    assert type(caught.value) is expected
    assert (caught.value.provider, caught.value.model) == ("lab", "m")
    assert not any(isinstance(event, Finished) for event in events)
    assert TEXT.startswith("".join(event.text for event in events if isinstance(event, TextDelta)))
    assert lab_key not in f"{caught.value}{caught.value!r}{caplog.text}"


async def test_the_error_of_an_unknown_model_names_similar_ones_of_the_list(
    connections: Connections, request_to_model: ModelRequest
) -> None:
    async with ScriptedServer([spoiled(error(404))]) as server:
        model = HttpModel(
            ProviderSettings("lab", "chat", server.base_url), "sripted", connections=connections
        )
        with pytest.raises(UnknownModel, match=r"does not know sripted.*; did you mean scripted\?$"):
            await anext(model.stream(request_to_model))


async def test_a_missing_key_is_not_called_a_rejected_one(
    connections: Connections, request_to_model: ModelRequest
) -> None:
    async with ScriptedServer([spoiled(error(401))]) as server:
        model = HttpModel(ProviderSettings("lab", "chat", server.base_url), "m", connections=connections)
        with pytest.raises(
            InvalidKey, match=r"lab requires a key, and none was sent .*twospeed key set lab$"
        ):
            await anext(model.stream(request_to_model))


async def test_text_before_a_fault_is_yielded(ask) -> None:
    events: list[ModelEvent] = []
    async with ScriptedServer([spoiled(Inject(error_event("words"), after_tokens=3))]) as server:
        with pytest.raises(ModelUnavailable):
            await ask(server.base_url, into=events)
    assert events
    assert all(isinstance(event, TextDelta) for event in events)


async def test_the_error_has_the_time_to_wait(ask) -> None:
    async with ScriptedServer([spoiled(error(429, **{"Retry-After": "7"}))]) as server:
        with pytest.raises(RateLimited) as caught:
            await ask(server.base_url)
    assert caught.value.retry_after_s == 7.0


async def test_a_missing_server_is_an_unavailable_model(ask) -> None:
    async with ScriptedServer() as server:
        base_url = server.base_url
    with pytest.raises(ModelUnavailable, match=r"no connection to 127\.0\.0\.1"):
        await ask(base_url)


@pytest.mark.security("R10.1")
@pytest.mark.security("R7")
async def test_an_endless_header_is_a_protocol_error_without_the_key(ask, lab_key: str) -> None:
    async with ScriptedServer([spoiled(Reply(200, {**STREAM, "X-Long": "x" * 40_000}))]) as server:
        with pytest.raises(ModelProtocolError, match="HTTP") as caught:
            await ask(server.base_url)
    link: BaseException | None = caught.value
    while link is not None:
        assert lab_key not in f"{link!r} {link.args!r} {vars(link)!r}"
        link = link.__cause__ or link.__context__


@pytest.mark.security("R10.1")
async def test_an_answer_larger_than_any_document_is_stopped(ask) -> None:
    flood = b'data: {"choices":[{"delta":{"content":"%s"}}]}\n\n' % (b"x" * 1_000_000)
    async with ScriptedServer([spoiled(Inject(flood * 9), Hang())]) as server:
        with pytest.raises(ModelProtocolError, match="an answer that is too large"):
            await ask(server.base_url)
        await server.wait_for_disconnects()


@pytest.mark.security("R10.1")
async def test_only_the_start_of_an_error_body_is_read(ask) -> None:
    async with ScriptedServer([spoiled(Reply(500, HTML, b"x" * 2**24))]) as server:
        with pytest.raises(ModelUnavailable, match="HTTP 500"):
            await ask(server.base_url)
