"""What it saves to be connected before an edit is asked for: time to the first token over TLS, 30 ms away.

The client is ours, as an edit uses it; the provider answers at once, so the way there is all that is measured. Every
round asks once over a new connection, once over one that was made ahead, and once more over the same.
"""

from __future__ import annotations

import asyncio
import os
import ssl
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median
from time import perf_counter

from aiohttp import web
from benchmarks.far_away import ROUND_TRIP_S, far_away
from benchmarks.table import Row, print_tables, spread, wants_json

from twospeed.models.base import EditTask, Message, ModelRequest, ProviderSettings, TextDelta
from twospeed.models.connections import Connections
from twospeed.models.http_model import HttpModel
from twospeed.models.script import Inject, Script, Token
from twospeed.models.script_chat import streamed

PROMPT_KB = (2, 16, 64)
RUNS = 15
_TRUSTED = "SSL_CERT_FILE"
_KEY_FILE = "BENCHMARK_KEY_FILE"


def main() -> None:
    """Run in a process that trusts a certificate made for this run."""
    if _KEY_FILE in os.environ:
        as_json = wants_json(__doc__)
        print_tables({"Connect": asyncio.run(measure())}, as_json=as_json)
        return
    with tempfile.TemporaryDirectory() as folder:
        certificate, key = Path(folder, "certificate.pem"), Path(folder, "key.pem")
        subprocess.run(
            ["openssl", "req", "-x509", "-nodes", "-days", "2", "-newkey", "ec", "-pkeyopt",
             "ec_paramgen_curve:P-256", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
             "-keyout", str(key), "-out", str(certificate)],
            check=True, capture_output=True,
        )  # fmt: skip
        environ = {**os.environ, _TRUSTED: str(certificate), _KEY_FILE: str(key)}
        subprocess.run(
            [sys.executable, "-m", "benchmarks.bench_connect", *sys.argv[1:]], env=environ, check=True
        )


async def measure() -> list[Row]:
    """Measure all sizes."""
    async with provider() as near, far_away(near) as port:
        settings = ProviderSettings("far", "chat", f"https://localhost:{port}/v1")
        loaded = Connections()
        await first_token(loaded, settings, 1)  # what is loaded once
        await loaded.aclose()
        return [row for n_kb in PROMPT_KB for row in await compare(settings, n_kb)]


async def compare(settings: ProviderSettings, n_kb: int) -> list[Row]:
    """Measure one size of prompt, the ways in turn."""
    times: dict[str, list[float]] = {"new connection": [], "made ahead": [], "right after": []}
    for _ in range(RUNS):
        connections = Connections()
        times["new connection"].append(await first_token(connections, settings, n_kb))
        await connections.aclose()
        connections = Connections()
        await connections.connect(settings)
        await asyncio.sleep(ROUND_TRIP_S)  # as long as nobody needs to type
        times["made ahead"].append(await first_token(connections, settings, n_kb))
        times["right after"].append(await first_token(connections, settings, n_kb))
        await connections.aclose()
    cold_ms = median(times["new connection"])
    return [
        {
            "prompt KB": n_kb,
            "connection": name,
            "n": RUNS,
            **spread("first token ms", ms),
            "saved %": 100 * (1 - median(ms) / cold_ms),
        }
        for name, ms in times.items()
    ]


async def first_token(connections: Connections, settings: ProviderSettings, n_kb: int) -> float:
    """Ask for an answer; gives the milliseconds until its first token."""
    request = ModelRequest(
        (Message("user", "x = 1  # code\n" * (n_kb * 1024 // 14)),),
        EditTask("", "python", "", None, lambda _: True),
        max_output_tokens=64,
    )
    started = perf_counter()
    first_ms = 0.0
    async for event in HttpModel(settings, "m", connections=connections).stream(request):
        if isinstance(event, TextDelta) and not first_ms:
            first_ms = 1000 * (perf_counter() - started)
    return first_ms


@asynccontextmanager
async def provider() -> AsyncIterator[int]:
    """Answer at once, over TLS; gives the port."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(os.environ[_TRUSTED], os.environ[_KEY_FILE])

    async def answer(request: web.Request) -> web.StreamResponse:
        await request.read()
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for step in streamed(Script("x = 1\n"), model="m", with_usage=True):
            assert isinstance(step, Token | Inject)
            await response.write(step.data)
        return response

    app = web.Application(client_max_size=2**24)
    app.router.add_post("/v1/chat/completions", answer)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context).start()
    yield runner.addresses[0][1]
    await runner.cleanup()


if __name__ == "__main__":
    main()
