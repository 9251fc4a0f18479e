"""What a user is told of an edit that no request waits for: one sentence where the text alone does not show the outcome."""

from __future__ import annotations

from twospeed.edits.inline_edit import InlineEdit
from twospeed.routing.lanes import ICONS

from .editor_client import ERROR, INFO, WARNING


def message_for(edit: InlineEdit) -> tuple[int, str] | None:
    """Return the kind of message (LSP's ``MessageType``) and its words; ``None`` where there is nothing to tell."""
    ending = edit.ending
    if ending is None or ending.outcome == "cancelled":
        return None
    begin = f"{ICONS[edit.mode]} {ending.outcome}: "
    if ending.reason:
        return (ERROR if ending.outcome == "failed" else WARNING), begin + ending.reason.message
    if ending.outcome == "unchanged":
        said = f"; it says: {edit.message}" if edit.message else ""
        return INFO, f"{begin}the model gave these lines back as they are{said}"
    if n_kept := len(edit.live.clashes()):
        lines = "1 line was" if n_kept == 1 else f"{n_kept} lines were"
        return WARNING, f"{begin}{lines} left as you typed, where the answer has other ones"
    return None
