"""The changes of an earlier edit, for the model that refines it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.values import PreviousEdit
from twospeed.stream.ops import Change, Delete, Insert, Keep, Op, settled
from twospeed.text.lines import body_of


def previous_edit_of(edit: InlineEdit) -> PreviousEdit:
    """Describe an edit that another one refines, ended or not.

    Its changes are taken from the answer as it was written; what the user changed since is in the document.
    """
    answer = edit.variations.shown
    has_landed = edit.ending is not None and edit.ending.outcome == "applied"
    changes = "".join(_changes(edit.old_lines, answer.ops)) if answer and has_landed else ""
    request = edit.request
    return PreviousEdit(
        request.instruction, changes, is_rejected=edit.verdict == "rejected", earlier=request.earlier
    )


def _changes(old: Sequence[str], ops: Sequence[Op]) -> Iterator[str]:
    """Write the lines that ops delete and insert, the old ones of each hunk first."""
    at = 0
    gone: list[str] = []
    new: list[str] = []
    for op in settled(ops):
        match op:
            case Keep(until):
                yield from (*gone, *new)
                gone, new = [], []
                at = until
            case Delete(until):
                gone += [f"- {body_of(line)}\n" for line in old[at:until]]
                at = until
            case Insert(line):
                new.append(f"+ {line}\n")
            case Change(index, line):
                gone.append(f"- {body_of(old[index])}\n")
                new.append(f"+ {line}\n")
                at = index + 1
    yield from (*gone, *new)
