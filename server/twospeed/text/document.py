"""An open document at one version, as the client last told it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from .edits import LineEdit, TextEdit, apply_line_edits, common_ends, text_edits
from .line_blocks import Lines
from .lines import DEFAULT_EOL, body_of, dominant_eol, split_lines
from .positions import Encoding, Position, Range, column_of, units


@dataclass(frozen=True, slots=True)
class ContentChange:
    """One change of a ``didChange``; ``range`` is ``None`` where the client sends the whole text."""

    range: Range | None
    text: str


@dataclass(frozen=True, slots=True)
class Splice:
    """Whole lines replaced by whole lines: what a change did, in the terms that trackers follow.

    Lines ``start`` up to ``start + count`` of the text before became ``lines`` (with line ends). Lines that are
    the same before and after at either edge are not part of it; an empty splice changed nothing.

    Attributes:
        keeps_first: Whether the first line only got another line end, as a document's last line does that others come
            below: it is the same line.
    """

    start: int
    count: int
    lines: tuple[str, ...]
    keeps_first: bool = False

    def __bool__(self) -> bool:
        return bool(self.count or self.lines)


@dataclass(frozen=True, slots=True)
class Document:
    """A snapshot: never changed, replaced by the next version.

    Attributes:
        uri: As the client wrote it.
        version: LSP version of this text.
        language_id: LSP language id, empty where the client gave none.
        lines: As ``split_lines`` gives them: each with its line end, the last without.
        encoding: What positions of this document are counted in on the wire.
        eol: The most frequent line end when the document was opened; new lines get it.
    """

    uri: str
    version: int
    language_id: str
    lines: Lines
    encoding: Encoding = "utf-16"
    eol: str = DEFAULT_EOL

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
            splice = trimmed_splice(self.lines, split_lines(change.text), 0)
            return replace(self, lines=self.lines.spliced(splice.start, splice.count, splice.lines)), splice
        (first, head), (last, tail) = sorted((self.place(change.range.start), self.place(change.range.end)))
        text = self.lines[first][:head] + change.text + self.lines[last][tail:]
        if text.startswith("\n") and first > 0 and self.lines[first - 1].endswith("\r"):
            first -= 1  # a lone CR above and this LF have become one line end
            text = self.lines[first] + text
        new = split_lines(text)
        if last + 1 < len(self.lines):
            new.pop()  # the text ends in a line end; the empty line behind it is the next line, not a new one
        old = self.lines[first : last + 1]
        document = replace(self, lines=self.lines.spliced(first, len(old), new))
        # Whole lines that came or went beside a line did so there, though it may be equal to them.
        if tail == 0 and new[-1:] == list(old[-1:]) and change.text[-1:] in ("", "\n", "\r"):
            return document, trimmed_splice(old[:-1], new[:-1], first)
        is_below = head == len(body_of(old[0])) and bool(new) and body_of(old[0]) == body_of(new[0])
        if is_below and old[0] != new[0]:
            return document, Splice(first, len(old), tuple(new), keeps_first=True)
        return document, trimmed_splice(old, new, first)

    def with_edits(self, edits: Sequence[LineEdit]) -> Document:
        """Return the document as it will be after our own edits, at the same version."""
        if not edits:
            return self
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
        return text_edits(self.lines, edits, self.encoding, self.eol, in_whole_lines=in_whole_lines)

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
    """Describe the replacement of ``old`` (which begins at line ``start``) by ``new`` without its equal ends."""
    old, new = tuple(old), tuple(new)  # lists and tuples of the same lines are not equal
    head, tail = common_ends(old, new)
    went, came = old[head : len(old) - tail], new[head : len(new) - tail]
    keeps_first = bool(went and came) and body_of(went[0]) == body_of(came[0])
    return Splice(start + head, len(went), came, keeps_first)
