"""stdin and stdout as a transport, on real pipes: frames in order, limits, and clean ends."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TextIO

import pytest
from tests.lsp.transport.peer import LIMIT_S

from twospeed.lsp.transport import stdio
from twospeed.lsp.transport.stdio import StdoutWriter, _is_pollable, reading_stdin

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pipes are read by a thread there")

MORE_THAN_A_PIPE_HOLDS = 4 << 20


class Stdout:
    """A stdout that is a pipe or a file, a stderr that is a file, and what came out of each."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, descriptor: int) -> None:
        self.shared = os.dup(descriptor)  # as a shell keeps it
        self.error = folder / "stderr"
        self._files: list[TextIO] = [os.fdopen(descriptor, "w"), self.error.open("w")]
        self._monkeypatch = monkeypatch
        self.n_ends = 0

    def install(self) -> None:
        """Call this in a test, not in a fixture: pytest sets its own again before the test."""
        self._monkeypatch.setattr(sys, "stdout", self._files[0])
        self._monkeypatch.setattr(sys, "stderr", self._files[1])

    def writer(self) -> StdoutWriter:
        self.install()
        return StdoutWriter(self.end)

    def end(self) -> None:
        self.n_ends += 1

    def close(self) -> None:
        for file in self._files:
            file.close()
        os.close(self.shared)


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    read_end, write_end = os.pipe()
    yield read_end, write_end
    with contextlib.suppress(OSError):  # a test may have closed it
        os.close(read_end)


@pytest.fixture
def stdout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pipe: tuple[int, int]) -> Iterator[Stdout]:
    stdout = Stdout(tmp_path, monkeypatch, pipe[1])
    yield stdout
    stdout.close()


async def read_exactly(descriptor: int, n_bytes: int) -> bytes:
    def read() -> bytes:
        parts, left = [], n_bytes
        while left:
            parts.append(os.read(descriptor, left))
            left -= len(parts[-1])
        return b"".join(parts)

    async with asyncio.timeout(LIMIT_S):
        return await asyncio.to_thread(read)


async def test_frames_arrive_whole_and_in_order_with_a_slow_reader(
    stdout: Stdout, pipe: tuple[int, int]
) -> None:
    writer = stdout.writer()
    frames = [b"first", b"a" * MORE_THAN_A_PIPE_HOLDS, b"b" * 100_000, b"last"]
    for frame in frames:
        writer.write(frame)
    whole = b"".join(frames)
    assert await read_exactly(pipe[0], len(whole)) == whole
    await writer.flush(LIMIT_S)
    writer.write(b"after")
    assert os.read(pipe[0], 100) == b"after"
    descriptor = writer._descriptor
    assert not asyncio.get_running_loop().remove_writer(descriptor), "nothing waits, so nothing is polled"
    writer.close()
    assert stdout.n_ends == 0


