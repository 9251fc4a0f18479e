"""Find functions of an answer that the workspace already has, and names that nothing defines."""

from __future__ import annotations

import re
from collections.abc import Sequence

from twospeed import syntax
from twospeed.aio import in_thread
from twospeed.edits.values import EditRequest
from twospeed.gate import Fix, GateSettings
from twospeed.gate.facts import FunctionDuplicate, UnresolvedName
from twospeed.text.code.scope import ScopeCode
from twospeed.text.document import Document

_WORD = re.compile(r"\w+")

_NAMES_OF_NOTEBOOKS = frozenset({"display", "get_ipython"})
"""Names that IPython defines in each notebook."""

MAX_LINES_AT_ONCE = 400
"""Lines of a document whose functions are compared on the event loop; a longer one is compared in a thread."""

MAX_LINES_FOR_NAMES = 5_000
"""Lines of a document whose new names are resolved on the event loop; each word may be searched in all of it."""

MAX_BYTES_PER_LINE = 50
"""Average bytes of a line; a document with more counts as longer."""

MAX_NAMES = 20
"""Names that are reported; an answer with more undefined names is useless."""


async def repeated_functions(
    request: EditRequest, result: Document, before: ScopeCode, after: ScopeCode, settings: GateSettings
) -> tuple[FunctionDuplicate, ...]:
    """Find the functions of an answer that do the same as others of the workspace, in the order of the text.

    Args:
        request: The request.
        result: Its document with the answer.
        before: The old code of the scope.
        after: The new code of the scope.
        settings: Whether the check is on.
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
    duplicates = await in_thread(find) if is_long else find()
    return tuple(
        FunctionDuplicate(
            each.function.name, each.function.start, each.other.name, each.path, each.other.start
        )
        for each in duplicates
    )


async def unresolved_names(
    request: EditRequest, result: Document, before: ScopeCode, after: ScopeCode, settings: GateSettings
) -> tuple[UnresolvedName, ...]:
    """Find the undefined names of an answer and the imports that would define them, in the order of the text.

    In languages other than Python, only names with an import are returned. The arguments are those of
    `repeated_functions`.
    """
    if settings.names == "off":
        return ()
    language_id = result.language_id

    def find() -> tuple[syntax.UndefinedName, ...]:
        return syntax.unknown_names(request.document.lines, result.lines, language_id, old=before, new=after)

    found: list[UnresolvedName] = []
    known = _names_for_cells(request.cells_above)
    is_long = _is_long(result, MAX_LINES_FOR_NAMES)
    for name in await in_thread(find) if is_long else find():
        if name.name in known:
            continue
        added = syntax.import_for(name, result.lines, language_id, request.path, request.definitions_of)
        if added:
            found.append(
                UnresolvedName(
                    name.name, name.line, Fix(f"Add {added.statement}", (added.statement,), (added.edit,))
                )
            )
        elif language_id == "python":
            found.append(UnresolvedName(name.name, name.line))
    return tuple(found[:MAX_NAMES])


def _names_for_cells(cells: Sequence[str] | None) -> frozenset[str]:
    """Return the names that a cell of a notebook may use without defining them."""
    if cells is None:
        return frozenset()
    return _NAMES_OF_NOTEBOOKS.union(*(_WORD.findall(line) for line in cells))


def _is_long(document: Document, max_lines: int) -> bool:
    return len(document.lines) > max_lines or document.lines.n_bytes > max_lines * MAX_BYTES_PER_LINE
