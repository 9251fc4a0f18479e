"""How many cases a law is tried on: a law is a test with ``@given``.

A law has 100 cases, or its own ``max_examples``. The environment variable TWOSPEED_LAWS says how many of them are tried:

- unset: a sixth, the same ones on every run, as ``make test`` does.
- ``all``: all, the same ones on every run, as ``make thorough`` does.
- ``first``: all, but a failing case is not made smaller, as `tests.mutants` does.
- a number: so many new cases, shared out among the laws that run by the number that each has, as ``make laws`` does. The
  end of the run shows how many cases each law held for. ``--hypothesis-seed=S`` repeats the cases of an earlier run.
"""

from __future__ import annotations

import functools
import os
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from math import ceil

import pytest
from hypothesis import HealthCheck, Phase, is_hypothesis_test, settings

_LAWS = os.environ.get("TWOSPEED_LAWS", "")
NEW_CASES = 0 if _LAWS in {"", "all", "first"} else int(_LAWS)
SAMPLE = Fraction(1, 6)

# How long a case takes says something about the machine, not about the law.
settings.register_profile(
    "all", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("new", settings.get_profile("all"), derandomize=False)
settings.register_profile(
    "first", settings.get_profile("all"), phases=[Phase.explicit, Phase.generate], database=None
)
settings.load_profile("new" if NEW_CASES else "first" if _LAWS == "first" else "all")

_cases: Counter[str] = Counter()


@pytest.hookimpl(trylast=True)  # after other plugins have deselected tests
def pytest_collection_modifyitems(items: Iterable[pytest.Item]) -> None:
    """Set the number of cases of each law, and count the new ones that hold."""
    if _LAWS in {"all", "first"}:
        return
    runs = Counter(
        item.obj for item in items if isinstance(item, pytest.Function) and is_hypothesis_test(item.obj)
    )
    total = sum(_own_cases(law) * n for law, n in runs.items())
    share = Fraction(NEW_CASES, total) if NEW_CASES and total else SAMPLE
    for law in runs:
        # Hypothesis and its plugin for pytest change a test through these two attributes, too.
        law._hypothesis_internal_use_settings = settings(
            _settings_of(law), max_examples=ceil(share * _own_cases(law))
        )
        if NEW_CASES:
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
        terminalreporter.write_line(f"The same again: TWOSPEED_LAWS={NEW_CASES} and --hypothesis-seed={seed}")
