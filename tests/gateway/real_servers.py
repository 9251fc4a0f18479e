"""Servers that others wrote, in processes of their own: llama.cpp with a tiny model, LiteLLM in front of any."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

KEY = "lab-key-0123456789abcdef"
KEY_VARIABLE = "LLAMA_LAB_KEY"
LITELLM = os.environ.get("TWOSPEED_LITELLM", "")
"""Its program, in an environment of its own: it wants other versions of what we use."""

MODEL = "tiny-random"
_STARTED = b"Uvicorn running on"


@dataclass(frozen=True)
class RealServer:
    """A server that runs.

    Attributes:
        port: Where it listens on 127.0.0.1.
        process: Its process; a test may kill it.
    """

    port: int
    process: asyncio.subprocess.Process

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    async def kill(self) -> None:
        """End it as a crash would."""
        self.process.kill()
        await self.process.wait()


@asynccontextmanager
async def llama_server(
    folder: Path, *, recited: Sequence[str] = (), key: str = ""
) -> AsyncIterator[RealServer]:
    """Run llama.cpp, which ends when its stdin does."""
    process = await asyncio.create_subprocess_exec(
        *[sys.executable, "-m", "tests.gateway.llama_server", str(folder), *recited],
        env={**os.environ, KEY_VARIABLE: key},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdin
    assert process.stdout
    try:
        address = await asyncio.wait_for(process.stdout.readline(), 30)
        port = urlsplit(address.decode().strip()).port
        assert port, "the server did not start; its stderr says why"
        yield RealServer(port, process)
        if process.returncode is None:
            process.stdin.close()
            assert await asyncio.wait_for(process.wait(), 60) == 0
    finally:
        await _end(process)


@asynccontextmanager
async def litellm_proxy(folder: Path, base_urls: Sequence[str]) -> AsyncIterator[RealServer]:
    """Run LiteLLM in front of backends, each of which serves the model; `KEY` is its own key."""
    backends = [
        {
            "model_name": MODEL,
            "litellm_params": {"model": f"openai/{MODEL}", "api_base": url, "api_key": "none"},
        }
        for url in base_urls
    ]
    config = {
        "model_list": backends,
        "router_settings": {"num_retries": 2},
        "general_settings": {"master_key": f"sk-{KEY}"},
    }
    path = folder / "litellm.yaml"
    path.write_text(json.dumps(config))  # JSON is YAML
    port = _free_port()
    process = await asyncio.create_subprocess_exec(
        *[LITELLM, "--config", str(path), "--host", "127.0.0.1", "--port", str(port)],
        env={"PATH": os.environ["PATH"], "HOME": str(folder), "LITELLM_LOCAL_MODEL_COST_MAP": "True"},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    assert process.stdout
    started = asyncio.Event()
    reading = asyncio.create_task(_read_to_the_end(process.stdout, started))
    try:
        await asyncio.wait_for(started.wait(), 120)
        yield RealServer(port, process)
    finally:
        await _end(process)
        await reading


async def _read_to_the_end(output: asyncio.StreamReader, started: asyncio.Event) -> None:
    while line := await output.readline():
        if _STARTED in line:
            started.set()


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.kill()
        await process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
