"""The answers of a model have time limits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

import pytest

from twospeed.errors import ModelTimeout, ModelUnavailable
from twospeed.models.base import Finished, Limits, ModelEvent, ModelRequest, ReasoningDelta, TextDelta, Usage
from twospeed.models.deadlines import DeadlineModel, _Alarm
from twospeed.testing.scripted_model import ScriptedModel, Step

LONG = 60.0
SHORT = 0.02


def limits(*, first: float = LONG, gap: float = LONG, total: float = LONG) -> Limits:
    return Limits(first_content_s=first, content_gap_s=gap, total_s=total)


def never() -> asyncio.Event:
    return asyncio.Event()


async def outcome(
    request: ModelRequest, steps: list[Step], limits: Limits
) -> tuple[list[ModelEvent], ModelTimeout]:
    model = ScriptedModel(steps, provider="lab", name="m")
    events: list[ModelEvent] = []
    with pytest.raises(ModelTimeout) as caught:
        await collect(DeadlineModel(model, limits), request, events)
    assert model.closed == 1
    assert (caught.value.provider, caught.value.model) == ("lab", "m")
    return events, caught.value


async def collect(model: DeadlineModel, request: ModelRequest, into: list[ModelEvent]) -> None:
    async for event in model.stream(request):
        into.append(event)  # noqa: PERF401  # those before a timeout stay


async def test_an_answer_in_time_passes_unchanged(request_to_model: ModelRequest) -> None:
    steps: list[ModelEvent] = [ReasoningDelta("hm"), TextDelta("a"), Usage(1, 1), Finished("stop")]
    events: list[ModelEvent] = []
    inner = ScriptedModel(steps, provider="lab", name="m")
    model = DeadlineModel(inner, limits())
    await collect(model, request_to_model, events)
    assert events == steps
    assert (model.provider, model.name, inner.closed) == ("lab", "m", 1)


async def test_a_silent_model_exceeds_first_content(request_to_model: ModelRequest) -> None:
    events, error = await outcome(request_to_model, [never()], limits(first=SHORT))
    assert events == []
    assert error.limit == "first_content_s"
    assert str(error) == "m sent nothing for 0.02 seconds (first_content_s)"


async def test_usage_is_not_content(request_to_model: ModelRequest) -> None:
    _, error = await outcome(request_to_model, [Usage(1), never()], limits(first=SHORT))
    assert error.limit == "first_content_s"


@pytest.mark.parametrize("content", [TextDelta("a"), ReasoningDelta("hm")])
async def test_text_and_reasoning_are_content(request_to_model: ModelRequest, content: ModelEvent) -> None:
    events, error = await outcome(
        request_to_model, [content, Usage(1), never()], limits(first=LONG, gap=SHORT)
    )
    assert events == [content, Usage(1)]
    assert error.limit == "content_gap_s"


@pytest.mark.parametrize("steps", [[], [TextDelta("a")]])
async def test_the_whole_answer_has_a_limit(request_to_model: ModelRequest, steps: list[Step]) -> None:
    _, error = await outcome(request_to_model, [*steps, never()], limits(total=SHORT))
    assert error.limit == "total_s"


@pytest.mark.parametrize(
    ("first", "total", "expected"),
    [(0.0, 0.0, "total_s"), (0.0, 1.0, "first_content_s"), (1.0, 0.0, "total_s")],
)
async def test_the_error_names_the_first_limit_and_of_equal_ones_the_total(
    first: float, total: float, expected: str, request_to_model: ModelRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: 100.0)
    inner = ScriptedModel([TextDelta("a")])
    with pytest.raises(ModelTimeout) as caught:
        await collect(DeadlineModel(inner, limits(first=first, total=total)), request_to_model, [])
    assert (caught.value.limit, inner.requests) == (expected, [])


class Babbler:
    """Never stops and never yields to the event loop."""

    provider = "lab"
    name = "m"

    def __init__(self, event: ModelEvent) -> None:
        self.event = event

    async def stream(self, _request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        while True:
            yield self.event

    async def warm(self, _request: ModelRequest) -> None:
        await asyncio.get_running_loop().create_future()

    def send_ahead(self, _request: ModelRequest) -> None:
        raise NotImplementedError


@pytest.mark.security("R10.2")
@pytest.mark.parametrize(
    ("event", "limit", "limits"),
    [
        (TextDelta("a"), "total_s", limits(first=LONG, total=SHORT)),
        (Usage(1), "first_content_s", limits(first=SHORT, total=LONG)),
    ],
    ids=["text", "usage"],
)
async def test_an_endless_answer_exceeds_a_limit(
    request_to_model: ModelRequest, event: ModelEvent, limit: str, limits: Limits
) -> None:
    model = DeadlineModel(Babbler(event), limits)
    with pytest.raises(ModelTimeout) as caught:
        await collect(model, request_to_model, [])
    assert caught.value.limit == limit


@pytest.mark.security("R10.2")
async def test_slow_text_does_not_extend_the_total_limit(request_to_model: ModelRequest) -> None:
    model = DeadlineModel(Dripper(), limits(gap=LONG, total=SHORT))
    with pytest.raises(ModelTimeout) as caught:
        await collect(model, request_to_model, [])
    assert caught.value.limit == "total_s"


class Dripper(Babbler):
    """Yields a little text every millisecond."""

    def __init__(self) -> None:
        super().__init__(TextDelta("a"))

    async def stream(self, _request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        loop = asyncio.get_running_loop()
        while True:
            later = loop.create_future()
            loop.call_later(0.001, later.set_result, None)
            await later
            yield self.event


async def test_the_time_of_the_consumer_does_not_count_for_the_content_limits(
    request_to_model: ModelRequest,
) -> None:
    loop = asyncio.get_running_loop()
    model = DeadlineModel(
        ScriptedModel([Usage(1), TextDelta("a"), Finished("stop")]), limits(first=SHORT, gap=SHORT)
    )
    events = []
    async for event in model.stream(request_to_model):
        events.append(event)
        busy = loop.create_future()
        loop.call_later(2 * SHORT, busy.set_result, None)
        await busy
    assert events[-1] == Finished("stop")


async def test_a_timer_that_fired_while_the_consumer_was_busy_is_set_again(
    request_to_model: ModelRequest, caplog: pytest.LogCaptureFixture
) -> None:
    loop = asyncio.get_running_loop()
    inner = ScriptedModel([TextDelta("a"), TextDelta("b"), never()])
    async with (
        asyncio.timeout(LONG / 4),
        aclosing(DeadlineModel(inner, limits(gap=SHORT)).stream(request_to_model)) as events,
    ):
        for _ in range(2):
            assert isinstance(await anext(events), TextDelta)
            busy = loop.create_future()
            loop.call_later(2 * SHORT, busy.set_result, None)
            await busy
        with pytest.raises(ModelTimeout) as caught:
            await anext(events)
    assert caught.value.limit == "content_gap_s"
    assert not caplog.records


async def test_a_cancellation_at_the_moment_of_a_limit_is_no_timeout() -> None:
    alarm = _Alarm()
    waiting = asyncio.create_task(alarm.limited(never().wait(), asyncio.get_running_loop().time()))
    await asyncio.sleep(0)
    alarm._fire()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    alarm.close()


async def test_closing_and_cancelling_close_the_model(request_to_model: ModelRequest) -> None:
    inner = ScriptedModel([TextDelta("a"), never()])
    model = DeadlineModel(inner, limits())
    async with aclosing(model.stream(request_to_model)) as events:
        await anext(events)
    assert inner.closed == 1
    events = model.stream(request_to_model)
    await anext(events)
    waiting = asyncio.ensure_future(anext(events))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert inner.closed == 2


@pytest.mark.parametrize(
    "error", [ModelUnavailable("no", provider="lab", model="m"), TimeoutError("the model's own")]
)
async def test_errors_of_the_model_pass_unchanged(request_to_model: ModelRequest, error: Exception) -> None:
    inner = ScriptedModel([TextDelta("a"), error])
    with pytest.raises(type(error)) as caught:
        await collect(DeadlineModel(inner, limits()), request_to_model, [])
    assert caught.value is error
    assert inner.closed == 1
