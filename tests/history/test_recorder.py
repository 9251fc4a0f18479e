"""Rows are recorded at once and written soon; a faulty file is reported only in the log."""

from __future__ import annotations

import logging
import sqlite3
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.history.some_rows import ROW, rows_in

from twospeed.errors import HistoryBusy
from twospeed.history.file import HistoryFile
from twospeed.history.recorder import Recorder

CLOSE_S = 10.0


def test_recorded_rows_are_written_at_close(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "history.db")
    rows = [replace(ROW, id=str(number), at=ROW.at + number) for number in range(200)]
    for row in rows:
        recorder.record(row)
    assert recorder.close(CLOSE_S)
    assert rows_in(tmp_path / "history.db") == rows


def test_the_last_row_of_an_id_is_kept(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "history.db")
    for verdict in (None, "accepted", "undone"):
        recorder.record(replace(ROW, verdict=verdict))
    assert recorder.close(CLOSE_S)
    assert [row.verdict for row in rows_in(tmp_path / "history.db")] == ["undone"]


def test_without_a_row_no_thread_and_no_file_is_created(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "history.db")
    assert recorder.close(CLOSE_S)
    assert recorder._thread is None
    assert list(tmp_path.iterdir()) == []


def test_a_broken_file_is_logged_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "history.db").write_bytes(b"no database" * 100)
    recorder = Recorder(tmp_path / "history.db")
    with caplog.at_level(logging.WARNING):
        for number in range(20):
            recorder.record(replace(ROW, id=str(number)))
        assert recorder.close(CLOSE_S)
    assert len(caplog.records) == 1
    assert "is broken" in caplog.text
    assert (tmp_path / "history.db").read_bytes() == b"no database" * 100


def test_a_folder_that_cannot_be_created_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "state").write_text("a file")
    recorder = Recorder(tmp_path / "state" / "history.db")
    recorder.record(ROW)
    assert recorder.close(CLOSE_S)
    assert "cannot be written" in caplog.text


def test_rows_wait_for_a_locked_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "history.db"
    HistoryFile(path).close()
    monkeypatch.setattr("twospeed.history.file._BUSY_S", 0.01)
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    recorder = Recorder(path)
    tries = unlocked_after_the_first(other, recorder, monkeypatch)
    recorder.record(ROW)
    while not tries:
        recorder._thread.join(0.01)  # type: ignore[union-attr]  # it runs
    recorder.record(replace(ROW, id="b"))
    assert recorder.close(CLOSE_S)
    other.close()
    assert {row.id for row in rows_in(path)} == {"a", "b"}


def unlocked_after_the_first(
    other: sqlite3.Connection, recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> list[HistoryBusy]:
    """Release the lock after the first failed write, and count the failures."""
    tries: list[HistoryBusy] = []
    complain: Callable[[HistoryBusy], None] = recorder._log_once

    def failed(error: HistoryBusy) -> None:
        complain(error)
        if not tries:
            other.execute("ROLLBACK")
        tries.append(error)

    monkeypatch.setattr(recorder, "_log_once", failed)
    return tries


def test_sqlite_is_not_imported_if_no_rows_are_kept() -> None:
    import subprocess  # noqa: PLC0415

    code = "import sys, twospeed.history.recorder, twospeed.lsp.session.session; sys.exit('sqlite3' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
