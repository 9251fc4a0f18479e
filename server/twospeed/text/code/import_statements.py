"""Recognize complete import statements in lines of code, by keywords, quotes and brackets.

A statement begins in the first column. Lines inside strings and comments of several lines are no statements.
This needs no tree, so it works on the lines of an answer that is still being written. `syntax.imports` parses names.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from .javascript import LANGUAGE_IDS as JAVASCRIPT_IDS

MAX_STATEMENT_LINES, MAX_CHARS = 300, 1000
"""Lines of one statement, and characters of one line; more are no statement."""

ImportLines = tuple[str, ...]
"""The lines of an import statement as written, without line ends."""


class ImportRole(Enum):
    """What a line is for the imports of a file."""

    BLANK = auto()
    COMMENT = auto()  # a whole line of comment
    PREAMBLE = auto()  # what must be above imports, such as Java's ``package``
    OPEN = auto()  # part of a statement that continues
    COMPLETE = auto()  # the last or only line of a statement
    BROKEN = auto()  # other code; the lines of the open statement above were other code, too
    OTHER = auto()


@dataclass(frozen=True, slots=True)
class _Form:
    """A statement of several lines; each pattern matches whole lines without comments."""

    first: re.Pattern[str]
    inner: re.Pattern[str]
    last: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class ImportMarks:
    """How a language writes imports, comments and strings of several lines."""

    starts: tuple[str, ...]  # of every statement
    line_comment: str
    single: re.Pattern[str]
    forms: tuple[_Form, ...]
    preamble: re.Pattern[str]
    long_quotes: frozenset[str]  # of strings of several lines
    token: re.Pattern[str]  # what may open a comment or a string

    @classmethod
    def of(cls, language_id: str) -> ImportMarks | None:
        """Return the marks of a language; ``None`` if its imports are not known."""
        return _MARKS.get(language_id)

    def code_of(self, line: str) -> str:
        """Return a line without its comment at the end, and with one space for each run of white space."""
        if len(line) > MAX_CHARS:
            return ""
        mark = self.line_comment
        code = " ".join(line.split())
        if line[:1].isspace():
            code = "" if code.startswith(mark) else " " + code
        at = code.find(" " + mark)
        while at > 0:
            if not code.count('"', 0, at) % 2 and not code.count("'", 0, at) % 2:
                return code[:at]
            at = code.find(" " + mark, at + 1)
        return code


class ImportReader:
    """Finds the import statements of a text, line by line. Cost: linear in the text."""

    def __init__(self, marks: ImportMarks) -> None:
        self._marks = marks
        self._form: _Form | None = None  # of the open statement
        self._open: list[str] = []
        self._end = ""  # of the string or comment that the next line is in
        self._is_comment = False  # whether that began as a whole line of comment

    @property
    def is_open(self) -> bool:
        """Whether a statement is incomplete."""
        return self._form is not None

    def receive_line(self, line: str) -> ImportRole:
        """Return the role of the next line."""
        if self._form:
            return self._continued(self._form, line)
        if self._end:
            return self._inside(line)
        return (self._statement(line) or self._other(line)) if line.strip() else ImportRole.BLANK

    def _statement(self, line: str) -> ImportRole | None:
        if not line.startswith(self._marks.starts):
            return None  # most lines
        code = self._marks.code_of(line)
        if self._marks.single.fullmatch(code):
            return ImportRole.COMPLETE
        self._form = next((form for form in self._marks.forms if form.first.fullmatch(code)), None)
        self._open = [line]
        return ImportRole.OPEN if self._form else None

    def _other(self, line: str) -> ImportRole:
        text, mark = line.strip(), self._marks.line_comment
        self._is_comment = text.startswith((mark, "/*"))
        self._track(line)
        if self._is_comment:
            is_whole = bool(self._end) or text.startswith(mark) or text.endswith("*/")
            return ImportRole.COMMENT if is_whole else ImportRole.OTHER
        return ImportRole.PREAMBLE if self._marks.preamble.fullmatch(text) else ImportRole.OTHER

    def _continued(self, form: _Form, line: str) -> ImportRole:
        code = self._marks.code_of(line)
        if form.last.fullmatch(code):
            self._form = None
            return ImportRole.COMPLETE
        self._open.append(line)
        if form.inner.fullmatch(code) and len(self._open) < MAX_STATEMENT_LINES:
            return ImportRole.OPEN
        self._form, self._is_comment = None, False
        for other in self._open:
            self._track(other)
        return ImportRole.BROKEN

    def _inside(self, line: str) -> ImportRole:
        is_comment = self._is_comment
        self._track(line)
        is_whole = self._end or line.rstrip().endswith("*/")
        return ImportRole.COMMENT if is_comment and is_whole else ImportRole.OTHER

    def _track(self, line: str) -> None:
        """Follow the strings and comments that continue on the next line."""
        at = 0
        while True:
            if self._end:
                end = line.find(self._end, at)
                while end > 0 and self._end != "*/" and line[end - 1] == "\\":
                    end = line.find(self._end, end + 1)
                if end < 0:
                    return
                at, self._end = end + len(self._end), ""
            token = self._marks.token.search(line, at)
            if token is None:
                return
            at = token.end()
            if token[0] == "/*":
                self._end = "*/"
            elif token[0] in self._marks.long_quotes:
                self._end = token[0]


def split_imports(lines: Sequence[str], marks: ImportMarks) -> tuple[list[ImportLines], list[str], int]:
    """Return the import statements of a text, its other lines, and how many of these are above the first import.

    The other lines are not blank, have no preamble, and have no comments directly above an import. They have no
    white space at their ends.
    """
    reader = ImportReader(marks)
    statements: list[ImportLines] = []
    others: list[str] = []
    comments: list[str] = []
    part: list[str] = []
    n_above = 0
    for line in lines:
        role = reader.receive_line(line)
        if role is ImportRole.COMMENT:
            comments.append(line.rstrip())
        elif role in (ImportRole.OPEN, ImportRole.COMPLETE):
            part.append(line)
            if role is ImportRole.COMPLETE:
                n_above = n_above if statements else len(others)
                statements.append(tuple(part))
                part, comments = [], []
        else:
            broken = [*part, line] if role in (ImportRole.BROKEN, ImportRole.OTHER) else []
            others += [*comments, *(text for each in broken if (text := each.rstrip()))]
            part, comments = [], []
    others += [*comments, *(text for each in part if (text := each.rstrip()))]
    return statements, others, n_above if statements else len(others)


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(rf"\A(?:{text})")


_NOTHING = _pattern(r"(?!)")
_NAMES = r"[\w ,]*"
_AS = r"[\w.]+(?: as \w+)?"
_PYTHON = ImportMarks(
    ("import ", "from "),
    "#",
    _pattern(rf"import {_AS}(?: ?, ?{_AS})* ?;?|from [\w.]+ import ?(?:\*|\w{_NAMES}|\({_NAMES}\)) ?;?"),
    (
        _Form(_pattern(rf"from [\w.]+ import ?\({_NAMES}"), _pattern(_NAMES), _pattern(rf"{_NAMES}\) ?;?")),
        _Form(_pattern(r"(?:from|import) [\w ,.]+\\"), _pattern(r"[\w ,.]*\\"), _pattern(r"[\w ,.]*\w ?;?")),
    ),
    _NOTHING,
    frozenset({'"""', "'''"}),
    re.compile(r'''#.*|"""|\'\'\'|"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?'''),
)

