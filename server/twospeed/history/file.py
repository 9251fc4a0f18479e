"""Store rows in a SQLite file that several servers may write at once."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import stat
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import astuple, fields
from pathlib import Path
from typing import Final

from twospeed.errors import HistoryBusy, HistoryUnusable

from .rows import EditRow

# Version of the table; a file of a later version is not used.
VERSION: Final = 2

# How long a row is kept.
KEPT_S: Final = 365 * 24 * 60 * 60.0

_BUSY_S: Final = 2.0
_RETRY_S: Final = 0.01
_touch_lock: Final = threading.Lock()
_NAMES: Final = tuple(field.name for field in fields(EditRow))
_TYPES: Final = {"str": "TEXT", "Kind": "TEXT", "RowVerdict": "TEXT", "float": "REAL", "int": "INTEGER"}


class HistoryFile:
    """An open history file, for one thread.

    Raises HistoryUnusable if it is broken or of a later version, HistoryBusy if it is locked or the disk is
    full, FileNotFoundError if it is missing and must not be created.
    """

    def __init__(self, path: Path, *, is_new_allowed: bool = True) -> None:
        self._path = path
        self._is_new_allowed = is_new_allowed
        with self._mapped_errors():
            _touch(path, is_new_allowed=is_new_allowed)
            self._sql = sqlite3.connect(path, timeout=_BUSY_S, isolation_level=None)
        try:
            with self._mapped_errors():
                self._prepare()
        except BaseException:
            self._sql.close()
            raise

    def _prepare(self) -> None:
        sql = self._sql
        self._use_wal()  # readers and writers do not block each other
        # NORMAL: a crash of the machine may lose the last rows, but not corrupt the file.
        sql.execute("PRAGMA synchronous = NORMAL")
        with self._transaction():
            version = sql.execute("PRAGMA user_version").fetchone()[0]
            if version > VERSION:
                raise HistoryUnusable(f"{self._path} was made by a later version of twospeed")
            if version == 0:
                columns = ", ".join(f"{field.name} {_sql_type(str(field.type))}" for field in fields(EditRow))
                sql.execute(f"CREATE TABLE edits ({columns}, PRIMARY KEY (id))")
            elif version < VERSION:
                self._add_columns()
            if version < VERSION:
                sql.execute(f"PRAGMA user_version = {VERSION}")
            sql.execute("DELETE FROM edits WHERE at < ?", (time.time() - KEPT_S,))

    def _add_columns(self) -> None:
        """Add the columns that a file of an earlier version lacks."""
        known = {row[1] for row in self._sql.execute("PRAGMA table_info(edits)")}
        for field in fields(EditRow):
            if field.name not in known:
                default = " DEFAULT 0" if field.default == 0 else ""
                self._sql.execute(
                    f"ALTER TABLE edits ADD COLUMN {field.name} {_sql_type(str(field.type))}{default}"
                )

    def _use_wal(self) -> None:
        # SQLite's busy timeout does not cover two processes that change the mode of a new file at once.
        until = time.monotonic() + _BUSY_S
        while True:
            try:
                self._sql.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                    raise
                time.sleep(_RETRY_S)
            else:
                return

    def write(self, rows: Iterable[EditRow]) -> None:
        """Insert rows, or replace rows with the same id; after an error nothing is written."""
        places = ", ".join("?" * len(_NAMES))
        with self._mapped_errors(), self._transaction():
            self._sql.executemany(
                f"INSERT OR REPLACE INTO edits ({', '.join(_NAMES)}) VALUES ({places})",  # noqa: S608  # our own names
                [astuple(row) for row in rows],
            )

    def read(self) -> list[EditRow]:
        """Return all rows, oldest first."""
        with self._mapped_errors():
            rows = self._sql.execute(f"SELECT {', '.join(_NAMES)} FROM edits ORDER BY at, id")  # noqa: S608  # as above
            return [EditRow(*row) for row in rows]

    def close(self) -> None:
        """Close the file."""
        with contextlib.suppress(sqlite3.Error):
            self._sql.close()

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        self._sql.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                self._sql.execute("ROLLBACK")
            raise
        self._sql.execute("COMMIT")

    @contextlib.contextmanager
    def _mapped_errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.OperationalError, OSError) as error:
            if isinstance(error, FileNotFoundError) and not self._is_new_allowed:
                raise
            raise HistoryBusy(f"{self._path} cannot be used now: {error}") from error
        except sqlite3.Error as error:
            raise HistoryUnusable(
                f"{self._path} is broken ({error}); move it away to start a new history"
            ) from error


def _touch(path: Path, *, is_new_allowed: bool) -> None:
    # Only a new file is opened: closing an existing one would release all locks of this process on it (POSIX),
    # also those of its other connections.
    with _touch_lock:
        if is_new_allowed:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with contextlib.suppress(FileExistsError):
                # SQLite gives its own files next to this one the same mode.
                os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        if not stat.S_ISREG(path.lstat().st_mode):
            raise OSError("it is not a regular file")


def _sql_type(annotation: str) -> str:
    return _TYPES[annotation.partition(" ")[0]]
