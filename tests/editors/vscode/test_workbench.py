"""VS Code's real workbench edits through the real server, with a scripted model: what `inside.ts` finds there."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import shlex
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.editors.conformance.wire import wire

from twospeed.models.script import Script
from twospeed.models.scripted_server import RecordedRequest, ScriptedServer

pytestmark = pytest.mark.journey

if "TWOSPEED_WORKBENCH" not in os.environ:
    pytest.skip("the workbench is not installed: make test-vscode", allow_module_level=True)

WORKBENCH = Path(os.environ["TWOSPEED_WORKBENCH"])
NODE = WORKBENCH / "bin/node"
HERE = Path(__file__).parent
FIXTURES = HERE / "fixtures"

LIMIT_S = 600
END_S = 10
"""How long processes may take to follow the workbench into its end."""

PACES = {"fast": 100, "slow": 40}
"""Tokens per second, by model: two seconds and a half for the answer, and time to type in."""

NAMING = '    if customer:\n        lines.append("für " + customer)\n'

CONFIG = """\
[[lanes.lightning]]
provider = "scripted"
model = "fast"
[[lanes.deep]]
provider = "scripted"
model = "slow"
[providers.scripted]
api = "chat"
base_url = "{base_url}"
"""
USER_SETTINGS = {
    "chat.disableAIFeatures": True,
    "editor.autoIndent": "none",
    "editor.autoClosingBrackets": "never",
    "editor.autoClosingQuotes": "never",
    "editor.quickSuggestions": {"other": "off", "comments": "off", "strings": "off"},
    "files.autoSave": "off",
    "files.hotExit": "off",
    "git.enabled": False,
    "workbench.startupEditor": "none",
}
PROGRAM = """\
#!/bin/sh
[ "$1" = serve ] && exec {tapped}
exec {python} -P -m twospeed "$@"
"""
"""What the extension is told to start: the server is listened to, everything else is run as it is."""


BEFORE, AFTER = ((FIXTURES / name).read_text("utf-8") for name in ("before.txt", "after.txt"))


def function(text: str, name: str) -> str:
    return text[text.index(f"def {name}") :].partition("\n\n\n")[0].rstrip()


def fenced(code: str) -> str:
    return f"Here it is:\n\n```python\n{code}\n```\n"


RECEIPT, OWED = function(BEFORE, "receipt"), function(BEFORE, "owed")
_numbers = itertools.count(1)


def _with_note(note: str) -> str:
    return fenced(OWED.replace("return", f"# {note}\n    return"))


def _followed(request: RecordedRequest) -> str:
    is_told = "say the mode" in json.dumps(request.body["messages"])
    return _with_note("after it" if is_told else "after nothing")


def _broken(request: RecordedRequest) -> str:
    return fenced(OWED.replace("items):", "items:")) if request.model == "fast" else _with_note("mended")


def _hiding(request: RecordedRequest) -> str:
    is_looked_over = request.model == "slow"
    return "2: bug: this note says nothing" if is_looked_over else _with_note("no\u200bte")


ANSWERS: dict[str, Callable[[RecordedRequest], str]] = {
    "add the tax": lambda _: fenced(function(AFTER, "receipt")),
    "rather shout": lambda _: fenced(RECEIPT.replace('"total "', '"TOTAL "')),
    "drop the name": lambda _: fenced(RECEIPT.replace(NAMING, "")),
    "whole file": lambda _: fenced(BEFORE.replace("0.2", "0.25")),
    "only the rate": lambda _: fenced("RATE = 0.25"),
    "vary it": lambda _: _with_note(f"answer {next(_numbers)}"),
    "say the mode": lambda request: _with_note(request.model),
    "go on": _followed,
    "break it": _broken,
    "hide something": _hiding,
}
"""What the model says, by a piece of the instruction."""

AT_A_PACE = ("add the tax",)
"""Answers that are to be seen as they stream in; the others come at once."""


def play(request: RecordedRequest) -> Script:
    """Answer the instruction that was given last."""
    told = json.dumps(request.body["messages"])
    instruction = max(ANSWERS, key=told.rfind)
    pace = PACES[request.model] if instruction in AT_A_PACE else 0
    return Script(ANSWERS[instruction](request), tokens_per_second=pace, first_token_s=0.1)


def furnish(scratch: Path, base_url: str, tapped: Sequence[str]) -> None:
    """Lay out what the workbench and the server find: settings, a config, an empty project."""
    files = {
        "code-server.yaml": "auth: none\n",
        "config.toml": CONFIG.format(base_url=base_url),
        "user/User/settings.json": json.dumps(USER_SETTINGS),
        "user/Machine/settings.json": json.dumps({"twospeed.command": [str(scratch / "program")]}),
        "program": PROGRAM.format(tapped=shlex.join(tapped), python=shlex.quote(sys.executable)),
    }
    for name, text in files.items():
        path = scratch / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    (scratch / "program").chmod(0o755)
    (scratch / "project").mkdir()


def started_for(scratch: Path) -> set[int]:
    """Find the processes that know of this folder: their environment, which they inherit, names it."""
    mark = f"TWOSPEED_SCRATCH={scratch}".encode()
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if mark in (folder / "environ").read_bytes().split(b"\0"):
                found.add(int(folder.name))
    return found


async def until_none_runs(scratch: Path) -> None:
    while started_for(scratch):  # noqa: ASYNC110 - nobody tells of the end of a process that is not ours
        await asyncio.sleep(0.05)


async def test_the_extension_keeps_its_promises_in_the_workbench(tmp_path):
    async with ScriptedServer(play) as model, wire(tmp_path) as told:
        furnish(tmp_path, model.base_url, told.command)
        environment = {
            **os.environ,
            "TWOSPEED_CONFIG": str(tmp_path / "config.toml"),
            "TWOSPEED_FIXTURES": str(FIXTURES),
            "TWOSPEED_SCRATCH": str(tmp_path),
        }
        try:
            workbench = await asyncio.create_subprocess_exec(NODE, HERE / "workbench.mjs", env=environment)
            status = await asyncio.wait_for(workbench.wait(), LIMIT_S)
            await asyncio.wait_for(until_none_runs(tmp_path), END_S)
        finally:
            for process_id in started_for(tmp_path):
                os.kill(process_id, signal.SIGKILL)
    assert status == 0, f"see {tmp_path / 'screen.png'} and {tmp_path / 'code-server.log'}"
    assert told.from_editor("twospeed/prepare"), "nobody said that an edit is likely"
