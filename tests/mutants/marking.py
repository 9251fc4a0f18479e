"""A pytest plugin that names the running test as coverage.py's context, and writes how long each test took.

`covering.measure` loads it. coverage.py runs already: its `.pth` file starts it in pytest's workers and in every
process that a test starts, because the environment names a configuration. A process takes the test from the
environment; this process is told by `switch_context`.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import coverage
import pytest

TEST = "TWOSPEED_MEASURED_TEST"
FOLDER = "TWOSPEED_MEASURED_FOLDER"

_seconds: dict[str, float] = {}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item):
    """Let what runs until the test's end count as this test's, fixtures included."""
    _switch(item.nodeid)
    try:
        return (yield)
    finally:
        _switch("")


def _switch(test: str) -> None:
    os.environ[TEST] = test
    if measuring := coverage.Coverage.current():
        measuring.switch_context(test)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add up setup, call and teardown."""
    _seconds[report.nodeid] = _seconds.get(report.nodeid, 0.0) + report.duration


def pytest_sessionfinish() -> None:
    """Write the times of this process's tests."""
    Path(os.environ[FOLDER], f"seconds-{os.getpid()}.json").write_text(json.dumps(_seconds), "utf-8")
