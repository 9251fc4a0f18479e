"""VS Code's real workbench edits through the real server, with a scripted model: what `inside.ts` finds there."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from pathlib import Path

import pytest

from twospeed.models.script import Script
from twospeed.models.scripted_server import RecordedRequest, ScriptedServer

pytestmark = pytest.mark.journey

if "TWOSPEED_WORKBENCH" not in os.environ:
    pytest.skip("the workbench is not installed: make test-vscode", allow_module_level=True)

WORKBENCH = Path(os.environ["TWOSPEED_WORKBENCH"])
NODE = WORKBENCH / "bin/node"
HERE = Path(__file__).parent
FIXTURES = HERE / "fixtures"

LIMIT_S = 300
END_S = 10
"""How long processes may take to follow the workbench into its end."""

PACES = {"fast": 100, "slow": 40}
"""Tokens per second, by model: two seconds and a half for the answer, and time to type in."""

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
    "files.hotExit": "off",
    "git.enabled": False,
    "workbench.startupEditor": "none",
}
MACHINE_SETTINGS = {"twospeed.command": [sys.executable, "-P", "-m", "twospeed"]}


def answer() -> str:
    """Wrap the function as it is to be, the way models do."""
    after = (FIXTURES / "after.txt").read_text("utf-8")
    function = after[after.index("def receipt") : after.index("def owed")].rstrip()
    return f"Here it is:\n\n```python\n{function}\n```\n"


def play(request: RecordedRequest) -> Script:
    return Script(answer(), tokens_per_second=PACES[request.model], first_token_s=0.1)


def furnish(scratch: Path, base_url: str) -> None:
    """Lay out what the workbench and the server find: settings, a config, an empty project."""
    files = {
        "code-server.yaml": "auth: none\n",
        "config.toml": CONFIG.format(base_url=base_url),
        "user/User/settings.json": json.dumps(USER_SETTINGS),
        "user/Machine/settings.json": json.dumps(MACHINE_SETTINGS),
    }
    for name, text in files.items():
        path = scratch / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
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


async def test_the_workbench_streams_while_somebody_types(tmp_path):
    async with ScriptedServer(play) as model:
        furnish(tmp_path, model.base_url)
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
