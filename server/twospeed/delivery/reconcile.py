"""Decide whether a document contains our edits, alone or beside typing elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from twospeed.text.document import Splice, trimmed_splice
from twospeed.text.edits import LineEdit
from twospeed.text.landmarks import cut_at_landmarks
from twospeed.text.lines import body_of


def splices_between(old: Sequence[str], new: Sequence[str]) -> list[Splice]:
    """Return the splices from one text to another, from the top down, each against the result of the one before."""
    splice = trimmed_splice(old, new, 0)
    return cut_at_landmarks(old, splice) if splice else []


def typed_elsewhere(
    edits: Sequence[LineEdit], base: Sequence[str], expected: Sequence[str], lines: Sequence[str]
) -> list[Splice] | None:
    """Return the other changes of a document that contains our edits, if all of them are clear of the edited lines.

    A line inserted or deleted among equal ones has several possible places; all of them must be clear. A line of the
    document that an edit deletes is not typing.

    Args:
        edits: Our edits, sorted and disjoint.
        base: The document without them.
        expected: The document with them and nothing else.
        lines: The document.

    Returns:
        The changes, as from `splices_between`; ``None`` if the document does not contain the edits.
    """
    typed = splices_between(expected, lines)
    taken = {body_of(line) for edit in edits for line in base[edit.start : edit.start + edit.count]}
    if any(line.strip() and body_of(line) in taken for splice in typed for line in splice.lines):
        return None
    reaches = list(_reaches(typed, expected, lines))
    shift = 0
    for edit in edits:
        start, end = edit.start + shift, edit.start + shift + len(edit.lines)
        if any(first <= end and start <= last for first, last in reaches):
            return None
        shift += len(edit.lines) - edit.count
    return typed


def _reaches(splices: Sequence[Splice], old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the first and last line in ``old`` where each splice may have happened."""
    shift = 0
    for splice in splices:
        start = splice.start - shift
        above = below = 0
        if not (splice.count and splice.lines):
            text, at, n = (
                (new, splice.start, len(splice.lines)) if splice.lines else (old, start, splice.count)
            )
            while above < at and _reads_alike(text[at - above - 1], text[at + n - above - 1]):
                above += 1
            while at + n + below < len(text) and _reads_alike(text[at + below], text[at + n + below]):
                below += 1
        yield start - above, start + splice.count + below
        shift += len(splice.lines) - splice.count


def _reads_alike(line: str, other: str) -> bool:
    return line == other or body_of(line) == body_of(other)


def is_misplaced(edits: Sequence[LineEdit], splice: Splice) -> bool:
    """Whether a change that is not our batch inserts all lines of one of its edits, in order.

    An editor does that if it applies an edit where the lines were, not where they are. A user who types the same lines gets
    a false report; no text is lost.
    """
    came = _joined(splice.lines)
    return any(any(map(str.strip, edit.lines)) and _joined(edit.lines) in came for edit in edits)


def _joined(lines: Sequence[str]) -> str:
    r"""Return lines as one text with ``\n`` before and after each: searching it is linear."""
    return "\n" + "".join(body_of(line) + "\n" for line in lines)


def is_shown_in_part(edits: Sequence[LineEdit], base: Sequence[str], lines: Sequence[str]) -> bool:
    """Whether some, not all, lines of an edit were inserted at its place.

    Then the editor applied it, and the user typed in it before the change was reported. A user who types one of its lines
    there gets a false report; no text is lost.
    """
    typed = splices_between(base, lines)
    for splice, (first, last) in zip(typed, _reaches(typed, base, lines), strict=True):
        came = {body_of(line) for line in splice.lines} - {body_of(line) for line in base[first:last]}
        for edit in edits:
            is_there = edit.start <= last and first <= edit.start + edit.count
            if is_there and any(map(_tells, came.intersection(map(body_of, edit.lines)))):
                return True
    return False


def _tells(line: str) -> bool:
    """Whether a line is more than brackets, which a user may type anywhere."""
    return any(map(str.isalnum, line))


def is_deleted_late(handed: Sequence[LineEdit], edits: Sequence[LineEdit], splices: Sequence[Splice]) -> bool:
    """Whether lines were deleted at a place where the returned edits deleted some and the current edits do not.

    A deletion inserts no text to recognize; only its place distinguishes it from one by the user.

    Args:
        handed: Our edits as returned to the client.
        edits: Our edits now.
        splices: The changes since then, in order.
    """
    then, now = ({(edit.start, edit.count) for edit in each if not edit.lines} for each in (handed, edits))
    before: list[Splice] = []
    for splice in splices:
        if not splice.lines and (splice.start, splice.count) in then:
            shift = sum(len(each.lines) - each.count for each in before if each.start <= splice.start)
            if (splice.start - shift, splice.count) not in now:
                return True
        before.append(splice)
    return False


def is_nearer(lines: Sequence[str], one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether ``lines`` differs less from ``one`` than from ``other``."""
    return _n_changed(one, lines) < _n_changed(other, lines)


def _n_changed(old: Sequence[str], new: Sequence[str]) -> int:
    return sum(splice.count + len(splice.lines) for splice in splices_between(old, new))
