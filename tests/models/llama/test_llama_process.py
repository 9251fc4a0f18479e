"""A GGUF model in its own process: started on use, stopped when idle, restarted after a crash."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from tests.models.events import text_of

from twospeed.errors import AnswerBrokeOff, ModelError, ModelUnavailable
from twospeed.lanes.open_model import open_model
from twospeed.models.base import (
    Finished,
    Limits,
    Model,
    ModelEvent,
    ModelRequest,
    ProviderSettings,
    TextDelta,
)
from twospeed.models.http.connections import Connections
from twospeed.models.keys.key_store import KeyStore
from twospeed.models.llama import llama_model

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("any_process")]

FAKE = (sys.executable, "-P", str(Path(__file__).with_name("fake_llama.py")))
ANSWER = [TextDelta("a"), TextDelta("b"), Finished("stop")]


@pytest.fixture(autouse=True)
def fake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llama_model, "CHILD", FAKE)


@pytest.fixture
def gguf(tmp_path: Path) -> Path:
    return tmp_path / "tiny.gguf"


def plays(gguf: Path, **play: object) -> None:
    gguf.write_text(json.dumps({"says": ["a", "b"], **play}))


def starts(gguf: Path) -> list[dict[str, Any]]:
    log = gguf.with_suffix(".log")
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def model_of(gguf: Path, connections: Connections) -> Model:
    settings = ProviderSettings("mine", "llama", "http://127.0.0.1", gguf=str(gguf))
    return open_model(settings, "tiny", limits=Limits(), connections=connections, keys=KeyStore({}))


async def events_of(model: Model, request: ModelRequest) -> list[ModelEvent]:
    async with aclosing(model.stream(request)) as events:
        return [event async for event in events]


async def answer_of(model: Model, request: ModelRequest) -> str:
    events = await events_of(model, request)
    assert events[-1] == Finished("stop")
    return text_of(events)


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not is_so():  # noqa: ASYNC110  # what another process does is no event here
            await asyncio.sleep(0.01)


async def test_the_first_request_starts_the_process_that_serves_all(
    gguf: Path, connections: Connections, request_to_model: ModelRequest
) -> None:
    plays(gguf)
    model = model_of(gguf, connections)
    assert starts(gguf) == []
    assert await answer_of(model, request_to_model) == "ab"
    assert await answer_of(model_of(gguf, connections), request_to_model) == "ab"
    assert len(starts(gguf)) == 1
    assert (model.provider, model.name) == ("mine", "tiny")


async def test_concurrent_requests_start_one_process(
    gguf: Path, connections: Connections, request_to_model: ModelRequest
) -> None:
    plays(gguf)
    model = model_of(gguf, connections)
    assert await asyncio.gather(*(answer_of(model, request_to_model) for _ in range(3))) == ["ab"] * 3
    assert len(starts(gguf)) == 1


async def test_the_process_has_its_own_key_outside_arguments_and_environment(
    gguf: Path, connections: Connections, request_to_model: ModelRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-somebody-else-0123456789")
    plays(gguf)
    await answer_of(model_of(gguf, connections), request_to_model)
    [seen] = starts(gguf)
    key = seen.pop("key")
    assert len(key) == 64
    assert key not in json.dumps(seen)
    assert "sk-of-somebody-else" not in json.dumps(seen)
    running = await connections.process(ProviderSettings("mine", "llama", "")).ready()
    assert repr(running.key) == "***"


async def test_the_process_ends_with_the_connections(
    gguf: Path, connections: Connections, request_to_model: ModelRequest
) -> None:
    plays(gguf)
    await answer_of(model_of(gguf, connections), request_to_model)
    [seen] = starts(gguf)
    assert is_running(seen["pid"])
    await connections.aclose()
    assert not is_running(seen["pid"])


async def test_closing_ends_a_process_that_is_still_loading(gguf: Path, connections: Connections) -> None:
    plays(gguf, starts="hang")
    process = connections.process(ProviderSettings("mine", "llama", "http://127.0.0.1", gguf=str(gguf)))
    waiting = asyncio.create_task(process.ready())
    await until(lambda: bool(starts(gguf)))
    await connections.aclose()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert not is_running(starts(gguf)[0]["pid"])


async def test_a_killed_process_is_restarted_unnoticed(
    gguf: Path, connections: Connections, request_to_model: ModelRequest
) -> None:
    plays(gguf)
    model = model_of(gguf, connections)
    await answer_of(model, request_to_model)
    os.kill(starts(gguf)[0]["pid"], signal.SIGKILL)
    assert await answer_of(model, request_to_model) == "ab"
    assert len({seen["key"] for seen in starts(gguf)}) == 2


async def test_a_process_that_dies_in_an_answer_breaks_it_off_and_is_restarted(
    gguf: Path, connections: Connections, request_to_model: ModelRequest
) -> None:
    plays(gguf, then="die")
    model = model_of(gguf, connections)
    with pytest.raises(AnswerBrokeOff, match="the process that serves mine ended"):
        await events_of(model, request_to_model)
    plays(gguf)
    assert await answer_of(model, request_to_model) == "ab"


async def test_a_process_that_dies_repeatedly_is_not_restarted(
    gguf: Path, connections: Connections, request_to_model: ModelRequest
) -> None:
    plays(gguf, then="die")
    model = model_of(gguf, connections)
    for _ in range(2):
        with pytest.raises(AnswerBrokeOff):
            await events_of(model, request_to_model)
    with pytest.raises(ModelUnavailable, match="mine has ended twice; it is not started again for a minute"):
        await events_of(model, request_to_model)
    assert len(starts(gguf)) == 2


async def test_a_complete_answer_allows_another_restart(
    gguf: Path, connections: Connections, request_to_model: ModelRequest
) -> None:
    plays(gguf)
    model = model_of(gguf, connections)
    for _ in range(4):
        assert await answer_of(model, request_to_model) == "ab"
        os.kill(starts(gguf)[-1]["pid"], signal.SIGKILL)
    assert len(starts(gguf)) == 4


@pytest.mark.parametrize(
    ("how", "words"),
    [("die", "mine ended while loading"), ("refuse", r"llama\.cpp cannot load .*tiny\.gguf")],
)
async def test_the_error_names_why_the_process_does_not_start(
    how: str, words: str, gguf: Path, connections: Connections, request_to_model: ModelRequest
) -> None:
    plays(gguf, starts=how)
    with pytest.raises(ModelUnavailable, match=words):
        await events_of(model_of(gguf, connections), request_to_model)
    await until(lambda: not is_running(starts(gguf)[0]["pid"]))


async def test_loading_has_a_time_limit(gguf: Path) -> None:
    plays(gguf, starts="hang")
    settings = ProviderSettings("mine", "llama", "http://127.0.0.1", gguf=str(gguf))
    process = llama_model.LlamaProcess(settings, start_s=0.5)
    with pytest.raises(ModelUnavailable, match=r"mine was not loaded within 0\.5 seconds"):
        await process.ready()
    assert not any(is_running(seen["pid"]) for seen in starts(gguf))


async def test_a_cancelled_waiter_does_not_stop_the_start(
    gguf: Path, connections: Connections, request_to_model: ModelRequest
) -> None:
    plays(gguf)
    model = model_of(gguf, connections)
    impatient = asyncio.create_task(events_of(model, request_to_model))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    impatient.cancel()
    await until(lambda: bool(starts(gguf)))
    assert await answer_of(model, request_to_model) == "ab"
    assert len(starts(gguf)) == 1


async def test_connecting_ahead_starts_the_process(gguf: Path, connections: Connections) -> None:
    plays(gguf)
    await connections.connect(ProviderSettings("mine", "llama", "http://127.0.0.1", gguf=str(gguf)))
    assert len(starts(gguf)) == 1


async def test_the_process_ends_when_its_parent_is_killed(gguf: Path) -> None:
    plays(gguf)
    code = (
        "import asyncio, sys\n"
        "from twospeed.models.llama import llama_model\n"
        "from twospeed.models.base import ProviderSettings\n"
        f"llama_model.CHILD = {FAKE!r}\n"
        "async def main():\n"
        f"    settings = ProviderSettings('mine', 'llama', '', gguf={str(gguf)!r})\n"
        "    await llama_model.LlamaProcess(settings).ready()\n"
        "    print('ready', flush=True)\n"
        "    await asyncio.sleep(60)\n"
        "asyncio.run(main())\n"
    )
    parent = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stdout=asyncio.subprocess.PIPE)
    assert parent.stdout
    assert await asyncio.wait_for(parent.stdout.readline(), 20) == b"ready\n"
    parent.kill()
    await parent.wait()
    await until(lambda: not is_running(starts(gguf)[0]["pid"]))


def test_the_obstacle_names_the_missing_part(gguf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = ProviderSettings("mine", "llama", "", gguf=str(gguf))
    monkeypatch.setattr(llama_model, "_is_installed", lambda: False)
    assert llama_model.obstacle(settings) == "xllamacpp is not installed"
    monkeypatch.setattr(llama_model, "_is_installed", lambda: True)
    assert llama_model.obstacle(settings) == f"no file {gguf}"
    plays(gguf)
    assert llama_model.obstacle(settings) is None
    unheard_of = ProviderSettings("mine", "llama", "", gguf="/" + "x" * 300)  # longer than a name may be
    assert llama_model.obstacle(unheard_of) == f"no file {unheard_of.gguf}"


async def test_the_child_program_reports_an_invalid_file(gguf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = Path(llama_model.__file__).with_name("llama_child.py")
    monkeypatch.setattr(llama_model, "CHILD", (sys.executable, "-P", str(program)))
    process = llama_model.LlamaProcess(ProviderSettings("mine", "llama", "", gguf=str(gguf)))
    with pytest.raises(ModelError, match=r"tiny\.gguf cannot be read: .*No such file"):
        await process.ready()
    gguf.write_text("not a model")  # noqa: ASYNC240  # a few bytes
    with pytest.raises(ModelError, match=r"tiny\.gguf cannot be read: it is not a GGUF file"):
        await process.ready()
