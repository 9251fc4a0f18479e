"""Change sets of documents: from what a client tells and what we do, to the algebra of `changes` and back."""

from __future__ import annotations

from collections.abc import Iterable

from .changes import ChangeSet, Replacement
from .document import ContentChange, Document, Splice
from .edits import LineEdit


def line_changes(n_lines: int, replacements: Iterable[Splice | LineEdit]) -> ChangeSet[tuple[str, ...]]:
    """Build a change set of whole lines, of a text of ``n_lines``.

    Args:
        n_lines: Lines of that text.
        replacements: Sorted, disjoint, all against that text. Lines are taken as they are: those of a
            ``LineEdit`` lack line ends where `apply_line_edits` would complete them.
    """
    return ChangeSet.of(
        n_lines, (Replacement(each.start, each.start + each.count, each.lines) for each in replacements)
    )


def splices_of(changes: ChangeSet[tuple[str, ...]]) -> list[Splice]:
    """Return the splices that, one after the other, do what a change set of lines does."""
    return [
        Splice(change.start_new, change.end_old - change.start_old, change.new)
        for change in changes.iter_changes()
    ]


def text_changes(document: Document, change: ContentChange) -> ChangeSet[str]:
    """Build a change set, in code points, of one content change of a document.

    Cost: O(lines), to count the code points before the change.
    """
    lengths = [len(line) for line in document.lines]
    length = sum(lengths)
    if change.range is None:
        return ChangeSet.of(length, [Replacement(0, length, change.text)])
    places = (document.place(change.range.start), document.place(change.range.end))
    start, end = sorted(sum(lengths[:line]) + column for line, column in places)
    return ChangeSet.of(length, [Replacement(start, end, change.text)])
