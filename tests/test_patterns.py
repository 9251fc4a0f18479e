"""No regular expression of the package takes quadratic time.

Each pattern is tried, by the methods that the package calls on it, on texts made of the parts that it repeats, with
what comes before them, and of common characters.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
import string
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from re import _constants as constants  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from time import thread_time
from types import ModuleType
from typing import Any

import pytest
from tests.sources import MODULES, PACKAGE, nodes_of
from tests.timing import check_linear

import twospeed
from twospeed.syntax import find_instruction_comment

SIZES = (10, 15, 20, 30, 64, 256, 1024, 2048, 4096)
"""How often a part is repeated: the small ones first, so that an exponential pattern ends at one of them."""

LONG_S = 0.01
"""CPU time of a text that is looked at more closely. A linear pattern takes some 0.1 ms for the largest."""

FEW = 30
"""So few times never take long, unless each doubles the time."""

FOUR_TIMES = 8
"""By how much four times the text may take longer: 4 where time is linear, 16 where it is quadratic."""

COMMON = [
    " ",
    "\t",
    "a",
    "A",
    "aA",
    "0",
    "_",
    ".",
    "*",
    "/",
    "<",
    "(",
    "[",
    "{",
    '"',
    "'",
    "`",
    "-",
    "=",
    "\\",
    "&",
]
COMMON += ["a ", " a", "a.", "a=", "a: ", "<a", "</a", "${", "a\n", " \n", "\u2066", "\u200d", "\ud83d\ude00"]
FULLMATCH = {"fullmatch"}
HANDED_ON = {"_FORMS": FULLMATCH, "_DOTTED_NAME": FULLMATCH, "_TYPE": FULLMATCH, "_VERSION": FULLMATCH}
"""Patterns of tuples, and what is called on them."""

SHORT = {"_OWNER"}
"""What is looked for in the last 200 characters only."""

MAY_FAIL_TO_IMPORT = {"twospeed.__main__", "twospeed.models.llama.llama_child", "twospeed.cli.demo"}

SEARCHES = frozenset({"search", "finditer", "findall", "sub", "subn", "split", "scanner"})
ALL = SEARCHES | {"match", "fullmatch"}


@cache
def methods_of(name: str) -> frozenset[str]:
    """Return the methods that the package calls on a pattern of a module; all, where it is handed on."""
    module, _, constant = name.partition(" ")[0].rpartition(".")
    place = module if constant.startswith("_") else ""
    called = HANDED_ON.get(constant) or uses().get((place, constant), set())
    return frozenset(called) if called and called <= ALL else ALL


@cache
def uses() -> dict[tuple[str, str], set[str]]:
    """Return what is called on the names of each module; an empty name where the value itself is used.

    The module is empty for names that other modules may use.
    """
    found: dict[tuple[str, str], set[str]] = defaultdict(set)

    def note(module: str, name: str, method: str) -> None:
        found[module if name.startswith("_") else "", name].add(method)

    for path in MODULES:
        module = ".".join(("twospeed", *path.relative_to(PACKAGE).with_suffix("").parts))
        owners = set()
        for node in nodes_of(path):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                owners.add(node.value)
                if node.attr != "pattern":
                    note(module, node.value.id, node.attr)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node not in owners:
                note(module, node.id, "")
    return found


def modules() -> Iterator[ModuleType]:
    for found in pkgutil.walk_packages(twospeed.__path__, "twospeed."):
        if found.name not in MAY_FAIL_TO_IMPORT:
            yield importlib.import_module(found.name)


def patterns_in(value: object, depth: int = 3) -> Iterator[re.Pattern[Any]]:
    """Find patterns in a module's value, in its parts, and in what a function without arguments has made."""
    if isinstance(value, re.Pattern):
        yield value
    elif depth and isinstance(value, Mapping):
        for each in value.values():
            yield from patterns_in(each, depth - 1)
    elif depth and isinstance(value, list | tuple | set | frozenset):
        for each in value:
            yield from patterns_in(each, depth - 1)
    elif (
        depth and callable(value) and hasattr(value, "cache_info") and not inspect.signature(value).parameters
    ):
        yield from patterns_in(value(), depth - 1)
    elif depth and type(value).__module__.startswith("twospeed") and not isinstance(value, type):
        names = getattr(type(value), "__slots__", None) or vars(value)
        for name in names:
            yield from patterns_in(getattr(value, name, None), depth - 1)


def all_patterns() -> dict[str, re.Pattern[Any]]:
    found: dict[str, re.Pattern[Any]] = {}
    for module in modules():
        for name, value in list(vars(module).items()):
            if getattr(value, "__module__", module.__name__) != module.__name__ and hasattr(
                value, "__code__"
            ):
                continue
            for pattern in patterns_in(value):
                if name not in SHORT and pattern not in found.values():
                    found[f"{module.__name__}.{name} {pattern.pattern!r:.60}"] = pattern
    return found


def sample(nodes: Any) -> str:
    """Write a text that a parsed pattern matches, roughly."""
    return "".join(map(sample_of, nodes))


