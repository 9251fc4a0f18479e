"""VS Code's real workbench edits through the real server, with a scripted model: what `inside.ts` finds there."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from tests.editors.conformance.wire import TWOSPEED
from tests.editors.vscode.code_server import code_server, furnish

from twospeed.models.script import Script
from twospeed.models.scripted_server import RecordedRequest, ScriptedServer

pytestmark = pytest.mark.journey

if "TWOSPEED_WORKBENCH" not in os.environ:
    pytest.skip("the workbench is not installed: make test-vscode", allow_module_level=True)

HERE = Path(__file__).parent
FIXTURES = HERE / "fixtures"

LIMIT_S = 300
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


def answer() -> str:
    """Wrap the function as it is to be, the way models do."""
    after = (FIXTURES / "after.txt").read_text("utf-8")
    function = after[after.index("def receipt") : after.index("def owed")].rstrip()
    return f"Here it is:\n\n```python\n{function}\n```\n"


def play(request: RecordedRequest) -> Script:
    return Script(answer(), tokens_per_second=PACES[request.model], first_token_s=0.1)


async def test_the_workbench_streams_while_somebody_types(tmp_path):
    (tmp_path / "project").mkdir()
    furnish(tmp_path, {"twospeed.command": TWOSPEED})
    async with ScriptedServer(play) as model:
        (tmp_path / "config.toml").write_text(CONFIG.format(base_url=model.base_url))
        environment = {
            **os.environ,
            "TWOSPEED_CONFIG": str(tmp_path / "config.toml"),
            "TWOSPEED_FIXTURES": str(FIXTURES),
            "TWOSPEED_HANDS": str(tmp_path / "hands"),
            "TWOSPEED_SCRATCH": str(tmp_path),
        }
        async with code_server(tmp_path, environment) as address:
            browser = await asyncio.create_subprocess_exec(
                "node", HERE / "workbench.mjs", env={**environment, "TWOSPEED_ADDRESS": address}
            )
            status = await asyncio.wait_for(browser.wait(), LIMIT_S)
    assert status == 0, f"see {tmp_path / 'screen.png'} and {tmp_path / 'code-server.log'}"
