"""Keep to the user's budget: edits and tokens of a day, of all twospeed processes of this user together.

How many lines the day's edits have added is counted beside them: nothing stops at a number, but a person may want to
know how much there is that nobody has read.

What is spent is written to a file of the day in the user's state folder, a line each time. A short line appended at
once stays whole whoever else appends, so the file needs no lock, and its sum is right for everybody. Where it cannot
be written, each process counts for itself. A budget stops what would begin; an edit that runs is not cut off.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

from twospeed.errors import BudgetSpent

from .settings import Budget

logger = logging.getLogger(__name__)

_LINE = re.compile(rb"^(\d{1,15}) (\d{1,15})\n", re.MULTILINE)
_LINES_ADDED = re.compile(rb"^\+(\d{1,15})\n", re.MULTILINE)
_NAME = "spent-{day}.log"


@dataclass(frozen=True, slots=True)
class SpentToday:
    """What a day has come to: edits and tokens of models that may cost something, and lines that edits have added."""

    edits: int
    tokens: int
    lines_added: int


def _today() -> date:
    return datetime.now().astimezone().date()


class DaysSpending:
    """What this user has spent today, against the budget; implements `edits.model_source.Spending`.

    Args:
        budget: What a day may cost.
        config_path: Where the budget stands, for the error.
        folder: Where spending is kept.
        today: The day on the user's own clock.
    """

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
        self._n_read = 0

    def check(self) -> None:
        """Let an edit pass.

        Raises:
            BudgetSpent: Today's budget is used up; names the key that says so.
        """
        self._read()
        for key, spent, allowed in (
            ("edits_per_day", self._n_edits, self._budget.edits_per_day),
            ("tokens_per_day", self._n_tokens, self._budget.tokens_per_day),
        ):
            if spent >= allowed:
                what = key.partition("_")[0]
                raise BudgetSpent(
                    f"today's budget of {allowed} {what} is used up; it begins anew at midnight, or raise {key} under "
                    f"[budget] in {self._config_path}"
                )

    def note_edit(self) -> None:
        """A model is asked to carry out an instruction."""
        if not self._is_written(b"1 0\n"):
            self._n_edits += 1

    def note_tokens(self, n_tokens: int) -> None:
        """A request has cost so many tokens."""
        if n_tokens > 0 and not self._is_written(b"0 %d\n" % n_tokens):
            self._n_tokens += n_tokens

    def note_lines(self, n_lines: int) -> None:
        """An edit has landed that adds so many lines."""
        if n_lines > 0 and not self._is_written(b"+%d\n" % n_lines):
            self._n_lines += n_lines

    def today(self) -> SpentToday:
        """Return what the day has come to."""
        self._read()
        return SpentToday(self._n_edits, self._n_tokens, self._n_lines)

    def _is_written(self, line: bytes) -> bool:
        """Write down a line for all processes to read; whether that could be done."""
        self._read()
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
            descriptor = os.open(self._path, flags, 0o600)
            try:
                os.write(descriptor, line)
            finally:
                os.close(descriptor)
        except OSError as error:
            logger.warning("spending is counted for this process alone: %s", type(error).__name__)
            return False
        return True

    def _read(self) -> None:
        """Add up what was written since the last time; with a new day, begin anew."""
        if self._day != (day := self._today()):
            self._day, self._n_read = day, 0
            self._n_edits = self._n_tokens = self._n_lines = 0
            self._forget_other_days()
        with contextlib.suppress(OSError), self._path.open("rb") as file:
            file.seek(self._n_read)
            for line in _LINE.finditer(text := file.read()):
                self._n_edits += int(line[1])
                self._n_tokens += int(line[2])
            self._n_lines += sum(int(line[1]) for line in _LINES_ADDED.finditer(text))
            self._n_read += text.rfind(b"\n") + 1

    def _forget_other_days(self) -> None:
        with contextlib.suppress(OSError):
            for path in self._folder.glob(_NAME.format(day="*")):
                if path != self._path:
                    path.unlink(missing_ok=True)

    @property
    def _path(self) -> Path:
        return self._folder / _NAME.format(day=self._day)
