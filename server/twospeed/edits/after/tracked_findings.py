"""The findings of an edit in review, followed through the changes of its document."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from twospeed import syntax
from twospeed.edits.inline_edit import InlineEdit
from twospeed.gate import Finding
from twospeed.text.document import Document, Splice
from twospeed.text.edits import LineEdit
from twospeed.text.lines import body_of, indent_width
from twospeed.text.positions import Range

from .model_review import FoundIssue

ALIKE = 0.6
"""Share of a line that must be unchanged for it to count as the same line."""

MAX_COMPARED = 50
"""Lines of one change that are compared with the line of a finding."""

MAX_COMPARED_CHARS = 200


@dataclass(slots=True)
class TrackedFinding:
    """A finding at lines ``start`` up to ``end``, which are equal once all are deleted."""

    number: int  # among the findings of the edit
    finding: Finding
    start: int
    end: int
    text: str  # of the first line


class TrackedFindings:
    """The findings of an edit whose answer was just applied; a `delivery.client.Follower`."""

    def __init__(self, edit: InlineEdit) -> None:
        self.edit = edit
        self._channel = edit.channel
        self._found: list[TrackedFinding] = []
        self._n_added = 0
        self._channel.add(self, same_document_as=edit.place.scopes)
        self._add(edit.answer.findings)

    @property
    def marks(self) -> Sequence[TrackedFinding]:
        """The findings whose lines exist."""
        return [each for each in self._found if each.start < each.end]

    @property
    def document(self) -> Document:
        """The document that the lines are in."""
        return self._channel.seen_by(self)

    @property
    def is_up_to_date(self) -> bool:
        """Whether `document` is the one that the client last reported, and no decision is in progress."""
        return self.document is self._channel.document and not self.edit.decision.lock.locked()

    def add_at(self, finding: Finding, start: int, end: int) -> None:
        """Add a finding at lines ``start`` up to ``end`` of the document."""
        self._n_added += 1
        text = "".join(self.document.lines[start : start + 1]).strip()
        self._found.append(TrackedFinding(self._n_added, finding, start, end, text))

    def _add(self, findings: Sequence[Finding]) -> None:
        here = {line.strip() for line in self.document.lines} if any(each.fix for each in findings) else set()
        for finding in findings:
            if _is_fixed_by(here, finding):
                continue
            self.add_at(finding, *self.edit.place.lines_now(finding.first_line, finding.last_line))

    def remove(self, issues: Collection[FoundIssue]) -> None:
        """Remove findings that no longer hold."""
        old = [each.finding for each in issues]
        self._found = [each for each in self._found if each.finding not in old]

    def dismiss(self, number: int) -> None:
        """Remove a finding, if it still exists."""
        self._found = [each for each in self._found if each.number != number]

    def follow(self, splice: Splice) -> None:
        """Follow a change: a changed line keeps its finding; a deleted line or an inserted fix ends it."""
        inserted = {line.strip() for line in splice.lines}
        self._found = [each for each in self._found if not _is_fixed_by(inserted, each.finding)]
        for each in self._found:
            if splice.end <= each.start:
                each.start += splice.delta
                each.end += splice.delta
            elif splice.start < each.end:
                _change(each, splice, is_ours=self.edit.decision.lock.locked())

    def range_of(self, found: TrackedFinding) -> Range:
        """Return the range of a finding without the whitespace around it."""
        document, last = self.document, found.end - 1
        first = body_of(document.lines[found.start])
        end = body_of(document.lines[last]).rstrip()
        return Range(document.position(found.start, indent_width(first)), document.position(last, len(end)))

    def fix_of(self, found: TrackedFinding) -> tuple[LineEdit, ...]:
        """Return the edits of a finding's fix against the current document; empty if it has none, or its place is uncertain."""
        fix, document = found.finding.fix, self.document
        if fix is None:
            return ()
        if fix.removes:
            unused = syntax.unused_imports(document.lines, document.language_id, fix.removes)
            return tuple(each.edit for each in unused)
        added = syntax.add_imports(document.lines, document.language_id, fix.imports)
        return (added.edit_of(document.lines),) if added and added.statements else ()

    def stop(self) -> None:
        """Stop following changes."""
        self._channel.remove(self)


def _change(found: TrackedFinding, splice: Splice, *, is_ours: bool) -> None:
    if splice.start > found.start:
        found.end = max(found.end, splice.end) + splice.delta
        return
    is_one_line = found.end - found.start == 1
    # A change of ours restores old lines, which the finding is not about, however similar they are.
    at = None if is_ours else _most_similar(found.text, splice.lines)
    if at is not None:
        found.start, found.text = splice.start + at, splice.lines[at].strip()
        found.end = found.start + 1 if is_one_line else max(found.end, splice.end) + splice.delta
    elif splice.end < found.end:  # the first lines were replaced; the finding keeps the others
        found.start, found.end = splice.start + len(splice.lines), found.end + splice.delta
    else:
        found.start = found.end = splice.start


def _most_similar(text: str, lines: Sequence[str]) -> int | None:
    ratios = [
        SequenceMatcher(None, text[:MAX_COMPARED_CHARS], line.strip()[:MAX_COMPARED_CHARS]).ratio()
        for line in lines[:MAX_COMPARED]
    ]
    return ratios.index(max(ratios)) if ratios and max(ratios) >= ALIKE else None


def _is_fixed_by(lines: set[str], finding: Finding) -> bool:
    inserted = (line.strip() for edit in finding.fix.edits for line in edit.lines) if finding.fix else ()
    needed = set(filter(None, inserted))
    return bool(needed) and needed <= lines