_STRING = r"""(?:'[^']*'|"[^"]*")"""
_IN_BRACES = r"[\w$ ,]*"
_WITH = r"(?: (?:with|assert) ?\{[^{}]*\})?"
_FROM = rf" ?from ?{_STRING}{_WITH} ?;?"
_REQUIRED = rf"require\({_STRING}\)(?:\.[\w$]+)* ?;?"
_C_TOKENS = r"""//.*|/\*|"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?"""
_JAVASCRIPT = ImportMarks(
    ("import", "const ", "let ", "var "),
    "//",
    _pattern(
        rf"import ?(?: [\w$ ,*]*)?(?:\{{{_IN_BRACES}\}})?{_FROM}|import ?{_STRING}{_WITH} ?;?"
        rf"|import (?:type )?[\w$]+ ?= ?{_REQUIRED}"
        rf"|(?:const|let|var) (?:[\w$]+|\{{[\w$ ,:]*\}}) ?= ?{_REQUIRED}"
    ),
    (
        _Form(
            _pattern(rf"import\b[\w$ ,*]*\{{{_IN_BRACES}"),
            _pattern(_IN_BRACES),
            _pattern(rf"{_IN_BRACES}\}}{_FROM}"),
        ),
    ),
    _NOTHING,
    frozenset("`"),
    re.compile(_C_TOKENS + "|`"),
)

_GO_SPEC = r"(?:[\w.]+ ?)?(?:\"[^\"]+\"|`[^`]+`) ?;?"
_GO = ImportMarks(
    ("import",),
    "//",
    _pattern(rf"import ?{_GO_SPEC}|import ?\( ?(?:{_GO_SPEC})? ?\)"),
    (_Form(_pattern(r"import ?\("), _pattern(rf" ?(?:{_GO_SPEC})?"), _pattern(r" ?\)")),),
    _pattern(r"package \w+ ?;?"),
    frozenset("`"),
    re.compile(_C_TOKENS + "|`"),
)

_PATHS = r"[\w :{},*#]"
_RUST = ImportMarks(
    ("use ", "extern "),
    "//",
    _pattern(rf"use {_PATHS}+;|extern crate [\w# ]+;"),
    (_Form(_pattern(rf"use (?=.*(?:::|\{{)){_PATHS}+"), _pattern(rf"{_PATHS}*"), _pattern(rf"{_PATHS}*;")),),
    _NOTHING,
    frozenset('"'),
    re.compile(r"""//.*|/\*|"(?:\\.|[^"\\])*"|"|'(?:\\.|[^'\\])'"""),
)

_JAVA = ImportMarks(
    ("import ",),
    "//",
    _pattern(r"import (?:static )?[\w.]+(?:\.\*)? ?;"),
    (),
    _pattern(r"package [\w.]+ ?;"),
    frozenset({'"""'}),
    re.compile('"""|' + _C_TOKENS),
)

_C = ImportMarks(
    ("#",),
    "//",
    _pattern(r"""# ?include ?(?:<[^<>]+>|"[^"]+")"""),
    (),
    _pattern(r"# ?pragma once"),
    frozenset(),
    re.compile(_C_TOKENS),
)

_MARKS = {
    "python": _PYTHON,
    **dict.fromkeys(JAVASCRIPT_IDS, _JAVASCRIPT),
    "go": _GO,
    "rust": _RUST,
    "java": _JAVA,
    "c": _C,
    "cpp": _C,
}
