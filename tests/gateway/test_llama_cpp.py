"""The real llama.cpp server, with a tiny model that makes no sense: what crosses the wire is real, whatever it says."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter

import pytest
from tests.e2e.shell import ANSWER, CODE, Shell, check_complaint
from tests.gateway.conftest import REQUEST, Ask, OpenModel
from tests.gateway.real_servers import KEY, MODEL, RealServer, llama_server
from tests.models.events import text_of

from twospeed.errors import ContextTooLong, InvalidKey
from twospeed.lanes.open_model import open_model
from twospeed.models.base import (
    Finished,
    Infill,
    Limits,
    Message,
    ModelEvent,
    ProviderSettings,
    TextDelta,
    Usage,
)
from twospeed.models.catalog.discovery import LocalServer, find_local
from twospeed.models.codecs.table import CODECS
from twospeed.models.http.connections import Connections
from twospeed.models.keys.key_store import KeyStore

MISSING = [name for name in ("xllamacpp", "gguf", "numpy") if find_spec(name) is None]

if MISSING:
    pytest.skip(f"{', '.join(MISSING)} not installed: make test-gateway", allow_module_level=True)

pytestmark = pytest.mark.process

READ_AHEAD = "".join(f"LIMIT_{number} = {number}\n" for number in range(100))

in_every_protocol = pytest.mark.parametrize("api", [api for api in CODECS if api != "completions"])


@pytest.fixture
async def noisy(tmp_path: Path) -> AsyncIterator[RealServer]:
    """A server whose model writes noise and never ends of itself."""
    async with llama_server(tmp_path) as server:
        yield server


@in_every_protocol
async def test_noise_streams_to_the_limit_of_tokens(noisy: RealServer, ask: Ask) -> None:
    events = await ask(noisy.base_url)
    usage, finished = events[-2:]
    assert finished == Finished("length")
    assert isinstance(usage, Usage)
    assert usage.output_tokens == REQUEST.max_output_tokens
    assert usage.input_tokens > 0
    assert len([event for event in events if isinstance(event, TextDelta)]) > 1


@in_every_protocol
async def test_an_answer_arrives_complete_and_in_order(tmp_path: Path, ask: Ask) -> None:
    said = ["```python\n", "x = 'ä €'\n", "y = '🙂'\n", "```"]
    async with llama_server(tmp_path, recited=said) as server:
        events = await ask(server.base_url)
    assert text_of(events) == "".join(said)
    assert events[-1] == Finished("stop")


@in_every_protocol
async def test_a_prompt_that_does_not_fit_is_an_error_of_its_own(
    noisy: RealServer, model_at: OpenModel
) -> None:
    long = replace(REQUEST, messages=(Message("user", "word " * 9000),))
    with pytest.raises(ContextTooLong, match="exceeds the available context size"):
        await anext(model_at(noisy.base_url).stream(long))


@in_every_protocol
async def test_closing_the_stream_frees_the_servers_only_slot(
    noisy: RealServer, model_at: OpenModel, ask: Ask
) -> None:
    n_tokens, n_read = 4000, 50
    request = replace(REQUEST, max_output_tokens=n_tokens)
    async with aclosing(model_at(noisy.base_url).stream(request)) as events:
        await anext(events)
        started = perf_counter()
        for _ in range(n_read):
            await anext(events)
        rest_s = (perf_counter() - started) / n_read * (n_tokens - n_read)
    started = perf_counter()
    assert (await ask(noisy.base_url, max_output_tokens=1))[-1] == Finished("length")
    assert perf_counter() - started < rest_s / 4


@in_every_protocol
async def test_a_warmed_prompt_is_in_the_cache_of_the_server_when_the_edit_starts(
    noisy: RealServer, model_at: OpenModel
) -> None:
    model = model_at(noisy.base_url)

    async def counted(file: str) -> Usage:
        last = Message("user", f"{file}add a docstring", n_stable=len(file))
        request = replace(REQUEST, messages=(REQUEST.messages[0], last), max_output_tokens=4)
        if file == READ_AHEAD:
            warmed = await model.warm(request)
            assert warmed
            assert (warmed.output_tokens, warmed.cached_tokens) < (2, len(file) // 2)
        async with aclosing(model.stream(request)) as events:
            return [event async for event in events if isinstance(event, Usage)][-1]

    assert (await counted(READ_AHEAD)).cached_tokens >= len(READ_AHEAD)  # a token is a byte there
    assert (await counted("y" + READ_AHEAD)).cached_tokens < 100


@pytest.fixture
def fill(connections: Connections) -> Callable[..., Awaitable[list[ModelEvent]]]:
    """``await fill(base_url, model=…)``: all events for a gap in a small function."""

    async def run(base_url: str, *, model: str) -> list[ModelEvent]:
        settings = ProviderSettings("lab", "chat", base_url, None)
        filler = open_model(
            settings, model, limits=Limits(), connections=connections, keys=KeyStore({}), fills_gaps=True
        )
        infill = Infill("def total(items):\n    ", "\n\n\nprint(total([]))\n")
        async with aclosing(filler.stream(replace(REQUEST, infill=infill))) as events:
            return [event async for event in events]

    return run


@pytest.mark.parametrize("model", ["qwen2.5-coder-1.5b", "starcoder2-3b", "codegemma-2b"])
async def test_a_gap_is_filled_with_the_tokens_of_the_models_family(
    tmp_path: Path, fill: Callable[..., Awaitable[list[ModelEvent]]], model: str
) -> None:
    pieces = ["return ", "sum(", "items)"]
    async with llama_server(tmp_path, recited=pieces) as server:
        events = await fill(server.base_url, model=model)
    assert text_of(events) == "return sum(items)"
    assert events[-1] == Finished("stop")
    [usage] = [event for event in events if isinstance(event, Usage)]
    assert (usage.input_tokens > 50, usage.output_tokens) == (True, len(pieces) + 1)


async def test_a_model_of_no_known_family_fills_a_gap_in_a_chat(
    noisy: RealServer, fill: Callable[..., Awaitable[list[ModelEvent]]]
) -> None:
    assert (await fill(noisy.base_url, model="some-model"))[-1] == Finished("length")


async def test_discovery_finds_the_server_with_its_model(noisy: RealServer, connections: Connections) -> None:
    [found] = await find_local(connections, servers=[LocalServer("llamacpp", noisy.port)], timeout_s=2.0)
    assert (found.provider.name, found.provider.base_url) == ("llamacpp", noisy.base_url)
    assert (found.models, found.cloud, found.reason) == ((MODEL,), False, "")
    others = [LocalServer(name, noisy.port) for name in ("ollama", "lmstudio", "vllm")]
    assert await find_local(connections, servers=others, timeout_s=2.0) == []


@in_every_protocol
async def test_a_server_with_a_key_accepts_only_that_key(
    tmp_path: Path, ask: Ask, connections: Connections
) -> None:
    async with llama_server(tmp_path, key=KEY) as server:
        for refused in ("", "another-key"):
            with pytest.raises(InvalidKey, match="key"):
                await ask(server.base_url, refused)
        events = await ask(server.base_url, KEY)
        assert events[-1] == Finished("length")
        assert (
            await find_local(connections, servers=[LocalServer("llamacpp", server.port)], timeout_s=2.0) == []
        )


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
    shell: Shell, noisy: RealServer, options: tuple[str, ...]
) -> None:
    path = shell.file("cart.py")
    shell.configure(lane(noisy) + "[limits]\nmax_output_tokens = 200\n")
    with unchanged(path):
        run = await shell.run("edit", "cart.py:5", "explain the sum", *options)
    check_complaint(run, 1, "refused: ")


async def test_a_good_answer_of_the_real_server_is_written_to_the_file(shell: Shell, tmp_path: Path) -> None:
    path = shell.file("cart.py")
    async with llama_server(tmp_path, recited=ANSWER.splitlines(keepends=True)) as server:
        shell.configure(lane(server))
        run = await shell.run("edit", "cart.py:5", "explain the sum", "--write")
    assert (run.status, run.err) == (0, "")
    assert path.read_text() == CODE.replace("    return sum", "    # prices, not parts\n    return sum")


async def test_a_missing_key_fails_the_edit_and_is_named(shell: Shell, tmp_path: Path) -> None:
    path = shell.file("cart.py")
    async with llama_server(tmp_path, key=KEY) as server:
        shell.configure(lane(server))
        with unchanged(path):
            run = await shell.run("edit", "cart.py:5", "explain the sum", "--write")
    check_complaint(run, 3, "failed: ", "key")
    assert KEY not in run.out + run.err


def lane(server: RealServer) -> str:
    return (
        f'[[lanes.lightning]]\nprovider = "lab"\nmodel = "{MODEL}"\n'
        f'[providers.lab]\napi = "chat"\nbase_url = "{server.base_url}"\n'
    )
