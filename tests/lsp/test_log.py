"""The log file: appended to, private to its owner, and able to hold any text."""

from __future__ import annotations

import logging
import logging.handlers
import os
import re
import stat
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import platformdirs
import pytest

from twospeed.errors import NoHomeFolder
from twospeed.lsp.log import MAX_BYTES, N_OLD_FILES, _PrivateFileHandler, log_path, open_log


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "server.log"


@pytest.fixture
def handler(path: Path) -> Iterator[logging.Handler]:
    handler = _PrivateFileHandler(path, maxBytes=200, backupCount=2, encoding="utf-8", delay=True)
    yield handler
    handler.close()


def write(handler: logging.Handler, text: str) -> None:
    handler.handle(logging.makeLogRecord({"msg": text}))
    handler.flush()


def test_a_record_is_appended_to_an_existing_log(handler: logging.Handler, path: Path) -> None:
    path.write_text("before\n", "utf-8")
    write(handler, "ünë")
    write(handler, "two")
    assert path.read_text("utf-8") == "before\nünë\ntwo\n"


def test_a_lone_surrogate_is_written_as_its_number(handler: logging.Handler, path: Path) -> None:
    write(handler, "a\ud800b")
    assert path.read_text("utf-8") == "a\\ud800b\n"


@pytest.mark.security("R7")
@pytest.mark.skipif(sys.platform == "win32", reason="files have no such modes there")
@pytest.mark.parametrize("exists", [False, True])
def test_only_the_owner_may_read_the_log(handler: logging.Handler, path: Path, exists: bool) -> None:
    if exists:
        path.touch()
        path.chmod(0o644)
    before = os.umask(0)
    try:
        write(handler, "one")
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.security("R7")
@pytest.mark.skipif(sys.platform == "win32", reason="links are made by administrators there")
def test_the_log_follows_no_symbolic_link(
    handler: logging.Handler, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging, "raiseExceptions", False)
    other = tmp_path / "other"
    other.write_text("another's\n", "utf-8")
    path.symlink_to(other)
    write(handler, "one")
    assert other.read_text("utf-8") == "another's\n"


def test_a_full_log_is_rotated(handler: logging.Handler, path: Path) -> None:
    for number in range(4):
        write(handler, f"{number}" * 120)
    kept = [
        path.with_name(name).read_text("utf-8")[0] for name in ("server.log", "server.log.1", "server.log.2")
    ]
    assert kept == ["3", "2", "1"]
    assert sorted(each.name for each in path.parent.iterdir()) == [
        "server.log",
        "server.log.1",
        "server.log.2",
    ]


LOGGERS = ("twospeed", "asyncio")


def a_broken_value() -> ValueError:
    """Return an error that was raised in one function and caught in another."""
    try:
        break_value()
    except ValueError as error:
        return error
    raise AssertionError


def break_value() -> None:
    raise ValueError("the text of a document")


THERE = " < ".join(
    f"{Path(__file__).name}:{function.__code__.co_firstlineno + offset} {function.__name__}"
    for function, offset in ((break_value, 1), (a_broken_value, 3))
)


