"""A llama.cpp model whose process dies or cannot run, as an editor observes it."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.models.llama.test_llama_process import FAKE, is_running, starts
from tests.scenarios.editor import STREAMING, URI, Editor
from tests.scenarios.shop import EDITED, NEW, TEXT

from twospeed.models.llama import llama_model

# Only the config of these tests names a model file, for which the server starts a process.
pytestmark = [pytest.mark.process, pytest.mark.usefixtures("any_process")]

LINES = NEW.splitlines(keepends=True)


@pytest.fixture
def gguf(tmp_path: Path) -> Path:
    return tmp_path / "tiny.gguf"


@pytest.fixture
async def editor(tmp_path: Path, gguf: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Editor]:
    monkeypatch.setattr(llama_model, "CHILD", FAKE)
    monkeypatch.setattr(llama_model, "_is_installed", lambda: True)
    plays(gguf)
    config = tmp_path / "config.toml"
    config.write_text(
        '[[lanes.lightning]]\nprovider = "mine"\nmodel = "tiny"\n'
        f'[providers.mine]\napi = "llama"\ngguf = "{gguf}"\n'
    )
    async with await Editor.started(STREAMING, environ={"TWOSPEED_CONFIG": str(config)}) as editor:
        editor.open(TEXT)
        yield editor


def plays(gguf: Path, says: list[str] = LINES, **play: object) -> None:
    gguf.write_text(json.dumps({"says": says, **play}))


def outcomes(editor: Editor, edit_id: str) -> set[Any]:
    told = [each for each in editor.messages("twospeed/editChanged") if each["editId"] == edit_id]
    return {each["outcome"] for each in told if each["outcome"]}


async def test_an_edit_starts_the_model_process(editor: Editor, gguf: Path) -> None:
    assert starts(gguf) == []
    result = await editor.edit(3)
    assert (result["outcome"], result["provider"], result["model"]) == ("applied", "mine", "tiny")
    assert editor.buffers[URI].text == EDITED


async def test_a_child_killed_between_edits_is_restarted_unnoticed(editor: Editor, gguf: Path) -> None:
    await editor.edit(3)
    os.kill(starts(gguf)[0]["pid"], signal.SIGKILL)
    editor.open(TEXT)
    assert (await editor.edit(3))["outcome"] == "applied"
    assert editor.buffers[URI].text == EDITED
    assert not editor.messages("window/showMessage")


async def test_a_child_killed_while_it_writes_leaves_the_old_text_and_the_next_edit_works(
    editor: Editor, gguf: Path
) -> None:
    plays(gguf, LINES[:4], then="wait")
    _, answer = editor.ask("twospeed/edit", editor.edit_params(3, editId="k1"))
    await editor.wait_for(lambda: editor.buffers[URI].text != TEXT)
    os.kill(starts(gguf)[0]["pid"], signal.SIGKILL)
    result = await answer
    assert (result["outcome"], outcomes(editor, "k1")) == ("failed", {"failed"})
    assert "the process that serves mine ended" in result["reason"]["message"]
    assert editor.buffers[URI].text == TEXT
    plays(gguf)
    assert (await editor.edit(3))["outcome"] == "applied"
    assert editor.buffers[URI].text == EDITED


async def test_the_child_ends_with_the_session(editor: Editor, gguf: Path) -> None:
    await editor.edit(3)
    await editor.server.aclose()
    assert not is_running(starts(gguf)[0]["pid"])


async def test_the_lane_reports_why_the_model_cannot_run(
    editor: Editor, gguf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gguf.unlink()  # noqa: ASYNC240  # a small file
    status = await editor.request("twospeed/status", {})
    assert status["lanes"]["lightning"][0]["reason"] == f"no file {gguf}"
    monkeypatch.setattr(llama_model, "_is_installed", lambda: False)
    status = await editor.request("twospeed/status", {})
    assert status["lanes"]["lightning"][0]["reason"] == "xllamacpp is not installed"
    assert starts(gguf) == []
