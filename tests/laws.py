"""How many cases a law is tried on: a law is a test with ``@given``.

By default 100 each, the same ones on every run. ``TWOSPEED_LAWS=N`` tries N new ones in all, shared out evenly among
the laws that run, and says at the end how many each law held for; ``make laws`` does that. A law that sets its own
``max_examples`` gets so many instead of 100, and as much larger or smaller a share of the N.
``--hypothesis-seed=S`` repeats the cases of an earlier run. ``TWOSPEED_LAWS=first`` tries the cases of every day, and
does not make the first that fails any smaller: so `tests.mutants` asks.
"""

from __future__ import annotations

import functools
import os
from collections import Counter
from collections.abc import Iterable
from math import ceil

import pytest
from hypothesis import HealthCheck, Phase, is_hypothesis_test, settings

_ASKED = os.environ.get("TWOSPEED_LAWS", "0")
LAW_CASES = 0 if _ASKED == "first" else int(_ASKED)

# How long a case takes says something about the machine, not about the law.
settings.register_profile(
    "sample", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("search", settings.get_profile("sample"), derandomize=False)
settings.register_profile(
    "first", settings.get_profile("sample"), phases=[Phase.explicit, Phase.generate], database=None
)
settings.load_profile("search" if LAW_CASES else "first" if _ASKED == "first" else "sample")

_cases: Counter[str] = Counter()


@pytest.hookimpl(trylast=True)  # when others have left out what does not run
def pytest_collection_modifyitems(items: Iterable[pytest.Item]) -> None:
    """Share out the cases, and count those that hold, where laws are searched."""
    runs = Counter(
        item.obj for item in items if isinstance(item, pytest.Function) and is_hypothesis_test(item.obj)
    )
    total = sum(_own_cases(law) * n for law, n in runs.items())
    for law in runs if LAW_CASES else ():
        share = ceil(LAW_CASES * _own_cases(law) / total)
        # These two are how Hypothesis and its plugin for pytest reach into a test, too.
        law._hypothesis_internal_use_settings = settings(_settings_of(law), max_examples=share)
        law.hypothesis.inner_test = _counted(law.hypothesis.inner_test)


def _settings_of(law) -> settings:
    return law._hypothesis_internal_use_settings


def _own_cases(law) -> int:
    return _settings_of(law).max_examples


def _counted(inner_test):
    @functools.wraps(inner_test)
    def counted(*args, **kwargs):
        result = inner_test(*args, **kwargs)  # a case that is set aside, or fails, leaves by an exception
        _cases[inner_test.__name__] += 1
        return result

    return counted


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say how many cases each law was tried on, and how to try them again."""
    if not _cases:
        return
    terminalreporter.section("laws")
    for name, count in sorted(_cases.items()):
        terminalreporter.write_line(f"{count:>8,}  {name}")
    terminalreporter.write_line(f"{_cases.total():>8,}  cases of {len(_cases)} laws")
    if seed := config.getoption("--hypothesis-seed"):
        terminalreporter.write_line(f"The same again: TWOSPEED_LAWS={LAW_CASES} and --hypothesis-seed={seed}")
