"""The daily budget: edits and tokens of all twospeed processes of this user together.

Each entry is one line with an id, appended to the day's file in the state folder without a lock. Every
process keeps the lines it has read and appends those that the file lacks, so a deleted, truncated or replaced
file loses nothing. The budget refuses new edits; it does not stop a running one.
"""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import BinaryIO, Protocol

from twospeed.errors import BudgetSpent
from twospeed.workspace.guarded import NO_LINK, open_regular

logger = logging.getLogger(__name__)

# Edits and tokens, or lines added; then the id, which earlier releases did not write.
_LINE = re.compile(rb"^(?:(\d{1,15}) (\d{1,15})|\+(\d{1,15}))(?: ([0-9a-f]{16}))?\n", re.MULTILINE)

# Limit of a day's file: at 70 bytes for an edit, seven times the default budget.
MAX_BYTES = 1024 * 1024

_NAME = "spent-{day}.log"


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of one day on this machine; an edit beyond a limit is refused."""

    edits_per_day: int = 2000
    tokens_per_day: int = 5_000_000


class Spending(Protocol):
    """Counts usage against the limits; added lines are counted without a limit."""

    def check(self) -> None:
        """Raise BudgetSpent if a limit is reached."""

    def note_edit(self) -> None:
        """Count an instruction that is sent to a model."""

    def note_tokens(self, n_tokens: int) -> None:
        """Add the tokens of a request."""

    def note_lines(self, n_lines: int) -> None:
        """Add the lines that an applied edit added."""


@dataclass(frozen=True, slots=True)
class SpentToday:
    """Edits and tokens of models that may cost money, and lines added by edits."""

    edits: int
    tokens: int
    lines_added: int


def _today() -> date:
    return datetime.now().astimezone().date()


def spending_path(folder: Path, day: date | None = None) -> Path:
    """Return the file of a day, by default today."""
    return folder / _NAME.format(day=day or _today())


class DaysSpending:
    """Today's spending of this user; implements `Spending`."""

    def __init__(
        self,
        budget: Budget,
        *,
        config_path: Path,
        folder: Path,
        today: Callable[[], date] = _today,
    ) -> None:
        self._budget = budget
        self._config_path = config_path
        self._folder = folder
        self._today = today
        self._day: date | None = None
        self._n_edits = self._n_tokens = self._n_lines = 0
        self._known: dict[bytes, bytes] = {}  # lines of the day by id, in their order
        self._missing: list[bytes] = []  # ids of known lines that the file lacks
        self._identity: tuple[int, int] | None = None
        self._n_read = 0
        self._n_without_id = 0
        self._last_line = b""
        self._is_torn = False
        self._logged_reason = ""

    def check(self) -> None:
        """Raise BudgetSpent, with the config key, if today's budget is used up."""
        self._read()
        for key, spent, allowed in (
            ("edits_per_day", self._n_edits, self._budget.edits_per_day),
            ("tokens_per_day", self._n_tokens, self._budget.tokens_per_day),
        ):
            if spent >= allowed:
                what = key.partition("_")[0]
                raise BudgetSpent(
                    f"today's budget of {allowed} {what} is used up; it resets at midnight, or raise {key} under "
                    f"[budget] in {self._config_path}"
                )

    def note_edit(self) -> None:
        """See `Spending`."""
        self._note(b"1 0")

    def note_tokens(self, n_tokens: int) -> None:
        """See `Spending`."""
        if n_tokens > 0:
            self._note(b"0 %d" % n_tokens)

    def note_lines(self, n_lines: int) -> None:
        """See `Spending`."""
        if n_lines > 0:
            self._note(b"+%d" % n_lines)

    def today(self) -> SpentToday:
        """Return today's spending."""
        self._read()
        return SpentToday(self._n_edits, self._n_tokens, self._n_lines)

    def _note(self, what: bytes) -> None:
        self._read()
        self._missing += self._count_new_lines(b"%b %b\n" % (what, os.urandom(8).hex().encode()))
        self._write()

    def _count_new_lines(self, text: bytes) -> list[bytes]:
        ids: list[bytes] = []
        for match in _LINE.finditer(text):
            edits, tokens, lines, line_id = match.groups(default=b"")
            if not line_id:  # written by an earlier release: the line number is its id
                self._n_without_id += 1
                line_id = b"%d" % self._n_without_id
            ids.append(line_id)  # also if the line was counted before
            if line_id not in self._known:  # a restored copy of the file counts nothing twice
                self._known[line_id] = match[0]
                self._n_edits += int(edits or 0)
                self._n_tokens += int(tokens or 0)
                self._n_lines += int(lines or 0)
        return ids

    def _read(self) -> None:
        if self._day != (day := self._today()):
            self._day = day
            self._n_edits = self._n_tokens = self._n_lines = 0
            self._known, self._missing = {}, []
            self._delete_files_of_other_days()
        try:
            with open(open_regular(self._path, os.O_RDONLY), "rb") as file:  # noqa: PTH123  # a descriptor
                self._read_from(file)
        except FileNotFoundError:
            self._missing, self._is_torn = list(self._known), False
        except OSError as error:
            self._log_once(error)  # this process counts alone
            return
        if self._missing:
            self._write()

    def _read_from(self, file: BinaryIO) -> None:
        status = os.fstat(file.fileno())
        if status.st_size > MAX_BYTES:
            raise OSError(errno.EFBIG, f"is larger than {MAX_BYTES // 1024} KB")
        identity = status.st_dev, status.st_ino
        is_same = identity == self._identity
        if is_same:
            file.seek(self._n_read - len(self._last_line))
            is_same = file.read(len(self._last_line)) == self._last_line
        if not is_same:
            self._identity, self._n_read, self._n_without_id, self._last_line = identity, 0, 0, b""
            file.seek(0)
        text = file.read(MAX_BYTES)
        whole = text[: text.rfind(b"\n") + 1]
        self._is_torn = len(whole) < len(text)
        ids = self._count_new_lines(whole)
        self._n_read += len(whole)
        self._last_line = whole[whole.rfind(b"\n", 0, -1) + 1 :] or self._last_line
        if not is_same:
            in_file = set(ids)
            self._missing = [line_id for line_id in self._known if line_id not in in_file]

    def _write(self) -> None:
        text = b"".join(self._known[line_id] for line_id in self._missing)
        try:  # after a failure the next call tries again
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = open_regular(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | NO_LINK)
            try:
                os.write(descriptor, b"\n" + text if self._is_torn else text)
            finally:
                os.close(descriptor)
        except OSError as error:
            self._log_once(error)
        else:
            self._missing = []

    def _log_once(self, error: OSError) -> None:
        reason = error.strerror or type(error).__name__
        if reason != self._logged_reason:
            self._logged_reason = reason
            logger.warning("spending is counted for this process only: %s: %s", self._path, reason.lower())

    def _delete_files_of_other_days(self) -> None:
        with contextlib.suppress(OSError):
            for path in self._folder.glob(_NAME.format(day="*")):
                if path != self._path:
                    path.unlink(missing_ok=True)

    @property
    def _path(self) -> Path:
        return spending_path(self._folder, self._day or self._today())
