"""An open document at one version, as the client last reported it."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from .edits import LineEdit, TextEdit, apply_line_edits, common_ends, text_edits
from .line_blocks import Lines
from .lines import DEFAULT_EOL, EolCounts, bodies_of, body_of, dominant_eol, eol_of, split_lines
from .positions import Encoding, Position, Range, column_of, units


@dataclass(frozen=True, slots=True)
class ContentChange:
    """One change of a ``didChange``; without ``range``, the whole text."""

    range: Range | None
    text: str


@dataclass(frozen=True, slots=True)
class Splice:
    """A replacement of ``count`` lines, from ``start`` on, by ``lines``, without equal lines at the edges.

    An empty splice means that at most line ends changed.
    """

    start: int
    count: int
    lines: tuple[str, ...]

    @property
    def end(self) -> int:
        """The line after the replaced ones, in the old text."""
        return self.start + self.count

    @property
    def delta(self) -> int:
        """The number of added lines minus the number of removed ones."""
        return len(self.lines) - self.count

    def __bool__(self) -> bool:
        return bool(self.count or self.lines)


@dataclass(frozen=True, slots=True)
class Document:
    """An immutable snapshot of a document; each version is a new object.

    Attributes:
        uri: As the client wrote it.
        language_id: Empty if the client sent none.
        lines: As ``split_lines`` returns them.
        encoding: Unit of the columns on the wire (LSP ``PositionEncodingKind``).
        eol: Line end for new lines: the most frequent one. A tie, or no line end, keeps the previous one.
        retired_eols: Line ends that the client replaced in every line. If an edit of ours contains a line with one,
            the line is written with ``eol``.
    """

    uri: str
    version: int
    language_id: str
    lines: Lines
    encoding: Encoding = "utf-16"
    eol: str = DEFAULT_EOL
    retired_eols: frozenset[str] = frozenset()

    @classmethod
    def opened(cls, uri: str, version: int, language_id: str, text: str, encoding: Encoding) -> Document:
        """Create a document from its whole text."""
        return cls(uri, version, language_id, Lines.of(split_lines(text)), encoding, dominant_eol(text))

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(self.lines)

    def changed(self, change: ContentChange) -> tuple[Document, Splice]:
        """Return the document after one content change, and the changed lines.

        Positions outside the text are clamped, and swapped ends reordered (LSP 3.17, "Position" and "Range").
        """
        if change.range is None:
            start, removed, inserted = _differing(self.lines, split_lines(change.text))
            splice = trimmed_splice(removed, inserted, start)
            return self._spliced(start, removed, inserted, splice), splice
        (first, head), (last, tail) = sorted((self.place(change.range.start), self.place(change.range.end)))
        text = self.lines[first][:head] + change.text + self.lines[last][tail:]
        if text.startswith("\n") and first > 0 and self.lines[first - 1].endswith("\r"):
            first -= 1  # the lone CR above and this LF now form one line end
            text = self.lines[first] + text
        new = split_lines(text)
        if last + 1 < len(self.lines):
            new.pop()  # ``text`` ends in the line end of line ``last``; the empty line after it is not a new line
        old = self.lines[first : last + 1]
        # If the change begins or ends at a line boundary, the line next to it is unchanged: trimming alone would guess
        # wrong where the inserted lines equal it.
        if tail == 0 and new[-1:] == list(old[-1:]) and change.text[-1:] in ("", "\n", "\r"):
            splice = trimmed_splice(old[:-1], new[:-1], first)
        elif head == len(body_of(old[0])) and body_of(old[0]) == body_of(new[0]):
            splice = trimmed_splice(old[1:], new[1:], first + 1)
        else:
            splice = trimmed_splice(old, new, first)
        return self._spliced(first, old, new, splice), splice

    def _spliced(self, first: int, old: Sequence[str], new: Sequence[str], splice: Splice) -> Document:
        # ``old`` and ``new`` are the exact lines. ``splice`` ignores line ends, so it shows which of them stayed.
        lines = self.lines.spliced(first, len(old), new)
        before = EolCounts.of(old)
        if before == EolCounts.of(new):
            return replace(self, lines=lines)
        eols, remaining = lines.eols, lines.eols.kinds()
        n_above = splice.start - first
        n_below = len(old) - n_above - splice.count
        above = zip(old[:n_above], new[:n_above], strict=True)
        below = zip(old[len(old) - n_below :], new[len(new) - n_below :], strict=True)
        newly_retired = _newly_retired(before.kinds() - remaining, [*above, *below])
        if newly_retired and len(remaining) == 1:
            newly_retired = {"\n", "\r\n", "\r"}  # lines that were removed earlier would be converted too
        retired = (self.retired_eols | newly_retired) - remaining
        return replace(self, lines=lines, eol=eols.most_frequent(self.eol), retired_eols=retired)

    def with_edits(self, edits: Sequence[LineEdit]) -> Document:
        """Return the document after our own edits, at the same version."""
        if not edits:
            return self
        edits = self._without_retired_eols(edits)
        # Only lines near the edits can change. Two above: if lines are appended to an empty last line, its line end
        # depends on a lone CR that ends the line above it. One below: it may merge with a lone CR of an edit.
        first = max(0, edits[0].start - 2)
        last = min(len(self.lines), edits[-1].start + edits[-1].count + 1)
        lines = self.lines[first:last]
        if last < len(self.lines):  # then every line of `lines` has a line end
            # `apply_line_edits` treats the last of its lines as one without a line end.
            new = apply_line_edits((*lines, ""), edits, self.eol, offset=first)[:-1]
        else:
            new = apply_line_edits(lines, edits, self.eol, offset=first)
        return replace(self, lines=self.lines.spliced(first, len(lines), new))

    def text_edits(self, edits: Sequence[LineEdit], *, in_whole_lines: bool = False) -> list[TextEdit]:
        """Convert our own edits to minimal LSP edits, or to whole lines."""
        edits = self._without_retired_eols(edits)
        return text_edits(self.lines, edits, self.encoding, self.eol, in_whole_lines=in_whole_lines)

    def _without_retired_eols(self, edits: Sequence[LineEdit]) -> Sequence[LineEdit]:
        if not self.retired_eols:
            return edits
        return [
            replace(
                edit,
                lines=tuple(
                    body_of(line) if eol_of(line) in self.retired_eols else line for line in edit.lines
                ),
            )
            for edit in edits
        ]

    def place(self, position: Position) -> tuple[int, int]:
        """Convert a wire position to a line and an index, clamped to the text; the inverse of `position`."""
        if position.line >= len(self.lines):
            return len(self.lines) - 1, len(self.lines[-1])
        return position.line, column_of(body_of(self.lines[position.line]), position.character, self.encoding)

    def position(self, line: int, column: int) -> Position:
        """Convert a line and an index to a wire position; the inverse of `place`."""
        return Position(line, units(self.lines[line][:column], self.encoding))

    def line_range(self, start: int, end: int) -> Range:
        """Return the range of the lines ``start`` up to ``end``, with their line ends."""
        return Range(self._line_start(start), self._line_start(end))

    def editable_range(self, start: int, end: int) -> Range:
        """Return the range that edits of the lines ``start`` up to ``end`` may change.

        At the end of the document, the line end above is inserted or deleted with the lines.
        """
        if end >= len(self.lines) and start > 0:
            return Range(self.position(start - 1, len(body_of(self.lines[start - 1]))), self._line_start(end))
        return self.line_range(start, end)

    def _line_start(self, line: int) -> Position:
        if line < len(self.lines):
            return Position(line, 0)
        return self.position(len(self.lines) - 1, len(self.lines[-1]))


def trimmed_splice(old: Sequence[str], new: Sequence[str], start: int) -> Splice:
    """Return the splice that replaces ``old``, from line ``start`` on, by ``new``.

    Edges that are equal but for their line ends are trimmed.
    """
    first, removed, inserted = _differing(old, new)
    head, tail = common_ends(bodies_of(removed), bodies_of(inserted)) if removed and inserted else (0, 0)
    return Splice(start + first + head, len(removed) - head - tail, inserted[head : len(inserted) - tail])


def _newly_retired(gone: AbstractSet[str], stayed: Sequence[tuple[str, str]]) -> AbstractSet[str]:
    """Return the line ends that the client replaced in every line.

    ``gone`` are those that the document no longer contains, and ``stayed`` the old and new forms of lines whose text a
    change kept. A line end is retired if such a line had it and ends differently now: the client has converted it.
    """
    return {eol for eol in gone if any(eol_of(old) == eol and eol_of(new) for old, new in stayed)}


def _differing(old: Sequence[str], new: Sequence[str]) -> tuple[int, tuple[str, ...], tuple[str, ...]]:
    old, new = tuple(old), tuple(new)  # a list never equals a tuple
    head, tail = common_ends(old, new)
    return head, old[head : len(old) - tail], new[head : len(new) - tail]
