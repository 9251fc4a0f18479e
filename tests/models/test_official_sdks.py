"""The official clients of OpenAI and Anthropic read the scripted provider as our client does."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from tests.models.events import text_of

from twospeed.models.base import ModelEvent, ReasoningDelta, Usage
from twospeed.testing import script_messages, script_responses
from twospeed.testing.script import Hang, Inject, Reply, Script
from twospeed.testing.scripted_server import ScriptedServer

TEXT = "def total(rows):\n    return sum(row.amount for row in rows)  # é😋\n" * 5
SCRIPT = Script(TEXT, reasoning="let me think", input_tokens=912, cached_tokens=800)
JSON = {"Content-Type": "application/json"}

Client = Callable[[ScriptedServer], Any]


@pytest.fixture
def gpt(openai: ModuleType) -> Client:
    """OpenAI's client of a server."""
    return lambda server: openai.AsyncOpenAI(base_url=server.base_url, api_key="lab", max_retries=0)


@pytest.fixture
def claude(anthropic: ModuleType) -> Client:
    """Anthropic's client of a server."""
    return lambda server: anthropic.AsyncAnthropic(
        base_url=server.base_url.removesuffix("/v1"), api_key="lab", max_retries=0
    )


RESPONSE: dict[str, Any] = {"model": "m", "input": "hi"}
MESSAGE: dict[str, Any] = {"model": "m", "max_tokens": 512, "messages": [{"role": "user", "content": "hi"}]}


def thought_in(events: list[ModelEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, ReasoningDelta))


def usage_of(events: list[ModelEvent]) -> Usage:
    return [event for event in events if isinstance(event, Usage)][-1]


def error(status: int, kind: str) -> Script:
    body = b'{"type": "error", "error": {"message": "words", "type": "%s", "code": null}}' % kind.encode()
    return Script(faults=(Reply(status, JSON, body),))


# Responses


def response_usage(response: Any) -> Usage:
    told = response.usage
    return Usage(
        told.input_tokens,
        told.output_tokens,
        told.input_tokens_details.cached_tokens,
        told.output_tokens_details.reasoning_tokens,
    )


@pytest.mark.parametrize("api", ["responses"])
async def test_openais_client_streams_the_response_that_we_read(gpt: Client, ask) -> None:
    async with ScriptedServer([SCRIPT] * 2) as server, gpt(server) as client:
        async with client.responses.stream(**RESPONSE) as stream:
            names = [event.type async for event in stream]
            response = await stream.get_final_response()
        ours = await ask(server.base_url)
    assert response.output_text == text_of(ours) == TEXT
    assert response.output[0].summary[0].text == thought_in(ours) == "let me think"
    assert response_usage(response) == usage_of(ours)
    assert response.status == "completed"
    assert (names[0], names[-1]) == ("response.created", "response.completed")


async def test_openais_client_counts_the_events_of_a_response(gpt: Client) -> None:
    async with ScriptedServer([SCRIPT]) as server, gpt(server) as client:
        events = [event async for event in await client.responses.create(**RESPONSE, stream=True)]
    assert [event.sequence_number for event in events] == list(range(len(events)))


async def test_openais_client_gets_the_same_response_without_a_stream(gpt: Client) -> None:
    async with ScriptedServer([SCRIPT]) as server, gpt(server) as client:
        response = await client.responses.create(**RESPONSE)
    assert (response.output_text, response.model, response.status) == (TEXT, "m", "completed")
    assert response_usage(response) == Usage(912, SCRIPT.output_tokens, 800, SCRIPT.reasoning_tokens)


async def test_openais_client_sees_why_a_response_is_incomplete(gpt: Client) -> None:
    async with ScriptedServer([Script(TEXT, finish_reason="length")]) as server, gpt(server) as client:
        events = [event async for event in await client.responses.create(**RESPONSE, stream=True)]
    assert events[-1].type == "response.incomplete"
    assert events[-1].response.incomplete_details.reason == "max_output_tokens"


async def test_openais_client_sees_a_refusal(gpt: Client) -> None:
    async with (
        ScriptedServer([Script(refusal="I cannot")]) as server,
        gpt(server) as client,
        client.responses.stream(**RESPONSE) as stream,
    ):
        pieces = [event.delta async for event in stream if event.type == "response.refusal.delta"]
        response = await stream.get_final_response()
    assert "".join(pieces) == response.output[0].content[0].refusal == "I cannot"


