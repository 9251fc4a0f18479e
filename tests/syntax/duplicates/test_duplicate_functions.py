"""Functions that do the same are duplicates; `benchmarks.bench_duplicates` counts over the standard library."""

from __future__ import annotations

import ast
import configparser
import csv
import heapq
import inspect
import mimetypes
import statistics
import textwrap
from itertools import combinations
from pathlib import Path
from types import ModuleType

import pytest
from tests.syntax.duplicates.rewritings import REWRITINGS, rewritten

from twospeed.syntax.definitions.symbols import read_symbols
from twospeed.syntax.duplicates.duplicate_functions import Fingerprint, fingerprint_of, is_duplicate

MODULES = [configparser, csv, heapq, mimetypes, statistics]
SAMPLES = Path(__file__).parents[1] / "samples"

TOTAL = """\
def total(items, tax=0.2):
    result = 0
    for item in items:
        if item.price > 0:
            result += item.price * item.quantity
    return round(result * (1 + tax), 2)
"""


def marks(source: str, language_id: str = "python") -> list[Fingerprint]:
    file = read_symbols(source, language_id, mark=fingerprint_of)
    return [each.mark for each in file.symbols if isinstance(each.mark, Fingerprint)] if file else []


def mark(source: str, language_id: str = "python") -> Fingerprint:
    (one,) = marks(source, language_id)
    return one


def functions_of(module: ModuleType) -> list[str]:
    source = inspect.getsource(module)
    lines = source.split("\n")
    file = read_symbols(source, "python")
    assert file
    return ["\n".join(lines[each.start : each.end]) for each in file.symbols if each.kind == "function"]


@pytest.fixture(scope="module")
def library() -> list[tuple[str, Fingerprint]]:
    """Functions of some modules of the standard library that are long enough, with their fingerprints."""
    texts = [text for module in MODULES for text in functions_of(module)]
    return [(text, found[0]) for text in texts if (found := marks(text))]


@pytest.mark.parametrize("name", REWRITINGS)
def test_a_function_that_is_rewritten_is_found_nearly_always(
    library: list[tuple[str, Fingerprint]], name: str
) -> None:
    tried = found = 0
    for number, (text, before) in enumerate(library):
        if number % 3 and name in {"renamed", "comments", "docstring", "type annotations", "all of these"}:
            continue  # there is enough to rename
        again = rewritten(text, REWRITINGS[name], seed=number)
        if again is not None:
            tried += 1
            found += any(is_duplicate(before, after) for after in marks(again))
    assert tried >= (0 if "comprehension" in name else 5)
    assert found >= 0.97 * tried


def test_functions_of_the_standard_library_are_rarely_duplicates(
    library: list[tuple[str, Fingerprint]],
) -> None:
    alike = {
        number
        for pair in combinations(range(len(library)), 2)
        for number in pair
        if is_duplicate(*(library[n][1] for n in pair))
    }
    assert len(alike) / len(library) <= 0.02


@pytest.mark.parametrize(
    "again",
    [
        "def f(xs, t=0.2):\n    return round(sum(x.price * x.quantity for x in xs if x.price > 0) * (1 + t), 2)\n",
        (
            "def f(xs, t=0.2):\n    i = s = 0\n    while i < len(xs):\n        x = xs[i]\n        i += 1\n"
            "        if x.price > 0:\n            s = s + x.price * x.quantity\n    return round(s * (1 + t), 2)\n"
        ),
        (
            "def f(xs: list[Item], t: float = 0.2) -> float:\n    '''Sum up.'''\n    s: float = 0  # nothing yet\n"
            "    for i in range(len(xs)):\n        x = xs[i]\n        if not x.price > 0:\n            continue\n"
            "        s += x.quantity * x.price\n    return round((1 + t) * s, 2)\n"
        ),
    ],
    ids=["comprehension", "while", "places"],
)
def test_a_function_rewritten_by_hand_is_a_duplicate(again: str) -> None:
    assert is_duplicate(mark(TOTAL), mark(again))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("> 0", "< 0"),
        (".price *", ".price +"),
        (".quantity", ".weight"),
        ("0.2", "0.3"),
        ("round", "floor"),
        ("items:", "reversed(items):"),
    ],
)
def test_a_function_that_differs_in_one_word_is_no_duplicate(old: str, new: str) -> None:
    assert not is_duplicate(mark(TOTAL), mark(TOTAL.replace(old, new, 1)))


@pytest.mark.parametrize(
    "text",
    [
        "def f(self):\n    return self._name\n",
        "def f(self):\n    pass\n",
        "def f(self, a, b):\n    return self._socket.send(a, b, flags=0)\n",
        "def f(self, a):\n    self.a = a\n    self.b = other(a)\n    self.c = third(a)\n",
        "def f():\n    raise NotImplementedError\n",
        "def f(x):\n    return x > 0\n",
    ],
)
def test_a_short_function_has_no_fingerprint(text: str) -> None:
    assert marks(text) == []


