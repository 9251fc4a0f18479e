"""Find errors in Python, JSON and TOML with the compiler and the parsers of Python's library.

The grammars of JSON and TOML may not be installed, and that of Python accepts ``return`` outside a function
or a block with only a comment. No code is run. Comments and trailing commas of JSON are errors only if the
old text has none and the file's name does not allow them (``tsconfig.json``, editor settings).
"""

from __future__ import annotations

import ast
import json
import re
import threading
import tomllib
import warnings
from collections.abc import Sequence

from twospeed.aio import in_thread
from twospeed.text.code.scope import SyntaxErrorAt
from twospeed.text.globs import first_match_of_file

MAX_CHARS = 1024 * 1024
"""A longer text is not parsed: the parsers hold the GIL, about 10 ms for this length."""

LANGUAGES = frozenset({"json", "jsonc", "toml"})
"""LSP language ids of the formats."""

MAX_SHOWN = 40
"""Longest quote of a key."""

_WITH_COMMENTS = (
    "tsconfig*.json",
    "jsconfig*.json",
    "settings.json",
    "keybindings.json",
    "launch.json",
    "tasks.json",
    "extensions.json",
    "devcontainer.json",
    ".eslintrc.json",
    "api-extractor.json",
    "*.code-workspace",
    "*.jsonc",
)

_STRING = r'"(?:[^"\\\n]++|\\.)*+"?'
_STRINGS_AND_COMMENTS = re.compile(rf"({_STRING})|//[^\n]*+|/\*.*?(?:\*/|\Z)", re.DOTALL)
_STRINGS_AND_LAST_COMMAS = re.compile(rf"({_STRING})|,(?=\s*+[\]}}])", re.DOTALL)


async def count_errors_by_library(
    before: Sequence[str], after: Sequence[str], language_id: str, path: str
) -> tuple[int | None, int | None]:
    """Count the syntax errors before and after an edit, in a thread, at most one each."""
    if language_id not in LANGUAGES:
        return None, None
    if any(sum(map(len, lines)) > MAX_CHARS for lines in (before, after)):
        return None, None
    return await in_thread(lambda: _count(before, after, language_id, path))


def _count(before: Sequence[str], after: Sequence[str], language_id: str, path: str) -> tuple[int, int]:
    old, new = ("".join(lines).removeprefix("\ufeff") for lines in (before, after))
    if language_id == "toml":
        return int(not _is_toml(old)), int(not _is_toml(new))
    is_strict = (
        language_id == "json"
        and not first_match_of_file(path, _WITH_COMMENTS)
        and (not old.strip() or _is_json(old))
    )
    parses = _is_json if is_strict else _is_json_with_comments
    return int(bool(old.strip()) and not parses(old)), int(bool(new.strip()) and not parses(new))


def new_library_fault(
    before: Sequence[str], after: Sequence[str], language_id: str, path: str, scope: tuple[int, int, int]
) -> SyntaxErrorAt | None:
    """Return a new parser error of a document that parsed before, or a new duplicate key in JSON."""
    if language_id not in LANGUAGES or any(sum(map(len, lines)) > MAX_CHARS for lines in (before, after)):
        return None
    start, _, end = scope
    old, new = ("".join(lines).removeprefix("\ufeff") for lines in (before, after))
    if not (old.strip() and new.strip()):
        return None
    read = _toml_fault if language_id == "toml" else _json_fault
    has_comments = read is _json_fault and (
        first_match_of_file(path, _WITH_COMMENTS) or _json_fault(old) is not None
    )
    if has_comments or language_id == "jsonc":
        old, new = _without_comments(old), _without_comments(new)
    fault = read(new)
    if fault is None or read(old) is not None:
        return None
    what, line = fault
    return SyntaxErrorAt(min(max(line, start), max(start, end - 1)), what)


Fault = tuple[str, int]
"""The message of a parser, and its line."""


def _is_toml(text: str) -> bool:
    return _toml_fault(text) is None


def _toml_fault(text: str) -> Fault | None:
    try:
        tomllib.loads(text.replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        place = _TOML_PLACE.search(str(error))
        line = place[1] if place else None  # none if the document ends too early
        return _TOML_PLACE.sub("", str(error)), int(line) - 1 if line else text.count("\n")
    except (ValueError, RecursionError) as error:
        return str(error), 0
    return None


_TOML_PLACE = re.compile(r" \((?:at line (\d+), column \d+|at end of document)\)")


def _json_fault(text: str) -> Fault | None:
    try:
        json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_refuse_duplicate_keys)
    except _DuplicateKeyError as error:
        quoted = json.dumps(error.key, ensure_ascii=False)
        return f"{quoted[:MAX_SHOWN]} occurs twice in an object", text.count(
            "\n", 0, max(0, text.rfind(quoted))
        )
    except json.JSONDecodeError as error:
        return error.msg, error.lineno - 1
    except (ValueError, RecursionError) as error:
        return str(error), 0
    return None


