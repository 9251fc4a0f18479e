"""Look at what an answer brings: functions that the project has already, and names that come from nowhere."""

from __future__ import annotations

from twospeed import syntax
from twospeed.aio import in_thread
from twospeed.edits.values import EditRequest
from twospeed.gate import Fix, GateSettings
from twospeed.gate.facts import RepeatedFunction, UnresolvedName
from twospeed.text.code.scope_code import ScopeCode
from twospeed.text.document import Document

MAX_LINES_AT_ONCE = 400
"""Of a document whose functions are looked at in passing; those of a longer one are, in a thread."""

MAX_LINES_FOR_NAMES = 5_000
"""Of a document whose new names are looked at in passing: each word may have to be looked for in all of it."""

MAX_BYTES_PER_LINE = 50
"""On average, of a document of so many lines; one with longer lines counts as a longer one."""

MAX_NAMES = 20
"""Names that are reported: an answer that uses more from nowhere has not answered the question."""


async def repeated_functions(
    request: EditRequest, result: Document, before: ScopeCode, after: ScopeCode, settings: GateSettings
) -> tuple[RepeatedFunction, ...]:
    """Find the functions of an answer that do what others of the workspace do.

    Args:
        request: The edit.
        result: Its document with the answer.
        before: What stood in the scope.
        after: What stands in it with the answer.
        settings: Whether anybody wants to know.

    Returns:
        In the order of the text.
    """
    if settings.duplicate == "off":
        return ()
    language_id = result.language_id

    def find() -> tuple[syntax.DuplicateFunction, ...]:
        functions = syntax.new_functions(
            request.document.lines, result.lines, language_id, old=before, new=after
        )
        elsewhere = (place for place in request.fingerprinted() if place.path != request.path)
        return syntax.find_duplicates(functions, result.lines, language_id, elsewhere) if functions else ()

    is_long = _is_long(request.document, MAX_LINES_AT_ONCE) or _is_long(result, MAX_LINES_AT_ONCE)
    twins = await in_thread(find) if is_long else find()
    return tuple(
        RepeatedFunction(
            twin.function.name, twin.function.start, twin.other.name, twin.path, twin.other.start
        )
        for twin in twins
    )


async def unresolved_names(
    request: EditRequest, result: Document, before: ScopeCode, after: ScopeCode, settings: GateSettings
) -> tuple[UnresolvedName, ...]:
    """Find the names of an answer that its document has from nowhere, and the imports that would bring them.

    Args:
        request: The edit.
        result: Its document with the answer.
        before: What stood in the scope.
        after: What stands in it with the answer.
        settings: Whether anybody wants to know.

    Returns:
        In the order of the text; in languages other than Python only those with an import.
    """
    if settings.names == "off":
        return ()
    language_id = result.language_id

    def find() -> tuple[syntax.UndefinedName, ...]:
        return syntax.unknown_names(request.document.lines, result.lines, language_id, old=before, new=after)

    found: list[UnresolvedName] = []
    is_long = _is_long(result, MAX_LINES_FOR_NAMES)
    for name in await in_thread(find) if is_long else find():
        added = syntax.import_for(name, result.lines, language_id, request.path, request.definitions_of)
        if added:
            found.append(UnresolvedName(name.name, name.line, Fix(f"Add {added.statement}", (added.edit,))))
        elif language_id == "python":
            found.append(UnresolvedName(name.name, name.line))
    return tuple(found[:MAX_NAMES])


def _is_long(document: Document, max_lines: int) -> bool:
    return len(document.lines) > max_lines or document.lines.n_bytes > max_lines * MAX_BYTES_PER_LINE
