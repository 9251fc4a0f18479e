"""Edits of a document: whole lines inside the server, minimal LSP text edits on the wire."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .lines import body_of, eol_of
from .positions import Encoding, Position, Range, units


@dataclass(frozen=True, slots=True)
class LineEdit:
    """A replacement of ``count`` whole lines from line ``start`` on by ``lines``.

    Missing line ends are added: a single line that replaces one keeps its end, others get the document's.
    """

    start: int
    count: int
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TextEdit:
    """An LSP text edit; ``range`` is in code units of the negotiated encoding."""

    range: Range
    new_text: str


def apply_line_edits(
    lines: Sequence[str], edits: Sequence[LineEdit], eol: str, *, offset: int = 0
) -> list[str]:
    """Apply sorted, disjoint edits to lines as ``split_lines`` returns them.

    ``offset`` is the line number of ``lines[0]``.
    """
    # The last line gets an end as well; the return statement removes it again.
    ended = [*lines[:-1], lines[-1] + _end_of_last(lines, eol)]
    result: list[str] = []
    at = 0
    for edit in _joined(lines, edits, eol, offset):
        result += ended[at : edit.start - offset]
        at = edit.start - offset + edit.count
        new = _with_line_ends(
            edit.lines, eol, before=result[-1] if result else "", after=lines[at] if at < len(lines) else ""
        )
        if new and new[0] == "\n" and result and eol_of(result[-1]) == "\r":
            result[-1] += new.pop(0)
        result += new
    result += ended[at:]
    return [*result[:-1], body_of(result[-1])] if result else [""]


def text_edits(
    lines: Sequence[str],
    edits: Sequence[LineEdit],
    encoding: Encoding,
    eol: str,
    *,
    in_whole_lines: bool = False,
) -> list[TextEdit]:
    """Convert sorted, disjoint line edits to LSP text edits with the effect of ``apply_line_edits``.

    Edits that change nothing are left out.
    """
    result = (
        _text_edit(lines, edit, eol, encoding, in_whole_lines=in_whole_lines)
        for edit in _joined(lines, edits, eol)
    )
    return [edit for edit in result if edit is not None]


def _joined(lines: Sequence[str], edits: Sequence[LineEdit], eol: str, offset: int = 0) -> Sequence[LineEdit]:
    joined: list[LineEdit] = []
    for edit in edits:
        if edit.count == len(edit.lines) == 1 and not eol_of(edit.lines[0]):
            eol_in_place = eol_of(lines[edit.start - offset])
            joined.append(LineEdit(edit.start, 1, (edit.lines[0] + eol_in_place,)))
        else:
            joined.append(edit)
        while len(joined) > 1 and _share_line_ends(lines, joined[-2], joined[-1], eol, offset):
            last, above = joined.pop(), joined.pop()
            between = lines[above.start + above.count - offset : last.start - offset]
            count = last.start + last.count - above.start
            joined.append(LineEdit(above.start, count, (*above.lines, *between, *last.lines)))
    return joined


def _share_line_ends(lines: Sequence[str], above: LineEdit, edit: LineEdit, eol: str, offset: int) -> bool:
    # Text after the last line needs the line end above it. A lone CR and an LF next to it would form one end.
    start, end = above.start + above.count - offset, edit.start - offset
    if start < end and lines[start]:
        return False
    last = end + edit.count
    if start == end and last == len(lines) and (not edit.lines or not edit.count):
        return True
    near = lines[max(0, above.start - offset - 1) : last]
    return any(line.endswith("\r") for line in (eol, *near, *above.lines, *edit.lines))


def _text_edit(
    lines: Sequence[str], edit: LineEdit, eol: str, encoding: Encoding, *, in_whole_lines: bool
) -> TextEdit | None:
    start, end = edit.start, edit.start + edit.count
    if end < len(lines):
        new = _with_line_ends(edit.lines, eol, before=lines[start - 1] if start else "", after=lines[end])
        if len(new) == edit.count == 1 and not in_whole_lines:
            old = lines[start]
            if eol_of(new[0]) == eol_of(old):  # the common tail includes the line end, which stays
                return _within_line(start, old, new[0], encoding)
        return _replace(Position(start, 0), Position(end, 0), lines[start:end], "".join(new))
    # From here on the edit reaches the last line, which has no line end.
    last_eol = _end_of_last(lines, eol)
    above = lines[start - 1] if start else ""
    if start == len(lines):
        above += last_eol
    new = _with_line_ends(edit.lines, eol, before=above, after="")
    new[-1:] = map(body_of, new[-1:])
    last = len(lines) - 1
    document_end = Position(last, units(lines[last], encoding))
    if start > last:  # appended after the last line
        return TextEdit(Range(document_end, document_end), last_eol + "".join(new)) if new else None
    if edit.count == len(new) == 1 and not in_whole_lines:
        return _within_line(start, lines[start], new[0], encoding)
    if new or start == 0:
        return _replace(Position(start, 0), document_end, lines[start:], "".join(new))
    before = body_of(lines[start - 1])  # the line above becomes the last and loses its line end
    return TextEdit(Range(Position(start - 1, units(before, encoding)), document_end), "")


def _with_line_ends(lines: Sequence[str], eol: str, *, before: str, after: str) -> list[str]:
    r"""Add line ends. A lone ``\r`` gets a ``\n`` if one follows, because both would form one line end.

    If the ``\r`` ends the line above the edit, that ``\n`` is the first item.
    """
    new = [line if line.endswith(("\n", "\r")) else line + eol for line in lines]
    for index, below in enumerate([*new[1:], after]):
        if below == "\n" and new and new[index].endswith("\r"):
            new[index] += "\n"
    if (new[0] if new else after) == "\n" and before.endswith("\r"):
        new.insert(0, "\n")
    return new


def _end_of_last(lines: Sequence[str], eol: str) -> str:
    joins = eol == "\n" and not lines[-1] and len(lines) > 1 and eol_of(lines[-2]) == "\r"
    return "\r\n" if joins else eol


def _replace(start: Position, end: Position, old: Sequence[str], new: str) -> TextEdit | None:
    return None if "".join(old) == new else TextEdit(Range(start, end), new)


def _within_line(line: int, old: str, new: str, encoding: Encoding) -> TextEdit | None:
    if old == new:
        return None
    head, tail = common_ends(old, new)
    start = Position(line, units(old[:head], encoding))
    end = Position(line, units(old[: len(old) - tail], encoding))
    return TextEdit(Range(start, end), new[head : len(new) - tail])


def common_ends(old: Sequence[object], new: Sequence[object]) -> tuple[int, int]:
    """Return the lengths of the common head and tail of two sequences, without overlap.

    Cost: O(log n) comparisons of slices, in C.
    """
    n_old, n_new = len(old), len(new)
    low, high = 0, min(n_old, n_new)
    while low < high:
        middle = (low + high + 1) // 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            high = middle - 1
    head = low
    low, high = 0, min(n_old, n_new) - head
    while low < high:
        middle = (low + high + 1) // 2
        if old[n_old - middle : n_old - low] == new[n_new - middle : n_new - low]:
            low = middle
        else:
            high = middle - 1
    return head, low