@pytest.mark.parametrize(
    ("language_id", "one", "other"),
    [
        (
            "javascript",
            "function total(items) { let sum = 0; for (const item of items) { if (item.due) { sum += item.price * item.count; } } return fixed(sum); }",
            "const owed = (xs) => { let s = 0; for (let i = 0; i < xs.length; i++) { const x = xs[i]; /* c */ if (x.due) s = s + x.price * x.count } return fixed(s) }",
        ),
        (
            "typescript",
            "function total(items: Item[]): number { let sum = 0; for (const item of items) { if (item.due) { sum += item.price * item.count; } } return fixed(sum); }",
            "export function owed(xs) { return fixed(xs.filter(x => x.due).reduce((a, x) => a + x.price * x.count, 0)); }",
        ),
        (
            "go",
            "package a\nfunc Total(items []Item) int { sum := 0\n for _, item := range items { if item.Due { sum += item.Price * item.Count } }\n return Fixed(sum) }",
            "package a\nfunc Owed(xs []Item) int { var s int // none\n for i := 0; i < len(xs); i++ { x := xs[i]\n if x.Due { s = s + x.Price * x.Count } }\n return Fixed(s) }",
        ),
        (
            "rust",
            "fn total(items: &[Item]) -> f64 { let mut sum = 0.0; for item in items { if item.due { sum += item.price * item.count; } } fixed(sum) }",
            "fn owed(xs: &Vec<Item>) -> f64 { let mut s = 0.0; // none\n for x in xs { if x.due { s += x.price * x.count; } } fixed(s) }",
        ),
        (
            "java",
            "class A { int total(List<Item> items) { int sum = 0; for (Item item : items) { if (item.due()) { sum += item.price() * item.count(); } } return fixed(sum); } }",
            "class B { int owed(List<Item> xs) { int s = 0; for (int i = 0; i < xs.size(); i++) { var x = xs.get(i); if (x.due()) s += x.price() * x.count(); } return fixed(s); } }",
        ),
        (
            "c",
            "int total(struct item *items, int n) { int sum = 0; for (int i = 0; i < n; i++) { if (items[i].due) { sum += items[i].price * items[i].count; } } return fixed(sum); }",
            "int owed(struct item *xs, int m) { int j = 0; int s = 0; while (j < m) { if (xs[j].due) s += xs[j].price * xs[j].count; j++; } return fixed(s); }",
        ),
    ],
)
def test_duplicates_are_found_in_every_language(language_id: str, one: str, other: str) -> None:
    assert is_duplicate(mark(one, language_id), mark(other, language_id))
    assert not is_duplicate(mark(one, language_id), mark(other.replace("rice", "ate"), language_id))


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.txt")), ids=lambda path: path.stem)
def test_every_sample_function_can_be_fingerprinted(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    read_symbols(path.read_text("utf-8"), path.stem, mark=fingerprint_of)
    assert caplog.records == []


@pytest.mark.parametrize(
    "text",
    [
        f"def f(a):\n    return {'(' * 500}a{')' * 500}\n",
        f"def f(a):\n    return {'+'.join(['a.b'] * 3000)}\n",
        "def f(a):\n" + "    g(a.b + 1, c)\n" * 5000,
        "def f(a:\n    for x in\n",
    ],
    ids=["deep", "long expression", "long", "broken"],
)
def test_a_generated_function_has_no_fingerprint(text: str) -> None:
    assert marks(text) == []


def test_rewritings_keep_what_a_function_does() -> None:
    text = textwrap.dedent(
        """\
        def count(words, least):
            found = []
            known = {}
            for word in words:
                if len(word) >= least:
                    found.append(word.upper())
            for word in found:
                known[word] = known.get(word, 0) + 1
            return [(word, known[word]) for word in sorted(known)]
        """
    )
    wanted = [("THERE", 2), ("WORDS", 1)]
    for name, rewriting in REWRITINGS.items():
        again = rewritten(text, rewriting, seed=1)
        if again is None:
            continue
        space: dict[str, object] = {"Iterable": list, "__annotations__": {}}
        exec(compile(ast.parse("from __future__ import annotations\n" + again), name, "exec"), space)
        (function,) = [each for each in space.values() if inspect.isfunction(each)]
        assert function(["there", "words", "a", "there"], 4) == wanted, name


def test_an_empty_collection_is_the_same_however_it_is_made() -> None:
    ways = ("[]", "list()", "{}", "dict()", "set()", "()", "tuple()")
    code = "def f(a, b):\n    out = {way}\n    for x in a:\n        if x.ok and x.price > b:\n            out += x.name\n    return out\n"
    assert len({mark(code.format(way=way)) for way in ways}) == 1


@pytest.mark.parametrize("language_id", ["javascript", "typescript", "go", "java", "c"])
def test_a_branch_with_a_negated_condition_is_the_same_as_one_without(language_id: str) -> None:
    branches = {
        "javascript": "function f(xs, y) { for (const x of xs) { if (%s) { g(x.price * y, x.name + y); } } }",
        "typescript": "function f(xs: X[], y: Y) { for (const x of xs) { if (%s) { g(x.price * y, x.name + y); } } }",
        "go": "package a\nfunc f(xs []X, y Y) { for _, x := range xs { if %s { g(x.price * y, x.name + y) } } }",
        "java": "class A { void f(List<X> xs, Y y) { for (X x : xs) { if (%s) { g(x.price * y, x.name + y); } } } }",
        "c": "void f(struct X x, int y) { while (n()) { if (%s) { g(x.price * y, x.name + y); } } }",
    }
    branch = branches[language_id]
    assert mark(branch % "!x.due", language_id) == mark(branch % "x.due", language_id)
