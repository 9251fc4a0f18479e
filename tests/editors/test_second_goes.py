"""A journey whose time runs out is run again and printed; two in one run fail it, also if two processes share the run."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from tests.editors.conformance.second_goes import PLUGIN, SecondGoes

pytest_plugins = ["pytester"]

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


class Elsewhere:
    """Keeps reports as pytest-xdist sends them from the process of a test to the one that started it."""

    def __init__(self) -> None:
        self.sent: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.sent.append(json.dumps(report._to_json()))

    @property
    def received(self) -> list[pytest.TestReport]:
        return [pytest.TestReport._from_json(json.loads(each)) for each in self.sent]


class FromElsewhere:
    """Hands the reports of other processes to the plugins of this one, as pytest-xdist does."""

    def __init__(self, others: Sequence[Elsewhere]) -> None:
        self._others = others

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        for report in (report for other in self._others for report in other.received):
            session.config.hook.pytest_runtest_logreport(report=report)
        return True


def run(pytester: pytest.Pytester, n_late: list[int], *plugins: object) -> pytest.RunResult:
    """Run a journey for each number, whose time runs out so often."""
    pytester.makepyfile(test_made_up_journeys=JOURNEYS.format(n_late=n_late))
    left_out = (f"-pno:{name}" for name in ("cacheprovider", "asyncio", "xdist", "hypothesispytest"))
    return pytester.runpytest_inprocess("-q", *left_out, plugins=[SecondGoes(), *plugins])


def test_one_second_go_passes_and_is_printed(pytester: pytest.Pytester) -> None:
    done = run(pytester, [0, 1, 0])
    assert done.ret == pytest.ExitCode.OK
    assert "second goes: 1" in done.stdout.str()
    assert "time ran out, and it was run again: journey 1" in done.stdout.str()


def test_two_second_goes_fail_a_run_in_which_every_journey_passes(pytester: pytest.Pytester) -> None:
    done = run(pytester, [1, 1])
    assert done.ret == pytest.ExitCode.TESTS_FAILED
    assert "2 passed" in done.stdout.str()
    assert "second goes: 2" in done.stdout.str()
    assert all(f"run again: journey {number}" in done.stdout.str() for number in range(2))


def test_two_second_goes_in_two_processes_fail_the_run_that_both_are_of(pytester: pytest.Pytester) -> None:
    processes = Elsewhere(), Elsewhere()
    assert [run(pytester, [1], each).ret for each in processes] == [pytest.ExitCode.OK, pytest.ExitCode.OK]
    done = run(pytester, [1, 1], FromElsewhere(processes))
    assert done.ret == pytest.ExitCode.TESTS_FAILED
    assert "2 passed" in done.stdout.str()
    assert "second goes: 2" in done.stdout.str()


def test_a_journey_whose_time_runs_out_twice_fails(pytester: pytest.Pytester) -> None:
    done = run(pytester, [2])
    assert done.ret == pytest.ExitCode.TESTS_FAILED
    assert "1 failed" in done.stdout.str()
    assert "second goes: 1" in done.stdout.str()


def test_second_goes_are_counted_in_this_run(pytestconfig: pytest.Config) -> None:
    assert pytestconfig.pluginmanager.has_plugin(PLUGIN)
