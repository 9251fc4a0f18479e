"""What an edit will do to a text, without doing it: text edits applied to a string, and the diff of two texts.

The server's edits arrive in UTF-16 columns (the session asks for them). Text outside the edits is taken over as it
is, so the bytes of a file outside the scope cannot change. Applying is strict where an editor is lenient: edits
that overlap, or a line that is not there, are an error and never a guess.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from twospeed.text.edits import TextEdit
from twospeed.text.lines import body_of, split_lines
from twospeed.text.positions import Position, Range, column_of

from .exits import ServerTrouble

Mark = Literal[" ", "+", "-", "@"]


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line of a diff.

    Attributes:
        mark: Unchanged, added, removed, or the header of a hunk.
        text: The line with its line end; of a header what stands between the ``@@``.
        place: Line of the new text, 0-based: its own, or the one a removed line stood before.
    """

    mark: Mark
    text: str
    place: int


class PreviewedScope:
    """The scope as the model sees it: its old text, rewritten batch by batch.

    Attributes:
        old: The scope's old text.
        text: What it is after the batches received.
        written_line: Line of ``text`` where the last batch ended: the place being written.
    """

    def __init__(self, old: str) -> None:
        self.old = old
        self.text = old
        self.written_line = 0

    def receive_batch(self, edits: Sequence[TextEdit]) -> None:
        """Apply one batch: sorted, disjoint edits against the view as it is.

        Raises:
            ServerTrouble: The batch does not fit the view.
        """
        self.text, self.written_line = _applied(self.text, edits)


def apply_text_edits(text: str, edits: Sequence[TextEdit]) -> str:
    """Apply LSP text edits, all against ``text``, in UTF-16 columns.

    Args:
        text: The document.
        edits: Disjoint, in any order; insertions at one place keep theirs (LSP 3.17, "TextEdit[]").

    Raises:
        ServerTrouble: Edits overlap, run backwards, or name a line the text does not have.
    """
    return _applied(text, edits)[0]


def text_in(text: str, range_: Range) -> str:
    """Return the part of a text that a range covers, in UTF-16 columns."""
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
            raise ServerTrouble("the server sent edits that overlap or run backwards")
        pieces += (text[done:start], edit.new_text)
        done = end
    head = "".join(pieces)
    return head + text[done:], len(split_lines(head)) - 1


def _offset(lines: Sequence[str], position: Position, starts: Sequence[int] | None = None) -> int:
    if not 0 <= position.line < len(lines) or position.character < 0:
        raise ServerTrouble(f"the server sent an edit at line {position.line + 1}, which is not there")
    start = starts[position.line] if starts else sum(map(len, lines[: position.line]))
    return start + column_of(body_of(lines[position.line]), position.character, "utf-16")


def diff_of(old: str, new: str) -> list[DiffLine]:
    """Compare two texts line by line.

    Returns:
        Every line of both in order, removed ones before added ones; no headers.
    """
    old_lines, new_lines = _numbered(old), _numbered(new)
    return [line for chunk in _chunks(old_lines, new_lines) for line in chunk]


def unified_diff_of(old: str, new: str, *, context: int = 3) -> list[DiffLine]:
    """Compare two texts and keep what changed, in hunks with ``context`` unchanged lines around.

    Returns:
        Hunks, each a header line (``-12,7 +12,9``) and its lines; empty where nothing changed.
    """
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
    """Split into the lines a diff speaks of: a text that ends with a line end has no empty line behind it."""
    lines = split_lines(text)
    return lines if lines[-1] else lines[:-1]


def _chunks(old: Sequence[str], new: Sequence[str]) -> Iterator[list[DiffLine]]:
    # The ends that are equal are cut off first: the scope is small beside the file, and difflib is quadratic.
    # Its `autojunk` keeps a whole file of thousands of lines that look alike from taking minutes.
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
