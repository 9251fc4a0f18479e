"""The log's file: appended to, for its owner alone, and able to hold any text."""

from __future__ import annotations

import logging
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from twospeed.lsp.log import _PrivateFileHandler


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


def test_a_record_is_appended_to_what_is_there(handler: logging.Handler, path: Path) -> None:
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
def test_only_its_owner_may_read_it(handler: logging.Handler, path: Path, exists: bool) -> None:
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
def test_no_link_is_followed(
    handler: logging.Handler, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging, "raiseExceptions", False)
    other = tmp_path / "other"
    other.write_text("another's\n", "utf-8")
    path.symlink_to(other)
    write(handler, "one")
    assert other.read_text("utf-8") == "another's\n"


def test_a_full_file_is_kept_and_another_is_begun(handler: logging.Handler, path: Path) -> None:
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