async def test_openais_client_raises_the_same_kind_of_error(gpt: Client, openai: ModuleType) -> None:
    async with ScriptedServer([error(429, "tokens")]) as server, gpt(server) as client:
        with pytest.raises(openai.RateLimitError, match="words"):
            await client.responses.create(**RESPONSE, stream=True)


async def test_openais_client_sees_a_response_that_fails_midway(gpt: Client) -> None:
    faults = Inject(script_responses.error_event("one"), 3), Inject(script_responses.failed_event("two"), 3)
    async with ScriptedServer([Script(TEXT, faults=faults)]) as server, gpt(server) as client:
        events = [event async for event in await client.responses.create(**RESPONSE, stream=True)]
    [error_event] = [event for event in events if event.type == "error"]
    [failed] = [event for event in events if event.type == "response.failed"]
    assert (error_event.code, error_event.message) == ("server_error", "one")
    assert (failed.response.error.code, failed.response.error.message) == ("server_error", "two")


async def test_openais_client_reads_the_same_over_a_websocket(gpt: Client) -> None:
    async with (
        ScriptedServer([SCRIPT] * 2, takes_sockets=True) as server,
        gpt(server) as client,
        client.responses.connect() as connection,
    ):
        for lane in (None, "edit-1"):
            more = {"stream_id": lane} if lane else {}
            await connection.response.create(**RESPONSE, **more)
            text = ""
            async for event in connection:
                assert getattr(event, "stream_id", None) == lane
                if event.type == "response.output_text.delta":
                    text += event.delta
                if event.type == "response.completed":
                    break
            assert text == TEXT
            assert response_usage(event.response).input_tokens == 912
    assert [request.method for request in server.requests] == ["WS", "WS"]


async def test_openais_client_continues_from_a_warm_up_and_from_an_answer_over_a_websocket(
    gpt: Client,
) -> None:
    async with (
        ScriptedServer([SCRIPT] * 2, takes_sockets=True) as server,
        gpt(server) as client,
        client.responses.connect() as connection,
    ):
        file = [{"type": "message", "role": "user", "content": "the file"}]
        more = [{"type": "message", "role": "user", "content": "the instruction"}]
        await connection.response.create(
            model="m", input=file, store=False, generate=False, stream_id="context-0"
        )
        ready = await last_response(connection)
        assert (ready.output, ready.usage.output_tokens) == ([], 0)
        parent = ready.id
        for _ in range(2):
            await connection.response.create(
                model="m", input=more, store=False, stream_id="edit-0", previous_response_id=parent
            )
            answer = await last_response(connection)
            assert answer.output_text == TEXT
            parent = answer.id
    # The file; the file, the instruction, the thinking and the answer.
    assert [len(request.context) for request in server.requests] == [0, 1, 4]


async def test_openais_client_sees_that_a_response_is_not_remembered(gpt: Client) -> None:
    async with (
        ScriptedServer([SCRIPT], takes_sockets=True) as server,
        gpt(server) as client,
        client.responses.connect() as connection,
    ):
        await connection.response.create(**RESPONSE, previous_response_id="resp_9", stream_id="edit-0")
        error = await last_error(connection)
    assert (error.error.code, error.error.param) == ("previous_response_not_found", "previous_response_id")
    assert error.stream_id == "edit-0"


async def test_openais_client_redirects_an_answer_over_a_websocket(gpt: Client) -> None:
    thinks = Script(TEXT, reasoning="let me think", faults=(Hang(2),))
    async with (
        ScriptedServer([thinks, SCRIPT], takes_sockets=True, steers=True) as server,
        gpt(server) as client,
        client.responses.connect() as connection,
    ):
        await connection.response.create(**RESPONSE)
        names: list[str] = []
        async for event in connection:
            names.append(event.type)
            if (
                event.type == "response.reasoning_summary_text.delta"
                and "response.steer.accepted" not in names
            ):
                await connection.response.steer(previous_response_id="resp_1", input="shorter")
                break
        async for event in connection:
            names.append(event.type)
            if event.type == "response.incomplete":
                assert event.response.incomplete_details.reason == "steered"
            if event.type == "response.completed":
                assert (event.response.id, event.response.output_text) == ("resp_2", TEXT)
                break
    accepted, stopped = names.index("response.steer.accepted"), names.index("response.incomplete")
    assert accepted < stopped < names.index("response.created", stopped)


async def last_response(connection: Any) -> Any:
    """Read an answer to its end and return its last event."""
    async for event in connection:
        if event.type == "response.completed":
            return event.response
    raise AssertionError