class _DuplicateKeyError(ValueError):
    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def _refuse_duplicate_keys(pairs: list[tuple[str, object]]) -> None:
    keys = set[str]()
    for key, _ in pairs:
        if key in keys:
            raise _DuplicateKeyError(key)
        keys.add(key)


def _is_json(text: str) -> bool:
    try:
        json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return False
    return True


def _is_json_with_comments(text: str) -> bool:
    return _is_json(_without_comments(text))


def _without_comments(text: str) -> str:
    # Line ends stay, so that a fault keeps its line.
    bare = _STRINGS_AND_COMMENTS.sub(lambda match: match[1] or "\n" * match[0].count("\n") or " ", text)
    return _STRINGS_AND_LAST_COMMAS.sub(lambda match: match[1] or "", bare)


def _refuse_constant(constant: str) -> object:
    raise ValueError(constant)  # Python accepts NaN, JSON does not


MAX_PYTHON_CHARS = 100_000
"""Longest compiled text: the compiler holds the GIL for 20 ms. Of a longer file only the statements around
the scope are compiled."""

_FILE_NAME = "<answer>"
_NEWER = re.compile(
    r"""(?x) ^\s*+ (?: type\s++\w | lazy\s++\w | (?:async\s++)?(?:class|def)\s++\w++\s*+\[ ) | \b[rR]?[tT][rR]?["']"""
)
"""Statements and strings that need a newer Python than the running one may be."""

_OTHER_PYTHONS = (
    "f-string",
    "multiple exception types",
    "iterable unpacking cannot be used",
    "Missing parentheses in call to",
)
"""Prefixes of messages about code for a newer Python or for Python 2."""

_is_compiling = threading.Lock()
"""Held while warnings are off, which affects the whole process."""


def new_python_fault(
    before: Sequence[str], after: Sequence[str], scope: tuple[int, int, int], path: str
) -> SyntaxErrorAt | None:
    """Return a new compiler error of a text that compiled before.

    Notebook cells (by ``path``) allow top-level ``await``.
    """
    start, old_end, new_end = scope
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT if ".ipynb" in path or "notebook" in path else 0
    first, old, new = 0, "".join(before), "".join(after)
    is_whole = max(len(old), len(new)) <= MAX_PYTHON_CHARS
    if not is_whole:
        first, last = _statement_above(before, start), _statement_below(before, old_end)
        old = "".join(before[first:last])
        new = "".join(after[first : last + new_end - old_end])
        if max(len(old), len(new)) > MAX_PYTHON_CHARS:
            return None
    error = _syntax_error_of(new, flags)
    if error is None or _syntax_error_of(old, flags) is not None:
        return None
    line = min(max(start, first + (error.lineno or 1) - 1), max(start, new_end - 1))
    text = after[first + error.lineno - 1] if error.lineno and first + error.lineno <= len(after) else ""
    is_other = error.msg.startswith(_OTHER_PYTHONS) or _NEWER.search(text) is not None
    return None if is_other else SyntaxErrorAt(line, error.msg)


def _syntax_error_of(text: str, flags: int) -> SyntaxError | None:
    with _is_compiling, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(text.removeprefix("\ufeff"), _FILE_NAME, "exec", flags=flags, dont_inherit=True)
        except SyntaxError as error:
            return error
        except (ValueError, RecursionError, MemoryError, OverflowError):
            return None
    return None


def _statement_above(lines: Sequence[str], line: int) -> int:
    while line > 0 and not _starts_statement(lines, line):
        line -= 1
    return line


def _statement_below(lines: Sequence[str], line: int) -> int:
    while line < len(lines) and not _starts_statement(lines, line):
        line += 1
    return line


def _starts_statement(lines: Sequence[str], line: int) -> bool:
    if line >= len(lines) or not _STATEMENT.match(lines[line]):
        return False
    above = line - 1
    while above > 0 and not lines[above].strip():
        above -= 1
    return above < 0 or not lines[above].startswith("@")


_STATEMENT = re.compile(r"(?!else\b|elif\b|except\b|finally\b|case\b)[@\w]")
