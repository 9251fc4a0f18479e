"""Map each line of the package to the tests that run it, with their durations.

The first measurement runs all tests with coverage.py. The map is stored in `.mutants`; later measurements run only new
or changed test files. Lines of a changed module are matched by their text. A new line counts as the measured line above
it.
"""

from __future__ import annotations

import bisect
import difflib
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby
from pathlib import Path

import coverage

import twospeed

from .marking import FOLDER, TEST

ROOT = Path(__file__).parents[2]
PACKAGE = Path(twospeed.__file__).parent
KEPT = ROOT / ".mutants" / "covering.json"

NOT_MEASURED = ("editors", "fuzz", "gateway", "mutants", "replay")
"""Folders of tests that need other programs or data, or test this tool."""

SLOW = ("e2e", "security", "simulation", "stream")


@dataclass
class Covering:
    """The tests of each line, by module (its path below the package) and line number at the measurement."""

    hashes: dict[str, str] = field(default_factory=dict)
    """The SHA-256 of each measured test file."""

    tests: list[str] = field(default_factory=list)
    """The node ids of all tests ever measured; the lists below contain indices into it."""

    seconds: dict[int, float] = field(default_factory=dict)
    """The duration of each current test when it was measured."""

    lines: dict[str, dict[int, list[int]]] = field(default_factory=dict)
    texts: dict[str, list[str]] = field(default_factory=dict)
    """The lines of each module at its last measurement."""

    def tests_of(self, module: str, first: int, last: int) -> set[int]:
        """Return the tests that run a line between two lines of the current file, counted from 1."""
        measured = _lines_now(tuple(self.texts.get(module, ())), tuple(_text(PACKAGE / module)))
        lines = self.lines.get(module, {})
        return {test for line in measured if first <= line <= last for test in lines.get(measured[line], ())}

    def names(self, tests: set[int]) -> list[str]:
        """Return the node ids of tests, the fastest first."""
        return [self.tests[test] for test in sorted(tests, key=lambda test: (self.seconds[test], test))]


@cache
def _lines_now(old: tuple[str, ...], new: tuple[str, ...]) -> dict[int, int]:
    found: dict[int, int] = {}
    for block in difflib.SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
        for offset in range(block.size):
            found[block.b + offset + 1] = block.a + offset + 1
    known = sorted(found)
    for line in range(1, len(new) + 1):
        above = bisect.bisect_right(known, line)
        if line not in found and above:
            found[line] = found[known[above - 1]]
    return found


def _text(file: Path) -> list[str]:
    return file.read_text("utf-8").splitlines()


def covering(*, fresh: bool = False) -> Covering:
    """Load the map, and measure new and changed test files; with ``fresh`` measure all of them."""
    kept = Covering() if fresh or not KEPT.exists() else loaded()
    present = {str(file.relative_to(ROOT)): _hash(file) for file in _test_files()}
    changed = [file for file, digest in present.items() if kept.hashes.get(file) != digest]
    _forget(kept, {*changed, *kept.hashes.keys() - present.keys()})
    for folder, files in groupby(changed, key=lambda file: Path(file).parts[1]):
        names = list(files)
        print(f"Measuring which lines {len(names)} test files of {folder} run ...", flush=True)
        _measure(kept, names)
        kept.hashes |= {file: present[file] for file in names}
        KEPT.parent.mkdir(exist_ok=True)
        KEPT.write_text(
            json.dumps(vars(kept)), "utf-8"
        )  # after each folder, so that an interrupted run can continue
    return kept


def loaded() -> Covering:
    """Load the stored map."""
    kept = Covering(**json.loads(KEPT.read_text("utf-8")))
    kept.seconds = {int(test): took for test, took in kept.seconds.items()}
    kept.lines = {
        module: {int(line): tests for line, tests in lines.items()} for module, lines in kept.lines.items()
    }
    return kept


def _test_files() -> list[Path]:
    """List the test files, those of the slowest folders last."""
    files = sorted((ROOT / "tests").rglob("test_*.py"), key=lambda file: (_folder(file) in SLOW, file))
    return [file for file in files if _folder(file) not in NOT_MEASURED]


def _folder(file: Path) -> str:
    return file.relative_to(ROOT / "tests").parts[0]


def _hash(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _forget(kept: Covering, files: set[str]) -> None:
    """Remove the measurements of some test files."""
    for file in files:
        kept.hashes.pop(file, None)
    kept.seconds = {
        test: took for test, took in kept.seconds.items() if kept.tests[test].partition("::")[0] not in files
    }
    for lines in kept.lines.values():
        for line, tests in lines.items():
            lines[line] = [test for test in tests if test in kept.seconds]


def _measure(kept: Covering, files: list[str]) -> None:
    """Run some test files, and add their tests to the lines that they run."""
    index = {test: number for number, test in enumerate(kept.tests)}

    def number_of(test: str) -> int:
        if test not in index:
            index[test] = len(kept.tests)
            kept.tests.append(test)
        return index[test]

    with tempfile.TemporaryDirectory(prefix="twospeed-covering-") as folder:
        _run(files, Path(folder))
        for times in Path(folder).glob("seconds-*.json"):
            for test, took in json.loads(times.read_text("utf-8")).items():
                kept.seconds[number_of(test)] = took
        merged = coverage.Coverage(data_file=str(Path(folder, "merged")), config_file=False)
        merged.combine([str(part) for part in Path(folder).glob("coverage.*")])
        data = merged.get_data()
        for file in sorted(PACKAGE.rglob("*.py")):
            module = str(file.relative_to(PACKAGE))
            text = _text(file)
            now = _lines_now(tuple(text), tuple(kept.texts.get(module, text)))
            lines: dict[int, set[int]] = {}
            for line, before in kept.lines.get(module, {}).items():
                lines.setdefault(now.get(line, line), set()).update(before)
            for line, contexts in data.contexts_by_lineno(str(file)).items():
                names = (context.strip("|") for context in contexts)
                lines.setdefault(line, set()).update(number_of(name) for name in names if name)
            kept.lines[module] = {line: sorted(tests) for line, tests in lines.items()}
            kept.texts[module] = text


def _run(files: list[str], folder: Path) -> None:
    config = folder / "coveragerc"
    config.write_text(
        f"[run]\nsource = {PACKAGE}\nparallel = true\ndata_file = {folder / 'coverage'}\n"
        f"context = ${{{TEST}-}}\ndisable_warnings = no-data-collected,module-not-measured,no-ctracer\n",
        "utf-8",
    )
    environ = {
        **os.environ,
        "COVERAGE_PROCESS_START": str(config),
        FOLDER: str(folder),
        "PYTHONPATH": str(ROOT),
        "TWOSPEED_LAWS": "first",
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.mutants.marking", "-p", "no:cacheprovider"]
    beside = ["-n", "2", "--dist", "loadfile"] if len(files) > 1 else []
    done = subprocess.run(
        [*command, *beside, "--tb=short", *files],
        cwd=ROOT,
        env=environ,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        print(done.stdout[-3000:], file=sys.stderr)


if __name__ == "__main__":
    covering(fresh="--fresh" in sys.argv)
