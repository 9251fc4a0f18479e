"""The budget of a day is a hard limit for all clients; it stops new edits, not running ones."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.lane_config import BUILTIN
from tests.scenarios.editor import URI, Editor
from tests.scenarios.model_lanes import Time, editor_on
from tests.scenarios.shop import EDITED, NEW, OLD, TEXT

from twospeed.routing import FoundProvider
from twospeed.testing.script import Drop, Reply, Script
from twospeed.testing.scripted_server import ScriptedServer


@pytest.fixture
async def server() -> AsyncIterator[ScriptedServer]:
    async with ScriptedServer(lambda _: Script(NEW, input_tokens=100)) as server:
        yield server


async def fresh_edit(editor: Editor, instruction: str = "do it") -> Any:
    editor.open(TEXT, uri=(uri := f"file:///project/{len(editor.buffers)}.py"))
    return await editor.edit(4, instruction, uri=uri)


def budget(**keys: int) -> str:
    return "[budget]\n" + "".join(f"{key} = {value}\n" for key, value in keys.items())


@pytest.mark.security("R13")
async def test_an_edit_beyond_the_daily_budget_is_not_sent(tmp_path: Path, server: ScriptedServer) -> None:
    async with editor_on(tmp_path, {"lab": server.base_url}, Time(), more=budget(edits_per_day=2)) as editor:
        assert [(await fresh_edit(editor))["outcome"] for _ in range(2)] == ["applied", "applied"]
        result = await editor.edit(4)
        assert (result["outcome"], result["reason"]["code"]) == ("failed", "budget")
        assert result["reason"]["message"] == (
            "today's budget of 2 edits is used up; it resets at midnight, or raise edits_per_day under [budget] "
            f"in {tmp_path / 'config.toml'}"
        )
        assert (len(server.requests), editor.buffers[URI].text) == (2, TEXT)


@pytest.mark.security("R13")
async def test_tokens_in_and_out_are_counted(tmp_path: Path, server: ScriptedServer) -> None:
    async with editor_on(
        tmp_path, {"lab": server.base_url}, Time(), more=budget(tokens_per_day=101)
    ) as editor:
        assert (await fresh_edit(editor))["outcome"] == "applied", "the edit began within the budget"
        assert (await fresh_edit(editor))["reason"]["code"] == "budget"


@pytest.mark.security("R13")
async def test_unreported_tokens_are_estimated_from_the_length(tmp_path: Path) -> None:
    async with (
        ScriptedServer(lambda _: Script(NEW, faults=(Drop(30),))) as server,
        editor_on(tmp_path, {"lab": server.base_url}, Time(), more=budget(tokens_per_day=300)) as editor,
    ):
        assert (await fresh_edit(editor))["reason"]["code"] == "model-protocol"
        assert (await fresh_edit(editor))["reason"]["code"] == "budget"


async def test_a_second_editor_shares_the_budget(tmp_path: Path, server: ScriptedServer) -> None:
    lane, more = {"lab": server.base_url}, budget(edits_per_day=1)
    async with (
        editor_on(tmp_path, lane, Time(), more=more) as one,
        editor_on(tmp_path, lane, Time(), more=more) as other,
    ):
        assert (await one.edit(4))["outcome"] == "applied"
        assert (await other.edit(4))["reason"]["code"] == "budget"


async def test_an_instruction_counts_once_for_all_its_requests(tmp_path: Path) -> None:
    busy = Script(faults=(Reply(503),))
    async with (
        ScriptedServer([busy, busy, Script(NEW), Script(NEW)]) as server,
        editor_on(tmp_path, {"lab": server.base_url}, Time(), more=budget(edits_per_day=2)) as editor,
    ):
        assert [(await fresh_edit(editor))["outcome"] for _ in range(2)] == ["applied", "applied"]


BUSY, BROKEN = Script(faults=(Reply(503),)), Script(OLD.replace("def total(", "def total(("))


def make_free(editor: Editor, name: str) -> None:
    """Treat a provider of the config like one found on this machine."""
    assert editor.server.session
    source = editor.server.session.source
    source.configured = {
        mode: tuple(replace(each, origin="local") if each.provider == name else each for each in lane)
        for mode, lane in source.configured.items()
    }
    found = FoundProvider(name, "local", {"lightning": "m", "deep": "m"}, is_cloud=False)
    source._found = [(found, source.providers[name])]


@pytest.mark.security("R13")
@pytest.mark.parametrize("failing", [[BUSY] * 3, [BROKEN, BUSY, BUSY]], ids=["busy", "answer to mend"])
async def test_a_paid_request_after_a_free_one_is_checked_and_counted(
    tmp_path: Path, server: ScriptedServer, failing: list[Script]
) -> None:
    async with (
        ScriptedServer(failing * 2) as free,
        editor_on(
            tmp_path,
            {"free": free.base_url, "lab": server.base_url},
            time := Time(),
            more=budget(edits_per_day=1),
        ) as editor,
    ):
        make_free(editor, "free")
        assert (await fresh_edit(editor))["provider"] == "lab"
        assert editor.server.session
        assert editor.server.session.models.spending.today().edits == 1
        time.now += 3600
        result = await fresh_edit(editor)
        assert (result["outcome"], result["reason"]["code"]) == ("failed", "budget")
        assert len(server.requests) == 1


async def test_the_built_in_engine_costs_nothing(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text(BUILTIN + budget(edits_per_day=1))
    async with await Editor.started(environ={"TWOSPEED_CONFIG": str(config)}) as editor:
        for _ in range(3):
            result = await fresh_edit(editor, "rename result to amount")
            assert (result["outcome"], result["provider"]) == ("applied", "builtin")


async def test_a_running_edit_is_not_cut_off_by_the_budget(tmp_path: Path, server: ScriptedServer) -> None:
    async with editor_on(
        tmp_path, {"lab": server.base_url}, Time(), more=budget(edits_per_day=1, tokens_per_day=1)
    ) as editor:
        result = await editor.edit(4)
        assert (result["outcome"], editor.buffers[URI].text) == ("applied", EDITED)
