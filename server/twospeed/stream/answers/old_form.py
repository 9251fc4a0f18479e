"""Keep the form of an old line that an answer writes with other quotes or trailing blanks, and add no trailing blanks.

Only what is certain is kept: not in a string of several lines, not in prose, and not if the instruction names the form.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import chain

from .evidence import Surroundings

_NAMES_FORM = re.compile(
    r"\b(?:quot\w*|apostroph\w*|white ?space\w*|blanks?|spaces?|trailing|strip\w*|(?:re)?format\w*|lint\w*|styl\w*"
    r"|pep ?8|prettier|black|ruff)\b",
    re.IGNORECASE,
)

_NO_CODE = frozenset(
    {"", "diff", "git-commit", "latex", "markdown", "mdx", "plaintext", "restructuredtext", "tex"}
)
"""Languages whose trailing blanks may mean something. Without a language nothing is certain."""

_WITH_EITHER_QUOTE = frozenset({"javascript", "python", "typescript"})
"""Languages in which both quotes mean the same. In JSX, quotes may be text."""

_STRING_MARKS = {
    "c": ('R"',),
    "cpp": ('R"',),
    "css": (),
    "go": ("`",),
    "java": ('"""',),
    "javascript": ("`",),
    "javascriptreact": ("`",),
    "json": (),
    "typescript": ("`",),
    "typescriptreact": ("`",),
}
"""What begins and ends a string of several lines. Of other languages, only Python's strings are parsed."""

_SIMPLE_STRING = re.compile(r"""(["'])((?:(?!\1)[^\\"'`])*)\1""")

_PYTHON_TOKEN = re.compile(
    r"""\#[^\n]*|(?P<open>\"{3}|'{3})|"(?:\\.|[^"\\\n])*+"?|'(?:\\.|[^'\\\n])*+'?""", re.DOTALL
)
_PYTHON_END = {
    mark: re.compile(rf"(?:\\.|(?!{mark})[^\\])*+(?P<close>{mark})?", re.DOTALL) for mark in ('"""', "'''")
}


class OldForm:
    """Gives the lines of an answer the form of the old lines, where the form is all that differs."""

    def __init__(self, old: Sequence[str], around: Surroundings) -> None:
        self._old = old
        self._around = around
        self._exact = frozenset(old)
        self._language_id = around.language_id
        is_certain = self._language_id not in _NO_CODE and not around.is_prose
        self._is_on = is_certain and not _NAMES_FORM.search(around.instruction)
        self._strings = _OpenStrings(around.above, self._language_id)
        self._unread: list[str] = []  # old lines of the answer that were not searched for quotes
        self._has_kept_quotes = False

    def receive_line(self, line: str) -> str:
        """Return the line that the scope gets."""
        if not self._is_on:
            return line
        if line in self._exact:
            kept = line
            self._unread.append(line)
        else:
            kept = self._with_old_form(line)
        self._strings.note_line(kept)
        return kept

    def _with_old_form(self, line: str) -> str:
        old = self._forms.get(self._form_of(line)) if _rough_form_of(line) in self._rough_forms else None
        if old is None and not line.endswith((" ", "\t")):
            return line
        if old is None and (self._has_trailing_blanks or line.rstrip().endswith("\\")):
            return line
        if self._strings.may_be_open:
            return line
        if old is not None and old.rstrip() != line.rstrip() and not self._keeps_quotes:
            return line  # the answer may have another style of quotes in all lines
        if old is None:
            return line.rstrip(" \t")
        return (
            old if line.endswith((" ", "\t")) else old.rstrip(" \t")
        )  # an answer may remove trailing blanks

    @property
    def _keeps_quotes(self) -> bool:
        """Whether a line so far shows that the answer keeps the only kind of quotes of the old lines."""
        if not self._has_kept_quotes and len(self._quotes) == 1:
            self._has_kept_quotes = any(self._quotes & _quotes_in(line) for line in self._unread)
        self._unread.clear()
        return self._has_kept_quotes

    @cached_property
    def _quotes(self) -> frozenset[str]:
        return frozenset[str]().union(*map(_quotes_in, self._old))

    @cached_property
    def _forms(self) -> dict[str, str | None]:
        """The old lines by their form; None if two lines differ only in form, or for a blank line."""
        forms: dict[str, str | None] = {}
        for line in self._exact:
            form = self._form_of(line)
            forms[form] = None if form in forms or not form else line
        return forms

    @cached_property
    def _rough_forms(self) -> frozenset[str]:
        """The rough forms of the old lines: most new lines have none of them, which takes less time to find."""
        return frozenset(map(_rough_form_of, self._exact))

    @cached_property
    def _has_trailing_blanks(self) -> bool:
        lines = chain(self._old, self._around.above, self._around.below)
        return any(line.endswith((" ", "\t")) for line in lines)

    def _form_of(self, line: str) -> str:
        text = line.rstrip(" \t")
        if self._language_id not in _WITH_EITHER_QUOTE or not ("'" in text or '"' in text):
            return text
        rest = _SIMPLE_STRING.sub("", text)
        is_python = self._language_id == "python"
        doubtful = ('"', "'", "\\", "`") if is_python else ('"', "'", "\\", "`", "/", "<")
        if '"""' in text or "'''" in text or any(mark in rest for mark in doubtful):
            return text
        return _SIMPLE_STRING.sub(r'"\2"', text)


def _rough_form_of(line: str) -> str:
    """Return a form that is equal for all lines with the same form."""
    return line.rstrip(" \t").replace("'", '"')


def _quotes_in(line: str) -> frozenset[str]:
    """Return the kinds of quotes around simple strings."""
    if '"""' in line or "'''" in line:
        return frozenset()
    return frozenset(found[1] for found in _SIMPLE_STRING.finditer(line))


class _OpenStrings:
    """Finds out whether a string of several lines may be open. It reads each line once, and only if a result is needed."""

    def __init__(self, above: Sequence[str], language_id: str) -> None:
        self._unread = list[str]()
        self._above = above
        self._is_python = language_id == "python"
        self._marks = _STRING_MARKS.get(language_id)
        self._is_begun = False
        self._open = ""  # of Python: the mark that ends the open string
        self._n_marks = 0

    def note_line(self, line: str) -> None:
        """Record the next line of the scope."""
        self._unread.append(line)

    @property
    def may_be_open(self) -> bool:
        """Whether the next line may begin in a string of several lines."""
        if not self._is_python and self._marks is None:
            return True
        if not self._is_begun:
            self._is_begun = True
            self._unread = [*self._above, *self._unread]
        text = "".join(f"{line}\n" for line in self._unread)
        self._unread.clear()
        if self._is_python:
            self._open = _open_mark(text, self._open)
            return bool(self._open)
        self._n_marks += sum(text.count(mark) for mark in self._marks or ())
        return self._n_marks % 2 == 1


def _open_mark(text: str, open_mark: str) -> str:
    """Return the mark of the string of Python that is open after a text, or an empty string."""
    at = 0
    while True:
        if open_mark:
            end = _PYTHON_END[open_mark].match(text, at)
            if end is None or end["close"] is None:
                return open_mark
            at, open_mark = end.end(), ""
        token = _PYTHON_TOKEN.search(text, at)
        if token is None:
            return ""
        at, open_mark = token.end(), token["open"] or ""
