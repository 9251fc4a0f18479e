"""Scenarios that are repeated after a timeout: each is printed, and two in one pytest session fail it.

A busy machine can exceed a time limit once. An edit that sometimes hangs looks the same, so a repeated run must be
visible. It is recorded as a property of the test's report, which pytest-xdist sends from its workers to the controller.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest

MAX_REPEATED_RUNS = 1
"""In one pytest session, over all editors and workers."""

PLUGIN = "repeated runs"
_PROPERTY = "repeated run"

ResultT = TypeVar("ResultT")


async def run_again_on_timeout(
    run: Callable[[], Awaitable[ResultT]],
    *,
    restart: Callable[[TimeoutError], Awaitable[None]],
    name: str,
    record_property: Callable[[str, object], None],
) -> tuple[ResultT, bool]:
    """Run a scenario, and once more if it raises TimeoutError.

    Args:
        run: Runs the scenario.
        restart: Prepares the second run.
        name: The names of editor and scenario, for the report.
        record_property: The pytest fixture of that name.

    Returns:
        The result of `run`, and whether it is from the second run.
    """
    try:
        return await run(), False
    except TimeoutError as error:
        record_property(_PROPERTY, name)
        await restart(error)
        return await run(), True


class RepeatedRuns:
    """A pytest plugin that prints repeated runs, and fails a session with more than `MAX_REPEATED_RUNS`."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call":
            self.names += [str(name) for key, name in report.user_properties if key == _PROPERTY]

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if len(self.names) > MAX_REPEATED_RUNS and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self.names:
            return
        terminalreporter.section(f"repeated runs: {len(self.names)}")
        for name in self.names:
            terminalreporter.write_line(f"repeated after a timeout: {name}")
        if len(self.names) > MAX_REPEATED_RUNS:
            terminalreporter.write_line(
                f"More than {MAX_REPEATED_RUNS} in one session: the session fails.", red=True
            )
