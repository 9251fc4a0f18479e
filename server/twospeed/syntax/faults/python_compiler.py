"""Ask Python's own compiler whether an edit broke a file: grammars read more than the language allows.

``return`` outside of a function, ``await`` in a function that is not async, a block with only a comment, one name for two
parameters: a parser for editors reads all of it. Nothing is run, and nothing is written down.
"""

from __future__ import annotations

import ast
import re
import threading
import warnings
from collections.abc import Sequence

from twospeed.text.code.scope_code import SyntaxErrorAt

MAX_CHARS = 100_000
"""Length of what is compiled at once: the compiler keeps the interpreter for 20 ms of it. Of a longer file only the
statements around the scope are compiled, and of one with longer statements nothing is said."""

_NAME = "<answer>"
_NEWER = re.compile(
    r"""(?x) ^\s*+ (?: type\s++\w | lazy\s++\w | (?:async\s++)?(?:class|def)\s++\w++\s*+\[ ) | \b[rR]?[tT][rR]?["']"""
)
"""Statements and texts that a newer Python reads, and perhaps not the one that runs this."""

_OTHER_PYTHONS = (
    "f-string",
    "multiple exception types",
    "iterable unpacking cannot be used",
    "Missing parentheses in call to",
)
"""How messages begin about what a newer Python reads, or Python 2."""

_is_compiling = threading.Lock()
"""Held while warnings are off, which is so for the whole process."""


def new_python_fault(
    before: Sequence[str], after: Sequence[str], scope: tuple[int, int, int], path: str
) -> SyntaxErrorAt | None:
    """Say what an edit has made Python refuse.

    Args:
        before: The document's lines, with their line ends.
        after: The lines with the edit.
        scope: First line of what was edited, the line behind its last before the edit, and the same with the edit.
        path: The document's URI or path. A cell of a notebook may await, where a file may not.

    Returns:
        ``None`` where the text compiles, or did not before.
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
    """Compile a text; return why that cannot be done, ``None`` where it can, or where the compiler gives up."""
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
    """Return the nearest line from there up that begins a statement at the margin."""
    while line > 0 and not _begins(lines, line):
        line -= 1
    return line


def _statement_below(lines: Sequence[str], line: int) -> int:
    while line < len(lines) and not _begins(lines, line):
        line += 1
    return line


def _begins(lines: Sequence[str], line: int) -> bool:
    """Whether a line begins a statement that needs none above it: what is decorated or has another branch is not apart."""
    if line >= len(lines) or not _STATEMENT.match(lines[line]):
        return False
    above = line - 1
    while above > 0 and not lines[above].strip():
        above -= 1
    return above < 0 or not lines[above].startswith("@")


_STATEMENT = re.compile(r"(?!else\b|elif\b|except\b|finally\b|case\b)[@\w]")
