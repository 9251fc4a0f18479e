"""The end of the editor's process is noticed, by a process descriptor or by polling."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.lsp.transport.peer import LIMIT_S

from twospeed.lsp.transport import editor_process
from twospeed.lsp.transport.editor_process import exit_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="asks with signals")


@pytest.fixture(params=["a descriptor", "polling"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "polling":
        monkeypatch.delattr(os, "pidfd_open", raising=False)
        monkeypatch.setattr(editor_process, "POLL_S", 0.001)


@pytest.fixture
def editor() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        yield process
        process.kill()


def descriptors() -> set[str]:
    folder = Path("/proc/self/fd")
    return {path.name for path in folder.iterdir()} if folder.is_dir() else set()


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("is_reaped", [True, False])
async def test_exit_of_detects_the_end_of_a_process_and_a_zombie(
    editor: subprocess.Popen[bytes], is_reaped: bool
) -> None:
    death = asyncio.create_task(exit_of(editor.pid))
    done, _ = await asyncio.wait([death], timeout=0.05)
    assert not done, "it lives"
    editor.kill()
    if is_reaped:
        editor.wait()
    await asyncio.wait_for(death, LIMIT_S)


@pytest.mark.usefixtures("way")
async def test_exit_of_returns_for_a_process_that_has_ended(editor: subprocess.Popen[bytes]) -> None:
    editor.kill()
    editor.wait()
    await asyncio.wait_for(exit_of(editor.pid), LIMIT_S)


@pytest.mark.usefixtures("way")
async def test_exit_of_leaves_no_reader_or_descriptor(editor: subprocess.Popen[bytes]) -> None:
    before = descriptors()
    death = asyncio.create_task(exit_of(editor.pid))
    await asyncio.sleep(0)
    death.cancel()
    await asyncio.wait([death])
    assert descriptors() == before


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="no such thing here")
async def test_exit_of_does_not_poll_with_a_pidfd(
    editor: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def is_alive(process_id: int) -> bool:
        asked.append(process_id)
        return False

    monkeypatch.setattr(editor_process, "is_alive", is_alive)
    death = asyncio.create_task(exit_of(editor.pid))
    for _ in range(5):
        await asyncio.sleep(0)
    assert (death.done(), asked) == (False, [])
    editor.kill()
    await asyncio.wait_for(death, LIMIT_S)
    assert asked == [editor.pid]


def test_a_process_is_alive_until_it_has_ended(editor: subprocess.Popen[bytes]) -> None:
    assert editor_process.is_alive(os.getpid())
    assert editor_process.is_alive(editor.pid)
    editor.kill()
    os.waitid(os.P_PID, editor.pid, os.WEXITED | os.WNOWAIT)
    assert not editor_process.is_alive(editor.pid), "a zombie"
    editor.wait()
    assert not editor_process.is_alive(editor.pid)
    assert not editor_process.is_alive(2**70)


async def test_a_process_of_another_user_is_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(process_id: int, number: int) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "kill", forbidden)
    assert editor_process.is_alive(1)