async def test_an_editor_that_exceeds_the_pending_limit_is_closed_once(
    stdout: Stdout, pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = stdout.writer()
    writer.write(bytes(MORE_THAN_A_PIPE_HOLDS))
    n_waiting = writer._n_waiting
    assert 0 < n_waiting < MORE_THAN_A_PIPE_HOLDS, "what the pipe took does not wait"
    monkeypatch.setattr(stdio, "MAX_QUEUED_BYTES", n_waiting + 10)
    writer.write(b"x" * 10)
    assert stdout.n_ends == 0
    writer.write(b"y")
    assert stdout.n_ends == 1
    writer.write(b"z" * 100)
    assert (stdout.n_ends, writer._n_waiting, len(writer._waiting)) == (1, 0, 0)
    assert not asyncio.get_running_loop().remove_writer(writer._descriptor)
    async with asyncio.timeout(LIMIT_S):
        await writer.flush(2 * LIMIT_S)
    writer.close()
    os.close(stdout.shared)
    stdout.shared = os.dup(0)
    n_read = MORE_THAN_A_PIPE_HOLDS - n_waiting
    assert await read_exactly(pipe[0], n_read) == bytes(n_read)
    assert os.read(pipe[0], 100) == b"", "the rest was dropped"


async def test_read_bytes_are_no_longer_queued(
    stdout: Stdout, pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = stdout.writer()
    monkeypatch.setattr(stdio, "MAX_QUEUED_BYTES", MORE_THAN_A_PIPE_HOLDS)
    for _ in range(2):
        writer.write(bytes(MORE_THAN_A_PIPE_HOLDS))
        assert len(await read_exactly(pipe[0], MORE_THAN_A_PIPE_HOLDS)) == MORE_THAN_A_PIPE_HOLDS
        await writer.flush(LIMIT_S)
        assert writer._n_waiting == 0
    assert stdout.n_ends == 0
    writer.close()


async def test_a_closed_pipe_ends_the_connection(stdout: Stdout, pipe: tuple[int, int]) -> None:
    writer = stdout.writer()
    os.close(pipe[0])
    writer.write(b"one")
    writer.write(b"two")
    assert (stdout.n_ends, len(writer._waiting)) == (1, 0)
    writer.close()


async def test_flush_ends_at_its_time_limit(stdout: Stdout, pipe: tuple[int, int]) -> None:
    writer = stdout.writer()
    writer.write(bytes(MORE_THAN_A_PIPE_HOLDS))
    await writer.flush(0.001)
    assert writer._n_waiting > 0
    descriptor = writer._descriptor
    writer.close()
    assert not asyncio.get_running_loop().remove_writer(descriptor), "a closed line is not polled"
    assert stdout.n_ends == 0


async def test_prints_go_to_stderr_and_the_descriptor_is_restored(
    stdout: Stdout, pipe: tuple[int, int]
) -> None:
    stdout.install()
    print("printed before", end="")
    writer = stdout.writer()
    assert os.read(pipe[0], 100) == b"printed before"
    assert not os.get_blocking(stdout.shared)
    print("stray", end="", flush=True)
    writer.write(b"frame")
    assert os.read(pipe[0], 100) == b"frame"
    assert stdout.error.read_text() == "stray"
    descriptor = writer._descriptor
    writer.close()
    assert os.get_blocking(stdout.shared), "it is shared with the shell"
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(descriptor)


async def test_a_file_is_written_blocking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "out"
    stdout = Stdout(tmp_path, monkeypatch, os.open(file, os.O_WRONLY | os.O_CREAT))
    os.set_blocking(stdout.shared, False)
    writer = stdout.writer()
    writer.write(b"one ")
    writer.write(b"two")
    writer.close()
    assert not os.get_blocking(stdout.shared), "left as it was"
    stdout.close()
    assert file.read_bytes() == b"one two"


def test_pipes_and_sockets_can_be_polled_but_nothing_else(
    tmp_path: Path, pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, other = socket.socketpair()
    with ours, other, (tmp_path / "file").open("w") as file, Path(os.devnull).open() as null:
        descriptors = [pipe[0], ours.fileno(), file.fileno(), null.fileno()]
        assert list(map(_is_pollable, descriptors)) == [True, True, False, False]
        monkeypatch.setattr(sys, "platform", "win32")
        assert not any(map(_is_pollable, descriptors))


class Received:
    def __init__(self) -> None:
        self.data = b""
        self.n_ends = 0
        self.came, self.ended = asyncio.Event(), asyncio.Event()

    def receive(self, data: bytes) -> None:
        self.data += data
        self.came.set()

    def end(self) -> None:
        self.n_ends += 1
        self.ended.set()


@pytest.fixture
def give_stdin(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int], TextIO]]:
    files: list[TextIO] = []

    def give(descriptor: int) -> TextIO:
        file = os.fdopen(descriptor)
        files.append(file)
        monkeypatch.setattr(sys, "stdin", file)
        return file

    yield give
    for file in files:
        with contextlib.suppress(OSError):
            file.close()


async def test_a_pipe_is_read_by_the_event_loop_and_closed(
    give_stdin: Callable[[int], TextIO],
) -> None:
    read_end, write_end = os.pipe()
    stdin, received = give_stdin(read_end), Received()
    n_threads = threading.active_count()
    async with reading_stdin(received.receive, received.end), asyncio.timeout(LIMIT_S):
        assert threading.active_count() == n_threads
        os.write(write_end, b"some")
        await received.came.wait()
        os.close(write_end)
        await received.ended.wait()
    assert (received.data, received.n_ends > 0) == (b"some", True)
    assert stdin.buffer.closed


async def test_a_pipe_is_closed_before_its_end_of_input(give_stdin: Callable[[int], TextIO]) -> None:
    read_end, write_end = os.pipe()
    stdin, received = give_stdin(read_end), Received()
    async with reading_stdin(received.receive, received.end):
        pass
    assert stdin.buffer.closed
    os.close(write_end)


async def test_a_file_is_read_to_its_end_by_a_thread(
    tmp_path: Path, give_stdin: Callable[[int], TextIO]
) -> None:
    (tmp_path / "in").write_bytes(b"a" * 100_000 + b"end")
    stdin, received = give_stdin(os.open(tmp_path / "in", os.O_RDONLY)), Received()
    async with reading_stdin(received.receive, received.end), asyncio.timeout(LIMIT_S):
        await received.ended.wait()
    assert received.data == b"a" * 100_000 + b"end"
    assert received.n_ends == 1
    assert not stdin.buffer.closed


async def test_a_thread_that_waits_for_input_keeps_no_process_alive(
    give_stdin: Callable[[int], TextIO], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stdio, "_is_pollable", lambda _: False)
    read_end, write_end = os.pipe()
    give_stdin(read_end)
    received = Received()
    before = set(threading.enumerate())
    async with reading_stdin(received.receive, received.end), asyncio.timeout(LIMIT_S):
        (thread,) = set(threading.enumerate()) - before
        assert thread.daemon
        os.close(write_end)
        await received.ended.wait()
    await asyncio.to_thread(thread.join)
