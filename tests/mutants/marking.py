"""A pytest plugin that sets the running test as the context of coverage.py, and writes the duration of each test.

`covering` loads it. The `.pth` file of coverage.py starts it in the pytest workers and in every process of a test,
because the environment names a configuration. Other processes read the test from the environment; `switch_context`
sets it in this process.
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
    """Attribute everything up to the end of the test to it, with its fixtures."""
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
    """Add the seconds of setup, call and teardown."""
    _seconds[report.nodeid] = _seconds.get(report.nodeid, 0.0) + report.duration


def pytest_sessionfinish() -> None:
    """Write the durations of the tests of this process."""
    Path(os.environ[FOLDER], f"seconds-{os.getpid()}.json").write_text(json.dumps(_seconds), "utf-8")
