"""Find the instruction comment and the selection of a request in a later version of its document."""

from __future__ import annotations

from twospeed import syntax
from twospeed.edits.values import EditRequest, Place
from twospeed.text.code.scope import Scope
from twospeed.text.document import Document, trimmed_splice


def comment_line_in(request: EditRequest, document: Document, start: int, end: int) -> int | None:
    """Return the line of a request's instruction comment in lines ``start`` up to ``end`` of ``document``.

    None without a comment, or if it changed.
    """
    if request.comment_line is None:
        return None
    for line in range(start, end):
        found = syntax.find_instruction_comment(document.lines, document.language_id, (line, line))
        if found == (line, request.first_words):
            return line
    return None


def selection_in(
    request: EditRequest, scope: Scope, document: Document, start: int, end: int
) -> tuple[Place, Place]:
    """Return the selection of a request in its scope, which is now lines ``start`` up to ``end`` of ``document``.

    If the first or last selected line was changed or deleted, the whole scope.
    """
    change = trimmed_splice(request.document.lines[scope.start : scope.end], document.lines[start:end], 0)
    places = []
    for line, column in request.selection:
        moved = line - scope.start
        if moved >= change.end:
            moved += change.delta
        elif moved >= change.start:
            return (start, 0), (end, 0)
        places.append((start + moved, column))
    return places[0], places[1]
