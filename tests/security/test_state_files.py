"""The program's own files may be a pipe, a device, a folder or far too large."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.e2e.shell import BUILTIN, Shell, run_of

from twospeed.budget.consent import Consent, consent_path, read_consent
from twospeed.budget.spending import Budget, DaysSpending, SpentToday, spending_path
from twospeed.cli.edit.undo import keep_for_undo, undo_path
from twospeed.cli.files import SourceFile
from twospeed.cli.main import main
from twospeed.config.paths import history_path, state_folder
from twospeed.errors import HistoryBusy, HistoryUnusable
from twospeed.history.file import HistoryFile
from twospeed.lsp.log import log_path, open_log
from twospeed.workspace.guarded import open_regular, trouble_with

pytestmark = [
    pytest.mark.security("R11.1"),
    pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs links and pipes of Unix"),
]


def be_a_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(os.path.relpath(path))  # the name of a socket is short


def be_huge(path: Path) -> None:
    path.touch()
    os.truncate(path, 200 * 1024 * 1024)


def be_read_by_another(path: Path) -> None:
    os.mkfifo(path)
    os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # with a reader, a pipe opens for writing at once


KINDS: dict[str, Callable[[Path], object]] = {
    "a pipe": os.mkfifo,
    "a pipe that is read": be_read_by_another,
    "a socket": be_a_socket,
    "/dev/zero": lambda path: path.symlink_to("/dev/zero"),
    "/dev/full": lambda path: path.symlink_to("/dev/full"),
    "a folder": Path.mkdir,
    "200 MB": be_huge,
}


@pytest.fixture(params=list(KINDS))
def spoil(request: pytest.FixtureRequest) -> Callable[[Path], None]:
    def spoil(path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        KINDS[request.param](path)

    return spoil


@pytest.fixture
def soon() -> Iterator[None]:
    started = time.process_time()
    yield
    assert time.process_time() - started < 5


@pytest.mark.usefixtures("soon")
def test_unreadable_spending_is_counted_by_each_process(
    spoil: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    spoil(path := spending_path(state_folder()))
    spending = DaysSpending(Budget(2, 100), config_path=Path("config.toml"), folder=state_folder())
    spending.check()
    for _ in range(2):
        spending.note_tokens(7)
        assert spending.today() == SpentToday(0, 7 * (1 + _), 0)
    (messages,) = {record.getMessage() for record in caplog.records}
    assert str(path) in messages
    assert trouble_with(path, max_bytes=2**20)


@pytest.mark.usefixtures("soon")
def test_unreadable_consents_count_as_none(
    spoil: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    spoil(path := consent_path(state_folder()))
    assert read_consent(path) == Consent()
    assert str(path) in caplog.text


@pytest.mark.usefixtures("soon")
def test_an_edit_is_kept_for_undo_in_place_of_an_unusable_file(
    spoil: Callable[[Path], None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spoil(path := undo_path())
    (file := tmp_path / "a.py").write_text("new\n")
    keep_for_undo("rename", [(SourceFile(file, b"old\n", "old\n"), "new\n")])
    said = capsys.readouterr().err
    if path.is_dir():
        assert said == "twospeed: twospeed undo cannot take this edit back: is a directory\n"
    else:
        assert said == ""
        assert not path.is_symlink()
        assert path.stat().st_mode & 0o777 == 0o600
        assert main(["undo"]) == 0
        assert file.read_text() == "old\n"


@pytest.mark.usefixtures("soon")
def test_an_unusable_file_of_undo_is_reported(
    spoil: Callable[[Path], None], capsys: pytest.CaptureFixture[str]
) -> None:
    spoil(path := undo_path())
    assert main(["undo"]) == 2
    assert capsys.readouterr().err.startswith(f"twospeed: {path}: is ")


@pytest.fixture
def logging_as_it_was() -> Iterator[None]:
    loggers = [logging.getLogger(name) for name in ("", "twospeed", "asyncio")]
    before = [(each, each.handlers, each.propagate, each.level, each.filters) for each in loggers]
    hooks = (
        sys.excepthook,
        threading.excepthook,
        sys.unraisablehook,
        logging.lastResort,
        logging.raiseExceptions,
    )
    yield
    for each, handlers, propagate, level, filters in before:
        each.handlers, each.propagate, each.filters = handlers, propagate, filters
        each.setLevel(level)
    sys.excepthook, threading.excepthook, sys.unraisablehook, logging.lastResort, logging.raiseExceptions = (
        hooks
    )


@pytest.mark.usefixtures("soon", "logging_as_it_was")
def test_an_unwritable_log_does_not_block(spoil: Callable[[Path], None]) -> None:
    spoil(path := log_path())
    mode = path.stat().st_mode
    open_log()
    for _ in range(3):
        logging.getLogger("twospeed.test").warning("something")
    if path.is_file() and not path.is_symlink():  # it was long, and rotated
        assert "something" in path.read_text()
    else:
        assert path.stat().st_mode == mode
        assert trouble_with(path)


@pytest.mark.usefixtures("soon")
def test_an_unreadable_history_is_reported_as_unusable(spoil: Callable[[Path], None]) -> None:
    spoil(history_path())
    with pytest.raises((HistoryBusy, HistoryUnusable)):
        HistoryFile(history_path())


def test_a_file_replaced_by_a_pipe_is_closed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (path := tmp_path / "a").touch()
    os.mkfifo(tmp_path / "pipe")
    opened: list[int] = []
    real = os.open

    def swapped(_: object, flags: int, mode: int = 0o600) -> int:
        opened.append(real(tmp_path / "pipe", flags, mode))
        return opened[0]

    monkeypatch.setattr(os, "open", swapped)
    with pytest.raises(OSError, match="not a regular file"):
        open_regular(path, os.O_RDONLY)
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(opened[0])


@pytest.mark.process
@pytest.mark.parametrize("kind", ["a pipe", "/dev/zero", "200 MB"])
async def test_the_server_starts_and_edits_without_usable_state_files(tmp_path: Path, kind: str) -> None:
    shell = Shell(tmp_path)
    shell.configure(BUILTIN)
    state, logs = tmp_path / "state" / "twospeed", tmp_path / "state" / "twospeed" / "log"
    logs.mkdir(parents=True)
    shell.environment["XDG_STATE_HOME"] = str(tmp_path / "state")
    names = [
        spending_path(state),
        state / "consent.json",
        state / "history.db",
        logs / "server.log",
    ]
    for path in names:
        KINDS[kind](path)
    file = shell.file("a.py", "def f(amount):\n    return amount\n")
    run = await shell.run("edit", f"{file}:1", "rename amount to total", "--write")
    assert run.status == 0, run.err
    assert file.read_text() == "def f(total):\n    return total\n"
    process = await shell.start("doctor", "--json")
    async with asyncio.timeout(60):
        run = await run_of(process)
    messages = json.loads(run.out)["unusable"]
    expected = names if kind != "200 MB" else names[:2]
    assert [sentence.partition(" is ")[0] for sentence in messages] == [
        str(path) for path in (names[3], *names[:3]) if path in expected
    ]
