"""Measure how often repeated functions are detected, and how often others are reported wrongly.

Found: functions of Python's standard library, rewritten by the rules of
``tests.syntax.duplicates.rewritings``, one by one and all together. A rewritten function is found if it
counts as a duplicate of its source. Only functions long enough to have duplicates are used.

Alarms: each function of the standard library against all others. Real copies are no alarms: functions with
equal trees of Python's own parser, without docstrings and types, and with local names numbered in order. This
does not use fingerprints, and counts many real copies as alarms.

Cost: of a fingerprint, beside parsing the function's file; and of a comparison.
"""

from __future__ import annotations

import ast
import random
import sysconfig
import textwrap
import warnings
from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import ceil
from pathlib import Path
from time import perf_counter

from benchmarks.table import Row, print_tables, wants_json
from tests.syntax.duplicates.rewritings import REWRITINGS, rewritten

from twospeed.syntax.definitions.symbols import read_symbols
from twospeed.syntax.duplicates.duplicate_functions import (
    SAME_WORDS,
    Fingerprint,
    are_duplicates,
    fingerprint_of,
    is_called_by_python,
    is_duplicate,
)
from twospeed.text.code.symbols import Symbol

SEED = 7
MAX_REWRITTEN_FILES = 100
"""For rewritings that apply to every function."""

RARE = {
    "reordered",
    "for → while, counting",
    "for → while, iterator",
    "comprehension → for",
    "for → comprehension",
}
NOT_THE_LIBRARY = {"test", "tests", "site-packages", "idlelib", "lib2to3", "turtledemo"}


@dataclass(frozen=True)
class Function:
    """A function of the standard library."""

    path: str
    symbol: Symbol
    text: str

    @property
    def fingerprint(self) -> Fingerprint | None:
        """Its fingerprint, if it is long enough for one."""
        return self.symbol.mark if isinstance(self.symbol.mark, Fingerprint) else None


def library_files() -> list[Path]:
    """Return the standard library's modules without its tests."""
    root = Path(sysconfig.get_path("stdlib"))
    paths = (path for path in root.rglob("*.py") if not NOT_THE_LIBRARY & set(path.relative_to(root).parts))
    return sorted(paths)


def functions_in(path: Path) -> Iterator[Function]:
    """Yield the functions of a module, without nested ones."""
    text = path.read_text("utf-8", errors="replace")
    file = read_symbols(text, "python", mark=fingerprint_of)
    lines = text.split("\n")
    for symbol in file.symbols if file else ():
        if symbol.kind == "function":
            yield Function(str(path), symbol, "\n".join(lines[symbol.start : symbol.end]))


def fingerprint(source: str) -> Fingerprint | None:
    """Return the fingerprint of a single function."""
    file = read_symbols(source, "python", mark=fingerprint_of)
    mark = file.symbols[0].mark if file and file.symbols else None
    return mark if isinstance(mark, Fingerprint) else None


def measure_found(functions: Sequence[Function], some: Container[str]) -> list[Row]:
    """Rewrite functions, those of ``some`` files in every way, and count the detected ones by rewriting."""
    tried: Counter[str] = Counter()
    found: Counter[str] = Counter()
    for function in functions:
        if function.fingerprint is None:
            continue
        for name, rewriting in REWRITINGS.items():
            if name not in RARE and function.path not in some:
                continue
            again = rewritten(function.text, rewriting, SEED)
            if again is not None:
                tried[name] += 1
                twin = fingerprint(again)
                found[name] += twin is not None and is_duplicate(function.fingerprint, twin)
    tried["overall"], found["overall"] = tried.total(), found.total()
    return [
        {
            "rewritten": name,
            "tried": tried[name],
            "found": found[name],
            "found %": 100 * found[name] / tried[name],
        }
        for name in (*REWRITINGS, "overall")
        if tried[name]
    ]


