"""The usage of an edit: tokens of all its requests as counted by providers, and their configured cost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.lane_config import BUILTIN
from tests.scenarios.editor import STREAMING, URI, Editor
from tests.scenarios.model_lanes import Time, editor_on
from tests.scenarios.shop import EDITED, NEW, OLD, TEXT

from twospeed.testing.script import Hang, Reply, Script
from twospeed.testing.scripted_server import ScriptedServer

PRICES = "[prices.lab.m]\ninput = 2\noutput = 10\ncached_input = 0.5\n"
SCRIPT = Script(NEW, input_tokens=1000, cached_tokens=400)
COST = (600 * 2 + 400 * 0.5 + SCRIPT.output_tokens * 10) / 1_000_000
TOKENS = ("inputTokens", "outputTokens", "cachedTokens", "reasoningTokens")
UNKNOWN = (None, None, None, None)


def tokens_of(stats: Any) -> tuple[int | None, ...]:
    return tuple(stats[name] for name in TOKENS)


async def stats_of(editor: Editor, edit_id: str) -> Any:
    status = await editor.request("twospeed/status", {})
    return next(each["stats"] for each in status["edits"] if each["editId"] == edit_id)


async def test_result_notification_and_status_contain_the_usage_of_an_edit(tmp_path: Path) -> None:
    async with (
        ScriptedServer([SCRIPT]) as server,
        editor_on(tmp_path, {"lab": server.base_url}, Time(), more=PRICES) as editor,
    ):
        result = await editor.edit(3)
        assert editor.buffers[URI].text == EDITED
        stats = result["stats"]
        assert tokens_of(stats) == (1000, SCRIPT.output_tokens, 400, 0)
        assert stats["cost"] == round(COST, 10)
        assert (stats["requests"], stats["uncounted"]) == (1, 0)
        assert 0 <= stats["queuedMs"] <= stats["ttftMs"] <= stats["durationMs"]
        assert editor.messages("twospeed/editChanged")[-1]["stats"] == stats
        assert await stats_of(editor, result["editId"]) == stats


async def test_without_a_price_there_are_tokens_and_no_cost(tmp_path: Path) -> None:
    async with (
        ScriptedServer([SCRIPT]) as server,
        editor_on(tmp_path, {"other": server.base_url}, Time()) as editor,
    ):
        stats = (await editor.edit(3))["stats"]
        assert tokens_of(stats) == (1000, SCRIPT.output_tokens, 400, 0)
        assert stats["cost"] is None


async def test_a_refused_request_costs_nothing(tmp_path: Path) -> None:
    busy = Script(faults=(Reply(503, body=b'{"error": {"message": "busy"}}'),))
    async with (
        ScriptedServer([busy, SCRIPT]) as server,
        editor_on(tmp_path, {"lab": server.base_url}, Time(), more=PRICES) as editor,
    ):
        stats = (await editor.edit(3))["stats"]
        assert (stats["requests"], stats["uncounted"], stats["cost"]) == (2, 0, round(COST, 10))


async def test_a_fallback_model_is_charged_at_its_own_price(tmp_path: Path) -> None:
    busy = Script(faults=(Reply(503, body=b'{"error": {"message": "busy"}}'),))
    prices = PRICES + "[prices.second.m]\ninput = 0\noutput = 1\n"
    async with (
        ScriptedServer(lambda _: busy) as first,
        ScriptedServer([SCRIPT]) as second,
        editor_on(
            tmp_path, {"lab": first.base_url, "second": second.base_url}, Time(), more=prices
        ) as editor,
    ):
        result = await editor.edit(3)
        assert result["provider"] == "second"
        assert result["stats"]["cost"] == round(SCRIPT.output_tokens / 1_000_000, 10)


async def test_the_usage_of_a_cancelled_answer_is_unknown(tmp_path: Path) -> None:
    async with (
        ScriptedServer([Script(NEW, faults=(Hang(3),))]) as server,
        editor_on(tmp_path, {"lab": server.base_url}, Time(), more=PRICES) as editor,
    ):
        _, result = editor.ask("twospeed/edit", editor.edit_params(3, editId="c1"))
        await server.wait_for_requests(1)
        cancelled = await editor.request("twospeed/cancel", {"editId": "c1"})
        stats = (await result)["stats"]
        assert cancelled["outcome"] == "cancelled"
        assert tokens_of(stats) == UNKNOWN
        assert (stats["cost"], stats["requests"], stats["uncounted"]) == (None, 1, 1)


async def test_a_steered_edit_reports_that_its_first_answer_was_not_counted(tmp_path: Path) -> None:
    async with (
        ScriptedServer([Script(NEW, faults=(Hang(3),)), SCRIPT]) as server,
        editor_on(tmp_path, {"lab": server.base_url}, Time(), more=PRICES) as editor,
    ):
        _, result = editor.ask("twospeed/edit", editor.edit_params(3, editId="c1"))
        await server.wait_for_requests(1)
        await editor.request("twospeed/steer", {"editId": "c1", "instruction": "otherwise"})
        stats = (await result)["stats"]
        assert tokens_of(stats) == (1000, SCRIPT.output_tokens, 400, 0)
        assert (stats["cost"], stats["requests"], stats["uncounted"]) == (round(COST, 10), 2, 1)


async def test_all_answers_of_one_instruction_are_added_up(tmp_path: Path) -> None:
    other = Script(OLD.replace("price", "cost"), input_tokens=1000, cached_tokens=400)
    async with (
        ScriptedServer([SCRIPT, other]) as server,
        editor_on(tmp_path, {"lab": server.base_url}, Time(), more=PRICES) as editor,
    ):
        result = await editor.edit(3, variations=2)
        varied = await editor.request("twospeed/variation", {"editId": result["editId"], "step": 1})
        n_out = SCRIPT.output_tokens + other.output_tokens
        assert tokens_of(varied["stats"]) == (2000, n_out, 800, 0)
        assert varied["stats"]["cost"] == round((2 * (600 * 2 + 400 * 0.5) + n_out * 10) / 1_000_000, 10)
        assert varied["stats"]["requests"] == 2


async def test_reasoning_tokens_are_counted_and_part_of_the_cost(tmp_path: Path) -> None:
    thoughtful = Script(NEW, reasoning="think about it at length", input_tokens=0)
    async with (
        ScriptedServer([thoughtful]) as server,
        editor_on(tmp_path, {"lab": server.base_url}, Time(), more=PRICES) as editor,
    ):
        stats = (await editor.edit(3))["stats"]
        assert stats["reasoningTokens"] == thoughtful.reasoning_tokens > 0
        assert stats["outputTokens"] == thoughtful.output_tokens > thoughtful.reasoning_tokens
        assert stats["cost"] == round(thoughtful.output_tokens * 10 / 1_000_000, 10)


async def test_the_built_in_engine_uses_no_tokens(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text(BUILTIN)
    async with await Editor.started(STREAMING, environ={"TWOSPEED_CONFIG": str(config)}) as editor:
        editor.open(TEXT)
        stats = (await editor.edit(3, "rename total to amount"))["stats"]
        assert tokens_of(stats) == (0, 0, 0, 0)
        assert (stats["cost"], stats["uncounted"]) == (None, 0)