@pytest.fixture
def _logging_as_it_was(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let `open_log` change what it changes, for the test alone."""
    for module, name in (
        (logging, "lastResort"),
        (logging, "raiseExceptions"),
        (sys, "excepthook"),
        (threading, "excepthook"),
        (sys, "unraisablehook"),
    ):
        monkeypatch.setattr(module, name, getattr(module, name))
    root = logging.getLogger()
    monkeypatch.setattr(root, "handlers", root.handlers)
    loggers = [logging.getLogger(name) for name in LOGGERS]
    for each in loggers:
        for name in ("handlers", "propagate", "filters"):
            monkeypatch.setattr(each, name, getattr(each, name))
    levels = [each.level for each in loggers]
    yield
    for each, level in zip(loggers, levels, strict=True):
        each.handlers[0].close()
        each.setLevel(level)


@pytest.mark.usefixtures("_logging_as_it_was")
def test_the_log_contains_only_our_records_and_errors_of_asyncio(
    capsys: pytest.CaptureFixture[str],
) -> None:
    open_log()
    open_log()  # the folder is there by now
    path = log_path()
    assert (path.name, path.parent.is_dir(), path.exists()) == ("server.log", True, False)
    if sys.platform != "win32":
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    ours, asyncios = logging.getLogger("twospeed.some"), logging.getLogger("asyncio")
    ours.debug("a detail")
    ours.info("a record with Bearer %s", "qwertzuiop1357924680QWERTZUIOP")
    logging.getLogger("pygls").error("a whole message")
    asyncios.warning("slow")
    asyncios.error("broken %s\nfuture: <Task exception=ValueError('secret')>", "pipe")
    ours.error("failed", exc_info=a_broken_value())
    expected = (
        "DATE INFO twospeed.some a record with Bearer ***\n"
        "DATE ERROR asyncio broken pipe\n"
        f"DATE ERROR twospeed.some failed\nValueError at {THERE}\n"
    )
    text = re.sub(r"(?m)^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} ", "DATE ", path.read_text("utf-8"))
    assert text == expected
    assert capsys.readouterr() == ("", "")
    assert logging.lastResort is None
    assert not logging.raiseExceptions
    assert [type(each) for each in logging.getLogger().handlers] == [logging.NullHandler]
    (handler,) = logging.getLogger("twospeed").handlers
    assert isinstance(handler, logging.handlers.RotatingFileHandler)
    assert (handler.maxBytes, handler.backupCount) == (MAX_BYTES, N_OLD_FILES)
    assert [handler] == logging.getLogger("asyncio").handlers
    assert not logging.getLogger("twospeed").propagate
    assert not logging.getLogger("asyncio").propagate
    assert path.parent == Path(platformdirs.user_log_dir("twospeed", appauthor=False))


@pytest.mark.usefixtures("_logging_as_it_was")
def test_an_uncaught_exception_is_logged_by_its_place_alone(capsys: pytest.CaptureFixture[str]) -> None:
    open_log()
    error = a_broken_value()
    trace = error.__traceback__
    places = f"ValueError at {THERE}"
    arguments = SimpleNamespace(exc_type=ValueError, exc_value=error, exc_traceback=trace)
    without_trace = SimpleNamespace(exc_type=KeyError, exc_value=None, exc_traceback=None)
    sys.excepthook(ValueError, error, trace)
    threading.excepthook(arguments)  # type: ignore[arg-type]
    sys.unraisablehook(arguments)
    threading.excepthook(without_trace)  # type: ignore[arg-type]
    sys.excepthook(KeyboardInterrupt, KeyboardInterrupt(), None)
    sys.excepthook(SystemExit, SystemExit(), None)
    said = [*[places] * 3, "KeyError at no place"]
    assert capsys.readouterr().err == "".join(f"twospeed: uncaught exception {each}\n" for each in said)
    text = log_path().read_text("utf-8")
    records = [line for line in text.splitlines() if " at " in line]
    assert records == said
    assert text.count(" ERROR twospeed.lsp.log uncaught exception\n") == 4


@pytest.mark.usefixtures("_logging_as_it_was")
def test_without_a_folder_to_write_to_nothing_is_logged(capsys: pytest.CaptureFixture[str]) -> None:
    log_path().parent.parent.mkdir(parents=True, exist_ok=True)
    log_path().parent.write_text("a file in its place", "utf-8")
    open_log()
    logging.getLogger("twospeed").error("lost")
    assert capsys.readouterr() == ("", "")


def test_without_a_home_there_is_no_log(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> str:
        raise RuntimeError("no home")

    monkeypatch.setattr(platformdirs, "user_log_dir", unknown)
    with pytest.raises(NoHomeFolder):
        log_path()
