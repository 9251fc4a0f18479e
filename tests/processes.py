"""Fail a test if code of the server starts a process that no config of the test's user names.

Python's audit events (PEP 578) report every process, also one of a library or a thread. A hook cannot be removed, so one
hook serves all tests. For any other event it costs one look-up in a set.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import Any

from tests.sources import PACKAGE

EVENTS = {
    *("os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.startfile", "os.system"),
    *("pty.spawn", "subprocess.Popen"),
}
_SERVER = f"{PACKAGE}/"


class UnexpectedProcess(Exception):
    """Code of the server starts a process that no config names; the process is not started."""


class ProcessWatch:
    """The processes that the server may start in the current test.

    Attributes:
        is_on: Whether only named commands may be started.
        named: The commands that a config of the user names.
        unexpected: The other processes that the server tried to start.
    """

    def __init__(self) -> None:
        self.is_on = True
        self.named: list[Sequence[str]] = []
        self.unexpected: list[str] = []

    def begin(self) -> None:
        """Begin a test, in which no config names a command yet."""
        self.is_on, self.named, self.unexpected = True, [], []

    def allow_commands_of(self, config: str) -> None:
        """Allow the commands that the text of a user's config names."""
        self.named += _commands_in(tomllib.loads(config))

    def note(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Handle an audit event; raises `UnexpectedProcess` for a process that the server must not start."""
        if event not in EVENTS or not self.is_on or not _is_caused_by_the_server():
            return
        if event in ("subprocess.Popen", "os.posix_spawn") and self._is_named(arguments[1]):
            return
        self.unexpected.append(f"{event} {arguments[:2]}")
        raise UnexpectedProcess(self.unexpected[-1])

    def _is_named(self, started: Sequence[str]) -> bool:
        return any(
            len(words) == len(started)
            and all("{" in word or word == other for word, other in zip(words, started, strict=True))
            for words in self.named
        )


def _commands_in(value: object) -> Iterator[Sequence[str]]:
    """Yield every list of words in a table."""
    if isinstance(value, dict):
        for each in value.values():
            yield from _commands_in(each)
    elif isinstance(value, list) and all(isinstance(word, str) for word in value):
        yield value


def _is_caused_by_the_server() -> bool:
    frame: FrameType | None = sys._getframe()
    while frame is not None and not frame.f_code.co_filename.startswith(_SERVER):
        frame = frame.f_back
    return frame is not None


WATCH = ProcessWatch()
sys.addaudithook(WATCH.note)
