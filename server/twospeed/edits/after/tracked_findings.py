"""The findings of an edit in review, followed through the changes of its document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from twospeed.edits.inline_edit import InlineEdit
from twospeed.gate import Finding
from twospeed.text.document import Document, Splice
from twospeed.text.edits import LineEdit
from twospeed.text.lines import body_of, indent_width
from twospeed.text.positions import Range

ALIKE = 0.6
"""Share of a line that must be unchanged for it to count as the same line."""

MAX_COMPARED = 50
"""Lines of one change in which a line is searched."""

MAX_COMPARED_CHARS = 200


@dataclass(slots=True)
class TrackedFinding:
    """A finding and where it is now.

    Attributes:
        number: Its number among those of the edit.
        finding: The finding.
        start: Its first line.
        end: The line after its last; equal to ``start`` once all its lines are deleted.
        text: The text of its first line.
        fix: The edits that fix it, against the current document; empty if they are not known any more.
    """

    number: int
    finding: Finding
    start: int
    end: int
    text: str
    fix: tuple[LineEdit, ...] = ()


class TrackedFindings:
    """The findings of one edit; a `delivery.client.Follower` beside the edit's own.

    Args:
        edit: One whose answer has just landed.
    """

    def __init__(self, edit: InlineEdit) -> None:
        self.edit = edit
        self._channel = edit.channel
        self._marks: list[TrackedFinding] = []
        self._n_made = 0
        self._channel.add(self, beside=edit.live)
        self._add(edit.findings)

    @property
    def marks(self) -> Sequence[TrackedFinding]:
        """Those that still have a place."""
        return [mark for mark in self._marks if mark.start < mark.end]

    @property
    def document(self) -> Document:
        """The document that the places are in."""
        return self._channel.seen_by(self)

    @property
    def is_up_to_date(self) -> bool:
        """Whether this is the document as the client last reported it, and no decision is in progress."""
        return self.document is self._channel.document and not self.edit.deciding.locked()

    def add_at(self, finding: Finding, start: int, end: int) -> None:
        """Add a finding at lines ``start`` up to ``end`` of the document."""
        self._n_made += 1
        text = "".join(self.document.lines[start : start + 1]).strip()
        self._marks.append(TrackedFinding(self._n_made, finding, start, end, text, self._fix_now(finding)))

    def _add(self, findings: Sequence[Finding]) -> None:
        here = {line.strip() for line in self.document.lines} if any(each.fix for each in findings) else set()
        for finding in findings:
            if _is_mended_by(here, finding):
                continue
            self.add_at(finding, *self.edit.place.lines_now(finding.first_line, finding.last_line))

    def dismiss(self, number: int) -> None:
        """Forget one; without effect where it is gone already."""
        self._marks = [mark for mark in self._marks if mark.number != number]

    def follow(self, splice: Splice) -> None:
        """Follow a change: a line that was typed in keeps its finding, a deleted line loses it.

        A finding ends when its fix was typed or applied.
        """
        brought = {line.strip() for line in splice.lines}
        self._marks = [mark for mark in self._marks if not _is_mended_by(brought, mark.finding)]
        end, delta = splice.start + splice.count, len(splice.lines) - splice.count
        for mark in self._marks:
            mark.fix = _followed(mark.fix, splice)
            if end <= mark.start:
                mark.start += delta
                mark.end += delta
            elif splice.start < mark.end:
                _change(mark, splice, is_ours=self.edit.deciding.locked())

    def range_of(self, mark: TrackedFinding) -> Range:
        """Return where it is, without the space around it."""
        document, last = self.document, mark.end - 1
        first = body_of(document.lines[mark.start])
        end = body_of(document.lines[last]).rstrip()
        return Range(document.position(mark.start, indent_width(first)), document.position(last, len(end)))

    def end(self) -> None:
        """Follow no more."""
        self._channel.remove(self)

    def _fix_now(self, finding: Finding) -> tuple[LineEdit, ...]:
        """Return a fix at its place in the current document; none if the line above its place has changed."""
        if finding.fix is None:
            return ()
        edit, lines = self.edit, self.document.lines
        shift = edit.live.start - edit.scope.start
        moved: list[LineEdit] = []
        for each in finding.fix.edits:
            places = [each.start]
            if shift:
                is_above = 0 < each.start <= edit.scope.start
                above = body_of(edit.request.document.lines[each.start - 1]) if is_above else None
                places = [
                    at
                    for at in (each.start, each.start + shift)
                    if 0 < at <= len(lines) and body_of(lines[at - 1]) == above
                ]
            if not places:
                return ()
            moved.append(LineEdit(places[0], each.count, each.lines))
        return tuple(moved)


def _change(mark: TrackedFinding, splice: Splice, *, is_ours: bool) -> None:
    """Follow a change of a finding's own lines; restored old lines end the finding."""
    end, delta = splice.start + splice.count, len(splice.lines) - splice.count
    if splice.start > mark.start:
        mark.end = max(mark.end, end) + delta
        return
    is_one_line = mark.end - mark.start == 1
    at = None if is_ours else _most_alike(mark.text, splice.lines)
    if at is not None:
        mark.start, mark.text = splice.start + at, splice.lines[at].strip()
        mark.end = mark.start + 1 if is_one_line else max(mark.end, end) + delta
    elif end < mark.end:  # the rest of its lines is left
        mark.start, mark.end = splice.start + len(splice.lines), mark.end + delta
    else:
        mark.start = mark.end = splice.start


def _most_alike(text: str, lines: Sequence[str]) -> int | None:
    """Return which of some lines is most likely that one, ``None`` if none is."""
    ratios = [
        SequenceMatcher(None, text[:MAX_COMPARED_CHARS], line.strip()[:MAX_COMPARED_CHARS]).ratio()
        for line in lines[:MAX_COMPARED]
    ]
    return ratios.index(max(ratios)) if ratios and max(ratios) >= ALIKE else None


def _is_mended_by(lines: set[str], finding: Finding) -> bool:
    brought = (line.strip() for edit in finding.fix.edits for line in edit.lines) if finding.fix else ()
    wanted = set(filter(None, brought))
    return bool(wanted) and wanted <= lines


def _followed(fix: tuple[LineEdit, ...], splice: Splice) -> tuple[LineEdit, ...]:
    """Move a fix along; it is dropped if its place was changed."""
    end, delta = splice.start + splice.count, len(splice.lines) - splice.count
    moved: list[LineEdit] = []
    for edit in fix:
        if end <= edit.start:
            moved.append(LineEdit(edit.start + delta, edit.count, edit.lines))
        elif splice.start >= edit.start + edit.count:
            moved.append(edit)
        else:
            return ()
    return tuple(moved)
