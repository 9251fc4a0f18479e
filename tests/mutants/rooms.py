"""Check that the tests catch small changes of a room: ``python -m tests.mutants.rooms ROOM``.

``make mutants ROOM=delivery`` runs a sample of 40 mutations of the room (`mutations`). ``MUTANTS=N`` and ``SEED=S``
choose another sample, ``ROOM=all`` chooses all rooms. Each mutation is applied to a copy of the package. The tests that
run its line (`covering`) run against the copy until one fails, those of the room first. A run that exceeds its time
counts as caught: the change made an endless loop, or a test waits for an event that never comes. At the end the failed
tests run again without a change; a test that fails again does not count. The exit status is 1 if fewer than 95 % of
the mutations of a room are caught.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import NamedTuple

from .chosen import FILE
from .covering import KEPT, PACKAGE, ROOT, Covering, covering, loaded
from .equivalent import EQUIVALENT
from .mutations import Mutation, Table, lines_using, made_of, mutations_of, sample, tables_of

N_AT_A_TIME = 2
ENOUGH = 0.95

FIRST_S = 6.0
"""Seconds of tests that run first, in a separate process. They catch most mutants."""

MOST_S = 120.0
"""Largest sum of seconds of the other tests. A mutant that only later tests would catch survives."""

LIMIT_S, LIMIT_FACTOR = 40.0, 8.0
"""Limit of a run: seconds, plus a multiple of the measured durations of its tests."""

FEW = 5
"""If fewer tests run a function, they may be those that filled a cache (see `tests_noticing`)."""

_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+?::.+?|\S+)(?: - .*)?$", re.MULTILINE)


class Result(NamedTuple):
    """The result of the tests for a mutation."""

    mutation: Mutation
    verdict: str
    """``caught``, ``time is up``, ``SURVIVED``, or ``NOT RUN`` if no test runs the line."""

    test: str
    """The test that failed."""

    n_tests: int
    seconds: float


def rooms() -> list[str]:
    """Return the names of the rooms in alphabetical order."""
    return sorted(path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists())


def room_mutations(room: str) -> list[Mutation]:
    """Return the mutations of a room without the equivalent ones."""
    same = {each.key for each in EQUIVALENT}
    files = sorted((PACKAGE / room).rglob("*.py"))
    found = [
        each for file in files for each in mutations_of(str(file.relative_to(PACKAGE)), file.read_bytes())
    ]
    return [each for each in found if each.key not in same]


def tests_noticing(mutation: Mutation, known: Covering) -> list[str]:
    """Return the tests that run the mutated lines: those of the room first, then the fastest.

    Python 3.11 does not trace a coroutine after an exception resumes it (a timeout, a cancellation). Therefore the tests
    that run any line of the function follow. Code that runs at import, or once for a cache, is attributed to no test or
    to the first one; for such code the tests of the whole module follow.
    """
    if mutation.function:
        tests = known.tests_of(mutation.module, *mutation.lines)
        around = known.tests_of(mutation.module, *mutation.around) - tests
        if len(tests) + len(around) < FEW:
            around = known.tests_of(mutation.module, 1, sys.maxsize) - tests
    else:
        tests = _tests_of_table(mutation, known)
        around = known.tests_of(mutation.module, 1, sys.maxsize) - tests
    own = f"tests/{mutation.module.partition('/')[0]}/"
    names = [*known.names(tests), *known.names(around)]
    return sorted(names, key=lambda test: not test.startswith(own))


def _tests_of_table(mutation: Mutation, known: Covering) -> set[int]:
    """Find the tests that run a line which uses a table or one derived from it, and those that name the table."""
    found = made_of(_tables(), mutation.module, mutation.name)
    modules = {name: {module for module, known in found if known == name} for _, name in found}
    uses = [
        (str(file.relative_to(PACKAGE)), first, last)
        for name in modules
        for file, first, last in _uses().get(name, ())
        if not name.startswith("_") or str(file.relative_to(PACKAGE)) in modules[name]
    ]
    tests = {test for use in uses for test in known.tests_of(*use)}
    if len(tests) < FEW:
        tests |= {test for module, _, _ in uses for test in known.tests_of(module, 1, sys.maxsize)}
    stems = {Path(module).stem for module, _ in found}
    files = {
        file
        for file in known.hashes
        if not modules.keys().isdisjoint(words := _words_of(ROOT / file)) and not stems.isdisjoint(words)
    }
    return tests | {number for number in known.seconds if known.tests[number].partition("::")[0] in files}


@cache
def _tables() -> list[Table]:
    return [
        each
        for file in sorted(PACKAGE.rglob("*.py"))
        for each in tables_of(str(file.relative_to(PACKAGE)), file.read_bytes())
    ]


@cache
def _words_of(file: Path) -> frozenset[str]:
    """Return the words of a test file and of the test modules that it imports: tables of cases, records."""
    if not file.exists():
        return frozenset()
    text = file.read_text("utf-8")
    imported = re.findall(r"^from (tests\.\w+\.\w+) import", text, re.MULTILINE)
    beside = (_words_of(ROOT / f"{name.replace('.', '/')}.py") for name in imported)
    return frozenset(re.findall(r"\w+", text)).union(*beside)


@cache
def _uses() -> dict[str, list[tuple[Path, int, int]]]:
    return lines_using(PACKAGE.rglob("*.py"))


def judge(mutation: Mutation, known: Covering) -> Result:
    """Run the tests against a mutation until one fails."""
    started = time.monotonic()
    tests = tests_noticing(mutation, known)
    verdict, failed = "SURVIVED" if tests else "NOT RUN", ""
    seconds = {known.tests[number]: took for number, took in known.seconds.items()}
    with copy_of_package(mutation) as folder:
        for part in _parts(tests, seconds):
            expected = sum(seconds[test] for test in part)
            verdict, failed = run_tests(folder, part, LIMIT_S + LIMIT_FACTOR * expected)
            if verdict != "SURVIVED":
                break
    return Result(mutation, verdict, failed, len(tests), time.monotonic() - started)


def _parts(tests: list[str], seconds: dict[str, float]) -> Iterator[list[str]]:
    """Divide the tests into those that run first and the others, in the same order.

    The remaining tests of the room precede those of other rooms. Thousands of other tests run a module of `text`, and
    they would use all the time before the tests of the module itself.
    """
    first = _within(FIRST_S, tests, seconds)
    ran = set(first)
    others = [test for test in tests if test not in ran]
    yield from (part for part in (first, _within(MOST_S, others, seconds)) if part)


def _within(limit_s: float, tests: list[str], seconds: dict[str, float]) -> list[str]:
    chosen, spent = [], 0.0
    for test in tests:
        if spent + seconds[test] <= limit_s:
            chosen.append(test)
            spent += seconds[test]
    return chosen


@contextlib.contextmanager
def copy_of_package(mutation: Mutation | None) -> Iterator[Path]:
    """Copy the package to a temporary folder, and apply a mutation to the copy."""
    with tempfile.TemporaryDirectory(prefix="twospeed-mutant-", ignore_cleanup_errors=True) as folder:
        copy = Path(folder, PACKAGE.name)
        shutil.copytree(PACKAGE, copy)
        if mutation:
            file = copy / mutation.module
            file.write_bytes(mutation.apply(file.read_bytes()))
            for compiled in (file.parent / "__pycache__").glob(f"{file.stem}.*.pyc"):
                compiled.unlink()
        yield Path(folder)


def run_tests(folder: Path, tests: list[str], limit_s: float) -> tuple[str, str]:
    """Run tests against the package in a folder; return the verdict and the failed test."""
    names = folder / "chosen.txt"
    names.write_text("\n".join(tests), "utf-8")
    path = os.pathsep.join([str(folder), str(ROOT / "protocol"), str(ROOT)])
    environ = {
        **os.environ,
        FILE: str(names),
        "PYTHONPATH": path,
        "TWOSPEED_LAWS": "first",
    }
    options = ["-x", "-q", "--tb=no", "--basetemp", str(folder / "tests"), "-p", "no:cacheprovider"]
    files = sorted({test.partition("::")[0] for test in tests})
    command = [sys.executable, "-m", "pytest", *options, "-p", "tests.mutants.chosen", *files]
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as process:
        try:
            output = process.communicate(timeout=limit_s)[0].decode(errors="replace")
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return "time is up", ""
    if process.returncode == 0:
        return "SURVIVED", ""
    found = _FAILED.search(output)
    return "caught", found[1] if found else output.strip()[-200:]


def run_room(room: str, n: int, seed: str, known: Covering, *, again: bool) -> bool:
    """Run and print the sample of a room; return whether enough mutations are caught."""
    kept = KEPT.parent / f"{room}-{seed}.json"
    mutations = sample(room_mutations(room), n, f"{seed} {room}")
    if again:
        before = {tuple(key) for key in json.loads(kept.read_text("utf-8"))}
        mutations = [each for each in room_mutations(room) if each.key in before]
    results = []
    with ThreadPoolExecutor(N_AT_A_TIME) as pool:
        for result in pool.map(lambda mutation: judge(mutation, known), mutations):
            results.append(result)
            print(
                f"{result.verdict:<10} {result.seconds:>4.0f} s {result.n_tests:>5} tests  {result.mutation}"
            )
            print(
                f"{'':<29} {result.test}" if result.test else "", end="\n" if result.test else "", flush=True
            )
    failed = {result.test for result in results if "::" in result.test}
    false = _failing_by_themselves(failed)
    survivors = [each for each in results if each.verdict in {"SURVIVED", "NOT RUN"} or each.test in false]
    kept.write_text(json.dumps([each.mutation.key for each in survivors]), "utf-8")
    n_caught, n_late = len(results) - len(survivors), sum(each.verdict == "time is up" for each in results)
    rate = n_caught / max(1, len(results))
    print(
        f"{room}, seed {seed}: {n_caught} of {len(results)} mutants are caught, {rate:.1%} ({n_late} by time).\n"
    )
    for test in sorted(false):
        print(f"{test} fails without any change.", file=sys.stderr)
    return rate >= ENOUGH


def _failing_by_themselves(tests: set[str]) -> set[str]:
    """Run tests against the unchanged package; return those that fail."""
    false: set[str] = set()
    with copy_of_package(None) as folder:
        while rest := sorted(tests - false):
            verdict, test = run_tests(folder, rest, LIMIT_S * LIMIT_FACTOR)
            if verdict == "SURVIVED":
                break
            false |= {test} if test in rest else set(rest)
    return false


def main() -> int:
    """Run one room, several or ``all``."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("rooms", nargs="+", metavar="ROOM", choices=[*rooms(), "all"])
    parser.add_argument("-n", type=int, default=40, help="mutations of each room (40)")
    parser.add_argument("--seed", default="1", help="which sample (1)")
    parser.add_argument("--fresh", action="store_true", help="measure again which tests run which line")
    parser.add_argument(
        "--again",
        action="store_true",
        help="run only the mutations that survived the last run with this seed",
    )
    parser.add_argument(
        "--as-measured", action="store_true", help="use the stored map, even if tests have changed"
    )
    options = parser.parse_args()
    known = loaded() if options.as_measured else covering(fresh=options.fresh)
    chosen = rooms() if "all" in options.rooms else options.rooms
    enough = [run_room(room, options.n, options.seed, known, again=options.again) for room in chosen]
    return 0 if all(enough) else 1


if __name__ == "__main__":
    sys.exit(main())
