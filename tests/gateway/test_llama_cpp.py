"""The real llama.cpp server, with a tiny model that makes no sense: what crosses the wire is real, whatever it says."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import aclosing, asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from urllib.parse import urlsplit

import pytest
from tests.e2e.test_command_line import ANSWER, CODE, Shell, check_complaint

from twospeed.errors import InvalidKey
from twospeed.models.base import (
    EditTask,
    Finished,
    Limits,
    Message,
    Model,
    ModelEvent,
    ModelRequest,
    ProviderSettings,
    TextDelta,
    Usage,
)
from twospeed.models.connections import Connections
from twospeed.models.discovery import Place, find_local
from twospeed.models.key_store import KeyStore
from twospeed.models.registry import open_model

MISSING = [name for name in ("xllamacpp", "gguf", "numpy") if find_spec(name) is None]

if MISSING:
    pytest.skip(f"{', '.join(MISSING)} not installed: make test-gateway", allow_module_level=True)

pytestmark = pytest.mark.journey

NAME = "tiny-random"
KEY = "lab-key-0123456789abcdef"
KEY_VARIABLE = "LLAMA_LAB_KEY"
REQUEST = ModelRequest(
    messages=(Message("system", "You edit code."), Message("user", "add a docstring")),
    task=EditTask("add a docstring", "python", "def f():\n    pass\n", None, lambda _text: True),
    max_output_tokens=64,
)

OpenModel = Callable[..., Model]


@dataclass(frozen=True)
class LlamaServer:
    """Where it listens."""

    port: int

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"


@asynccontextmanager
async def llama_server(
    folder: Path, *, recited: Sequence[str] = (), key: str = ""
) -> AsyncIterator[LlamaServer]:
    """Run a server in a process of its own, which ends when its stdin does."""
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
        yield LlamaServer(port)
        process.stdin.close()
        assert await asyncio.wait_for(process.wait(), 10) == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


@pytest.fixture
async def noisy(tmp_path: Path) -> AsyncIterator[LlamaServer]:
    """A server whose model writes noise and never ends of itself."""
    async with llama_server(tmp_path) as server:
        yield server


@pytest.fixture
async def connections() -> AsyncIterator[Connections]:
    opened = Connections()
    yield opened
    await opened.aclose()


@pytest.fixture
def model_at(connections: Connections) -> OpenModel:
    """``model_at(server, **environ)``: its model, the key read from ``environ``."""

    def make(server: LlamaServer, **environ: str) -> Model:
        key_env = KEY_VARIABLE if environ else None
        settings = ProviderSettings("lab", "chat", server.base_url, key_env)
        return open_model(settings, NAME, limits=Limits(), connections=connections, keys=KeyStore(environ))

    return make


async def all_of(model: Model, request: ModelRequest = REQUEST) -> list[ModelEvent]:
    async with aclosing(model.stream(request)) as events:
        return [event async for event in events]


def text_of(events: Sequence[ModelEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


async def test_noise_streams_to_the_limit_of_tokens(noisy: LlamaServer, model_at: OpenModel) -> None:
    events = await all_of(model_at(noisy))
    usage, finished = events[-2:]
    assert finished == Finished("length")
    assert isinstance(usage, Usage)
    assert usage.output_tokens == REQUEST.max_output_tokens
    assert usage.input_tokens > 0
    assert len([event for event in events if isinstance(event, TextDelta)]) > 1


async def test_a_whole_answer_arrives_letter_by_letter_as_it_was_said(
    tmp_path: Path, model_at: OpenModel
) -> None:
    said = ["```python\n", "x = 'ä €'\n", "y = '🙂'\n", "```"]
    async with llama_server(tmp_path, recited=said) as server:
        events = await all_of(model_at(server))
    assert text_of(events) == "".join(said)
    assert events[-1] == Finished("stop")


async def test_closing_the_stream_frees_the_servers_only_slot(
    noisy: LlamaServer, model_at: OpenModel
) -> None:
    model, n_tokens, n_read = model_at(noisy), 4000, 50
    async with aclosing(model.stream(replace(REQUEST, max_output_tokens=n_tokens))) as events:
        await anext(events)
        started = perf_counter()
        for _ in range(n_read):
            await anext(events)
        rest_s = (perf_counter() - started) / n_read * (n_tokens - n_read)
    started = perf_counter()
    assert (await all_of(model, replace(REQUEST, max_output_tokens=1)))[-1] == Finished("length")
    assert perf_counter() - started < rest_s / 4


async def test_the_server_is_found_with_its_model(noisy: LlamaServer, connections: Connections) -> None:
    [found] = await find_local(connections, places=[Place("llamacpp", noisy.port)], timeout_s=2.0)
    assert (found.provider.name, found.provider.base_url) == ("llamacpp", noisy.base_url)
    assert (found.models, found.cloud, found.reason) == ((NAME,), False, "")
    others = [Place(name, noisy.port) for name in ("ollama", "lmstudio", "vllm")]
    assert await find_local(connections, places=others, timeout_s=2.0) == []


async def test_a_server_with_a_key_answers_to_that_key_alone(
    tmp_path: Path, model_at: OpenModel, connections: Connections
) -> None:
    async with llama_server(tmp_path, key=KEY) as server:
        for refused in (model_at(server), model_at(server, **{KEY_VARIABLE: "another-key"})):
            with pytest.raises(InvalidKey, match="key"):
                await all_of(refused)
        events = await all_of(model_at(server, **{KEY_VARIABLE: KEY}))
        assert events[-1] == Finished("length")
        assert await find_local(connections, places=[Place("llamacpp", server.port)], timeout_s=2.0) == []


# The command line


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@contextmanager
def unchanged(path: Path) -> Iterator[None]:
    """Check that a file keeps every byte, and gets no neighbour."""
    before = {each.name: each.read_bytes() for each in path.parent.iterdir()}
    yield
    assert {each.name: each.read_bytes() for each in path.parent.iterdir()} == before


@pytest.mark.parametrize("options", [(), ("--write",)], ids=["shown", "written"])
async def test_noise_is_refused_in_one_line_and_the_file_keeps_every_byte(
    shell: Shell, noisy: LlamaServer, options: tuple[str, ...]
) -> None:
    path = shell.file("cart.py")
    shell.configure(lane(noisy) + "[limits]\nmax_output_tokens = 200\n")
    with unchanged(path):
        run = await shell.run("edit", "cart.py:5", "explain the sum", *options)
    check_complaint(run, 1, "refused: ")


async def test_a_good_answer_of_the_real_server_lands_in_the_file(shell: Shell, tmp_path: Path) -> None:
    path = shell.file("cart.py")
    async with llama_server(tmp_path, recited=ANSWER.splitlines(keepends=True)) as server:
        shell.configure(lane(server))
        run = await shell.run("edit", "cart.py:5", "explain the sum", "--write")
    assert (run.status, run.err) == (0, "")
    assert path.read_text() == CODE.replace("    return sum", "    # prices, not parts\n    return sum")


async def test_a_server_that_wants_a_key_fails_the_edit_and_names_the_key(
    shell: Shell, tmp_path: Path
) -> None:
    path = shell.file("cart.py")
    async with llama_server(tmp_path, key=KEY) as server:
        shell.configure(lane(server))
        with unchanged(path):
            run = await shell.run("edit", "cart.py:5", "explain the sum", "--write")
    check_complaint(run, 3, "failed: ", "key")
    assert KEY not in run.out + run.err


def lane(server: LlamaServer) -> str:
    return (
        f'[[lanes.lightning]]\nprovider = "lab"\nmodel = "{NAME}"\n'
        f'[providers.lab]\napi = "chat"\nbase_url = "{server.base_url}"\n'
    )