async def last_error(connection: Any) -> Any:
    """Read up to an error and return it."""
    async for event in connection:
        if event.type == "error":
            return event
    raise AssertionError


# Messages


def message_usage(message: Any) -> Usage:
    told = message.usage
    read, written = told.cache_read_input_tokens, told.cache_creation_input_tokens
    return Usage(
        told.input_tokens + read + written,
        told.output_tokens,
        read,
        told.output_tokens_details.thinking_tokens,
    )


@pytest.mark.parametrize("api", ["messages"])
async def test_anthropics_client_streams_the_message_that_we_read(claude: Client, ask) -> None:
    async with ScriptedServer([SCRIPT] * 2) as server, claude(server) as client:
        async with client.messages.stream(**MESSAGE) as stream:
            names = [event.type async for event in stream]
            message = await stream.get_final_message()
        ours = await ask(server.base_url)
    thinking, text = message.content
    assert text.text == text_of(ours) == TEXT
    assert (thinking.thinking, thinking.signature) == (thought_in(ours), "scripted")
    assert usage_of(ours).input_tokens == 912
    assert message_usage(message) == usage_of(ours)
    assert message.stop_reason == "end_turn"
    assert (names[0], names[-1]) == ("message_start", "message_stop")


async def test_anthropics_client_caches_a_prompt_with_zero_tokens(
    claude: Client, anthropic: ModuleType
) -> None:
    marked = {"type": "text", "text": "the file" * 100, "cache_control": {"type": "ephemeral"}}
    turn = {"role": "user", "content": [marked]}
    async with ScriptedServer(counts_prompts=True) as server, claude(server) as client:
        message = await client.messages.create(model="m", max_tokens=0, messages=[turn])
        assert (message.content, message.stop_reason) == ([], "max_tokens")
        assert message.usage.cache_creation_input_tokens == 200
        again = await client.messages.create(model="m", max_tokens=0, messages=[turn])
        assert again.usage.cache_read_input_tokens == 200
        with pytest.raises(anthropic.BadRequestError):
            await client.messages.create(model="m", max_tokens=0, messages=[turn], stream=True)


async def test_anthropics_client_gets_the_same_message_without_a_stream(claude: Client) -> None:
    async with ScriptedServer([SCRIPT]) as server, claude(server) as client:
        message = await client.messages.create(**MESSAGE)
    assert [block.type for block in message.content] == ["thinking", "text"]
    assert (message.content[1].text, message.model, message.stop_reason) == (TEXT, "m", "end_turn")
    assert message_usage(message) == Usage(912, SCRIPT.output_tokens, 800, SCRIPT.reasoning_tokens)


@pytest.mark.parametrize(
    ("script", "reason"),
    [(Script(TEXT, finish_reason="length"), "max_tokens"), (Script(refusal="I cannot"), "refusal")],
    ids=["length", "refusal"],
)
async def test_anthropics_client_sees_how_a_message_ended(
    claude: Client, script: Script, reason: str
) -> None:
    async with (
        ScriptedServer([script]) as server,
        claude(server) as client,
        client.messages.stream(**MESSAGE) as stream,
    ):
        message = await stream.get_final_message()
    assert message.stop_reason == reason
    assert (message.stop_details.explanation if script.refusal else None) == (script.refusal or None)


@pytest.mark.parametrize(
    ("status", "kind", "expected"),
    [
        (401, "authentication_error", "AuthenticationError"),
        (429, "rate_limit_error", "RateLimitError"),
        (529, "overloaded_error", "OverloadedError"),
    ],
)
async def test_anthropics_client_raises_the_same_kind_of_error(
    claude: Client, anthropic: ModuleType, status: int, kind: str, expected: str
) -> None:
    async with ScriptedServer([error(status, kind)]) as server, claude(server) as client:
        with pytest.raises(getattr(anthropic, expected), match="words"):
            await client.messages.create(**MESSAGE, stream=True)


async def test_anthropics_client_sees_a_message_that_fails_midway(
    claude: Client, anthropic: ModuleType
) -> None:
    fault = Inject(script_messages.error_event("words", kind="overloaded_error"), 3)
    async with ScriptedServer([Script(TEXT, faults=(fault,))]) as server, claude(server) as client:
        with pytest.raises(anthropic.APIStatusError, match="words"):
            [event async for event in await client.messages.create(**MESSAGE, stream=True)]
