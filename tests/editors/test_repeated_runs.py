"""A scenario that times out is repeated and printed; two repeated runs in one session fail it, also with two workers."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from tests.editors.conformance.repeated_runs import PLUGIN, RepeatedRuns

pytest_plugins = ["pytester"]

SCENARIOS = """\
import asyncio
import pytest
from tests.editors.conformance.repeated_runs import run_again_on_timeout

@pytest.mark.parametrize(("number", "n_timeouts"), list(enumerate({n_timeouts})))
def test_scenario(number, n_timeouts, record_property):
    calls = []

    async def run():
        calls.append("run")
        if calls.count("run") <= n_timeouts:
            raise TimeoutError
        return number

    async def restart(error):
        calls.append("restart")

    scenario = run_again_on_timeout(run, restart=restart, name=f"scenario {{number}}", record_property=record_property)
    assert asyncio.run(scenario) == (number, n_timeouts > 0)
    assert calls == (["run", "restart", "run"] if n_timeouts else ["run"])
"""


class Worker:
    """Serializes reports as pytest-xdist does between a worker and the controller."""

    def __init__(self) -> None:
        self.sent: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.sent.append(json.dumps(report._to_json()))

    @property
    def received(self) -> list[pytest.TestReport]:
        return [pytest.TestReport._from_json(json.loads(each)) for each in self.sent]


class Controller:
    """Passes the reports of workers to the plugins of this session, as pytest-xdist does."""

    def __init__(self, workers: Sequence[Worker]) -> None:
        self._workers = workers

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        for report in (report for worker in self._workers for report in worker.received):
            session.config.hook.pytest_runtest_logreport(report=report)
        return True


def run(pytester: pytest.Pytester, n_timeouts: list[int], *plugins: object) -> pytest.RunResult:
    """Run one scenario for each number, which times out that many times."""
    pytester.makepyfile(test_generated_scenarios=SCENARIOS.format(n_timeouts=n_timeouts))
    disabled = (f"-pno:{name}" for name in ("cacheprovider", "asyncio", "xdist", "hypothesispytest"))
    return pytester.runpytest_inprocess("-q", *disabled, plugins=[RepeatedRuns(), *plugins])


def test_one_repeated_run_passes_and_is_printed(pytester: pytest.Pytester) -> None:
    done = run(pytester, [0, 1, 0])
    assert done.ret == pytest.ExitCode.OK
    assert "repeated runs: 1" in done.stdout.str()
    assert "repeated after a timeout: scenario 1" in done.stdout.str()


def test_two_repeated_runs_fail_a_session_in_which_every_scenario_passes(pytester: pytest.Pytester) -> None:
    done = run(pytester, [1, 1])
    assert done.ret == pytest.ExitCode.TESTS_FAILED
    assert "2 passed" in done.stdout.str()
    assert "repeated runs: 2" in done.stdout.str()
    assert all(f"after a timeout: scenario {number}" in done.stdout.str() for number in range(2))


def test_two_repeated_runs_in_two_workers_fail_their_common_session(pytester: pytest.Pytester) -> None:
    workers = Worker(), Worker()
    assert [run(pytester, [1], each).ret for each in workers] == [pytest.ExitCode.OK, pytest.ExitCode.OK]
    done = run(pytester, [1, 1], Controller(workers))
    assert done.ret == pytest.ExitCode.TESTS_FAILED
    assert "2 passed" in done.stdout.str()
    assert "repeated runs: 2" in done.stdout.str()


def test_scenario_that_times_out_twice_fails(pytester: pytest.Pytester) -> None:
    done = run(pytester, [2])
    assert done.ret == pytest.ExitCode.TESTS_FAILED
    assert "1 failed" in done.stdout.str()
    assert "repeated runs: 1" in done.stdout.str()


def test_plugin_for_repeated_runs_is_registered(pytestconfig: pytest.Config) -> None:
    assert pytestconfig.pluginmanager.has_plugin(PLUGIN)
