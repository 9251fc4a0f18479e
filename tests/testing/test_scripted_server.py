"""The scripted provider works with the official SDK, at the requested rate."""

from __future__ import annotations

import asyncio
from types import ModuleType, SimpleNamespace

import pytest

from twospeed.errors import ModelUnavailable
from twospeed.models.base import ModelEvent, TextDelta, Usage
from twospeed.testing.script import Reply, Script
from twospeed.testing.scripted_model import cut_into_tokens
from twospeed.testing.scripted_requests import Pace
from twospeed.testing.scripted_server import RecordedRequest, ScriptedServer

TEXT = "def total(rows):\n    return sum(row.amount for row in rows)  # é😋\n" * 5


@pytest.fixture
def sdk(openai: ModuleType):
    def client(server: ScriptedServer):
        return openai.AsyncOpenAI(base_url=server.base_url, api_key="lab", max_retries=0)

    return client


ASKED = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}


async def test_the_official_sdk_streams_the_same_text_with_usage(sdk) -> None:
    script = Script(TEXT, reasoning="hm")
    async with ScriptedServer([script]) as server, sdk(server) as client:
        stream = await client.chat.completions.create(
            **ASKED, stream=True, stream_options={"include_usage": True}
        )
        chunks = [chunk async for chunk in stream]
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices) == TEXT
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices][-1] == "stop"
    assert chunks[-1].usage.completion_tokens == len(cut_into_tokens(TEXT)) + len(cut_into_tokens("hm"))
    assert chunks[-1].usage.completion_tokens_details.reasoning_tokens == 1
    assert server.requests[0].headers["authorization"] == "Bearer lab"


async def test_usage_is_sent_only_if_requested(sdk) -> None:
    async with ScriptedServer([Script(TEXT)]) as server, sdk(server) as client:
        chunks = [chunk async for chunk in await client.chat.completions.create(**ASKED, stream=True)]
    assert {chunk.usage for chunk in chunks} == {None}


async def test_the_official_sdk_gets_the_same_text_without_a_stream(sdk) -> None:
    async with ScriptedServer([Script(TEXT)]) as server, sdk(server) as client:
        answer = await client.chat.completions.create(**ASKED)
    assert answer.choices[0].message.content == TEXT
    assert answer.model == "m"


async def test_the_official_sdk_lists_the_models(sdk) -> None:
    async with ScriptedServer() as server, sdk(server) as client:
        assert [model.id async for model in await client.models.list()] == ["scripted"]


async def test_the_official_sdk_sees_an_error_as_one(sdk, openai: ModuleType) -> None:
    reply = Reply(429, {"Content-Type": "application/json"}, b'{"error": {"message": "slow", "code": "x"}}')
    async with ScriptedServer([Script(faults=(reply,))]) as server, sdk(server) as client:
        with pytest.raises(openai.RateLimitError, match="slow"):
            await client.chat.completions.create(**ASKED)


async def test_we_and_the_official_sdk_read_the_same_answer(sdk, ask) -> None:
    async with ScriptedServer([Script(TEXT)] * 2) as server, sdk(server) as client:
        stream = await client.chat.completions.create(**ASKED, stream=True)
        theirs = [chunk.choices[0].delta.content async for chunk in stream if chunk.choices[0].delta.content]
        ours = [event.text for event in await ask(server.base_url) if isinstance(event, TextDelta)]
    assert "".join(ours) == "".join(theirs)


async def test_a_client_that_disconnects_during_a_write_causes_no_server_error(
    ask, caplog: pytest.LogCaptureFixture
) -> None:
    def close_connections(_request: RecordedRequest) -> Script:
        assert server._runner is not None
        assert server._runner.server is not None
        for connection in server._runner.server.connections:
            assert connection.transport is not None
            connection.transport.close()
        return Script(TEXT)

    async with ScriptedServer(close_connections) as server:
        with pytest.raises(ModelUnavailable):
            await ask(server.base_url)
    assert server.disconnects == 1
    assert not [record for record in caplog.records if record.name.startswith("aiohttp")]


async def test_a_function_may_pick_the_script(ask) -> None:
    def pick(request: RecordedRequest) -> Script:
        return Script(f"{request.model} {request.body['max_tokens']}")

    async with ScriptedServer(pick) as server:
        events = await ask(server.base_url)
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == "m 512"


async def test_a_request_without_a_script_is_an_error(ask) -> None:
    async with ScriptedServer() as server:
        with pytest.raises(Exception, match="no script is left"):
            await ask(server.base_url)


async def test_the_answer_is_not_faster_than_its_rate(ask) -> None:
    script = Script("word " * 100, tokens_per_second=1000, first_token_s=0.05)
    loop = asyncio.get_running_loop()
    events: list[ModelEvent] = []
    async with ScriptedServer([script]) as server:
        started = loop.time()
        await ask(server.base_url, into=events)
        took = loop.time() - started
    [usage] = [event for event in events if isinstance(event, Usage)]
    assert took >= 0.05 + (usage.output_tokens - 1) / 1000


def test_a_late_token_does_not_delay_the_later_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 10.0
    clock = SimpleNamespace(time=lambda: now)
    monkeypatch.setattr("twospeed.testing.scripted_requests.asyncio.get_running_loop", lambda: clock)
    pace = Pace(Script("word", tokens_per_second=10, first_token_s=0.5))
    assert pace.next_delay_s() == 0.5
    now = 10.8  # the first token was sent 0.3 s late
    assert pace.next_delay_s() == pytest.approx(-0.2)
    assert pace.next_delay_s() == pytest.approx(-0.1)
    assert pace.next_delay_s() == pytest.approx(0.0)
    assert pace.next_delay_s() == pytest.approx(0.1)
