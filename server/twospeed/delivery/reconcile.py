"""Decide whether a document contains our edits, alone or together with typing elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from twospeed.text.document import Splice, trimmed_splice
from twospeed.text.edits import LineEdit
from twospeed.text.landmarks import cut_at_landmarks
from twospeed.text.lines import body_of


def splices_between(old: Sequence[str], new: Sequence[str]) -> list[Splice]:
    """Return the splices from one text to another, first line first, each against the result of the one before."""
    splice = trimmed_splice(old, new, 0)
    return cut_at_landmarks(old, splice) if splice else []


def typed_elsewhere(
    edits: Sequence[LineEdit], base: Sequence[str], expected: Sequence[str], lines: Sequence[str]
) -> list[Splice] | None:
    """Return the changes in ``lines`` other than our edits, or ``None`` if one of them may touch the edited lines.

    A line inserted or deleted among equal lines has several possible places; none may touch them. ``base`` is the
    document without the edits, ``expected`` the document with them and nothing else.
    """
    typed = splices_between(expected, lines)
    # A line that an edit deletes and that is still in the document was not typed: the edit was not applied.
    deleted = {body_of(line) for edit in edits for line in base[edit.start : edit.start + edit.count]}
    if any(line.strip() and body_of(line) in deleted for splice in typed for line in splice.lines):
        return None
    ranges = list(_possible_ranges(typed, expected, lines))
    shift = 0
    for edit in edits:
        start, end = edit.start + shift, edit.start + shift + len(edit.lines)
        if any(first <= end and start <= last for first, last in ranges):
            return None
        shift += len(edit.lines) - edit.count
    return typed


def _possible_ranges(
    splices: Sequence[Splice], old: Sequence[str], new: Sequence[str]
) -> Iterator[tuple[int, int]]:
    """Yield the first and last line in ``old`` where each splice may have happened."""
    shift = 0
    for splice in splices:
        start = splice.start - shift
        above = below = 0
        if not (splice.count and splice.lines):
            text, at, n = (
                (new, splice.start, len(splice.lines)) if splice.lines else (old, start, splice.count)
            )
            while above < at and _is_same_line(text[at - above - 1], text[at + n - above - 1]):
                above += 1
            while at + n + below < len(text) and _is_same_line(text[at + below], text[at + n + below]):
                below += 1
        yield start - above, start + splice.count + below
        shift += splice.delta


def _is_same_line(line: str, other: str) -> bool:
    return line == other or body_of(line) == body_of(other)


def is_misplaced(edits: Sequence[LineEdit], splice: Splice) -> bool:
    """Return whether a change that is not our batch inserts all lines of one of its edits, in order.

    The editor applied the edit where its lines were. If the user typed them, the report is wrong, but no text is lost.
    """
    inserted = _joined(splice.lines)
    return any(any(map(str.strip, edit.lines)) and _joined(edit.lines) in inserted for edit in edits)


def _joined(lines: Sequence[str]) -> str:
    # A line end before and after each line: the search for whole lines in the text is linear.
    return "\n" + "".join(body_of(line) + "\n" for line in lines)


def is_partly_applied(edits: Sequence[LineEdit], base: Sequence[str], lines: Sequence[str]) -> bool:
    """Return whether some lines of an edit, not all, were inserted at its place: the user typed in the applied edit.

    If the user typed one of its lines there, the report is wrong, but no text is lost.
    """
    typed = splices_between(base, lines)
    for splice, (first, last) in zip(typed, _possible_ranges(typed, base, lines), strict=True):
        inserted = {body_of(line) for line in splice.lines} - {body_of(line) for line in base[first:last]}
        for edit in edits:
            is_there = edit.start <= last and first <= edit.start + edit.count
            if is_there and any(map(_is_distinctive, inserted.intersection(map(body_of, edit.lines)))):
                return True
    return False


def _is_distinctive(line: str) -> bool:
    # A line of brackets may be typed anywhere.
    return any(map(str.isalnum, line))


def is_late_deletion(sent: Sequence[LineEdit], edits: Sequence[LineEdit], splices: Sequence[Splice]) -> bool:
    """Return whether lines were deleted where the sent edits deleted lines and the current edits do not.

    A deletion inserts no text to recognize; only its place distinguishes it. ``splices`` are the changes since then.
    """
    then, now = ({(edit.start, edit.count) for edit in each if not edit.lines} for each in (sent, edits))
    before: list[Splice] = []
    for splice in splices:
        if not splice.lines and (splice.start, splice.count) in then:
            shift = sum(each.delta for each in before if each.start <= splice.start)
            if (splice.start - shift, splice.count) not in now:
                return True
        before.append(splice)
    return False


def is_closer_to_expected(lines: Sequence[str], expected: Sequence[str], base: Sequence[str]) -> bool:
    """Return whether fewer lines differ from the document with the edits than from the one without them."""
    return _n_changed(expected, lines) < _n_changed(base, lines)


def _n_changed(old: Sequence[str], new: Sequence[str]) -> int:
    return sum(splice.count + len(splice.lines) for splice in splices_between(old, new))
