"""A model that fails is skipped for a while, another one is used, and no text is shown twice."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.lane_config import lane
from tests.scenarios.editor import LITERALS, URI, Editor, RequestFailed
from tests.scenarios.model_lanes import Time, editor_on, shown_to_person
from tests.scenarios.shop import EDITED, NEW, TEXT

from twospeed.testing.script import Drop, Reply, Script
from twospeed.testing.scripted_server import ScriptedServer

GOOD = Script(NEW)
JSON = {"Content-Type": "application/json"}
On = Callable[..., AbstractAsyncContextManager[Editor]]


def refusing(status: int, **headers: str) -> Script:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Script(faults=(Reply(status, {**JSON, **named}, b'{"error": {"message": "words"}}'),))


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def on(tmp_path: Path, time: Time) -> On:
    """``on(lane)``: an editor whose lanes are these providers."""
    return partial(editor_on, tmp_path, time=time)


@pytest.fixture
async def second() -> AsyncIterator[ScriptedServer]:
    """A second provider that always answers."""
    async with ScriptedServer(lambda _: GOOD) as server:
        yield server


async def asked_again(editor: Editor, *, mode: str = "lightning") -> Any:
    """Request the same edit of a fresh document."""
    editor.open(TEXT, uri=(uri := f"file:///project/{len(editor.buffers)}.py"))
    return await editor.edit(4, uri=uri, mode=mode)


LIMITS = {
    "retry-after": ({"Retry_After": "30"}, 30),
    "retry-after-ms": ({"retry_after_ms": "30000"}, 30),
    "a date": ({"Retry_After": "Sat, 21 Nov 2026 10:00:30 GMT", "Date": "Sat, 21 Nov 2026 10:00:00 GMT"}, 30),
    "x-ratelimit": ({"x_ratelimit_reset_tokens": "30s", "x_ratelimit_remaining_tokens": "0"}, 30),
}


@pytest.mark.parametrize("limit", LIMITS)
async def test_a_rate_limited_model_is_skipped_for_its_retry_after_time(
    on: On, time: Time, second: ScriptedServer, limit: str
) -> None:
    headers, seconds = LIMITS[limit]
    async with (
        ScriptedServer([refusing(429, **headers), GOOD]) as first,
        on({"first": first.base_url, "second": second.base_url}) as editor,
    ):
        result = await editor.edit(4)
        assert (result["outcome"], result["provider"], result["model"]) == ("applied", "second", "m")
        assert result["route"] == "mode; skipped first/m: rate limited, again in 30 s"
        assert editor.buffers[URI].text == EDITED
        time.now += seconds - 1
        again = await asked_again(editor)
        assert (again["provider"], len(first.requests)) == ("second", 1)
        assert again["route"] == "mode; skipped first/m: rate limited, again in 1 s"
        time.now += 1
        assert (await asked_again(editor))["provider"] == "first"
        assert time.waits == []


@pytest.mark.parametrize("said", ["0", "-5", "0.1"])
async def test_a_model_that_names_a_short_wait_and_refuses_again_is_replaced(
    on: On, time: Time, second: ScriptedServer, said: str
) -> None:
    async with (
        ScriptedServer(lambda _: refusing(429, Retry_After=said)) as first,
        on({"first": first.base_url, "second": second.base_url}) as editor,
    ):
        result = await editor.edit(4)
        assert (result["outcome"], result["provider"]) == ("applied", "second")
        assert (len(first.requests), len(second.requests)) == (2, 1)
        assert sum(time.waits) <= 0.3


async def test_a_lone_model_that_names_a_short_wait_is_tried_again(on: On, time: Time) -> None:
    soon = refusing(429, Retry_After="0.1")
    async with ScriptedServer([soon, soon, GOOD]) as only, on({"only": only.base_url}) as editor:
        assert (await editor.edit(4))["outcome"] == "applied"


async def test_the_fallback_model_is_reported_once(on: On, time: Time, second: ScriptedServer) -> None:
    limited = refusing(429, Retry_After="30")
    async with (
        ScriptedServer([limited, GOOD, limited]) as first,
        on({"first": first.base_url, "second": second.base_url}) as editor,
    ):
        told = ["⚡ first/m is rate limited, again in 30 s. second/m is used instead"]
        for _ in range(3):
            await asked_again(editor)
            assert shown_to_person(editor) == told
        time.now += 30
        await asked_again(editor)
        assert shown_to_person(editor) == told
        await asked_again(editor)
        assert shown_to_person(editor) == told * 2, "the model had served again in between"


@pytest.mark.parametrize(
    ("failure", "why"),
    [
        (refusing(402), "out of quota, again in 15 min"),
        (refusing(503), "overloaded, again in 10 s"),
        (refusing(529), "overloaded, again in 10 s"),
        (refusing(498), "overloaded, again in 10 s"),
        (refusing(500), "down, again in 5 s"),
        (Script(faults=(Drop(None),)), "down, again in 5 s"),
        (Script(NEW, faults=(Drop(1),)), "down, again in 5 s"),
    ],
    ids=["402", "503", "529", "498", "500", "cut before its head", "cut before a line was whole"],
)
async def test_a_model_that_cannot_answer_is_replaced_at_once(
    on: On, time: Time, second: ScriptedServer, failure: Script, why: str
) -> None:
    async with (
        ScriptedServer([failure]) as first,
        on({"first": first.base_url, "second": second.base_url}) as editor,
    ):
        result = await editor.edit(4)
        assert (result["outcome"], result["provider"]) == ("applied", "second")
        assert result["route"] == f"mode; skipped first/m: {why}"
        assert shown_to_person(editor) == [f"⚡ first/m is {why}. second/m is used instead"]
        assert time.waits == []


async def test_each_failure_in_a_row_doubles_the_time_until_it_has_served_again(
    on: On, time: Time, second: ScriptedServer
) -> None:
    down = refusing(500)
    async with (
        ScriptedServer([down, down, GOOD, down]) as first,
        on({"first": first.base_url, "second": second.base_url}) as editor,
    ):
        for wait in ("5 s", "10 s", None, "5 s"):
            result = await asked_again(editor)
            assert result["route"] == (
                "mode" if wait is None else f"mode; skipped first/m: down, again in {wait}"
            )
            time.now += 10


async def test_a_refused_connection_uses_the_fallback(on: On, second: ScriptedServer) -> None:
    async with ScriptedServer() as gone:
        base_url = gone.base_url
    async with on({"first": base_url, "second": second.base_url}) as editor:
        result = await editor.edit(4)
    assert result["route"] == "mode; skipped first/m: down, again in 5 s"


async def test_the_model_in_use_is_named_everywhere(
    on: On, second: ScriptedServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    async with (
        ScriptedServer([refusing(503)]) as first,
        on({"first": first.base_url, "second": second.base_url}) as editor,
    ):
        result = await editor.edit(4, partialResultToken="p")
        status = await editor.request("twospeed/status", {})
        await editor.wait_for(lambda: editor.messages("twospeed/editChanged")[-1]["state"] == "review")
    assert result["provider"] == "second"
    assert [part["provider"] for part in editor.progress("p") if part["type"] == "started"] == [
        "first",
        "second",
    ]
    changes = editor.messages("twospeed/editChanged")
    assert [change["provider"] for change in changes] == ["first", "second", "second"]
    assert status["edits"][-1]["provider"] == "second"
    assert status["lanes"]["lightning"][0] == {
        "provider": "first",
        "model": "m",
        "ready": False,
        "reason": "overloaded, again in 10 s",
    }
    assert f"edit {result['editId']}: applied, second/m" in caplog.text


async def test_a_wait_of_a_fifth_of_a_second_is_preferred_to_another_model(
    on: On, time: Time, second: ScriptedServer
) -> None:
    async with (
        ScriptedServer([refusing(429, retry_after_ms="200"), GOOD]) as first,
        on({"first": first.base_url, "second": second.base_url}) as editor,
    ):
        result = await editor.edit(4)
    assert (result["provider"], result["route"], time.waits) == ("first", "mode", [0.2])
    assert shown_to_person(editor) == []


# Without another model


async def test_a_lone_model_is_requested_three_times(on: On, time: Time) -> None:
    async with (
        ScriptedServer([refusing(500), refusing(503), GOOD]) as server,
        on({"lab": server.base_url}) as editor,
    ):
        result = await editor.edit(4)
        assert (result["outcome"], result["route"]) == ("applied", "mode")
        assert (len(server.requests), time.waits) == (3, [0.5, 1.0])
        assert editor.buffers[URI].text == EDITED


@pytest.mark.security("R13")
@pytest.mark.parametrize("status", [408, 409, 429, 500, 503, 529])
async def test_a_model_that_always_fails_is_requested_three_times(on: On, status: int) -> None:
    async with (
        ScriptedServer(lambda _: refusing(status)) as server,
        on({"lab": server.base_url}) as editor,
    ):
        result = await editor.edit(4)
        assert (result["outcome"], result["provider"], len(server.requests)) == ("failed", "lab", 3)
        assert editor.buffers[URI].text == TEXT


@pytest.mark.security("R13")
async def test_an_empty_answer_is_not_requested_again(on: On) -> None:
    async with ScriptedServer(lambda _: Script("")) as server, on({"lab": server.base_url}) as editor:
        result = await editor.edit(4)
        assert (result["outcome"], result["reason"]["code"], len(server.requests)) == ("refused", "empty", 1)


async def test_retry_headers_of_the_provider_are_obeyed(on: On, time: Time) -> None:
    never, once_more = refusing(500, x_should_retry="false"), refusing(400, x_should_retry="true")
    async with ScriptedServer([never, once_more, GOOD]) as server, on({"lab": server.base_url}) as editor:
        assert (await editor.edit(4))["outcome"] == "failed"
        assert len(server.requests) == 1
        assert (await editor.edit(4))["outcome"] == "applied"
        assert (len(server.requests), time.waits) == (3, [0.5])


async def test_a_lone_model_that_named_a_time_is_not_requested_before(on: On, time: Time) -> None:
    async with (
        ScriptedServer([refusing(429, Retry_After="30"), GOOD]) as server,
        on({"lab": server.base_url}) as editor,
    ):
        first, second = await editor.edit(4), await editor.edit(4)
        assert (first["outcome"], first["reason"]["code"]) == ("failed", "rate-limited")
        assert (first["provider"], first["route"]) == ("lab", "mode")
        assert first["reason"]["message"] == "lab accepts no more requests for 30 s (HTTP 429): words"
        assert (second["outcome"], second["reason"]["code"]) == ("failed", "rate-limited")
        assert second["reason"]["message"] == "lab/m is rate limited, again in 30 s"
        assert second["route"] == "mode; skipped lab/m: rate limited, again in 30 s"
        assert (len(server.requests), time.waits) == (1, [])
        assert shown_to_person(editor) == [], "no other model served"
        time.now += 30
        assert (await editor.edit(4))["outcome"] == "applied"


async def test_the_built_in_engine_serves_while_the_lone_model_waits(on: On) -> None:
    async with (
        ScriptedServer([refusing(429, Retry_After="30")]) as server,
        on({"lab": server.base_url}) as editor,
    ):
        result = await editor.edit(4, "rename result to amount")
        assert (result["outcome"], result["provider"]) == ("applied", "builtin")
        assert "amount += item.price" in editor.buffers[URI].text
        assert shown_to_person(editor) == [
            "⚡ lab/m is rate limited, again in 30 s. builtin/rules is used instead"
        ]


async def test_a_lone_model_that_named_no_time_is_requested_by_the_next_edit(on: On) -> None:
    async with (
        ScriptedServer([*[refusing(429)] * 3, GOOD]) as server,
        on({"lab": server.base_url}) as editor,
    ):
        assert (await editor.edit(4))["reason"]["code"] == "rate-limited"
        assert (await editor.edit(4))["outcome"] == "applied"


async def test_deep_waits_longer_and_reports_it(on: On, time: Time) -> None:
    async with (
        ScriptedServer([refusing(429, Retry_After="40"), GOOD]) as server,
        on({"lab": server.base_url}) as editor,
    ):
        result = await editor.edit(4, mode="deep")
        assert (result["outcome"], time.waits) == ("applied", [40.0])
        assert shown_to_person(editor) == ["🧠 lab/m is retried in 40 s"]


async def test_an_edit_that_waits_can_be_cancelled(on: On, time: Time) -> None:
    waits = asyncio.Event()

    async def for_ever(_: float) -> None:
        waits.set()
        await asyncio.Event().wait()

    async with (
        ScriptedServer([refusing(503), GOOD]) as server,
        on({"lab": server.base_url}) as editor,
    ):
        assert editor.server.session
        editor.server.session.source.sleep = for_ever
        request_id, result = editor.ask("twospeed/edit", editor.edit_params(4))
        await waits.wait()
        editor.notify("$/cancelRequest", {"id": request_id})
        with pytest.raises(RequestFailed, match="-32800"):
            await result
        editor.server.session.source.sleep = time.sleep
        assert (await editor.edit(4))["outcome"] == "applied"


# An answer that was used is never requested again


@pytest.mark.security("R13")
@pytest.mark.parametrize("mode", ["lightning", "deep"])
@pytest.mark.parametrize("is_stock", [True, False], ids=["stock", "streaming"])
@pytest.mark.parametrize("has_partials", [True, False], ids=["partial results", "none"])
async def test_an_answer_that_breaks_off_after_a_line_is_not_requested_again(
    on: On, second: ScriptedServer, mode: str, is_stock: bool, has_partials: bool
) -> None:
    capabilities = {"capabilities": LITERALS} if is_stock else {}
    partials = {"partialResultToken": "p"} if has_partials else {}
    async with (
        ScriptedServer([Script(NEW, faults=(Drop(30),))]) as first,
        on({"first": first.base_url, "second": second.base_url}, **capabilities) as editor,
    ):
        result = await editor.edit(4, mode=mode, **partials)
        assert (result["outcome"], result["reason"]["code"]) == ("failed", "model-protocol")
        assert result["provider"] == "first"
        assert editor.buffers[URI].text == TEXT
        assert (len(first.requests), len(second.requests)) == (1, 0)
        assert len([part for part in editor.progress("p") if part["type"] == "started"]) == has_partials


@pytest.mark.security("R13")
async def test_an_answer_that_breaks_off_after_reasoning_is_not_requested_again(
    on: On, second: ScriptedServer
) -> None:
    async with (
        ScriptedServer([Script(NEW, reasoning="let me think about this", faults=(Drop(3),))]) as first,
        on({"first": first.base_url, "second": second.base_url}) as editor,
    ):
        result = await editor.edit(4, mode="deep", partialResultToken="p")
        assert (result["outcome"], len(second.requests)) == ("failed", 0)
        assert (await asked_again(editor))["provider"] == "second", "the next edit uses another model"


async def test_a_refusal_by_the_built_in_engine_says_why_the_configured_model_was_not_used(
    on: On,
) -> None:
    async with on({}, more=lane("lightning", "groq")) as editor:
        result = await editor.edit(4, instruction="make it faster")
        assert (result["outcome"], result["reason"]["code"]) == ("refused", "declined")
        assert result["reason"]["message"].startswith(
            "groq/m is not ready: no key in GROQ_API_KEY or the keyring; the built-in engine can only add doc comments"
        )
