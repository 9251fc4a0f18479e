"""How many cases a law is tried on: a law is a test with ``@given``.

By default 100 each, the same ones on every run. ``TWOSPEED_LAWS=N`` tries N new ones, and says at the end how many
each law held for; ``make laws`` does that.
"""

from __future__ import annotations

import functools
import os
from collections import Counter
from collections.abc import Iterable

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

LAW_CASES = int(os.environ.get("TWOSPEED_LAWS", "0"))

# How long a case takes says something about the machine, not about the law.
settings.register_profile(
    "sample", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "search", settings.get_profile("sample"), derandomize=False, max_examples=LAW_CASES or 1
)
settings.load_profile("search" if LAW_CASES else "sample")

_cases: Counter[str] = Counter()


def pytest_collection_modifyitems(items: Iterable[pytest.Item]) -> None:
    """Count the cases that hold, where laws are searched."""
    laws = {item.obj for item in items if isinstance(item, pytest.Function) and is_hypothesis_test(item.obj)}
    for law in laws if LAW_CASES else ():
        # Replacing ``inner_test`` is how Hypothesis lets others wrap single cases.
        law.hypothesis.inner_test = _counted(law.hypothesis.inner_test)


def _counted(inner_test):
    @functools.wraps(inner_test)
    def counted(*args, **kwargs):
        result = inner_test(*args, **kwargs)  # a case that is set aside, or fails, leaves by an exception
        _cases[inner_test.__name__] += 1
        return result

    return counted


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many cases each law was tried on."""
    if not _cases:
        return
    terminalreporter.section("laws")
    for name, count in sorted(_cases.items()):
        terminalreporter.write_line(f"{count:>8,}  {name}")
    terminalreporter.write_line(f"{_cases.total():>8,}  cases of {len(_cases)} laws")
