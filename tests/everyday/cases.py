"""Everyday edits as data: a file, a place in it, an instruction, and the expected text.

`data` has a TOML file for each language, with files and the cases of these files. They are written by hand, for review.
A case has the place of the user and the change:

* ``cursor``: a text of the file with ``‸`` at the cursor; or ``select``: the selected text, or its beginning and end.
* ``choice``: the requested scope, if it is not ``auto``.
* ``old`` and ``new``: one replacement; ``changes`` has several such pairs; ``everywhere`` replaces a word in the whole
  scope; ``wanted`` is the whole new text of the scope.

A replaced text must occur once in the scope. A file may have ``crlf = true`` or ``final_newline = false``.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from twospeed.text.code.scope import ScopeChoice

DATA = Path(__file__).parent / "data"
CURSOR = "‸"

Place = tuple[int, int]


class BadCase(Exception):
    """A case is not valid."""


@dataclass(frozen=True)
class Case:
    """One edit.

    Attributes:
        language: The name of its table.
        language_id: The LSP language id.
        name: The edit in a few words.
        file_name: The name of the document.
        text: The text of the document with LF line ends.
        has_crlf: Whether the lines of the document end in CRLF.
        selection: Start and end in lines and code points, both from 0; equal for a cursor.
        choice: How the scope is chosen.
        instruction: The instruction of the user.
        changes: Pairs of a text that occurs once in the scope, and its replacement.
        everywhere: A text that is replaced throughout the scope, and its replacement; may be empty.
        wanted: The whole new text of the scope, if the case gives it.
    """

    language: str
    language_id: str
    name: str
    file_name: str
    text: str
    has_crlf: bool
    selection: tuple[Place, Place]
    choice: ScopeChoice
    instruction: str
    changes: tuple[tuple[str, str], ...]
    everywhere: tuple[str, ...]
    wanted: str | None

    @property
    def id(self) -> str:
        """Language and name, which are unique."""
        return f"{self.language}: {self.name}"

    @property
    def document_text(self) -> str:
        """The text of the document with its line ends."""
        return self.with_line_ends(self.text)

    def with_line_ends(self, text: str) -> str:
        """Replace the LF line ends of a text by those of the document."""
        return text.replace("\n", "\r\n") if self.has_crlf else text

    def changed(self, start: int, end: int) -> list[str]:
        """Return the expected lines of a scope.

        Args:
            start: First line of the scope, from 0.
            end: Line after its last one.

        Raises:
            BadCase: A replaced text does not occur once in the scope, or nothing changes.
        """
        lines = lines_of(self.text)
        above, old, below = lines[:start], "".join(lines[start:end]), lines[end:]
        if self.wanted is not None:
            ends_open = bool(old) and not old.endswith("\n")
            return lines_of(self.wanted.removesuffix("\n") if ends_open else self.wanted)
        new = old
        for before, behind in self.changes:
            if new.count(before) != 1:
                return self._changed_around(above, below)
            new = new.replace(before, behind)
        if self.everywhere:
            before, behind = self.everywhere
            edge = r"\b" if re.fullmatch(r"\w+", before) else ""
            new = re.sub(f"{edge}{re.escape(before)}{edge}", lambda _match: behind, new)
        if new == old:
            raise BadCase(f"{self.id}: nothing changes in the scope")
        return lines_of(new)

    def _changed_around(self, above: list[str], below: list[str]) -> list[str]:
        """Like `changed`, for replaced texts that include lines around the scope, as for an insertion."""
        text = self.text
        for before, behind in self.changes:
            if text.count(before) != 1:
                raise BadCase(f"{self.id}: neither in the scope nor in the file once: {before!r}")
            text = text.replace(before, behind)
        lines = lines_of(text)
        end = len(lines) - len(below)
        if lines[: len(above)] != above or lines[end:] != below or end < len(above):
            raise BadCase(
                f"{self.id}: lines outside of the scope, {len(above)} to {len(self.text.splitlines()) - len(below)}, change"
            )
        return lines[len(above) : end]


def lines_of(text: str) -> list[str]:
    """Split a text with LF line ends into lines that keep them."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


@cache
def languages() -> tuple[str, ...]:
    """Return the names of the tables."""
    return tuple(sorted(path.stem for path in DATA.glob("*.toml")))


@cache
def cases_of(language: str) -> tuple[Case, ...]:
    """Read the cases of a language.

    Raises:
        BadCase: A case is not valid.
    """
    table = tomllib.loads((DATA / f"{language}.toml").read_text(encoding="utf-8"))
    read, bad = list[Case](), list[str]()
    for entry in table["case"]:
        try:
            read.append(_case(language, table, entry))
        except BadCase as error:
            bad.append(str(error))
    if bad:
        raise BadCase("\n".join(bad))
    names = [case.name for case in read]
    if twice := {name for name in names if names.count(name) > 1}:
        raise BadCase(f"{language}: two cases are named {sorted(twice)}")
    return tuple(read)


def _case(language: str, table: dict[str, Any], entry: dict[str, Any]) -> Case:
    name = f"{language}: {entry['name']}"
    known = {
        "name",
        "file",
        "cursor",
        "select",
        "choice",
        "instruction",
        "old",
        "new",
        "changes",
        "everywhere",
        "wanted",
    }
    if unknown := entry.keys() - known:
        raise BadCase(f"{name}: unknown keys {sorted(unknown)}")
    file = table["files"].get(entry["file"])
    if file is None:
        raise BadCase(f"{name}: no file {entry['file']}")
    text = file["text"] if file.get("final_newline", True) else file["text"].removesuffix("\n")
    pairs = [(entry["old"], entry["new"])] if "old" in entry else []
    pairs += [(old, new) for old, new in entry.get("changes", ())]
    if len([key for key in ("old", "changes", "everywhere", "wanted") if key in entry]) != 1:
        raise BadCase(f"{name}: needs exactly one of old, changes, everywhere and wanted")
    return Case(
        language=language,
        language_id=file.get("language_id", table["language_id"]),
        name=entry["name"],
        file_name=entry["file"],
        text=text,
        has_crlf=file.get("crlf", False),
        selection=_selection(name, text, entry),
        choice=entry.get("choice", "auto"),
        instruction=entry["instruction"],
        changes=tuple(pairs),
        everywhere=tuple(entry.get("everywhere", ())),
        wanted=entry.get("wanted"),
    )


def _selection(name: str, text: str, entry: dict[str, Any]) -> tuple[Place, Place]:
    if "cursor" in entry:
        before, mark, behind = entry["cursor"].partition(CURSOR)
        if not mark:
            raise BadCase(f"{name}: no {CURSOR} in its cursor")
        place = _place(text, _index(name, text, before + behind) + len(before))
        return place, place
    ends = entry["select"]
    first, last = (ends, ends) if isinstance(ends, str) else ends
    start = _index(name, text, first)
    end = text.find(last, start) + len(last)
    if end < start:
        raise BadCase(f"{name}: not in the file after the start of the selection: {last!r}")
    return _place(text, start), _place(text, end)


def _index(name: str, text: str, part: str) -> int:
    if text.count(part) != 1:
        raise BadCase(f"{name}: {text.count(part)} times in the file: {part!r}")
    return text.index(part)


def _place(text: str, index: int) -> Place:
    line = text.count("\n", 0, index)
    return line, index - (text.rfind("\n", 0, index) + 1)
