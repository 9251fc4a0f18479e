"""``twospeed/diagnostics``: which diagnostics of other language servers are new since an edit."""

from __future__ import annotations

from collections.abc import Iterable

from twospeed.edits.after.new_problems import KnownProblems
from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.phases import EditState
from twospeed.errors import UnknownEdit
from twospeed.lsp.session.session import Session
from twospeed.lsp.wire.convert import range_to
from twospeed.lsp.wire.problems import problems_from
from twospeed_protocol import messages as wire


def expect(session: Session, params: wire.EditParams, edits: Iterable[InlineEdit]) -> None:
    """Remember the diagnostics that a client sent with a request, for the edits of the document that it names."""
    uri, diagnostics = params.text_document.uri, params.context.document_diagnostics
    if diagnostics is None or params.deliver == "preview":
        return
    known = KnownProblems(problems_from(session.channel(uri).document, diagnostics))
    for edit in edits:
        if edit.uri == uri:
            session.notifications.problems.expect(edit, known)


async def diagnostics(session: Session, params: wire.DiagnosticsParams) -> wire.DiagnosticsResult:
    """``twospeed/diagnostics``; an edit that has ended has no findings."""
    edit = session.scheduler.get_any(params.edit_id)
    if edit.is_unfinished:
        raise UnknownEdit(edit.id, "is not in review yet")
    if edit.state is EditState.REVIEW:
        # The lines of findings must be those of the document that the diagnostics are about.
        await session.channel(edit.uri, version=params.version).wait_until_idle()
    if edit.state is not EditState.REVIEW:
        return wire.DiagnosticsResult()
    document = session.channel(edit.uri, version=params.version).document
    new = session.notifications.problems.compare(edit, problems_from(document, params.diagnostics))
    return wire.DiagnosticsResult(
        findings=[
            wire.Finding(
                code=each.finding.code,
                severity=each.finding.severity,
                message=each.finding.message,
                range=range_to(document.line_range(each.start, each.end)),
            )
            for each in new.found(len(document.lines))
        ],
        message=new.summary(edit) or None,
    )
