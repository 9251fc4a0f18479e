"""Journeys that are run again because their time ran out: each is printed, and two in one run fail it.

A busy machine can use up an editor's time once. An edit that hangs now and then looks the same, so a second go must not
pass unnoticed. They are told as properties of a test's report, which pytest-xdist brings from its workers to the process
that started them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest

MAX_SECOND_GOES = 1
"""In one run, of all editors and processes together."""

PLUGIN = "second goes"
_PROPERTY = "second go"

ResultT = TypeVar("ResultT")


async def twice_if_late(
    go: Callable[[], Awaitable[ResultT]],
    *,
    start_again: Callable[[TimeoutError], Awaitable[None]],
    name: str,
    record_property: Callable[[str, object], None],
) -> tuple[ResultT, bool]:
    """Run a journey, and once more if its time runs out.

    Args:
        go: Runs it.
        start_again: Makes ready for the second go.
        name: Of the editor and the journey.
        record_property: pytest's fixture of that name.

    Returns:
        What the journey returned, and whether that was the second go.
    """
    try:
        return await go(), False
    except TimeoutError as error:
        record_property(_PROPERTY, name)
        await start_again(error)
        return await go(), True


class SecondGoes:
    """A pytest plugin that counts second goes, prints them, and fails a run that has too many."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call":
            self.names += [str(name) for key, name in report.user_properties if key == _PROPERTY]

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if len(self.names) > MAX_SECOND_GOES and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self.names:
            return
        terminalreporter.section(f"second goes: {len(self.names)}")
        for name in self.names:
            terminalreporter.write_line(f"time ran out, and it was run again: {name}")
        if len(self.names) > MAX_SECOND_GOES:
            terminalreporter.write_line(f"More than {MAX_SECOND_GOES} in one run: the run fails.", red=True)
