"""Analyse the scope of a likely edit while its instruction is typed; the results are kept for the edit."""

from __future__ import annotations

from twospeed import syntax
from twospeed.edits.prompting.scope_resolution import refuse_too_large, resolve_scope
from twospeed.edits.prompting.sensitivity import sensitive_uses_in, sensitivity_of
from twospeed.edits.values import EditRequest
from twospeed.errors import TwospeedError


async def prefetch(request: EditRequest) -> None:
    """Compute what an edit needs of its scope; errors are left to the edit.

    Args:
        request: The likely edit.
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
