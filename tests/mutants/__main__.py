"""Check that the tests of the engine catch its mutants: ``python -m tests.mutants``, or ``make mutants``.

Each mutant is applied to a copy of the package. The tests of the engine run against the copy until one fails. The
checkout is not changed. The exit status is 1 if a mutant survives. It is 2 without a result: the text of a mutant is
not found, the tests fail without a mutant, or a mutant cannot be imported or does not end.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import twospeed

from .catalogue import MUTANTS, Mutant

ROOT = Path(__file__).parents[2]
PACKAGE = Path(twospeed.__file__).parent
TESTS = [
    "tests/stream/test_aligner.py",
    "tests/stream/scope/test_live_scope.py",
    "tests/stream/laws/test_engine_laws.py",
    "tests/stream/laws/test_stream_laws.py",
    "tests/stream/laws/test_cost_laws.py",
    "tests/stream/test_edit_stream.py",
    "tests/stream/answers/test_elision.py",
    "tests/stream/laws/test_restoring_laws.py",
]
"""The fastest tests that catch the mutants."""

LIMIT_S = 300
"""Seconds for one mutant. A longer run may be an endless loop and has no result."""

N_AT_A_TIME = 2

_FAILED = re.compile(r"^(FAILED|ERROR) (?:\S*/)?(.+?)(?: - .*)?$", re.MULTILINE)


class Result(NamedTuple):
    """The verdict, and the first test that failed or the reason why no test ran."""

    verdict: str
    test: str
    seconds: float


@contextmanager
def copy_of_package(mutant: Mutant | None) -> Iterator[Path]:
    """Copy the package to a temporary folder, and apply a mutant to the copy.

    Raises:
        ValueError: The text of the mutant does not occur exactly once.
    """
    with tempfile.TemporaryDirectory(prefix="twospeed-mutant-") as folder:
        copy = Path(folder, PACKAGE.name)
        shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
        if mutant:
            file = copy / mutant.file
            code = file.read_text("utf-8") if file.is_file() else ""
            if (n_found := code.count(mutant.text)) != 1:
                raise ValueError(f"its text occurs {n_found} times in {mutant.file}, not once")
            file.write_text(code.replace(mutant.text, mutant.wrong), "utf-8")
        yield Path(folder)


def run(mutant: Mutant | None) -> Result:
    """Run the tests against a mutant until one fails."""
    started = time.monotonic()
    try:
        with copy_of_package(mutant) as folder:
            verdict, test = _run_tests(folder)
    except ValueError as error:
        verdict, test = "ERROR", str(error)
    return Result(verdict, test, time.monotonic() - started)


def _run_tests(folder: Path) -> tuple[str, str]:
    path = os.pathsep.join([str(folder), str(ROOT / "protocol"), str(ROOT)])
    environ = {**os.environ, "PYTHONPATH": path, "TWOSPEED_LAWS": "first"}
    options = ["-x", "-q", "--tb=no", "--basetemp", str(folder / "tests"), "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", *options, *TESTS]
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=environ, capture_output=True, text=True, timeout=LIMIT_S, check=False
        )
    except subprocess.TimeoutExpired:
        return "ERROR", f"no end within {LIMIT_S} s"
    if done.returncode == 0:
        return "SURVIVED", ""
    found = _FAILED.search(done.stdout)
    if found and found[1] == "FAILED":
        return "caught", found[2]
    return "ERROR", found[2] if found else done.stdout.strip()[-200:]


def main() -> int:
    """Run all mutants and print a table."""
    with ThreadPoolExecutor(N_AT_A_TIME) as pool:
        sound, *results = [pool.submit(run, mutant) for mutant in (None, *MUTANTS)]
        for mutant, future in zip(MUTANTS, results, strict=True):
            result = future.result()
            print(f"{result.verdict:<9}{result.seconds:>5.0f} s  {mutant.file}: {mutant.name}", flush=True)
            print(f"{'':<18}{result.test}", flush=True)
    verdicts = [future.result().verdict for future in results]
    print(f"\n{verdicts.count('caught')} of {len(MUTANTS)} mutants are caught.")
    if sound.result().verdict != "SURVIVED":
        print(
            f"The tests fail without a mutant, so there is no result: {sound.result().test}", file=sys.stderr
        )
        return 2
    return 2 if "ERROR" in verdicts else 1 if "SURVIVED" in verdicts else 0


if __name__ == "__main__":
    sys.exit(main())
