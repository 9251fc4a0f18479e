"""Code actions for a selection or cursor. Listing them starts no edit and sends nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lsprotocol import types

from twospeed import syntax
from twospeed.edits.after.tracked_findings import TrackedFinding
from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.phases import EditState
from twospeed.lsp.client.diagnostics import SOURCE
from twospeed.lsp.client.editor_client import one_line
from twospeed.lsp.session.session import Session
from twospeed.lsp.wire.convert import lsp_range
from twospeed.routing.lanes import ICONS, LABELS, other_mode
from twospeed.text.document import Document
from twospeed.text.edits import TextEdit
from twospeed_protocol import methods

MAX_DIAGNOSTICS = 5
"""Diagnostics offered a fix each; a menu longer than a screen helps nobody."""


@dataclass(frozen=True, slots=True)
class _Offer:
    """One code action before it is converted."""

    kind: str
    title: str
    command: str = ""
    arguments: tuple[object, ...] = ()
    diagnostic: types.Diagnostic | None = None
    edit: types.WorkspaceEdit | None = None


def code_action(
    session: Session, params: types.CodeActionParams
) -> list[types.CodeAction] | list[types.Command]:
    """List the code actions at a range."""
    document = session.channel(params.text_document.uri).document
    offers = [offer for offer in _offers(session, document, params) if _is_wanted(offer, params.context)]
    if not session.client.profile.has_code_action_literals:
        return [_command(offer) for offer in offers if offer.command]
    return [_action(offer) for offer in offers]


def _offers(session: Session, document: Document, params: types.CodeActionParams) -> Iterator[_Offer]:
    icon = ICONS[session.mode]
    first, last = params.range.start.line, params.range.end.line
    if comment := syntax.find_instruction_comment(document.lines, document.language_id, (first, last + 1)):
        line, instruction = comment
        at = types.Position(line, 0)
        yield _edit_offer(document, types.Range(at, at), f"{icon} {instruction}", instruction)
    for diagnostic in params.context.diagnostics[:MAX_DIAGNOSTICS]:
        instruction = f"Fix this problem: {diagnostic.message}"
        yield _edit_offer(
            document, params.range, f"{icon} Fix: {diagnostic.message}", instruction, diagnostic
        )
    for preset in session.settings.presets:
        if preset.suits(document.language_id):
            yield _edit_offer(document, params.range, f"{icon} {preset.title}", preset.instruction)
    for edit in session.scheduler.edits:
        if (
            edit.uri == document.uri
            and edit.live.start <= last
            and first <= max(edit.live.start, edit.live.end - 1)
        ):
            if edit.is_live and (edits := session.channel(edit.uri).offered(edit.live)):
                yield _take_offer(session, edit, edits)
            yield from _verbs(edit)
    for edit, mark in session.notifications.diagnostics.on_lines(document, first, last):
        yield from _on_finding(session, edit, mark, params.context.diagnostics)
    other = other_mode(session.mode)
    yield _Offer(
        methods.KIND_REWRITE, f"{icon} Switch to {ICONS[other]} {LABELS[other]}", methods.COMMAND_TOGGLE_MODE
    )


def _edit_offer(
    document: Document,
    where: types.Range,
    title: str,
    instruction: str,
    diagnostic: types.Diagnostic | None = None,
) -> _Offer:
    argument = {"uri": document.uri, "range": _plain(where), "instruction": instruction}
    kind = methods.KIND_QUICKFIX if diagnostic else methods.KIND_REWRITE
    return _Offer(kind, title, methods.COMMAND_EDIT, (argument,), diagnostic)


def _take_offer(session: Session, edit: InlineEdit, edits: Sequence[TextEdit]) -> _Offer:
    title = f"{ICONS[edit.mode]} Apply: {edit.request.all_words}"
    return _Offer(methods.KIND_REWRITE, title, edit=_literal(session, edit.document, edits))


def _literal(session: Session, document: Document, edits: Sequence[TextEdit]) -> types.WorkspaceEdit:
    plain = [types.TextEdit(lsp_range(each.range), each.new_text) for each in edits]
    if not session.client.profile.has_document_changes:
        return types.WorkspaceEdit(changes={document.uri: plain})
    versioned = types.OptionalVersionedTextDocumentIdentifier(document.uri, document.version)
    return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(versioned, plain)])


def _on_finding(
    session: Session, edit: InlineEdit, mark: TrackedFinding, diagnostics: Sequence[types.Diagnostic]
) -> Iterator[_Offer]:
    """Yield the actions for a finding: apply its fix, retry in deep mode, or dismiss it."""
    shown = one_line(mark.finding.message)
    its = next((each for each in diagnostics if each.source == SOURCE and each.message == shown), None)
    kind = methods.KIND_QUICKFIX
    if mark.fix and mark.finding.fix:
        edits = edit.document.text_edits(mark.fix, in_whole_lines=True)
        yield _Offer(
            kind, mark.finding.fix.title, diagnostic=its, edit=_literal(session, edit.document, edits)
        )
    if edit.mode == "lightning":
        again = {"editId": edit.id, "mode": "deep"}
        title = f"{ICONS['deep']} Retry in {LABELS['deep']}: {shown}"
        yield _Offer(kind, title, methods.COMMAND_RETRY, (again,), its)
    named = {"editId": edit.id, "finding": mark.number}
    yield _Offer(kind, f"Dismiss: {shown}", methods.COMMAND_DISMISS, (named,), its)


def _verbs(edit: InlineEdit) -> Iterator[_Offer]:
    icon = ICONS[edit.mode]
    named = {"editId": edit.id}
    if edit.is_live:
        yield _Offer(methods.KIND_REWRITE, f"{icon} Cancel this edit", methods.COMMAND_CANCEL, (edit.id,))
    elif edit.state is EditState.REVIEW:
        yield _Offer(methods.KIND_REWRITE, f"{icon} Accept this edit", methods.COMMAND_ACCEPT, (named,))
        yield _Offer(methods.KIND_REWRITE, f"{icon} Reject this edit", methods.COMMAND_REJECT, (named,))
        if edit.mode == "lightning":
            title = f"{ICONS['deep']} Review this edit in {LABELS['deep']}"
            yield _Offer(methods.KIND_REWRITE, title, methods.COMMAND_REVIEW, (edit.id,))
    if edit.state is EditState.REVIEW or edit.may_be_retried:
        other = other_mode(edit.mode)
        title = f"{ICONS[other]} Retry this edit in {LABELS[other]}"
        yield _Offer(methods.KIND_REWRITE, title, methods.COMMAND_RETRY, (named,))
    if edit.may_be_retried and edit.refused_text is not None:
        yield _Offer(
            methods.KIND_REWRITE, f"{icon} Show the refused answer", methods.COMMAND_SHOW_ANSWER, (edit.id,)
        )
        if edit.is_answer_current:
            title = f"{icon} Apply the refused answer anyway"
            yield _Offer(methods.KIND_REWRITE, title, methods.COMMAND_APPLY_ANYWAY, (edit.id,))


def _is_wanted(offer: _Offer, context: types.CodeActionContext) -> bool:
    """Return whether the client requests this kind; a kind includes all its sub-kinds (LSP 3.17, "CodeActionKind")."""
    if not context.only:
        return True
    return any(
        not wanted or f"{offer.kind}.".startswith(f"{wanted}.") for wanted in map(_kind_name, context.only)
    )


def _kind_name(kind: types.CodeActionKind | str) -> str:
    return str(kind.value if isinstance(kind, types.CodeActionKind) else kind)


def _command(offer: _Offer) -> types.Command:
    title = one_line(offer.title, 100)
    return types.Command(title=title, command=offer.command, arguments=list(offer.arguments))


def _action(offer: _Offer) -> types.CodeAction:
    return types.CodeAction(
        title=one_line(offer.title, 100),
        kind=offer.kind,
        diagnostics=[offer.diagnostic] if offer.diagnostic else None,
        command=_command(offer) if offer.command else None,
        edit=offer.edit,
    )


def _plain(where: types.Range) -> dict[str, dict[str, int]]:
    return {
        name: {"line": at.line, "character": at.character}
        for name, at in (("start", where.start), ("end", where.end))
    }
