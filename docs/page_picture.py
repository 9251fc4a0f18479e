"""Make the pictures of the browser page, with a real browser, a real server and recorded answers.

    .venv/bin/python docs/page_picture.py

It needs the same as ``make test-web``: Chromium, and ``editors/web/node_modules``.
"""  # noqa: INP001  # a script, not a package

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
import tempfile
from asyncio.subprocess import PIPE
from pathlib import Path

from twospeed.testing.script import Script
from twospeed.testing.scripted_server import RecordedRequest, ScriptedServer

DOCS = Path(__file__).parent
RECORDED = DOCS.parent / "examples/recorded/stock.txt"
ELIDED = DOCS.parent / "tests/editors/vscode/fixtures/elided.txt"
PACES = {"fast-1000": 1000.0, "deep-65": 65.0}
CONFIG = """\
[[lanes.lightning]]
provider = "simulated"
model = "fast-1000"
[[lanes.deep]]
provider = "simulated"
model = "deep-65"
[providers.simulated]
api = "chat"
base_url = "{base_url}"
"""


def play(request: RecordedRequest) -> Script:
    """Stream a recorded answer at the speed of the requested model; one instruction gets a refused answer."""
    answer = ELIDED if "most urgent first" in json.dumps(request.body["messages"]) else RECORDED
    return Script(answer.read_text("utf-8"), tokens_per_second=PACES[request.model], first_token_s=0.1)


async def main() -> None:
    """Make the pictures."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("a browser is needed: Chromium")
    with tempfile.TemporaryDirectory() as folder:
        async with ScriptedServer(play) as model:
            config = Path(folder) / "config.toml"
            config.write_text(CONFIG.format(base_url=model.base_url))
            environment = {
                **os.environ,
                "TWOSPEED_CONFIG": str(config),
                "XDG_STATE_HOME": folder,
                "TWOSPEED_CHROMIUM": chromium,
            }
            command = (sys.executable, "-P", "-m", "twospeed", "web")
            server = await asyncio.create_subprocess_exec(*command, env=environment, stderr=PIPE)
            try:
                assert server.stderr
                address = (await server.stderr.readline()).decode().split()[2]
                camera = await asyncio.create_subprocess_exec(
                    "node", DOCS / "page_picture.mjs", address, DOCS, env=environment
                )
                if await camera.wait():
                    sys.exit("no pictures were made")
            finally:
                server.terminate()
                await server.communicate()


if __name__ == "__main__":
    asyncio.run(main())
