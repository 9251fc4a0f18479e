"""Real server processes start, answer and exit on every transport."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import socket
import stat
import sys
from asyncio.subprocess import DEVNULL, PIPE
from pathlib import Path

import pytest
from tests.e2e.server_process import (
    COMMAND,
    an_editor,
    listening_ports,
    n_open_files,
    running,
    said,
    status_within,
    told_to_everybody,
)
from tests.lsp.transport.peer import LIMIT_S, Peer, initialize, notification, opening, request
from websockets.asyncio.client import connect
from websockets.typing import Subprotocol

from twospeed.lsp.wire.framing import encode_frame

pytestmark = [pytest.mark.process, pytest.mark.skipif(sys.platform != "linux", reason="asks /proc")]

URI = "file:///project/shop.py"
BUSY_S = 10.0
"""What a machine with other work may add to a limit of one second; a server that hangs takes for ever."""

END_S = 1.0 + BUSY_S


def over(process: asyncio.subprocess.Process) -> Peer:
    assert process.stdin
    assert process.stdout
    return Peer(process.stdout, process.stdin)


async def greeted(peer: Peer, process_id: int | None = None, token: str | None = None) -> None:
    message = initialize(token)
    message["params"]["processId"] = process_id
    peer.send(message)
    assert "result" in await peer.reply_to("init")
    peer.send(notification("initialized", {}))


# Ends


@pytest.mark.security("R11.1")
@pytest.mark.parametrize("is_in_session", [False, True])
async def test_the_end_of_input_ends_the_process_within_a_second(is_in_session: bool) -> None:
    async with running() as process:
        peer = over(process)
        await greeted(peer)
        if is_in_session:
            peer.send(opening(URI, "def f():\n    pass\n"), request(1, "twospeed/status", {}))
            await peer.reply_to(1)
        peer.writer.close()
        assert await status_within(process, END_S) == 0
        assert process.stderr
        assert await process.stderr.read() == b""


@pytest.mark.parametrize(("is_shut_down", "status"), [(True, 0), (False, 1)])
async def test_exit_ends_the_process_after_all_responses_are_written(is_shut_down: bool, status: int) -> None:
    async with running() as process:
        peer = over(process)
        messages = [request(1, "shutdown")] if is_shut_down else [request(1, "twospeed/status", {})]
        peer.send(initialize(), *messages, notification("exit"))
        await peer.rest()
        if is_shut_down:
            assert (await peer.reply_to(1))["result"] is None
        assert await status_within(process, END_S) == status


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
@pytest.mark.parametrize("arguments", [(), ("--tcp", "0"), ("--ws", "0")])
async def test_a_signal_ends_the_process_in_an_orderly_way(
    arguments: tuple[str, ...], number: signal.Signals
) -> None:
    async with running(*arguments) as process:
        if arguments:
            await said(process, "twospeed: listening on ")
            await said(process, "twospeed: token: ")
        else:
            await greeted(over(process))
        process.send_signal(number)
        assert await status_within(process, END_S) == 0
        assert process.stderr
        assert await process.stderr.read() == b""


async def test_a_process_started_by_nohup_survives_its_terminal() -> None:
    deaf = {"preexec_fn": lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)}  # as nohup does
    async with running(**deaf) as process:
        peer = over(process)
        await greeted(peer)
        process.send_signal(signal.SIGHUP)
        peer.send(request(1, "twospeed/status", {}))
        assert "result" in await peer.reply_to(1)


@pytest.mark.security("R11.1")
@pytest.mark.parametrize("is_reaped", [True, False], ids=["gone", "a zombie"])
async def test_the_end_of_the_client_process_ends_the_server_if_its_pipe_stays_open(is_reaped: bool) -> None:
    reading, writing = os.pipe()
    async with running(stdin=reading) as process:
        os.close(reading)
        async with an_editor(writing, is_reaped=is_reaped) as death:
            os.close(writing)
            assert "result" in await Peer(process.stdout, None).reply_to(1)  # type: ignore[arg-type]
            os.kill(death.editor, signal.SIGKILL)
            assert await status_within(process, 3.0 + BUSY_S) == 0
            os.kill(death.holder, 0)  # which holds the pipe, so the end of input never came


@pytest.mark.parametrize(
    "process_id",
    [None, 0, -1, os.getpid(), 4_194_305, 2**31 - 1],
    ids=["not named", "zero", "negative", "alive", "not here", "largest"],
)
async def test_a_client_process_that_is_alive_or_unknown_ends_nothing(process_id: int | None) -> None:
    """Linux gives no process an id above 4,194,304 (PID_MAX_LIMIT), so the last ones are of another machine or container."""
    async with running() as process:
        peer = over(process)
        await greeted(peer, process_id)
        peer.send(request(1, "twospeed/status", {}))
        assert "result" in await peer.reply_to(1)
        assert process.returncode is None
        peer.writer.close()
        assert await status_within(process, END_S) == 0, "the end of input still ends it"


# Standard input and output


@pytest.mark.security("R6.1")
async def test_nothing_listens_in_stdio_mode() -> None:
    async with running() as process:
        await greeted(over(process))
        assert listening_ports(process.pid) == set()


@pytest.mark.security("R11.1")
async def test_messages_of_a_client_that_does_not_read_are_handled() -> None:
    reading, writing = os.pipe()
    async with running(stdout=writing) as process:
        os.close(writing)
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(limit=1)  # which stops reading at once
        assert process.stdin
        peer = Peer(reader, process.stdin)
        peer.writer.transport.set_write_buffer_limits(high=0)
        n_requests = 4000
        unknown = "no/" + "x" * 900
        peer.send(initialize(), *(request(n, unknown) for n in range(n_requests)))  # answered with 4 MB
        peer.send(opening("file:///project/other.py", "x = 1\n" * 200_000))
        await asyncio.wait_for(peer.writer.drain(), LIMIT_S)  # nearly all of that has been read
        transport, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(reading, "rb")
        )
        for n in range(n_requests):
            assert unknown in (await peer.reply_to(n))["error"]["message"]
        peer.writer.close()
        assert await status_within(process, END_S) == 0
        transport.close()


@pytest.mark.security("R11.1")
async def test_a_client_that_never_reads_does_not_keep_the_process_alive() -> None:
    reading, writing = os.pipe()
    async with running(stdout=writing) as process:
        os.close(writing)
        assert process.stdin
        peer = Peer(None, process.stdin)  # type: ignore[arg-type]
        peer.send(initialize(), *(request("x" * 3000, f"no/{n}") for n in range(100)), notification("exit"))
        assert await status_within(process, LIMIT_S) == 1
    os.close(reading)


async def test_a_closed_output_ends_the_process_quietly() -> None:
    reading, writing = os.pipe()
    async with running(stdout=writing) as process:
        os.close(writing)
        os.close(reading)
        assert process.stdin
        peer = Peer(None, process.stdin)  # type: ignore[arg-type]
        peer.send(initialize())
        assert await status_within(process, LIMIT_S) == 0
        assert process.stderr
        assert await process.stderr.read() == b""


async def test_input_and_output_may_be_one_socket() -> None:
    ours, theirs = socket.socketpair()
    async with running(stdin=theirs, stdout=theirs) as process:
        theirs.close()
        peer = Peer(*await asyncio.open_connection(sock=ours))
        await greeted(peer)
        peer.send(request(1, "twospeed/status", {}))
        assert "result" in await peer.reply_to(1)
        await peer.close()
        assert await status_within(process, END_S) == 0


async def test_input_and_output_may_be_files(tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(encode_frame(b'{"id":1,"method":"twospeed/unknown"}'))
    with (tmp_path / "in").open("rb") as source, (tmp_path / "out").open("wb") as target:
        async with running(stdin=source, stdout=target) as process:
            assert await status_within(process, LIMIT_S) == 0
    assert b"-32002" in (tmp_path / "out").read_bytes()


@pytest.mark.parametrize("redirection", ["<&-", ">&-", "<&- >&- 2>&-"])
async def test_closed_standard_streams_end_the_process_quietly(redirection: str) -> None:
    command = f'exec "$@" {redirection}'
    process = await asyncio.create_subprocess_exec(
        "sh", "-c", command, "sh", *COMMAND, stdin=DEVNULL, stderr=PIPE
    )
    assert (await asyncio.wait_for(process.communicate(), LIMIT_S))[1] == b""
    assert process.returncode == 0


@pytest.mark.security("R7")
async def test_a_closed_stderr_does_not_stop_the_server() -> None:
    command = ("sh", "-c", 'exec "$@" 2>&-', "sh", *COMMAND)
    process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE)
    await greeted(over(process))
    assert process.stdin
    process.stdin.close()
    assert await status_within(process, END_S) == 0


# A Unix socket


async def listening(process: asyncio.subprocess.Process) -> str:
    return await said(process, "twospeed: listening on ")


@pytest.mark.security("R6.1")
async def test_a_pipe_is_private_needs_no_token_and_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "twospeed.sock"
    async with running("--pipe", str(path)) as process:
        assert await listening(process) == str(path)
        mode = path.stat().st_mode
        assert stat.S_ISSOCK(mode)
        assert stat.S_IMODE(mode) == 0o600
        assert listening_ports(process.pid) == set()
        first, second = await Peer.over_pipe(str(path)), await Peer.over_pipe(str(path))
        await greeted(first)
        await greeted(second)
        first.send(notification("exit"))
        await first.rest()
        await first.close()
        second.send(request(1, "shutdown"), notification("exit"))
        assert (await second.reply_to(1))["result"] is None
        assert await status_within(process, END_S) == 0
        await second.close()
    assert not path.exists()


async def test_a_socket_without_a_listener_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "twospeed.sock"
    for how in (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP):
        async with running("--pipe", str(path)) as process:
            await listening(process)
            process.send_signal(how)
            await status_within(process, END_S)
        assert path.exists() == (how is signal.SIGKILL)


async def test_a_client_that_listens_on_the_pipe_is_connected(tmp_path: Path) -> None:
    path = tmp_path / "editor.sock"
    called: asyncio.Queue[Peer] = asyncio.Queue()
    server = await asyncio.start_unix_server(lambda *streams: called.put_nowait(Peer(*streams)), path)
    async with server, running("--pipe", str(path)) as process:
        peer = await asyncio.wait_for(called.get(), LIMIT_S)
        await greeted(peer)
        await peer.close()
        assert await status_within(process, END_S) == 0
        assert path.exists(), "it is the editor's"


@pytest.mark.security("R6.1")
@pytest.mark.parametrize("kind", ["file", "folder", "link", "nowhere", "long"])
async def test_another_file_at_the_pipe_path_is_kept(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "thing"
    match kind:
        case "file":
            path.write_text("precious")
        case "folder":
            path.mkdir()
        case "link":
            path.symlink_to(tmp_path / "elsewhere")
        case "nowhere":
            path = path / "sub"
        case _:
            path = path / ("x" * 200)
    async with running("--pipe", str(path)) as process:
        assert await status_within(process, LIMIT_S) == 2
        assert process.stderr
        complaint = (await process.stderr.read()).decode()
        assert complaint.startswith("twospeed: --pipe: ")
        assert complaint.count("\n") == 1
    if kind == "file":
        assert path.read_text() == "precious"


# Ports


@pytest.mark.security("R6.1")
@pytest.mark.parametrize("transport", ["--tcp", "--ws"])
async def test_a_port_is_on_loopback_and_its_token_only_on_stderr(transport: str) -> None:
    async with running(transport, "0") as process:
        scheme, _, place = (await listening(process)).partition("://")
        assert (f"--{scheme}", place.rpartition(":")[0]) == (transport, "127.0.0.1")
        token = await said(process, "twospeed: token: ")
        assert len(bytes.fromhex(token)) == 32
        assert listening_ports(process.pid) == {int(place.rpartition(":")[2])}
        assert token.encode() not in told_to_everybody(process.pid)
        process.send_signal(signal.SIGTERM)
        assert await status_within(process, END_S) == 0


@pytest.mark.security("R6.1")
@pytest.mark.parametrize("place", ["0.0.0.0:80", "-1"])
@pytest.mark.parametrize("transport", ["--tcp", "--ws"])
async def test_no_other_address_can_be_listened_on(transport: str, place: str) -> None:
    async with running(f"{transport}={place}") as process:
        assert await status_within(process, LIMIT_S) == 2
        assert process.stderr
        complaint = (await process.stderr.read()).decode()
        assert "loopback only" in complaint
        assert complaint.count("\n") == 1


async def test_a_tcp_process_serves_clients_in_turn_until_one_exits() -> None:
    async with running("--tcp", "0") as process:
        port = int((await listening(process)).rpartition(":")[2])
        token = await said(process, "twospeed: token: ")
        for _ in range(2):
            peer = await Peer.over_tcp(port)
            await greeted(peer, token=token)
            await peer.close()
        peer = await Peer.over_tcp(port)
        await greeted(peer, token=token)
        peer.send(notification("exit"))
        await peer.rest()
        assert await status_within(process, END_S) == 1
        await peer.close()


@pytest.mark.security("R6.4")
@pytest.mark.parametrize("transport", ["tcp", "ws"])
async def test_hundreds_of_silent_sockets_do_not_use_up_the_files_of_the_process(transport: str) -> None:
    def few_files() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))

    async with running(f"--{transport}", "0", preexec_fn=few_files) as process:
        port = int((await said(process, "twospeed: listening on ")).rpartition(":")[2])
        token = await said(process, "twospeed: token: ")
        silent = [await asyncio.open_connection("127.0.0.1", port) for _ in range(350)]
        try:
            if transport == "tcp":
                peer = await Peer.over_tcp(port)
                await greeted(peer, token=token)
                await peer.close()
            else:
                protocol = Subprotocol(f"twospeed.token.{token}")
                async with connect(f"ws://127.0.0.1:{port}/", subprotocols=[protocol], proxy=None):
                    pass
            assert n_open_files(process.pid) < 150
        finally:
            for _, writer in silent:
                writer.close()
