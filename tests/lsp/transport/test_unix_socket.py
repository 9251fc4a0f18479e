"""A Unix socket is connected to if it has a listener, created if absent, and left alone if it is foreign."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import stat
import sys
from pathlib import Path

import pytest
from tests.lsp.transport.peer import LIMIT_S, Peer, initialize, notification, request

from twospeed.errors import SettingsError
from twospeed.lsp.transport.socket_server import ListeningServer, connect_to_pipe, listening_on_pipe

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a pipe is a Unix socket")


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)  # a socket's path has about a hundred bytes at most
    return "pipe"


def write(path: str, text: str) -> None:
    Path(path).write_text(text, "utf-8")


def read(path: str) -> str:
    return Path(path).read_text("utf-8")


def remove(path: str) -> None:
    Path(path).unlink()


def is_there(path: str) -> bool:
    return Path(path).exists()


def mode_of(path: str) -> int:
    return stat.S_IMODE(Path(path).stat().st_mode)


def listener_at(path: str) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(path)
    return listener


async def refusal(path: str) -> tuple[str, str]:
    with pytest.raises(SettingsError) as caught:
        await connect_to_pipe(path)
    return str(caught.value), caught.value.source


async def test_connect_to_pipe_returns_none_for_a_missing_path(path: str) -> None:
    assert await connect_to_pipe(path) is None


async def test_an_existing_listener_is_connected_to(path: str) -> None:
    with contextlib.closing(listener_at(path)) as listener:
        listener.listen()
        client = await connect_to_pipe(path)
        assert client
        with contextlib.closing(client), contextlib.closing(listener.accept()[0]) as other:
            assert not client.getblocking()
            other.send(b"hello")
            async with asyncio.timeout(LIMIT_S):
                assert await asyncio.get_running_loop().sock_recv(client, 10) == b"hello"


async def test_a_stale_socket_is_removed(path: str) -> None:
    listener_at(path).close()
    assert await connect_to_pipe(path) is None
    assert not is_there(path)


async def test_a_path_that_is_no_socket_of_the_user_is_refused(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = "--pipe: pipe exists and is not a socket of yours", "--pipe"
    write(path, "mine")
    assert await refusal(path) == expected
    remove(path)
    listener_at(path).close()
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert await refusal(path) == expected
    assert is_there(path)


async def test_an_operating_system_error_of_a_path_is_reported(path: str) -> None:
    write(path, "")
    words = f"--pipe: cannot connect to the socket at {path}/x (Not a directory)"
    assert await refusal(f"{path}/x") == (words, "--pipe")
    words = f"--pipe: cannot create a socket at {path}/x (Not a directory)"
    with pytest.raises(SettingsError) as caught:
        async with listening_on_pipe(f"{path}/x", ListeningServer({})):
            pass
    assert (str(caught.value), caught.value.source) == (words, "--pipe")
    long = "x" * 200
    with pytest.raises(SettingsError, match=f"cannot create a socket at {long} "):
        async with listening_on_pipe(long, ListeningServer({})):
            pass


async def test_a_listening_socket_is_private_and_removed_at_the_end(path: str) -> None:
    before = os.umask(0o022)
    try:
        listening_server = ListeningServer({}, handshake_s=LIMIT_S)
        async with listening_on_pipe(path, listening_server) as address:
            assert address == path
            assert mode_of(path) == 0o600
            assert os.umask(0o022) == 0o022
            editor = await Peer.over_pipe(path)
            editor.send(initialize())
            assert "result" in await editor.reply_to("init")
            editor.send(request(1, "shutdown"), notification("exit"))
            async with asyncio.timeout(LIMIT_S):
                assert await listening_server.exited == 0
            await editor.close()
        assert not is_there(path)
        with pytest.raises(OSError, match="No such file"):
            await Peer.over_pipe(path)
    finally:
        os.umask(before)


async def test_a_file_that_replaced_the_socket_is_kept(path: str) -> None:
    async with listening_on_pipe(path, ListeningServer({})):
        remove(path)
        write(path, "another's")
    assert read(path) == "another's"


async def test_a_closed_listener_closes_its_connections(path: str) -> None:
    async with listening_on_pipe(path, ListeningServer({}, handshake_s=LIMIT_S)):
        editor = await Peer.over_pipe(path)
        editor.send(initialize())
        await editor.reply_to("init")
    await editor.rest()
    await editor.close()
