"""Check the instruction of a request, and find the lines that it names, also in later versions of the document."""

from __future__ import annotations

from twospeed import syntax
from twospeed.edits.values import EditRequest, Place
from twospeed.errors import InvalidRequest
from twospeed.text.code.scope import Scope
from twospeed.text.document import Document, trimmed_splice


def check_instruction(text: str, *, n_answers: int, is_preview: bool) -> str:
    """Return an instruction without surrounding blanks.

    Raises:
        InvalidRequest: It is blank, or a preview of several answers is requested.
    """
    instruction = text.strip()
    if not instruction:
        raise InvalidRequest("an instruction says what to change; this one is empty", field="instruction")
    if is_preview and n_answers > 1:
        raise InvalidRequest("a preview is of one answer; ask for one", field="variations")
    return instruction


def comment_line_at(document: Document, line: int, instruction: str) -> int | None:
    """Return the line if an instruction comment with exactly this instruction is there, else None."""
    found = syntax.find_instruction_comment(document.lines, document.language_id, (line, line))
    return found[0] if found and found[1] == instruction else None


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
