"""Sensitive code is edited by lightning mode with a finding, or by deep mode, as configured."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.scenarios.editor import Editor
from tests.scenarios.model_lanes import with_lanes

from twospeed.testing.scripted_model import ScriptedModel, scripted_answer

TEXT = """\
from subprocess import run


def total(items):
    return sum(items)


def sign_in(user, password):
    return user.check(password)


def build(target):
    # what is said of a password here counts for nothing
    return run(["make", target])
"""
LOGIN, PLAIN, BUILD = 7, 3, 11


def scope_at(line: int) -> str:
    return TEXT[len("".join(TEXT.splitlines(keepends=True)[:line])) :].partition("\n\n\n")[0].rstrip() + "\n"


async def edited(editor: Editor, line: int, **more: Any) -> Mapping[str, Any]:
    editor.open(TEXT)
    editor.serve(
        ScriptedModel(scripted_answer(scope_at(line).replace("return", "return  # mended\n    return")))
    )
    result: Mapping[str, Any] = await editor.edit(line, **more)
    return result


def codes(result: Mapping[str, Any]) -> list[str]:
    return [each["code"] for each in result["findings"]]


async def test_a_lightning_edit_of_a_login_is_applied_and_deep_is_offered(tmp_path: Path) -> None:
    async with with_lanes(tmp_path) as editor:
        result = await edited(editor, LOGIN)
        assert (result["outcome"], result["mode"]) == ("applied", "lightning")
        assert result["route"] == "mode; sensitive: authentication, Deep is offered"
        [finding] = result["findings"]
        assert (finding["code"], finding["severity"]) == ("sensitive-code", 3)
        assert finding["message"] == "this code concerns authentication (password); consider deep mode for it"
        changed = editor.messages("twospeed/editChanged")
        assert {each["route"] for each in changed} == {result["route"]}


async def test_sensitive_code_uses_deep_if_the_settings_say_so(tmp_path: Path) -> None:
    async with with_lanes(tmp_path, more='[gate]\nsensitive = "deep"\n') as editor:
        result = await edited(editor, LOGIN)
        assert (result["outcome"], result["mode"]) == ("applied", "deep")
        assert result["route"] == "sensitive: authentication"
        assert codes(result) == []
        assert {each["mode"] for each in editor.messages("twospeed/editChanged")} == {"deep"}


async def test_other_code_stays_in_lightning(tmp_path: Path) -> None:
    async with with_lanes(tmp_path, more='[gate]\nsensitive = "deep"\n') as editor:
        result = await edited(editor, PLAIN)
        assert (result["mode"], result["route"], codes(result)) == ("lightning", "mode", [])


async def test_an_imported_name_is_sensitive_and_a_comment_is_not(
    tmp_path: Path,
) -> None:
    async with with_lanes(tmp_path) as editor:
        result = await edited(editor, BUILD)
        assert result["route"] == "mode; sensitive: commands, Deep is offered"


async def test_deep_mode_gets_no_sensitivity_message(tmp_path: Path) -> None:
    async with with_lanes(tmp_path) as editor:
        result = await edited(editor, LOGIN, mode="deep")
        assert (result["route"], codes(result)) == ("mode", [])


async def test_the_sensitivity_check_can_be_disabled(tmp_path: Path) -> None:
    async with with_lanes(tmp_path, more='[gate]\nsensitive = "off"\n') as editor:
        result = await edited(editor, LOGIN)
        assert (result["route"], codes(result)) == ("mode", [])


async def test_sensitive_code_stays_in_lightning_if_deep_is_not_ready(tmp_path: Path) -> None:
    async with with_lanes(tmp_path, deep="builtin", more='[gate]\nsensitive = "deep"\n') as editor:
        result = await edited(editor, LOGIN)
        assert (result["outcome"], result["mode"]) == ("applied", "lightning")
        assert result["route"] == "mode; sensitive: authentication, Deep is not ready"
        assert codes(result) == ["sensitive-code"]


@pytest.mark.parametrize("line", [LOGIN, PLAIN])
async def test_lines_that_an_edit_adds_are_counted_for_the_day(tmp_path: Path, line: int) -> None:
    async with with_lanes(tmp_path) as editor:
        await edited(editor, line)
        today = (await editor.request("twospeed/status", {}))["today"]
        assert today["linesAdded"] == editor.messages("twospeed/editChanged")[-1]["stats"]["linesAdded"] == 1


async def test_an_edit_that_was_sent_to_deep_is_repaired_there(tmp_path: Path) -> None:
    async with with_lanes(tmp_path, more='[gate]\nsensitive = "deep"\n') as editor:
        editor.open(TEXT)
        fine = scope_at(LOGIN).replace("check", "verify")
        model = ScriptedModel(scripted_answer(fine.replace("verify(", "verify((")), scripted_answer(fine))
        editor.serve(model)
        result = await editor.edit(LOGIN)
        assert (result["outcome"], result["mode"]) == ("applied", "deep")
        assert result["route"] == "sensitive: authentication"
        assert len(model.requests) == 2
