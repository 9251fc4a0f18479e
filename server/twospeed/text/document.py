"""An open document at one version, as the client last told it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from .edits import LineEdit, TextEdit, apply_line_edits, common_ends, text_edits
from .line_blocks import Lines
from .lines import DEFAULT_EOL, EolCounts, bodies_of, body_of, dominant_eol, eol_of, split_lines
from .positions import Encoding, Position, Range, column_of, units


@dataclass(frozen=True, slots=True)
class ContentChange:
    """One change of a ``didChange``; ``range`` is ``None`` where the client sends the whole text."""

    range: Range | None
    text: str


@dataclass(frozen=True, slots=True)
class Splice:
    """Whole lines replaced by whole lines: what a change did, in the terms that trackers follow.

    Lines ``start`` up to ``start + count`` of the text before became ``lines`` (with line ends). Lines that read the
    same before and after at either edge are not part of it, whatever they end in; an empty splice changed line ends
    at most.
    """

    start: int
    count: int
    lines: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.count or self.lines)


@dataclass(frozen=True, slots=True)
class Document:
    """A snapshot: never changed, replaced by the next version.

    Attributes:
        uri: As the client wrote it.
        version: LSP version of this text.
        language_id: LSP language id, see `language_ids`; empty where the client gave none.
        lines: As ``split_lines`` gives them: each with its line end, the last without.
        encoding: What positions of this document are counted in on the wire.
        eol: The most frequent line end since the client last changed any; before that one where several are as
            frequent, or there is none. New lines get it.
        retired_eols: Line ends that the client has replaced in every line that had one; once it has given all lines the
            same, any other. A line that had one when it was removed comes back with ``eol``; with any other it comes back
            as it was.
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
        """Build a document from its whole text."""
        return cls(uri, version, language_id, Lines.of(split_lines(text)), encoding, dominant_eol(text))

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(self.lines)

    def changed(self, change: ContentChange) -> tuple[Document, Splice]:
        """Apply one content change.

        Columns past a line's end mean its end, lines past the document's end mean the document's end, and a range
        whose ends are swapped is read the right way round (LSP 3.17, "Position" and "Range").

        Returns:
            The document with the new text and the same version, and what changed in whole lines.
        """
        if change.range is None:
            start, went, came = _differing(self.lines, split_lines(change.text))
            splice = trimmed_splice(went, came, start)
            return self._spliced(start, went, came, splice), splice
        (first, head), (last, tail) = sorted((self.place(change.range.start), self.place(change.range.end)))
        text = self.lines[first][:head] + change.text + self.lines[last][tail:]
        if text.startswith("\n") and first > 0 and self.lines[first - 1].endswith("\r"):
            first -= 1  # a lone CR above and this LF have become one line end
            text = self.lines[first] + text
        new = split_lines(text)
        if last + 1 < len(self.lines):
            new.pop()  # the text ends in a line end; the empty line behind it is the next line, not a new one
        old = self.lines[first : last + 1]
        # Whole lines that came or went beside a line did so there, though it may be equal to them.
        if tail == 0 and new[-1:] == list(old[-1:]) and change.text[-1:] in ("", "\n", "\r"):
            splice = trimmed_splice(old[:-1], new[:-1], first)
        elif head == len(body_of(old[0])) and body_of(old[0]) == body_of(new[0]):
            splice = trimmed_splice(old[1:], new[1:], first + 1)
        else:
            splice = trimmed_splice(old, new, first)
        return self._spliced(first, old, new, splice), splice

    def _spliced(self, first: int, old: Sequence[str], new: Sequence[str], splice: Splice) -> Document:
        """Return the document with the client's lines ``new`` for ``old``, and the line ends that are usual then.

        Lines outside of ``splice`` read as before.
        """
        lines = self.lines.spliced(first, len(old), new)
        before = EolCounts.of(old)
        if before == EolCounts.of(new):
            return replace(self, lines=lines)
        eols, found = lines.eols, lines.eols.found()
        n_above = splice.start - first
        n_below = len(old) - n_above - splice.count
        kept = [*range(n_above), *range(-n_below, 0)]  # of those below, the index from the end is the same
        replaced = {
            eol
            for eol in before.found() - found
            if any(eol_of(old[index]) == eol and eol_of(new[index]) for index in kept)
        }
        if replaced and len(found) == 1:
            replaced = {"\n", "\r\n", "\r"}  # lines that were removed before would have got this one, too
        retired = (self.retired_eols | replaced) - found
        return replace(self, lines=lines, eol=eols.most_frequent(self.eol), retired_eols=retired)

    def with_edits(self, edits: Sequence[LineEdit]) -> Document:
        """Return the document as it will be after our own edits, at the same version."""
        if not edits:
            return self
        edits = self._with_eols(edits)
        # Only the lines around them are looked at; two more above (an empty last line leans on its own neighbour)
        # and one below tell how line ends meet.
        first = max(0, edits[0].start - 2)
        last = min(len(self.lines), edits[-1].start + edits[-1].count + 1)
        lines = self.lines[first:last]
        if last < len(self.lines):  # what comes below ends the lines for certain, whatever it is
            new = apply_line_edits((*lines, ""), edits, self.eol, offset=first)[:-1]
        else:
            new = apply_line_edits(lines, edits, self.eol, offset=first)
        return replace(self, lines=self.lines.spliced(first, len(lines), new))

    def text_edits(self, edits: Sequence[LineEdit], *, in_whole_lines: bool = False) -> list[TextEdit]:
        """Turn our own edits into the smallest LSP edits that do the same, or into whole lines."""
        edits = self._with_eols(edits)
        return text_edits(self.lines, edits, self.encoding, self.eol, in_whole_lines=in_whole_lines)

    def _with_eols(self, edits: Sequence[LineEdit]) -> Sequence[LineEdit]:
        """Strip line ends that the document's lines have no more."""
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
        """Turn a wire position into a line and an index into it, clamped to the document and before the line end."""
        if position.line >= len(self.lines):
            return len(self.lines) - 1, len(self.lines[-1])
        return position.line, column_of(body_of(self.lines[position.line]), position.character, self.encoding)

    def position(self, line: int, column: int) -> Position:
        """Turn a line and an index into it into a wire position."""
        return Position(line, units(self.lines[line][:column], self.encoding))

    def line_range(self, start: int, end: int) -> Range:
        """Return the range of whole lines ``start`` up to ``end``, with their line ends."""
        return Range(self._line_start(start), self._line_start(end))

    def _line_start(self, line: int) -> Position:
        if line < len(self.lines):
            return Position(line, 0)
        return self.position(len(self.lines) - 1, len(self.lines[-1]))


def trimmed_splice(old: Sequence[str], new: Sequence[str], start: int) -> Splice:
    """Describe the replacement of ``old`` (which begins at line ``start``) by ``new`` without the ends that read alike.

    Lines read alike that differ in nothing but their line ends.
    """
    first, went, came = _differing(old, new)
    head, tail = common_ends(bodies_of(went), bodies_of(came)) if went and came else (0, 0)
    return Splice(start + first + head, len(went) - head - tail, came[head : len(came) - tail])


def _differing(old: Sequence[str], new: Sequence[str]) -> tuple[int, tuple[str, ...], tuple[str, ...]]:
    """Return where two lists of lines begin to differ, and those of either without what both begin and end with."""
    old, new = tuple(old), tuple(new)  # lists and tuples of the same lines are not equal
    head, tail = common_ends(old, new)
    return head, old[head : len(old) - tail], new[head : len(new) - tail]
