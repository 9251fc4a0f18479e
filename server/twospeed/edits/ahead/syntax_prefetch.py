"""Look at a scope that is likely to be edited while its instruction is typed: what is found is kept for the edit."""

from __future__ import annotations

from twospeed import syntax
from twospeed.edits.prompting.scope_resolution import refuse_too_large, resolve_scope
from twospeed.edits.prompting.sensitivity import sensitive_uses_in, sensitivity_of
from twospeed.edits.values import EditRequest
from twospeed.errors import TwospeedError


async def prefetch(request: EditRequest) -> None:
    """Find out what an edit will ask of its scope; where nothing can be found, the edit says so.

    Args:
        request: The edit that is likely.
    """
    document = request.document
    try:
        refuse_too_large(document)
        if not await syntax.wait_for_tree(document.language_id, document.lines):
            return
        scope = resolve_scope(request)
    except TwospeedError:
        return
    await syntax.wait_for_scope_code(document.lines, document.language_id, scope.start, scope.end)
    await sensitive_uses_in(document, sensitivity_of(document, scope))
    await syntax.wait_for_names(document.lines, document.language_id, scope.start, scope.end)
    syntax.names_used(document.lines, document.language_id, scope.start, scope.end)
