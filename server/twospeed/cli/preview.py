"""Applies text edits with UTF-16 columns to a string, and compares two texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby
from typing import TYPE_CHECKING, Literal

from twospeed.text.edits import TextEdit
from twospeed.text.lines import body_of, split_lines
from twospeed.text.positions import Position, Range, column_of

from .exits import ServerTrouble

if TYPE_CHECKING:
    from twospeed_protocol import messages

Mark = Literal[" ", "+", "-", "@"]


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line of a diff, or the header of a hunk (``@``)."""

    mark: Mark
    text: str  # with its line end; of a header, the text between the `@@`
    place: int  # 0-based line of the new text; of a removed line, the line that follows it


class PreviewedScope:
    """The text of the scope during an edit."""

    def __init__(self, old: str) -> None:
        self.old = old
        self.text = old  # after the received batches
        self.written_line = 0  # line of `text` where the last batch ended

    def receive_batch(self, edits: Sequence[TextEdit]) -> None:
        """Apply one batch to ``text``; raises `ServerTrouble`."""
        self.text, self.written_line = _applied(self.text, edits)


def apply_text_edits(text: str, edits: Sequence[TextEdit]) -> str:
    """Apply LSP text edits in any order; insertions at one position keep theirs (LSP 3.17, "TextEdit[]").

    Raises:
        ServerTrouble: Edits overlap, an end is before its start, or a line does not exist.
    """
    return _applied(text, edits)[0]


def text_in(text: str, range_: Range) -> str:
    """Return the text in a range, in UTF-16 columns."""
    start, end = (_offset(split_lines(text), position) for position in (range_.start, range_.end))
    return text[start:end]


def _applied(text: str, edits: Sequence[TextEdit]) -> tuple[str, int]:
    lines = split_lines(text)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    pieces: list[str] = []
    done = 0
    for edit in sorted(edits, key=lambda edit: edit.range.start):
        start, end = (_offset(lines, position, starts) for position in (edit.range.start, edit.range.end))
        if not done <= start <= end:
            raise ServerTrouble("the server sent edits that overlap or end before they start")
        pieces += (text[done:start], edit.new_text)
        done = end
    head = "".join(pieces)
    return head + text[done:], len(split_lines(head)) - 1


def _offset(lines: Sequence[str], position: Position, starts: Sequence[int] | None = None) -> int:
    if not 0 <= position.line < len(lines) or position.character < 0:
        raise ServerTrouble(f"the server sent an edit at line {position.line + 1}, which does not exist")
    start = starts[position.line] if starts else sum(map(len, lines[: position.line]))
    return start + column_of(body_of(lines[position.line]), position.character, "utf-16")


def diff_of(old: str, new: str) -> list[DiffLine]:
    """Return all lines of both texts in order, removed before added ones."""
    old_lines, new_lines = _numbered(old), _numbered(new)
    return [line for chunk in _chunks(old_lines, new_lines) for line in chunk]


@dataclass(frozen=True, slots=True)
class TextHunk:
    """A hunk: one contiguous change of whole lines."""

    first: int  # 0-based line of the old text
    removed: Sequence[str]  # with their line ends
    added: Sequence[str]


def changes_of(old: str, new: str) -> list[TextHunk]:
    """Return the hunks that turn one text into another, in order."""
    changes: list[TextHunk] = []
    at = 0
    for is_equal, group in groupby(diff_of(old, new), lambda line: line.mark == " "):
        lines = list(group)
        removed = [line.text for line in lines if line.mark == "-"]
        if not is_equal:
            changes.append(TextHunk(at, removed, [line.text for line in lines if line.mark == "+"]))
        at += len(lines) if is_equal else len(removed)
    return changes


def text_with(old: str, changes: Sequence[TextHunk]) -> str:
    """Return a text with some of its hunks; raises ValueError if they are not of this text."""
    lines = _numbered(old)
    pieces: list[str] = []
    done = 0
    for change in changes:
        end = change.first + len(change.removed)
        if change.first < done or lines[change.first : end] != list(change.removed):
            raise ValueError("the changes are not of this text")
        pieces += (*lines[done : change.first], *change.added)
        done = end
    return "".join((*pieces, *lines[done:]))


def unified_diff_of(old: str, new: str, *, context: int = 3) -> list[DiffLine]:
    """Return hunks, each with a header (``-12,7 +12,9``) and ``context`` unchanged lines around changes."""
    lines = diff_of(old, new)
    near = bytearray(len(lines))
    for index, line in enumerate(lines):
        if line.mark != " ":
            first = max(0, index - context)
            near[first : index + context + 1] = b"\1" * (min(len(lines), index + context + 1) - first)
    hunks: list[DiffLine] = []
    before_old = 0
    index = 0
    while index < len(lines):
        end = index
        while end < len(lines) and near[end]:
            end += 1
        if end > index:
            hunk = lines[index:end]
            hunks += (_header(hunk, before_old), *hunk)
        else:
            end = index + 1
        before_old += sum(line.mark in " -" for line in lines[index:end])
        index = end
    return hunks


def _numbered(text: str) -> list[str]:
    lines = split_lines(text)
    return lines if lines[-1] else lines[:-1]


def _chunks(old: Sequence[str], new: Sequence[str]) -> Iterator[list[DiffLine]]:
    # difflib is quadratic, so equal lines at both ends are removed first: the scope is small beside the file.
    # Without its `autojunk`, a file of thousands of similar lines would take minutes.
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    a, b = old[head : len(old) - tail], new[head : len(new) - tail]
    yield [DiffLine(" ", line, place) for place, line in enumerate(new[:head])]
    for tag, a1, a2, b1, b2 in SequenceMatcher(None, a, b).get_opcodes():
        if tag == "equal":
            yield [DiffLine(" ", b[at], head + at) for at in range(b1, b2)]
        else:
            yield [DiffLine("-", line, head + b1) for line in a[a1:a2]]
            yield [DiffLine("+", b[at], head + at) for at in range(b1, b2)]
    yield [DiffLine(" ", new[at], at) for at in range(len(new) - tail, len(new))]


def _common(old: Sequence[str], new: Sequence[str]) -> int:
    pairs = zip(old, new, strict=False)
    return next((at for at, (one, other) in enumerate(pairs) if one != other), min(len(old), len(new)))


def _header(hunk: Sequence[DiffLine], before_old: int) -> DiffLine:
    n_old = sum(line.mark in " -" for line in hunk)
    n_new = sum(line.mark in " +" for line in hunk)
    place = hunk[0].place
    old_first = before_old + 1 if n_old else before_old  # as diff -u counts an empty side
    new_first = place + 1 if n_new else place
    return DiffLine("@", f"-{old_first},{n_old} +{new_first},{n_new}", place)


def range_from(wire: messages.Range) -> Range:
    """Convert an LSP range to a `Range`."""
    return Range(Position(wire.start.line, wire.start.character), Position(wire.end.line, wire.end.character))


def range_to(range_: Range) -> dict[str, dict[str, int]]:
    """Convert a `Range` to an LSP range."""
    return {
        "start": {"line": range_.start.line, "character": range_.start.character},
        "end": {"line": range_.end.line, "character": range_.end.character},
    }


def text_edits_from(wire: Sequence[messages.TextEdit]) -> list[TextEdit]:
    """Convert LSP text edits."""
    return [TextEdit(range_from(edit.range), edit.new_text) for edit in wire]
