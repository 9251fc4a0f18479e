"""Code actions for a range, and code lenses above hunks in review."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lsprotocol import types

from twospeed import syntax
from twospeed.edits.after.tracked_findings import TrackedFinding, TrackedFindings
from twospeed.edits.after.wider_scope import wider_scope
from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.phases import EditState
from twospeed.lsp.client.deep_actions import deep_actions, deep_lenses
from twospeed.lsp.client.diagnostics import SOURCE
from twospeed.lsp.client.editor_client import one_line
from twospeed.lsp.session.session import Session
from twospeed.lsp.wire.alike import alike_diagnostics, fix_instruction
from twospeed.lsp.wire.convert import lsp_range
from twospeed.lsp.wire.structuring import plain
from twospeed.routing.lanes import ICONS, LABELS, other_mode
from twospeed.text.document import Document
from twospeed.text.edits import TextEdit
from twospeed_protocol import methods

from .callers import callers_title
from .verification import may_mend, mending_mode

MAX_DIAGNOSTICS = 5
"""Diagnostics with an offered fix; a longer menu may not fit on the screen."""


@dataclass(frozen=True, slots=True)
class _Offer:
    """One code action before it is converted."""

    kind: str
    title: str
    command: str = ""
    arguments: tuple[object, ...] = ()
    diagnostics: tuple[types.Diagnostic, ...] = ()
    edit: types.WorkspaceEdit | None = None


def code_action(
    session: Session, params: types.CodeActionParams
) -> list[types.CodeAction] | list[types.Command]:
    """List the code actions at a range."""
    document = session.channel(params.text_document.uri).document
    offers = [offer for offer in _offers(session, document, params) if _is_requested(offer, params.context)]
    if not session.client.profile.has_code_action_literals:
        return [_command(offer) for offer in offers if offer.command]
    return [_action(offer) for offer in offers]


def _offers(session: Session, document: Document, params: types.CodeActionParams) -> Iterator[_Offer]:
    icon = ICONS[session.mode]
    first, last = params.range.start.line, params.range.end.line
    here = [
        edit
        for edit in session.scheduler.edits
        if edit.uri == document.uri and edit.place.has_lines(first, last)
    ]
    for edit in here:  # first, because a user who has no other way to apply the answer waits for it
        if edit.is_unfinished and (edits := session.channel(edit.uri).offered(edit.place.scopes)):
            yield _apply_offer(session, edit, edits)
    if comment := syntax.find_instruction_comment(document.lines, document.language_id, (first, last + 1)):
        line, instruction = comment
        at = types.Position(line, 0)
        yield _edit_offer(document, types.Range(at, at), f"{icon} {instruction}", instruction)
    yield from _offers_to_fix(document, params, icon)
    for preset in session.settings.presets:
        if preset.suits(document.language_id):
            yield _edit_offer(document, params.range, f"{icon} {preset.title}", preset.instruction)
    for edit in here:
        yield from _offers_of_edit(edit)
        for action in deep_actions(edit, first, last):
            yield _Offer(methods.KIND_REWRITE, action.title, action.command, (action.argument,))
        yield from _offers_to_verify(session, document, edit)
        if title := callers_title(session, edit):
            title = f"{ICONS['lightning']} {title}"
            yield _Offer(methods.KIND_REWRITE, title, methods.COMMAND_UPDATE_CALLERS, (edit.id,))
    for findings, mark in session.notifications.diagnostics.on_lines(document, first, last):
        yield from _offers_of_finding(session, findings, mark, params.context.diagnostics)
    other = session.modes.following
    yield _Offer(
        methods.KIND_REWRITE, f"{icon} Switch to {ICONS[other]} {LABELS[other]}", methods.COMMAND_TOGGLE_MODE
    )


def _offers_to_fix(document: Document, params: types.CodeActionParams, icon: str) -> Iterator[_Offer]:
    alike = alike_diagnostics(params.context.diagnostics)
    for diagnostic in params.context.diagnostics[:MAX_DIAGNOSTICS]:
        title = f"{icon} Fix: {diagnostic.message}"
        yield _edit_offer(document, params.range, title, fix_instruction([diagnostic]), diagnostic)
        group = next((each for each in alike if each[0] is diagnostic), None)
        if group:
            yield _fix_all_offer(document, icon, group)


def _fix_all_offer(document: Document, icon: str, group: Sequence[types.Diagnostic]) -> _Offer:
    argument = {
        "uri": document.uri,
        # Positions, because the range of a problem would be a selection: its lines alone could change.
        "ranges": [plain(types.Range(each.range.start, each.range.start)) for each in group],
        "instruction": fix_instruction(group),
    }
    title = f"{icon} Fix all {len(group)}: {group[0].message}"
    return _Offer(methods.KIND_QUICKFIX, title, methods.COMMAND_EDIT, (argument,), tuple(group))


def _edit_offer(
    document: Document, range_: types.Range, title: str, instruction: str, *diagnostics: types.Diagnostic
) -> _Offer:
    argument = {"uri": document.uri, "range": plain(range_), "instruction": instruction}
    kind = methods.KIND_QUICKFIX if diagnostics else methods.KIND_REWRITE
    return _Offer(kind, title, methods.COMMAND_EDIT, (argument,), diagnostics)


def _apply_offer(session: Session, edit: InlineEdit, edits: Sequence[TextEdit]) -> _Offer:
    title = f"{ICONS[edit.mode]} Apply: {edit.request.all_words}"
    return _Offer(methods.KIND_REWRITE, title, edit=_workspace_edit(session, edit.document, edits))


def _workspace_edit(session: Session, document: Document, edits: Sequence[TextEdit]) -> types.WorkspaceEdit:
    text_edits = [types.TextEdit(lsp_range(each.range), each.new_text) for each in edits]
    if not session.client.profile.has_document_changes:
        return types.WorkspaceEdit(changes={document.uri: text_edits})
    versioned = types.OptionalVersionedTextDocumentIdentifier(document.uri, document.version)
    return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(versioned, text_edits)])


def _offers_of_finding(
    session: Session, findings: TrackedFindings, mark: TrackedFinding, diagnostics: Sequence[types.Diagnostic]
) -> Iterator[_Offer]:
    edit = findings.edit
    message = one_line(mark.finding.message)
    shown = tuple(each for each in diagnostics if each.source == SOURCE and each.message == message)[:1]
    kind = methods.KIND_QUICKFIX
    if mark.finding.fix and (fix := findings.fix_of(mark)):
        edits = edit.document.text_edits(fix, in_whole_lines=True)
        change = _workspace_edit(session, edit.document, edits)
        yield _Offer(kind, mark.finding.fix.title, diagnostics=shown, edit=change)
    is_elsewhere = mark.end <= edit.live.start or edit.live.end <= mark.start
    if mark.finding.code == "new-problem" and is_elsewhere and may_mend(session, edit):
        yield _mend_offer(session, edit, shown)
    if edit.mode == "lightning":
        retried = {"editId": edit.id, "mode": "deep"}
        title = f"{ICONS['deep']} Retry in {LABELS['deep']}: {message}"
        yield _Offer(kind, title, methods.COMMAND_RETRY, (retried,), shown)
    dismissed = {"editId": edit.id, "finding": mark.number}
    yield _Offer(kind, f"Dismiss: {message}", methods.COMMAND_DISMISS, (dismissed,), shown)


def _offers_of_edit(edit: InlineEdit) -> Iterator[_Offer]:
    icon = ICONS[edit.mode]
    argument = {"editId": edit.id}
    if edit.is_unfinished:
        yield _Offer(methods.KIND_REWRITE, f"{icon} Cancel this edit", methods.COMMAND_CANCEL, (edit.id,))
    elif edit.state is EditState.REVIEW and not edit.decision.is_draft_decided:
        yield _Offer(methods.KIND_REWRITE, f"{icon} Accept this edit", methods.COMMAND_ACCEPT, (argument,))
        yield _Offer(methods.KIND_REWRITE, f"{icon} Reject this edit", methods.COMMAND_REJECT, (argument,))
        if edit.mode == "lightning":
            title = f"{ICONS['deep']} Review this edit in {LABELS['deep']}"
            yield _Offer(methods.KIND_REWRITE, title, methods.COMMAND_REVIEW, (edit.id,))
    if edit.state is EditState.REVIEW or edit.may_be_retried:
        other = other_mode(edit.mode)
        title = f"{ICONS[other]} Retry this edit in {LABELS[other]}"
        yield _Offer(methods.KIND_REWRITE, title, methods.COMMAND_RETRY, (argument,))
    if edit.state is EditState.REVIEW and (wider := wider_scope(edit)):
        title = f"{icon} Repeat this edit with the whole {wider} as its scope"
        yield _Offer(methods.KIND_REWRITE, title, methods.COMMAND_RETRY, ({**argument, "scope": wider},))
    if edit.may_be_retried and edit.refused_text is not None:
        yield _Offer(
            methods.KIND_REWRITE, f"{icon} Show the refused answer", methods.COMMAND_SHOW_ANSWER, (edit.id,)
        )
        if edit.is_answer_current:
            title = f"{icon} Apply the refused answer anyway"
            yield _Offer(methods.KIND_REWRITE, title, methods.COMMAND_APPLY_ANYWAY, (edit.id,))


def _offers_to_verify(session: Session, document: Document, edit: InlineEdit) -> Iterator[_Offer]:
    if edit.state is EditState.REVIEW and session.commands.commands_of(document):
        title = f"{ICONS[edit.mode]} Verify this edit"
        yield _Offer(methods.KIND_REWRITE, title, methods.COMMAND_VERIFY, (edit.id,))
    if may_mend(session, edit):
        yield _mend_offer(session, edit)


def _mend_offer(session: Session, edit: InlineEdit, shown: tuple[types.Diagnostic, ...] = ()) -> _Offer:
    mode = mending_mode(session, edit)
    title = f"{ICONS[mode]} Mend in {LABELS[mode]}"
    return _Offer(methods.KIND_QUICKFIX, title, methods.COMMAND_MEND, (edit.id,), shown)


def _is_requested(offer: _Offer, context: types.CodeActionContext) -> bool:
    # A kind includes all its sub-kinds; the empty kind includes every kind (LSP 3.17, "CodeActionKind").
    kinds = [str(getattr(kind, "value", kind)) for kind in context.only or [""]]
    return any(not kind or f"{offer.kind}.".startswith(f"{kind}.") for kind in kinds)


def _command(offer: _Offer) -> types.Command:
    title = one_line(offer.title, 100)
    return types.Command(title=title, command=offer.command, arguments=list(offer.arguments))


def _action(offer: _Offer) -> types.CodeAction:
    return types.CodeAction(
        title=one_line(offer.title, 100),
        kind=offer.kind,
        diagnostics=list(offer.diagnostics) or None,
        command=_command(offer) if offer.command else None,
        edit=offer.edit,
    )


def code_lens(session: Session, params: types.CodeLensParams) -> list[types.CodeLens]:
    """List the lenses of a document: accept and reject above each hunk, and the offer to update callers."""
    uri = params.text_document.uri
    session.channel(uri)  # raises if the document is not open
    return [lens for edit in session.scheduler.in_review(uri) for lens in _lenses(session, edit)]


def _lenses(session: Session, edit: InlineEdit) -> Iterator[types.CodeLens]:
    yield from deep_lenses(edit)
    hunks = sorted(edit.place.all_hunks(), key=lambda hunk: hunk.range)
    if hunks and (title := callers_title(session, edit)):
        start = lsp_range(hunks[0].range).start
        title = f"{ICONS['lightning']} {title}"
        update = types.Command(title, methods.COMMAND_UPDATE_CALLERS, arguments=[edit.id])
        yield types.CodeLens(types.Range(start, start), update)
    for number, hunk in enumerate(hunks, 1):
        start = lsp_range(hunk.range).start
        count = f" {number}/{len(hunks)}" if len(hunks) > 1 else ""
        argument = {"editId": edit.id, "hunk": hunk.id}
        for verb, command in (("Accept", methods.COMMAND_ACCEPT), ("Reject", methods.COMMAND_REJECT)):
            title = f"{ICONS[edit.mode]} {verb}{count}"
            yield types.CodeLens(
                types.Range(start, start), types.Command(title, command, arguments=[argument])
            )
