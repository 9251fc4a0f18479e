"""The history file: private to the user, shared by processes, and replaced by no foreign file."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, replace
from pathlib import Path

import pytest
from tests.history.some_rows import ROW, rows_in

from twospeed.errors import HistoryBusy, HistoryUnusable
from twospeed.history.file import KEPT_S, VERSION, HistoryFile
from twospeed.history.rows import EditRow


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "history.db"


def written(path: Path, *rows: object) -> None:
    file = HistoryFile(path)
    file.write(rows)  # type: ignore[arg-type]  # rows
    file.close()


def rows_another_process_sees(path: Path) -> int:
    script = """import sqlite3, sys
sql = sqlite3.connect(sys.argv[1])
print(sql.execute("SELECT count(*) FROM edits").fetchone()[0])
sql.close()"""
    return int(subprocess.run([sys.executable, "-c", script, path], check=True, capture_output=True).stdout)


def test_rows_are_read_unchanged_and_oldest_first(path: Path) -> None:
    later = replace(ROW, id="b", at=ROW.at + 1, cost=None, lines_surviving=None)
    written(path, later, ROW)
    assert rows_in(path) == [ROW, later]


def test_a_row_replaces_the_row_with_its_id(path: Path) -> None:
    written(path, replace(ROW, verdict=None))
    written(path, ROW)
    assert rows_in(path) == [ROW]


def test_other_users_cannot_read_the_history_file(path: Path) -> None:
    file = HistoryFile(path)
    file.write([ROW])
    modes = {each.name: stat.S_IMODE(each.stat().st_mode) for each in path.parent.iterdir()}
    file.close()
    assert set(modes) == {"history.db", "history.db-wal", "history.db-shm"}
    assert set(modes.values()) == {0o600}
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_link_to_another_file_is_not_followed(path: Path, tmp_path: Path) -> None:
    path.parent.mkdir()
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(HistoryUnusable):
        HistoryFile(path)
    assert not (tmp_path / "elsewhere").exists()


def test_a_named_pipe_is_refused_without_waiting(path: Path) -> None:
    path.parent.mkdir()
    os.mkfifo(path)
    with pytest.raises(HistoryUnusable, match="not a regular file"):
        HistoryFile(path)


def test_another_kind_of_file_is_not_changed(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"my own notes" * 100)
    with pytest.raises(HistoryUnusable, match=r"history\.db is broken .*move it away"):
        HistoryFile(path)
    assert path.read_bytes() == b"my own notes" * 100


def test_a_file_of_a_later_version_is_not_changed(path: Path) -> None:
    written(path)
    sql = sqlite3.connect(path)
    sql.execute(f"PRAGMA user_version = {VERSION + 1}")
    sql.close()
    with pytest.raises(HistoryUnusable, match="made by a later version of twospeed"):
        HistoryFile(path)


def test_a_file_of_the_first_version_gets_the_new_columns(path: Path) -> None:
    old = [field.name for field in fields(EditRow) if not field.name.startswith("deep_")]
    path.parent.mkdir()
    sql = sqlite3.connect(path)
    sql.execute(f"CREATE TABLE edits ({', '.join(old)}, PRIMARY KEY (id))")
    values = [getattr(ROW, name) for name in old]
    sql.execute(f"INSERT INTO edits VALUES ({', '.join('?' * len(old))})", values)
    sql.execute("PRAGMA user_version = 1")
    sql.commit()
    sql.close()
    assert rows_in(path) == [ROW]
    deepened = replace(ROW, id="b", deep_provider="lab", deep_model="slow", deep_state="taken", deep_taken=2)
    written(path, deepened)
    assert rows_in(path) == [ROW, deepened]


def test_a_missing_file_cannot_be_read(path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        HistoryFile(path, is_new_allowed=False)
    assert not path.exists()


def test_a_file_that_cannot_be_created_is_busy() -> None:
    with pytest.raises(HistoryBusy, match="cannot be used now"):
        HistoryFile(Path("/dev/fd/twospeed/history.db"))


def test_a_locked_file_is_busy(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("twospeed.history.file._BUSY_S", 0.01)
    file = HistoryFile(path)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(HistoryBusy, match="locked"):
        file.write([ROW])
    other.execute("ROLLBACK")
    other.close()
    file.write([ROW])
    file.close()
    assert rows_in(path) == [ROW]


def test_concurrent_writers_lose_no_row(path: Path) -> None:
    ready = threading.Barrier(4)

    def write(writer: int) -> None:
        ready.wait()
        file = HistoryFile(path)
        for number in range(25):
            file.write([replace(ROW, id=f"{writer}-{number}")])
        file.close()

    with ThreadPoolExecutor(4) as pool:
        for writing in [pool.submit(write, writer) for writer in range(4)]:
            writing.result()
    assert len(rows_in(path)) == 100


def test_several_processes_can_create_the_file_at_once(tmp_path: Path) -> None:
    for number in range(20):
        path = tmp_path / f"{number}.db"
        ready = threading.Barrier(4)

        def make(path: Path = path, ready: threading.Barrier = ready) -> None:
            ready.wait()
            HistoryFile(path).close()

        with ThreadPoolExecutor(4) as pool:
            for making in [pool.submit(make) for _ in range(4)]:
                making.result()
        assert rows_in(path) == []


def test_opening_the_file_again_keeps_the_locks_of_this_process(path: Path) -> None:
    first = HistoryFile(path)
    first.write([ROW])
    second = HistoryFile(path)
    # A process that closes the file as the last one ends its log: whether it is the last, locks tell.
    assert rows_another_process_sees(path) == 1
    first.write([replace(ROW, id="later")])
    assert rows_another_process_sees(path) == 2
    first.close()
    second.close()


def test_rows_older_than_a_year_are_deleted(path: Path) -> None:
    written(path, ROW, replace(ROW, id="old", at=ROW.at - KEPT_S - 1))
    assert [row.id for row in rows_in(path)] == [ROW.id]
