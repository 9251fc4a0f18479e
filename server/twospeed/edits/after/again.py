"""Ask an edit's words again: at its own lines, or at others.

Everything that was said counts: the instructions an edit was steered away from, the edit it refines, the problems it
was told of, and the instruction comment it consumes.
"""

from __future__ import annotations

from dataclasses import replace

from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.prompting.request_lines import comment_line_in
from twospeed.edits.values import EditRequest, ForcedAnswer
from twospeed.text.code.scope import ScopeChoice

_OF_LINES = ("selection", "block", "file")
"""Scopes that no name in the code marks: they are asked for again by their lines."""


def with_words_of(edit: InlineEdit, request: EditRequest) -> EditRequest:
    """Return a request that says what an edit was asked for, all of it where the edit was steered."""
    return replace(request, instruction=edit.request.instruction, earlier=edit.request.earlier)


def retried(
    edit: InlineEdit, request: EditRequest, start: int, end: int, given: ForcedAnswer | None = None
) -> EditRequest:
    """Return a request for the same edit, at the lines that its scope has come to.

    Args:
        edit: The edit, whose old text is back.
        request: One for the document as it stands; its place does not matter.
        start: The first line of the scope in that document.
        end: The line after the last.
        given: What to put in the place of exactly these lines, if no model is to be asked.
    """
    old, document = edit.request, request.document
    comment_line = comment_line_in(old, document, start, end)
    where = document.line_range(start, end)
    first, last = document.place(where.start), document.place(where.end)
    choice: ScopeChoice
    if given and start < end:
        comment_line, choice = None, "selection"
    elif comment_line is not None:  # then the scope is looked for at the comment, as the first time
        first, choice = (comment_line, 0), old.choice
        last = first
    elif edit.scope.kind in _OF_LINES:
        choice = "selection"
    else:
        choice = old.choice if old.choice in ("function", "class") else "auto"
        last = first
    return replace(
        with_words_of(edit, request),
        selection=(first, last),
        choice=choice,
        comment_line=comment_line,
        given=given,
        follows=old.follows,
        diagnostics=old.diagnostics,
    )
