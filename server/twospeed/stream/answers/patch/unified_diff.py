"""Parse diffs of ``diff -u`` and git, and the envelope of ``apply_patch``.

Models get the numbers of ``@@`` wrong, omit ``@@``, and lose the space of a blank line. So the content
decides; the numbers are passed on.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from twospeed.stream.answers.evidence import Refusal
from twospeed.stream.answers.fences import fence_of

from .block_places import HunkRange, Patch, PatchBlock

_HUNK = re.compile(r"@@(?: ?-(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? ?@@.*| (.*)|)")
_MAX_DIGITS = 9
"""Digits of a line number; ``int`` raises an error for more than 4,300."""

_OLD_FILE, _NEW_FILE = (re.compile(rf"{mark} ([ab]/.*|\S+(\s+[\d(].*)?)") for mark in ("---", r"\+\+\+"))
_SECTION = re.compile(r"diff -.*|\*\*\* (Begin Patch|Update File: .*)")
_PATH = re.compile(r"(?:\+\+\+|\*\*\* Update File:) (?:b/)?([^\t]*)")
_END = "*** End Patch"
_IGNORED = re.compile(r"Index: .*|index [0-9a-f]+\.\..*|={60,}|\*\*\* End of File|\\ .*")
_FILE_OPERATION = re.compile(
    r"\*\*\* (Add File|Delete File|Move to): .*|(new|deleted) file mode .*|(rename|copy) (from|to) .*"
    r"|(---|\+\+\+) /dev/null.*"
)
_HEADER = re.compile(
    "|".join(f"(?:{header.pattern})" for header in (_SECTION, _HUNK, _OLD_FILE, _NEW_FILE, _FILE_OPERATION))
)


def opens_diff(line: str) -> bool:
    """Whether a line is a header of a diff or of a hunk."""
    return bool(_HEADER.fullmatch(line.rstrip()))


def read_diff(lines: Sequence[str]) -> Patch | Refusal:
    """Parse the hunks with changes, from the first header or the first line of a hunk without header."""
    reader = _Reader(lines)
    reader.read()
    return reader.refusal or Patch(reader.blocks, reader.prose)


class _Reader:
    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        n_fences = sum(map(_is_fence, lines))
        self._is_fenced = n_fences > 0
        self._in_fence = n_fences % 2 == 1  # the last fence closes
        self._may_have_rows = True
        self._in_hunk = False
        self._rows: list[str] = []
        self._numbers: HunkRange | None = None
        self._within: list[str] = []
        self._path = ""
        self._paths: set[str] = set()
        self._in_envelope = self._has_ended = False
        self.blocks: list[PatchBlock] = []
        self.prose: list[str] = []
        self.refusal: Refusal | None = None

    def read(self) -> None:
        """Read until the end, or until ``refusal`` is set."""
        for index, line in enumerate(self._lines):
            self._read_line(index, line)
            if self.refusal:
                return
        self._end_hunk()
        if self._in_envelope:
            self._refuse("truncated", "the answer ends inside a patch")
        elif len(self._paths) > 1:
            self._refuse("extent", "the patch changes several files")

    def _read_line(self, index: int, line: str) -> None:
        if _is_fence(line):
            self._end_hunk(is_complete=True)
            self._may_have_rows = False
            self._in_fence = not self._in_fence
        elif self._is_header(index):
            self._read_header(line.rstrip())
        elif _IGNORED.fullmatch(line.rstrip()):
            pass
        elif self._may_have_rows and (not line.strip() or line[0] in " -+"):
            self._in_hunk = self._in_hunk or bool(line)
            self._rows.append(line)
        elif line.strip():
            self._read_prose(line)

    def _is_header(self, index: int) -> bool:
        # A removed line ``-- note`` looks like the header of a file, but without its pair.
        line = self._lines[index].rstrip()
        if _OLD_FILE.fullmatch(line):
            is_pair = self._matches(index + 1, _NEW_FILE)
            return is_pair and (not self._in_hunk or self._matches(index + 2, _HUNK))
        if _NEW_FILE.fullmatch(line):
            return not self._in_hunk and (index == 0 or self._matches(index - 1, _OLD_FILE))
        return line == _END or opens_diff(line)

    def _matches(self, index: int, header: re.Pattern[str]) -> bool:
        return index < len(self._lines) and bool(header.fullmatch(self._lines[index].rstrip()))

    def _read_header(self, line: str) -> None:
        self._end_hunk(is_complete=True)
        if self._is_fenced and not self._in_fence:
            self._refuse("not-code", "the answer has parts of a patch outside its code fence")
        elif _FILE_OPERATION.fullmatch(line):
            self._refuse("extent", "the patch creates, moves or deletes a file")
        elif hunk := _HUNK.fullmatch(line):
            self._open_hunk(hunk)
        elif path := _PATH.match(line):
            self._path = path[1].strip()
        self._may_have_rows = line != _END
        self._has_ended = line == _END
        self._in_envelope = not self._has_ended and (self._in_envelope or line.startswith("*** Begin"))

    def _open_hunk(self, header: re.Match[str]) -> None:
        self._in_hunk = True
        if any(number and len(number) > _MAX_DIGITS for number in header.groups()[:4]):
            self._refuse("not-code", f"the patch has a line number of more than {_MAX_DIGITS} digits")
        elif header[1]:
            old, n_old, new, n_new = (1 if number is None else int(number) for number in header.groups()[:4])
            self._numbers = HunkRange(old, n_old, new, n_new)
        elif context := (header[5] or "").strip(" @"):
            self._within.append(context)

    def _end_hunk(self, *, is_complete: bool = False) -> None:
        rows, numbers = self._rows, self._numbers
        n_old = sum(row[:1] != "+" for row in rows)
        while rows and not rows[-1] and (numbers is None or n_old > numbers.n_old):
            rows.pop()  # a blank line that separates hunks
            n_old -= 1
        if not rows:
            return  # headers without rows between them belong to one hunk
        n_new = sum(row[:1] != "-" for row in rows)
        if numbers and not is_complete and (n_old < numbers.n_old or n_new < numbers.n_new):
            self._refuse("truncated", "the answer ends inside a hunk")
        if any(row[:1] in ("-", "+") for row in rows):
            self.blocks.append(_block(rows, numbers, self._within))
            self._paths.add(self._path)
        self._rows, self._numbers, self._within, self._in_hunk = [], None, [], False

    def _read_prose(self, line: str) -> None:
        may_be_code = not self._is_fenced and not self._has_ended and line[0] in "-+"
        if self._in_fence or may_be_code:
            self._refuse("not-code", "the answer has lines in its patch that belong to no hunk")
        self._end_hunk()
        self._may_have_rows = False
        self.prose.append(line)

    def _refuse(self, code: str, message: str) -> None:
        self.refusal = self.refusal or Refusal(code, message)


def _is_fence(line: str) -> bool:
    return fence_of(line) is not None and line[0] in "`~"  # a row of a hunk begins with its mark


def _block(rows: Sequence[str], numbers: HunkRange | None, within: Sequence[str]) -> PatchBlock:
    search: list[str] = []
    replace: list[str] = []
    kept: list[int | None] = []
    for row in rows:
        mark, text = row[:1], row[1:]
        if mark != "-":
            replace.append(text)
            kept.append(None if mark == "+" else len(search))
        if mark != "+":
            search.append(text)
    return PatchBlock(search, replace, kept, numbers, within)
