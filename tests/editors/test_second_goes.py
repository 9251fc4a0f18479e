"""A journey whose time runs out is run again and printed; two in one run fail it, also if two processes share the run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.editors.conformance.second_goes import PLUGIN

ROOT = Path(__file__).parents[2]

CONFTEST = f"""\
from tests.editors.conformance.second_goes import SecondGoes

def pytest_configure(config):
    config.pluginmanager.register(SecondGoes(), {PLUGIN!r})
"""

JOURNEYS = """\
import asyncio
import pytest
from tests.editors.conformance.second_goes import twice_if_late

@pytest.mark.parametrize(("number", "n_late"), list(enumerate({n_late})))
def test_a_journey(number, n_late, record_property):
    goes = []

    async def go():
        goes.append("go")
        if goes.count("go") <= n_late:
            raise TimeoutError
        return number

    async def start_again(error):
        goes.append("started again")

    journey = twice_if_late(go, start_again=start_again, name=f"journey {{number}}", record_property=record_property)
    assert asyncio.run(journey) == (number, n_late > 0)
    assert goes == (["go", "started again", "go"] if n_late else ["go"])
"""


def run(folder: Path, n_late: list[int], *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a journey for each number, whose time runs out so often."""
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "test_journeys.py").write_text(JOURNEYS.format(n_late=n_late))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments, str(folder)]
    environ = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }  # most are slow to load
    return subprocess.run(
        command, cwd=folder, env=environ, capture_output=True, text=True, timeout=120, check=False
    )


def test_one_second_go_passes_and_is_printed(tmp_path: Path) -> None:
    done = run(tmp_path, [0, 1, 0])
    assert done.returncode == pytest.ExitCode.OK, done.stdout
    assert "second goes: 1" in done.stdout
    assert "time ran out, and it was run again: journey 1" in done.stdout


@pytest.mark.parametrize("arguments", [(), ("-p", "xdist", "-n", "2")], ids=["one process", "two processes"])
def test_two_second_goes_fail_a_run_in_which_every_journey_passes(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    done = run(tmp_path, [1, 1], *arguments)
    assert done.returncode == pytest.ExitCode.TESTS_FAILED, done.stdout
    assert "2 passed" in done.stdout
    assert "second goes: 2" in done.stdout
    assert all(f"run again: journey {number}" in done.stdout for number in range(2))


def test_a_journey_whose_time_runs_out_twice_fails(tmp_path: Path) -> None:
    done = run(tmp_path, [2])
    assert done.returncode == pytest.ExitCode.TESTS_FAILED, done.stdout
    assert "1 failed" in done.stdout
    assert "second goes: 1" in done.stdout


def test_second_goes_are_counted_in_this_run(pytestconfig: pytest.Config) -> None:
    assert pytestconfig.pluginmanager.has_plugin(PLUGIN)