def measure_alarms(functions: Sequence[Function]) -> list[Row]:
    """Compare all functions with each other, and count wrong duplicates."""
    marked = [each for each in functions if each.fingerprint and not is_called_by_python(each.symbol)]
    flagged: set[int] = set()
    alarms: set[int] = set()
    for one, other in alike(marked):
        if are_duplicates(marked[one].symbol, marked[other].symbol):
            flagged |= {one, other}
            if tree_of(marked[one].text) != tree_of(marked[other].text):
                alarms |= {one, other}
    return [
        {
            "functions": len(functions),
            "long enough": len(marked),
            "flagged": len(flagged),
            "alarms": len(alarms),
            "alarms % of all": 100 * len(alarms) / len(functions),
            "% of long enough": 100 * len(alarms) / len(marked),
        }
    ]


def alike(functions: Sequence[Function]) -> Iterator[tuple[int, int]]:
    """Yield the pairs that may be duplicates: those that share one of their rarest words.

    Two bags with enough in common must share one (prefix filtering: Chaudhuri et al., "A Primitive Operator
    for Similarity Joins in Data Cleaning").
    """
    bags = [list(memoryview(each.fingerprint.words).cast("I")) for each in functions if each.fingerprint]
    frequency = Counter(word for bag in bags for word in bag)
    holders: defaultdict[int, list[int]] = defaultdict(list)
    for number, bag in enumerate(bags):
        rarest = sorted(bag, key=lambda word: (frequency[word], word))
        for word in rarest[: len(bag) - ceil(SAME_WORDS * len(bag)) + 1]:
            holders[word].append(number)
    yield from sorted({pair for numbers in holders.values() for pair in combinations(numbers, 2)})


def tree_of(text: str) -> str:
    """Return a function's tree from Python's own parser as text; equal for copies."""
    (function,) = ast.parse(textwrap.dedent(text)).body
    assert isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
    function.name, function.decorator_list, function.returns = "", [], None
    if ast.get_docstring(function) is not None:
        del function.body[0]
    stored = {
        node.id
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    names = {
        argument.arg: "" for argument in ast.walk(function) if isinstance(argument, ast.arg)
    } | dict.fromkeys(stored, "")
    numbered: dict[str, str] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.arg):
            node.annotation = None
            node.arg = numbered.setdefault(node.arg, str(len(numbered)))
        elif isinstance(node, ast.Name) and node.id in names:
            node.id = numbered.setdefault(node.id, str(len(numbered)))
    return ast.dump(function)


def measure_cost(paths: Sequence[Path]) -> list[Row]:
    """Measure fingerprints and comparisons."""
    texts = [path.read_text("utf-8", errors="replace") for path in paths]
    started = perf_counter()
    for text in texts:
        read_symbols(text, "python")
    without = perf_counter() - started
    started = perf_counter()
    files = [read_symbols(text, "python", mark=fingerprint_of) for text in texts]
    took = perf_counter() - started
    marks = [
        each.mark for file in files if file for each in file.symbols if isinstance(each.mark, Fingerprint)
    ]
    n_functions = sum(1 for file in files if file for each in file.symbols if each.kind == "function")
    started = perf_counter()
    n_twins = sum(is_duplicate(marks[0], other) for other in marks)
    compared = perf_counter() - started
    assert n_twins
    return [
        {
            "reading a function, us": 1e6 * without / n_functions,
            "its fingerprint, us": 1e6 * (took - without) / n_functions,
            "its bytes": sum(len(mark.words) + len(mark.shapes) for mark in marks) / len(marks),
            "comparing two, us": 1e6 * compared / len(marks),
        }
    ]


def main() -> None:
    """Measure and print."""
    as_json = wants_json(__doc__)
    warnings.simplefilter("ignore")  # the library has escapes that are none
    paths = library_files()
    functions = [function for path in paths for function in functions_in(path)]
    some = random.Random(SEED).sample(paths, min(MAX_REWRITTEN_FILES, len(paths)))
    tables: dict[str, Sequence[Row]] = {
        "Found again": measure_found(functions, {str(path) for path in some}),
        "Alarms": measure_alarms(functions),
        "Cost": measure_cost(paths[:100]),
    }
    print_tables(tables, as_json=as_json)


if __name__ == "__main__":
    main()
