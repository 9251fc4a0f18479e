"""Bring an answer into the form of the project's formatter, before the checks read it."""

from __future__ import annotations

from collections.abc import Sequence

from twospeed import syntax
from twospeed.aio import in_thread
from twospeed.edits.values import EditRequest
from twospeed.stream.formatted import AnsweredDocument, formatted_scope
from twospeed.stream.ops import Op, changes_something
from twospeed.text.code.scope import Scope
from twospeed.text.document import Document
from twospeed.text.edits import LineEdit
from twospeed.text.lines import bodies_of, split_lines

from .answer_reading import aligned_ops


async def formatted_ops(
    request: EditRequest, scope: Scope, ops: Sequence[Op], answer: Sequence[str]
) -> list[Op] | None:
    """Return the ops of the formatted answer, against the old lines.

    The formatter reads the document of the request with the answer. Only lines of the scope that the answer changed
    take its form.

    Args:
        request: The request of the edit.
        scope: The lines of its document that the answer replaces.
        ops: The answer, against the old lines.
        answer: The new lines of the scope.

    Returns:
        ``None`` if the answer stays as it is: there is no formatter, it changes nothing, or its output cannot be used,
        which the user is informed of.
    """
    formatter = request.formatter
    if formatter is None or not changes_something(ops):
        return None
    document = request.document
    answered = document.with_edits([LineEdit(scope.start, scope.end - scope.start, tuple(answer))])
    output = await formatter.format(answered.text)
    if output is None or output == answered.text:
        return None
    end = scope.start + len(answer)
    before, output_lines = bodies_of(answered.lines), bodies_of(split_lines(output))
    in_document = AnsweredDocument(before, scope.start, end, ops)
    lines = await in_thread(lambda: formatted_scope(in_document, output_lines))
    if lines is None:
        formatter.note_unused("changes more than the form of the edited lines")
        return None
    if lines == before[scope.start : end]:
        return None
    after = [*before[: scope.start], *lines, *before[end:]]
    if not await _has_same_structure(answered, after, is_whole=after == output_lines):
        formatter.note_unused("cannot format these lines without the rest of the file")
        return None
    return await aligned_ops(document.lines[scope.start : scope.end], lines)


async def _has_same_structure(answered: Document, after: Sequence[str], *, is_whole: bool) -> bool:
    """Return whether a document with a formatted scope is certainly the same code; ``is_whole`` if all is formatted."""
    language_id = answered.language_id
    text = "\n".join(after)
    if not is_whole and not await in_thread(lambda: syntax.keeps_blocks(answered.text, text, language_id)):
        return False
    lines = split_lines(text)
    n_before, n_after = [
        await syntax.count_errors_of_fresh_tree(each, language_id) for each in (answered.lines, lines)
    ]
    return n_before is None or (n_after is not None and n_after <= n_before)
