"""``twospeed web`` as a real process: its address, what it serves, and its exit."""

from __future__ import annotations

import asyncio
import json
import sys
from asyncio.subprocess import PIPE
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession
from tests.e2e.server_process import listening_ports, said, status_within, told_to_everybody
from tests.lsp.transport.peer import LIMIT_S, initialize, request
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

pytestmark = pytest.mark.process

SOURCE = "def total(a, b):\n    return a + b\n"


async def exchange(line: ClientConnection, message: dict[str, object]) -> dict[str, Any]:
    await line.send(json.dumps(message))
    async with asyncio.timeout(LIMIT_S):
        while True:
            answer: dict[str, Any] = json.loads(await line.recv())
            if answer.get("id") == message["id"]:
                return answer


@pytest.mark.security("R6.1")
@pytest.mark.security("R6.2")
async def test_a_page_its_files_and_an_editor_share_a_port_of_loopback(tmp_path: Path) -> None:
    path = tmp_path / "shop.py"
    path.write_text(SOURCE)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", "twospeed", "web", str(path)), stderr=PIPE
    )
    try:
        address = (await said(process, "twospeed: open ")).removesuffix(" in a browser; Ctrl+C ends it")
        page, _, token = address.partition("#")
        port = int(page.rstrip("/").rpartition(":")[2])
        assert listening_ports(process.pid) == {port}
        assert token.encode() not in told_to_everybody(process.pid)

        async with ClientSession() as browser, browser.get(page) as answer:
            assert (answer.status, answer.content_type) == (200, "text/html")
            assert token not in await answer.text()

        protocols = [Subprotocol(f"twospeed.token.{token}")]
        async with connect(f"ws://127.0.0.1:{port}/files", subprotocols=protocols, proxy=None) as line:
            (file,) = (await exchange(line, {"id": 1, "method": "read"}))["files"]
            assert file["text"] == SOURCE
            saved = await exchange(
                line, {"id": 2, "method": "save", "uri": file["uri"], "text": SOURCE + "#\n"}
            )
        assert saved == {"id": 2}
        assert path.read_text() == SOURCE + "#\n"

        async with connect(f"ws://127.0.0.1:{port}/", subprotocols=protocols, proxy=None) as line:
            assert "result" in await exchange(line, initialize())
            assert "result" in await exchange(line, request(1, "twospeed/status", {}))
        process.terminate()
        assert await status_within(process, LIMIT_S) == 0
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()