def sample_of(node: tuple[Any, Any]) -> str:  # noqa: PLR0911 - one for each kind of node
    kind, value = node
    match kind:
        case constants.LITERAL:
            return chr(value)
        case constants.NOT_LITERAL:
            return "a" if chr(value) != "a" else "b"
        case constants.ANY:
            return "a"
        case constants.IN:
            return sample_in(value)
        case constants.SUBPATTERN:
            return sample(value[-1])
        case constants.BRANCH:
            return sample(value[1][0])
        case constants.MAX_REPEAT | constants.MIN_REPEAT | constants.POSSESSIVE_REPEAT:
            return sample(value[2]) * max(1, min(value[0], 50))
        case constants.ATOMIC_GROUP:
            return sample(value)
        case _:
            return ""


def sample_in(members: Any) -> str:
    if members[0][0] is constants.NEGATE:
        negated = re.compile("[^" + "".join(map(_member, members[1:])) + "]")
        return next(each for each in string.printable + "\u00e9\x01" if negated.match(each))
    kind, value = members[0]
    if kind is constants.LITERAL:
        return chr(value)
    if kind is constants.RANGE:
        return chr(value[0])
    return {"DIGIT": "0", "SPACE": " ", "WORD": "a", "SPACE_NOT": "a", "DIGIT_NOT": "a", "WORD_NOT": "."}[
        _category(value)
    ]


def _category(value: Any) -> str:
    name = str(value).removeprefix("CATEGORY_").removeprefix("UNI_")
    return f"{name.removeprefix('NOT_')}_NOT" if name.startswith("NOT_") else name


def _member(member: tuple[Any, Any]) -> str:
    kind, value = member
    if kind is constants.LITERAL:
        return re.escape(chr(value))
    if kind is constants.RANGE:
        return f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}"
    letters = {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w"}
    name = _category(value)
    return letters.get(name) or letters[name.removesuffix("_NOT")].upper()


def pumps(nodes: Any, before: str = "") -> Iterator[tuple[str, str]]:
    """Yield what stands before each repeated part of a pattern, and the part."""
    for node in nodes:
        kind, value = node
        if kind in (constants.MAX_REPEAT, constants.MIN_REPEAT):
            yield before, sample(value[2])
            yield from pumps(value[2], before)
        elif kind is constants.SUBPATTERN:
            yield from pumps(value[-1], before)
        elif kind is constants.BRANCH:
            for branch in value[1]:
                yield from pumps(branch, before)
        before += sample_of(node)


def texts(pattern: re.Pattern[Any]) -> Iterator[tuple[str, str, str]]:
    source = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    parsed = parser.parse(
        source, pattern.flags & ~re.UNICODE if isinstance(pattern.pattern, bytes) else pattern.flags
    )
    whole = sample(parsed)
    own = dict.fromkeys(pumps(parsed))
    for before, pump in own:
        for end in ("", "\x00", "!" + before):
            yield before, pump, end
        yield "", before + pump, "\x00"
        yield before, pump + " ", "\x00"
    for pump in [*COMMON, whole]:
        yield "", pump, "\x00"
        yield whole[: len(whole) // 2], pump, "\x00"


def seconds(pattern: re.Pattern[Any], parts: tuple[str, str, str], n: int, methods: frozenset[str]) -> float:
    before, pump, end = parts
    text: Any = before + (pump or "a") * n + end
    if isinstance(pattern.pattern, bytes):
        text = text.encode("latin-1", "replace")
    began = thread_time()
    if "fullmatch" in methods:
        pattern.fullmatch(text)
    if "match" in methods:
        pattern.match(text)
    if methods & SEARCHES:
        for _ in pattern.finditer(text):
            pass
    return thread_time() - began


def is_slow(pattern: re.Pattern[Any], parts: tuple[str, str, str], methods: frozenset[str] = ALL) -> bool:
    for n in SIZES:
        if seconds(pattern, parts, n, methods) > LONG_S:
            return n <= FEW or all(
                seconds(pattern, parts, 4 * n, methods) > FOUR_TIMES * seconds(pattern, parts, n, methods)
                for _ in range(2)
            )
    return False


def test_no_pattern_takes_quadratic_time() -> None:
    found = all_patterns()
    assert len(found) > 100
    slow = [
        (name, parts)
        for name, pattern in found.items()
        if (
            parts := next((each for each in texts(pattern) if is_slow(pattern, each, methods_of(name))), None)
        )
    ]
    assert slow == []


@pytest.mark.parametrize(
    "source", [r"\s*ai:\s*(.*?)\s*\**end", r"(a+)+b", r"\d+x", r"<.*>|\w+\s*=", r"(?:x|\s+z)"]
)
def test_the_search_finds_patterns_that_take_quadratic_time(source: str) -> None:
    pattern = re.compile(source)
    assert any(is_slow(pattern, each) for each in texts(pattern))


@pytest.mark.parametrize(("language", "opening", "end"), [("c", "/* ai: x", "y"), ("python", "# ai:", "")])
def test_white_space_in_an_instruction_comment_takes_linear_time(
    language: str, opening: str, end: str
) -> None:
    check_linear(lambda n: find_instruction_comment([opening + " " * n + end], language, (0, 1)), 125_000)
