"""The built-in engine edits without a model, and the user knows why."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.lane_config import NOWHERE, lane
from tests.scenarios.editor import STREAMING, URI, Editor
from tests.scenarios.model_lanes import Time, editor_on, shown_to_person
from tests.scenarios.shop import TEXT

MODULE = """\
__all__ = ["area", "other"]


def area(w):
    return w


def other():
    return area(w=1)
"""


async def test_a_rename_of_an_exported_function_is_complete_and_has_no_findings() -> None:
    async with await Editor.started(STREAMING) as editor:
        editor.open(MODULE)
        narrow = await editor.edit(3, "rename area to size")
        assert (narrow["outcome"], editor.buffers[URI].text) == ("refused", MODULE)
        advice = "area is also used outside these lines; rename it with the whole file as the scope"
        assert narrow["reason"]["message"] == advice
        result = await editor.edit(3, "rename area to size", scope="file")
        assert (result["outcome"], result["findings"]) == ("applied", [])
        assert editor.buffers[URI].text == MODULE.replace("area", "size")


NO_KEY = "groq/m is not ready: no key in GROQ_API_KEY or the keyring"
RENAME = "rename result to amount"


@pytest.mark.parametrize("instruction", [RENAME, "add type hints"])
async def test_the_user_learns_before_the_first_change_that_the_engine_replaces_a_model_without_a_key(
    tmp_path: Path, instruction: str
) -> None:
    async with editor_on(tmp_path, {}, Time(), more=lane("lightning", "groq")) as editor:
        shown: list[list[str]] = []
        editor.before_apply = lambda editor: shown.append(shown_to_person(editor))
        editor.open(TEXT.replace("(items", "(items, n=1"), uri=(first := "file:///project/first.py"))
        result = await editor.edit(4, instruction, uri=first)
        assert (result["outcome"], result["provider"]) == ("applied", "builtin")
        assert result["route"].startswith("mode; skipped groq/m: no key in GROQ_API_KEY")
        assert len(shown[0]) == 1
        assert shown[0][0].startswith(f"⚡ {NO_KEY}")
        assert shown[0][0].endswith(". builtin/rules is used instead")
        editor.open(TEXT, uri=(second := "file:///project/second.py"))
        assert (await editor.edit(4, RENAME, uri=second))["outcome"] == "applied"
        assert len(shown_to_person(editor)) == 1, "once in a session"


async def test_a_refusal_of_the_engine_says_once_why_it_replaced_the_model(tmp_path: Path) -> None:
    async with editor_on(tmp_path, {}, Time(), more=lane("lightning", "groq")) as editor:
        result = await editor.edit(4, "make it faster")
        assert result["outcome"] == "refused"
        assert result["reason"]["message"].startswith(NO_KEY)
        assert shown_to_person(editor) == []


@pytest.mark.parametrize("instruction", [RENAME, "add type hints"])
async def test_a_model_whose_server_is_down_is_not_replaced_by_the_engine(
    tmp_path: Path, instruction: str
) -> None:
    async with editor_on(tmp_path, {"lab": NOWHERE}, Time()) as editor:
        for _ in range(2):
            result = await editor.edit(4, instruction)
            assert (result["outcome"], result["provider"]) == ("failed", "lab")
            assert result["reason"]["message"] == "no connection to 127.0.0.1:9"
        assert editor.buffers[URI].text == TEXT


async def test_without_a_configured_model_the_engine_is_used_without_a_message(tmp_path: Path) -> None:
    async with editor_on(tmp_path, {}, Time()) as editor:
        assert (await editor.edit(4, RENAME))["provider"] == "builtin"
        assert shown_to_person(editor) == []
