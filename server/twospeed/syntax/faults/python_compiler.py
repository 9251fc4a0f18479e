"""Check with Python's compiler whether an edit broke a file. Grammars accept more than the language.

They accept ``return`` outside a function, ``await`` in a function that is not async, a block with only a
comment, one name for two parameters. No code is run and no file is written.
"""

from __future__ import annotations

import ast
import re
import threading
import warnings
from collections.abc import Sequence

from twospeed.text.code.scope import SyntaxErrorAt

MAX_CHARS = 100_000
"""Longest text that is compiled: the compiler holds the GIL for 20 ms. Of a longer file only the statements
around the scope are compiled. Longer statements are not checked."""

_NAME = "<answer>"
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
    """Return a new compiler error of an edit.

    Args:
        before: Lines of the document, with line ends.
        after: Lines with the edit.
        scope: First line of the scope, and the line after its last before and after the edit.
        path: URI or path of the document. Notebook cells allow top-level ``await``.

    Returns:
        ``None`` if the text compiles or did not compile before.
    """
    start, old_end, new_end = scope
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT if ".ipynb" in path or "notebook" in path else 0
    first, old, new = 0, "".join(before), "".join(after)
    is_whole = max(len(old), len(new)) <= MAX_CHARS
    if not is_whole:
        first, last = _statement_above(before, start), _statement_below(before, old_end)
        old = "".join(before[first:last])
        new = "".join(after[first : last + new_end - old_end])
        if max(len(old), len(new)) > MAX_CHARS:
            return None
    error = _compiled(new, flags)
    if error is None or _compiled(old, flags) is not None:
        return None
    line = min(max(start, first + (error.lineno or 1) - 1), max(start, new_end - 1))
    text = after[first + error.lineno - 1] if error.lineno and first + error.lineno <= len(after) else ""
    is_other = error.msg.startswith(_OTHER_PYTHONS) or _NEWER.search(text) is not None
    return None if is_other else SyntaxErrorAt(line, error.msg)


def _compiled(text: str, flags: int) -> SyntaxError | None:
    """Compile a text.

    Return its syntax error, or ``None`` if there is none or the compiler fails otherwise.
    """
    with _is_compiling, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(text.removeprefix("\ufeff"), _NAME, "exec", flags=flags, dont_inherit=True)
        except SyntaxError as error:
            return error
        except (ValueError, RecursionError, MemoryError, OverflowError):
            return None
    return None


def _statement_above(lines: Sequence[str], line: int) -> int:
    while line > 0 and not _begins(lines, line):
        line -= 1
    return line


def _statement_below(lines: Sequence[str], line: int) -> int:
    while line < len(lines) and not _begins(lines, line):
        line += 1
    return line


def _begins(lines: Sequence[str], line: int) -> bool:
    """Return whether a line starts a top-level statement that is independent of the lines above."""
    if line >= len(lines) or not _STATEMENT.match(lines[line]):
        return False
    above = line - 1
    while above > 0 and not lines[above].strip():
        above -= 1
    return above < 0 or not lines[above].startswith("@")


_STATEMENT = re.compile(r"(?!else\b|elif\b|except\b|finally\b|case\b)[@\w]")
