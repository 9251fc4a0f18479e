"""Edits of a document, at line granularity inside and as LSP text edits on the wire.

Our own edits are ``LineEdit``: they never cut a line, so a shown line is an old line or a new one.
``text_edits`` turns them into the smallest LSP edits that do the same: whole lines, or the changed part of
a line that keeps its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .lines import body_of, eol_of
from .positions import Encoding, Position, Range, units


@dataclass(frozen=True, slots=True)
class LineEdit:
    """Replace ``count`` lines from line ``start`` on by ``lines``.

    ``lines`` may carry line ends or not: each is completed, or stripped, as its place demands, so that every
    line but a document's last has exactly one. One line without an end that replaces one line gets the end of that
    line; any other gets the document's.
    """

    start: int
    count: int
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TextEdit:
    """An LSP text edit: ``range`` in code units of the negotiated encoding."""

    range: Range
    new_text: str


def apply_line_edits(
    lines: Sequence[str], edits: Sequence[LineEdit], eol: str, *, offset: int = 0
) -> list[str]:
    """Apply sorted, disjoint edits to a document's lines.

    Args:
        lines: The document's lines, as ``split_lines`` gives them.
        edits: All against ``lines``; sorted by ``start``, disjoint.
        eol: The document's line end, for lines that carry none.
        offset: What the edits call the first of ``lines``.

    Returns:
        The new document's lines, again in the form of ``split_lines``.
    """
    # As if every line had its end; the last gives it back below.
    ended = [*lines[:-1], lines[-1] + _end_of_last(lines, eol)]
    result: list[str] = []
    at = 0
    for edit in _joined(lines, edits, eol, offset):
        result += ended[at : edit.start - offset]
        at = edit.start - offset + edit.count
        new = _completed(
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
    """Turn line edits into LSP text edits with the same effect as ``apply_line_edits``.

    Args:
        lines: The document's lines the edits are against.
        edits: Sorted by ``start``, disjoint.
        encoding: The negotiated position encoding.
        eol: The document's line end, for lines that carry none.
        in_whole_lines: Whether a line that keeps its place is replaced, rather than the part of it that changes.

    Returns:
        Sorted, disjoint, non-empty edits against ``lines``; edits that change nothing are left out.
    """
    result = (
        _text_edit(lines, edit, eol, encoding, in_whole_lines=in_whole_lines)
        for edit in _joined(lines, edits, eol)
    )
    return [edit for edit in result if edit is not None]


def _joined(lines: Sequence[str], edits: Sequence[LineEdit], eol: str, offset: int = 0) -> Sequence[LineEdit]:
    """Make one edit of those side by side of which neither knows alone which line ends meet there.

    One line in the place of another gets its end first.
    """
    joined: list[LineEdit] = []
    for edit in edits:
        if edit.count == len(edit.lines) == 1 and not eol_of(edit.lines[0]):
            eol_in_place = eol_of(lines[edit.start - offset])
            joined.append(LineEdit(edit.start, 1, (edit.lines[0] + eol_in_place,)))
        else:
            joined.append(edit)
        while len(joined) > 1 and _meet(lines, joined[-2], joined[-1], eol, offset):
            last, above = joined.pop(), joined.pop()
            between = lines[above.start + above.count - offset : last.start - offset]
            count = last.start + last.count - above.start
            joined.append(LineEdit(above.start, count, (*above.lines, *between, *last.lines)))
    return joined


def _meet(lines: Sequence[str], above: LineEdit, edit: LineEdit, eol: str, offset: int) -> bool:
    r"""Whether an edit and the one above it have line ends in common.

    What comes behind a document's last line, or leaves it out, needs the line end above. And where there is a lone
    ``\r``, a ``\n`` that comes next to it would be one line end with it; an empty last line gets one where lines follow.
    """
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
        new = _completed(edit.lines, eol, before=lines[start - 1] if start else "", after=lines[end])
        if len(new) == edit.count == 1 and not in_whole_lines:
            old = lines[start]
            if eol_of(new[0]) == eol_of(old):  # which is part of what both end with, and stays
                return _within_line(start, old, new[0], encoding)
        return _replace(Position(start, 0), Position(end, 0), lines[start:end], "".join(new))
    # From here on the edit reaches the document's last line, which has no line end.
    last_eol = _end_of_last(lines, eol)
    above = lines[start - 1] if start else ""
    if start == len(lines):
        above += last_eol
    new = _completed(edit.lines, eol, before=above, after="")
    new[-1:] = map(body_of, new[-1:])
    last = len(lines) - 1
    document_end = Position(last, units(lines[last], encoding))
    if start > last:  # appended behind the last line
        return TextEdit(Range(document_end, document_end), last_eol + "".join(new)) if new else None
    if edit.count == len(new) == 1 and not in_whole_lines:
        return _within_line(start, lines[start], new[0], encoding)
    if new or start == 0:
        return _replace(Position(start, 0), document_end, lines[start:], "".join(new))
    before = body_of(lines[start - 1])  # the line above becomes the last and gives up its line end
    return TextEdit(Range(Position(start - 1, units(before, encoding)), document_end), "")


def _completed(lines: Sequence[str], eol: str, *, before: str, after: str) -> list[str]:
    r"""Give every line an end that joins with neither neighbour: a lone ``\r`` and a ``\n`` would be one line end.

    A ``\r`` that would come to stand before a ``\n`` gets a ``\n`` of its own; for the line above, whose end stands
    outside of the edit, that is the first piece returned. ``before`` and ``after`` are the lines next to it, empty where
    the document ends.
    """
    new = [line if line.endswith(("\n", "\r")) else line + eol for line in lines]
    for index, below in enumerate([*new[1:], after]):
        if below == "\n" and new and new[index].endswith("\r"):
            new[index] += "\n"
    if (new[0] if new else after) == "\n" and before.endswith("\r"):
        new.insert(0, "\n")
    return new


def _end_of_last(lines: Sequence[str], eol: str) -> str:
    r"""Return the end that a document's last line gets where lines follow it; see `_completed` for the ``\r\n``."""
    joins = eol == "\n" and not lines[-1] and len(lines) > 1 and eol_of(lines[-2]) == "\r"
    return "\r\n" if joins else eol


def _replace(start: Position, end: Position, old: Sequence[str], new: str) -> TextEdit | None:
    return None if "".join(old) == new else TextEdit(Range(start, end), new)


def _within_line(line: int, old: str, new: str, encoding: Encoding) -> TextEdit | None:
    """Replace only what differs between two versions of one line."""
    if old == new:
        return None
    head, tail = common_ends(old, new)
    start = Position(line, units(old[:head], encoding))
    end = Position(line, units(old[: len(old) - tail], encoding))
    return TextEdit(Range(start, end), new[head : len(new) - tail])


def common_ends(old: Sequence[object], new: Sequence[object]) -> tuple[int, int]:
    """Measure what two texts share, or two lists of lines; both of the same type.

    Returns:
        Lengths of the common head and of the common tail, which never overlap the head; in code points, bytes, lines.

    Cost: O(log n) comparisons of slices, which run at the speed of C.
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
