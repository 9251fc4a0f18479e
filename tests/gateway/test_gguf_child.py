"""A GGUF that the user names, served by the real llama.cpp in a process of ours: edits, and what happens when it dies."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.shell import ANSWER, CODE, Shell
from tests.gateway.conftest import REQUEST
from tests.scenarios.editor import STREAMING, URI, Editor
from tests.scenarios.shop import EDITED, NEW, TEXT

from twospeed.errors import AnswerBrokeOff
from twospeed.lanes.open_model import open_model
from twospeed.models.base import Finished, Limits, ModelEvent, ModelRequest, ProviderSettings, TextDelta
from twospeed.models.http.connections import Connections
from twospeed.models.keys.key_store import KeyStore
from twospeed.models.llama.llama_model import LlamaProcess

MISSING = [name for name in ("xllamacpp", "gguf", "numpy") if find_spec(name) is None]

if MISSING:
    pytest.skip(f"{', '.join(MISSING)} not installed: make test-gateway", allow_module_level=True)

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("any_process")]


def config_for(folder: Path, *recited: str, model: str = "tiny") -> str:
    from tests.gateway.tiny_gguf import write_tiny_gguf  # noqa: PLC0415  # numpy, which may be missing

    write_tiny_gguf(folder / "tiny.gguf", recited)
    lanes = "".join(
        f'[[lanes.{mode}]]\nprovider = "mine"\nmodel = "{model}"\n' for mode in ("lightning", "deep")
    )
    return f'{lanes}[providers.mine]\napi = "llama"\ngguf = "{folder / "tiny.gguf"}"\ncontext_tokens = 8192\n'


@pytest.fixture
async def editor(tmp_path: Path) -> AsyncIterator[Editor]:
    config = tmp_path / "config.toml"
    config.write_text(config_for(tmp_path, *NEW.splitlines(keepends=True)))
    async with await Editor.started(STREAMING, environ={"TWOSPEED_CONFIG": str(config)}) as editor:
        editor.open(TEXT)
        yield editor


async def pid_of(editor: Editor) -> int:
    assert editor.server.session
    process: LlamaProcess = editor.server.session.models.connections._processes["mine"]
    return (await process.ready()).process.pid


async def edited(editor: Editor) -> Any:
    _, answer = editor.ask("twospeed/edit", editor.edit_params(3))
    return await answer


async def test_the_model_file_of_the_config_answers_an_edit(editor: Editor) -> None:
    result = await edited(editor)
    assert (result["outcome"], result["provider"], result["model"]) == ("applied", "mine", "tiny")
    assert editor.buffers[URI].text == EDITED
    assert result["stats"]["outputTokens"] >= len(NEW.splitlines())
    assert result["stats"]["inputTokens"] > 100


async def test_the_key_of_the_child_is_in_no_command_line_and_no_environment(editor: Editor) -> None:
    await edited(editor)
    proc = Path(f"/proc/{await pid_of(editor)}")
    assert editor.server.session
    running = await editor.server.session.models.connections._processes["mine"].ready()
    seen = (proc / "cmdline").read_bytes() + (proc / "environ").read_bytes()
    assert running.key.reveal().encode() not in seen


async def test_a_child_killed_between_two_edits_is_started_for_the_next(editor: Editor) -> None:
    await edited(editor)
    first = await pid_of(editor)
    os.kill(first, signal.SIGKILL)
    editor.open(TEXT)
    assert (await edited(editor))["outcome"] == "applied"
    assert editor.buffers[URI].text == EDITED
    assert await pid_of(editor) != first


async def test_a_child_killed_during_an_answer_ends_it_and_answers_the_next_request(
    tmp_path: Path, connections: Connections
) -> None:
    config_for(tmp_path)  # noise without an end
    settings = ProviderSettings("mine", "llama", "http://127.0.0.1", gguf=str(tmp_path / "tiny.gguf"))
    model = open_model(settings, "tiny", limits=Limits(), connections=connections, keys=KeyStore({}))
    request = replace(REQUEST, max_output_tokens=4000)

    async def read(request: ModelRequest, *, kills: bool) -> ModelEvent:
        async with aclosing(model.stream(request)) as events:
            async for event in events:
                if kills and isinstance(event, TextDelta):
                    os.kill((await connections.process(settings).ready()).process.pid, signal.SIGKILL)
        return event

    with pytest.raises(AnswerBrokeOff, match="the process that serves mine ended"):
        await read(request, kills=True)
    assert isinstance(await read(replace(request, max_output_tokens=5), kills=False), Finished)


async def test_a_child_killed_during_an_edit_causes_one_outcome_and_the_next_edit_works(
    tmp_path: Path,
) -> None:
    config = tmp_path / "config.toml"
    config.write_text(config_for(tmp_path) + "[limits]\nmax_output_tokens = 300\n")
    async with await Editor.started(STREAMING, environ={"TWOSPEED_CONFIG": str(config)}) as editor:
        editor.open(TEXT)
        _, answer = editor.ask("twospeed/edit", editor.edit_params(3, editId="k1"))
        await editor.wait_for(
            lambda: any(each["state"] == "running" for each in editor.messages("twospeed/editChanged"))
        )
        os.kill(await pid_of(editor), signal.SIGKILL)
        result = await answer
        outcomes = {each["outcome"] for each in editor.messages("twospeed/editChanged") if each["outcome"]}
        assert outcomes == {result["outcome"]}
        assert result["outcome"] in ("failed", "refused")
        assert editor.buffers[URI].text == TEXT
        config_for(tmp_path, *NEW.splitlines(keepends=True))
        os.kill(await pid_of(editor), signal.SIGKILL)
        assert (await edited(editor))["outcome"] == "applied"
        assert editor.buffers[URI].text == EDITED


async def test_doctor_names_the_model_file_and_tries_it(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    recited = ["```python\n", *ANSWER.splitlines(keepends=True), "```"]
    shell.configure(config_for(shell.folder, *recited))
    shell.file("shop.py", CODE)
    report = json.loads((await shell.run("doctor", "--json")).out)
    [mine] = [each for each in report["found"] if each["provider"] == "mine"]
    assert mine["place"] == str(shell.folder / "tiny.gguf")
    assert report["tried"]["lightning"]["served"] == "mine/tiny"
    run = await shell.run("edit", "shop.py:4", "explain", "--write")
    assert run.status == 0, run.err
    assert (shell.folder / "shop.py").read_text() == CODE.replace(
        CODE[CODE.index("def total") : CODE.index("\n\ndef other") - 1], ANSWER.rstrip("\n")
    )
