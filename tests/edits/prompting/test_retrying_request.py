"""The requests of one instruction, against a model source that records its calls."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import Any, cast

import pytest
from tests.edits.inline_edits import opened

from twospeed.edits.prompting.prompt_context import PromptContext, PromptDelimiters
from twospeed.edits.prompting.retrying_request import RetryingRequest
from twospeed.edits.prompting.scope_resolution import resolve_scope
from twospeed.edits.stats import RequestUsage
from twospeed.edits.values import EditRequest
from twospeed.errors import (
    AnswerBrokeOff,
    BudgetSpent,
    ContextTooLong,
    ModelError,
    ModelTimeout,
    ModelUnavailable,
    OwnKeyInPrompt,
)
from twospeed.models.base import Finished, Limits, ModelEvent, Price, ReasoningDelta, TextDelta, Usage
from twospeed.prompt import CHARS_PER_TOKEN
from twospeed.routing import MAX_REQUESTS, LaneEntry, Route

ENTRY = LaneEntry("lab", "m", limits=Limits(), is_cloud=True, origin="config")
FREE = replace(ENTRY, origin="local", is_cloud=False)
BUILTIN = LaneEntry("builtin", "rules", limits=Limits(), is_cloud=False, origin="builtin")
PRICE = Price(1.0, 2.0)
TEXT = "x = 1\n\n\ndef f(a):\n    return a\n" + "\n\ny = 2\n" * 40


class Model:
    """Answers with the scripted events; an error ends them."""

    provider, name = "lab", "m"

    def __init__(self, *events: ModelEvent | BaseException) -> None:
        self._events = events

    async def stream(self, _: object) -> AsyncGenerator[ModelEvent, None]:
        for event in self._events:
            if isinstance(event, BaseException):
                raise event
            yield event


class Source:
    """Chooses the scripted models, and records the calls."""

    def __init__(self, *entries: LaneEntry, waits: float | None = 0.0) -> None:
        self.entries = list(entries)
        self.log: list[tuple[Any, ...]] = []
        self.is_spent = False
        self.waits = waits
        self.behind: ModelError | None = None
        self.for_person = ""
        self.spending = self

    async def choose(self, mode: str, *, may_ask_user: bool = True) -> tuple[Route, Model]:
        self.log.append(("choose", mode, may_ask_user))
        entry = self.entries.pop(0) if len(self.entries) > 1 else self.entries[0]
        return Route("lightning", entry, "mode", (), self.for_person), Model()

    def check(self) -> None:
        if self.is_spent:
            raise BudgetSpent("no more today")
        self.log.append(("check",))

    def note_edit(self) -> None:
        self.log.append(("edit",))

    def note_tokens(self, n: int) -> None:
        self.log.append(("tokens", n))

    def own_key_in(self, text: str) -> str | None:
        return "LAB_KEY" if "own-key" in text else None

    def price_of(self, entry: LaneEntry) -> Price | None:
        return PRICE if entry == ENTRY else None

    def failed(self, route: Route, error: ModelError, *, n_requests: int, waited_s: float) -> float | None:
        self.log.append(("failed", route.entry.label, type(error), n_requests, waited_s))
        return self.waits

    async def wait(self, route: Route, seconds: float) -> None:
        self.log.append(("wait", route.entry.label, seconds))

    def notify_substitute(self, route: Route) -> None:
        self.log.append(("answers", route.entry.label))

    def served(self, route: Route) -> None:
        self.log.append(("served", route.entry.label))

    def error_replaced_by_builtin(self, route: Route) -> ModelError | None:
        return self.behind


class RequestInfo:
    """One instruction and the reports about its requests."""

    def __init__(self, source: Source, text: str = TEXT, **more: Any) -> None:
        request = EditRequest(opened(text), ((3, 0), (3, 0)), "do it", "lightning", path="a.py")
        self.context = PromptContext.about(request, resolve_scope(request), PromptDelimiters())
        self.source = source
        self.routes: list[Route] = []
        self.request_usage: list[RequestUsage] = []
        self.attempts = RetryingRequest(
            cast("Any", source),
            "lightning",
            self.context,
            on_route=self.routes.append,
            on_metered=self.request_usage.append,
            **more,
        )

    async def ask(self, *events: ModelEvent | BaseException) -> list[ModelEvent]:
        """Send the next request to the chosen model, and read its events."""
        request = self.attempts.request()
        model = Model(*events)
        return [event async for event in self.attempts.answer(cast("Any", model), request)]


def failure(kind: type[ModelError] = ModelUnavailable, **more: Any) -> Any:
    return kind("no luck", provider="lab", model="m", **more)


def n_chars(asked: RequestInfo) -> int:
    messages = asked.context.request_for(ENTRY).messages
    return sum(len(message.content) for message in messages)


# The choice of the model


async def test_only_the_first_choice_of_a_model_may_ask_the_user() -> None:
    one = RequestInfo(Source(ENTRY), why="sensitive")
    await one.attempts.choose()
    await one.ask(Finished("stop"))
    await one.attempts.choose()
    assert [each for each in one.source.log if each[0] == "choose"] == [
        ("choose", "lightning", True),
        ("choose", "lightning", False),
    ]
    assert [route.reason for route in one.routes] == ["sensitive", "sensitive"]
    assert (await plain_route()).reason == "mode"
    again = RequestInfo(Source(ENTRY), n_requests=1)
    await again.attempts.choose()
    assert again.source.log[0] == ("choose", "lightning", False)


async def plain_route() -> Route:
    one = RequestInfo(Source(ENTRY))
    await one.attempts.choose()
    return one.routes[0]


@pytest.mark.parametrize(
    ("entry", "counts_in_budget", "expected"),
    [
        (ENTRY, False, [("check",), ("edit",)]),
        (ENTRY, True, []),
        (FREE, False, []),
        (BUILTIN, False, []),
    ],
)
async def test_an_instruction_counts_once_towards_the_budget_if_it_may_cost(
    entry: LaneEntry, counts_in_budget: bool, expected: list[tuple[str]]
) -> None:
    one = RequestInfo(Source(entry), counts_in_budget=counts_in_budget)
    for _ in range(2):
        await one.attempts.choose()
    assert [each for each in one.source.log if each[0] != "choose"] == expected
    assert one.attempts.counts_in_budget is (counts_in_budget or bool(expected))


async def test_an_instruction_beyond_the_budget_sends_no_request() -> None:
    one = RequestInfo(Source(ENTRY))
    one.source.is_spent = True
    with pytest.raises(BudgetSpent):
        await one.attempts.choose()
    assert (one.routes, one.attempts.counts_in_budget) == ([], False)


async def test_the_built_in_engine_as_fallback_is_named_once_it_can_help() -> None:
    one = RequestInfo(Source(ENTRY, BUILTIN))
    await one.attempts.choose()
    with pytest.raises(ModelUnavailable):
        await one.ask(failure())
    await one.attempts.recover(failure())
    await one.attempts.choose()
    assert [route.entry for route in one.routes] == [ENTRY]
    finished = one.attempts.accept_answer(Finished("stop"))
    assert finished == Finished("stop")
    assert [route.entry for route in one.routes] == [ENTRY, BUILTIN]
    alone = RequestInfo(Source(BUILTIN))
    await alone.attempts.choose()
    assert [route.entry for route in alone.routes] == [BUILTIN]


# Requests


async def test_requests_are_counted_and_may_be_sent_again_three_times_in_all() -> None:
    one = RequestInfo(Source(ENTRY))
    await one.attempts.choose()
    assert one.attempts.n_requests == 0
    request = one.attempts.request()
    assert one.attempts.n_requests == 1
    assert request.messages == one.context.request_for(ENTRY).messages
    assert [request.may_send_again() for _ in range(3)] == [True, True, False]
    assert one.attempts.n_requests == MAX_REQUESTS == 3
    assert one.request_usage == [RequestUsage(None, is_usage_complete=True, price=None)] * 2


@pytest.mark.parametrize(
    ("entry", "n_requests", "expected"), [(ENTRY, 2, True), (ENTRY, 3, False), (BUILTIN, 0, False)]
)
async def test_another_answer_can_be_requested_while_requests_remain(
    entry: LaneEntry, n_requests: int, expected: bool
) -> None:
    one = RequestInfo(Source(entry), n_requests=n_requests)
    assert not one.attempts.may_request_again
    await one.attempts.choose()
    assert one.attempts.may_request_again is expected


async def test_a_prompt_with_an_api_key_of_the_user_is_not_sent() -> None:
    one = RequestInfo(Source(ENTRY), TEXT.replace("return a", "return 'own-key'"))
    await one.attempts.choose()
    with pytest.raises(OwnKeyInPrompt):
        one.attempts.request()


async def test_secrets_are_hidden_if_the_lane_entry_says_so() -> None:
    for hides in (True, False):
        one = RequestInfo(Source(replace(ENTRY, hides_secrets=hides)))
        await one.attempts.choose()
        assert (one.attempts.placeholders is one.context.secrets) is hides
        assert (one.attempts.placeholders is None) is not hides


# Answers


async def test_events_of_an_answer_are_yielded_until_it_finishes() -> None:
    one = RequestInfo(Source(ENTRY))
    await one.attempts.choose()
    events: list[ModelEvent] = [ReasoningDelta("a"), TextDelta("b"), Usage(3, 4), Finished("length", "m")]
    assert await one.ask(*events, TextDelta("never")) == events
    assert one.request_usage == [RequestUsage(Usage(3, 4), is_usage_complete=True, price=PRICE)]
    assert one.source.log[-1] == ("tokens", 7)


async def test_an_answer_without_an_end_raises_answer_broke_off() -> None:
    one = RequestInfo(Source(ENTRY))
    await one.attempts.choose()
    with pytest.raises(AnswerBrokeOff, match="the answer broke off") as broke_off:
        await one.ask(TextDelta("b"))
    assert (broke_off.value.provider, broke_off.value.model) == ("lab", "m")


@pytest.mark.parametrize(
    ("events", "usage", "is_usage_complete"),
    [
        ([Usage(3, 4), Finished("stop")], Usage(3, 4), True),
        ([Usage(0, 0, cached_tokens=1), Finished("stop")], None, False),
        ([Usage(1, 0), Finished("stop")], Usage(1, 0), True),
        ([Usage(0, 1), Finished("stop")], Usage(0, 1), True),
        ([Usage(3, 4), Usage(), Finished("stop")], None, False),
        ([Finished("stop")], None, False),
        ([Usage(3, 4), failure()], Usage(3, 4), False),
        ([Usage(3, 4), asyncio.CancelledError()], Usage(3, 4), False),
        ([TextDelta("b"), failure()], None, False),
        ([ReasoningDelta("b"), failure()], None, False),
        ([failure(ModelTimeout, limit="first_content_s")], None, False),
        ([failure(AnswerBrokeOff)], None, False),
        ([asyncio.CancelledError()], None, False),
    ],
)
async def test_usage_of_a_request_is_reported_however_it_ends(
    events: list[ModelEvent | BaseException], usage: Usage | None, is_usage_complete: bool
) -> None:
    one = RequestInfo(Source(ENTRY))
    await one.attempts.choose()
    with contextlib.suppress(ModelError, asyncio.CancelledError):
        await one.ask(*events)
    assert one.request_usage == [RequestUsage(usage, is_usage_complete=is_usage_complete, price=PRICE)]


@pytest.mark.parametrize("error", [failure(), failure(ModelTimeout, limit="connect_s")])
async def test_a_request_that_fails_before_the_model_begins_costs_nothing(error: ModelError) -> None:
    one = RequestInfo(Source(ENTRY))
    await one.attempts.choose()
    with pytest.raises(type(error)):
        await one.ask(error)
    assert one.request_usage == [RequestUsage(None, is_usage_complete=True, price=None)]
    assert ("tokens",) not in [each[:1] for each in one.source.log]


async def test_the_built_in_engine_is_metered_as_nothing() -> None:
    one = RequestInfo(Source(BUILTIN))
    await one.attempts.choose()
    await one.ask(TextDelta("x"), Finished("stop"))
    assert one.request_usage == [RequestUsage(Usage(), is_usage_complete=True, price=None)]


async def test_a_server_on_this_machine_spends_no_budget() -> None:
    one = RequestInfo(Source(FREE))
    await one.attempts.choose()
    await one.ask(Usage(3, 4), Finished("stop"))
    assert one.request_usage == [RequestUsage(Usage(3, 4), is_usage_complete=True, price=None)]
    assert ("tokens", 7) not in one.source.log


@pytest.mark.parametrize(
    ("events", "more"),
    [([TextDelta("a" * 40), Finished("stop")], 40), ([ReasoningDelta("a" * 8), TextDelta("b" * 8)], 16)],
)
async def test_uncounted_tokens_are_estimated_for_the_budget(events: list[ModelEvent], more: int) -> None:
    one = RequestInfo(Source(ENTRY))
    await one.attempts.choose()
    with contextlib.suppress(AnswerBrokeOff):
        await one.ask(*events)
    assert one.source.log[-1] == ("tokens", (n_chars(one) + more) // CHARS_PER_TOKEN)


async def test_an_empty_uncounted_answer_is_not_estimated() -> None:
    one = RequestInfo(Source(ENTRY))
    await one.attempts.choose()
    await one.ask(Finished("stop"))
    assert [each[0] for each in one.source.log] == ["choose", "check", "edit"]


async def test_each_request_is_metered_separately() -> None:
    one = RequestInfo(Source(ENTRY))
    await one.attempts.choose()
    await one.ask(TextDelta("a"), Usage(3, 4), Finished("stop"))
    with pytest.raises(ModelUnavailable):
        await one.ask(failure())
    assert one.request_usage[-1] == RequestUsage(None, is_usage_complete=True, price=None)


# The end of an answer, or of a request


async def test_the_answering_model_is_reported_once_at_the_first_shown_text() -> None:
    one = RequestInfo(Source(ENTRY))
    await one.attempts.choose()
    one.attempts.note_in_use()
    one.attempts.note_in_use()
    assert [route.entry for route in one.routes] == [ENTRY, ENTRY]
    finished = Finished("refusal", "I cannot")
    assert one.attempts.accept_answer(finished) is finished
    assert [each for each in one.source.log if each[0] in ("answers", "served")] == [
        ("answers", "lab/m"),
        ("served", "lab/m"),
    ]


async def test_a_refusal_of_the_built_in_engine_says_why_no_model_answered() -> None:
    for behind, for_person, expected in (
        (failure(), "x", None),
        (None, "lab/m needs a key", Finished("refusal", "lab/m needs a key; not understood")),
        (None, "", Finished("refusal", "not understood")),
    ):
        one = RequestInfo(Source(BUILTIN))
        one.source.behind, one.source.for_person = behind, for_person
        await one.attempts.choose()
        refusal = Finished("refusal", "not understood")
        if behind:
            with pytest.raises(ModelUnavailable) as raised:
                one.attempts.accept_answer(refusal)
            assert raised.value is behind
            assert one.source.log[-1][0] == "choose", "no text was used, so no model has served"
        else:
            assert one.attempts.accept_answer(refusal) == expected
        assert one.attempts.accept_answer(Finished("stop")) == Finished("stop")


async def test_a_refusal_of_the_fallback_engine_raises_the_failure_of_the_model() -> None:
    one = RequestInfo(Source(ENTRY, BUILTIN))
    one.source.behind = failure(AnswerBrokeOff)
    first = failure()
    await one.attempts.choose()
    await one.attempts.recover(first)
    await one.attempts.choose()
    with pytest.raises(ModelError) as raised:
        one.attempts.accept_answer(Finished("refusal", "not understood"))
    assert raised.value is first


async def test_waits_after_failures_are_added_up() -> None:
    one = RequestInfo(Source(ENTRY, waits=1.5))
    await one.attempts.choose()
    for n in (1, 2):
        with pytest.raises(ModelUnavailable):
            await one.ask(failure())
        await one.attempts.recover(failure())
        assert one.source.log[-2:] == [
            ("failed", "lab/m", ModelUnavailable, n, 1.5 * (n - 1)),
            ("wait", "lab/m", 1.5),
        ]
    one.source.waits = None
    last = failure()
    with pytest.raises(ModelUnavailable) as raised:
        await one.attempts.recover(last)
    assert raised.value is last
    assert one.source.log[-1][0] == "failed"


async def test_a_failure_after_a_part_of_the_answer_was_used_is_final() -> None:
    for error in (failure(), failure(ContextTooLong)):
        one = RequestInfo(Source(ENTRY))
        await one.attempts.choose()
        one.attempts.request()
        one.attempts.note_in_use()
        with pytest.raises(type(error)) as raised:
            await one.attempts.recover(error)
        assert raised.value is error
        assert one.source.log[-1][0] == "failed"


# Prompts that are too long


@pytest.mark.parametrize(
    ("limit", "prompt"), [(None, None), (400, 900), (400, None)], ids=["unknown", "known", "limit"]
)
async def test_a_prompt_that_is_too_long_is_shortened_once(limit: int | None, prompt: int | None) -> None:
    one = RequestInfo(Source(ENTRY))
    await one.attempts.choose()
    before = one.attempts.request()
    error = failure(ContextTooLong, limit_tokens=limit, prompt_tokens=prompt)
    await one.attempts.recover(error)
    assert one.source.log[-1][0] == "failed", "there is no wait"
    after = one.attempts.request()
    assert len(str(after.messages)) < len(str(before.messages))
    assert "def f(a):" in after.messages[-1].content
    with pytest.raises(ContextTooLong) as raised:
        await one.attempts.recover(error)
    assert str(raised.value) == (
        "these lines are too long for m, even without those around them; choose fewer"
    )
    assert (raised.value.provider, raised.value.model, raised.value.__cause__) == ("lab", "m", error)


async def test_a_prompt_is_not_shortened_after_the_last_request_or_if_nothing_can_be_omitted() -> None:
    late = RequestInfo(Source(ENTRY), n_requests=MAX_REQUESTS - 1)
    bare = RequestInfo(Source(ENTRY), "\n\n\ndef f(a):\n    return a\n")
    for one in (late, bare):
        await one.attempts.choose()
        one.attempts.request()
        with pytest.raises(ContextTooLong) as raised:
            await one.attempts.recover(failure(ContextTooLong))
        assert str(raised.value) == "the prompt for these lines is too long for m; choose fewer"


async def test_a_smaller_answer_is_requested_if_the_prompt_cannot_be_shortened() -> None:
    one = RequestInfo(Source(ENTRY), "\n\n\ndef f(a):\n    return a\n")
    await one.attempts.choose()
    before = one.attempts.request()
    await one.attempts.recover(failure(ContextTooLong, limit_tokens=4000, prompt_tokens=300))
    after = one.attempts.request()
    assert after.messages == before.messages
    assert after.max_output_tokens < before.max_output_tokens
