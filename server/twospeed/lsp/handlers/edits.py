"""Requests about edits: begin, steer, cancel and decide."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from functools import partial

from twospeed import syntax
from twospeed.delivery import style_for
from twospeed.edits.after.next_steps import previous_edit_of
from twospeed.edits.after.review import decide as decide_hunks
from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.prompting.scope_resolution import prefetch
from twospeed.edits.values import EditRequest
from twospeed.errors import InvalidRequest
from twospeed.lsp.session.session import Session
from twospeed.lsp.wire.convert import hunks_to, named_scope, position_from, result_to, selection_from
from twospeed.text.document import Document
from twospeed_protocol import messages as wire

from .partial_results import PartialReporter
from .progress import report_progress


def edit(session: Session, params: wire.EditParams) -> Awaitable[wire.EditResult]:
    """``twospeed/edit``: begin at once, and respond when the edit has its outcome."""
    begun = begin(session, params)
    result = asyncio.ensure_future(_result(begun))
    # Not inside of `_result`: a request that is cancelled at once never gets there.
    result.add_done_callback(lambda done: session.scheduler.stop(begun) if done.cancelled() else None)
    return result


def begin(session: Session, params: wire.EditParams) -> InlineEdit:
    """Begin an edit.

    Raises:
        RequestError: A parameter is invalid.
    """
    partials = PartialReporter.to(session.client, params.partial_result_token)
    return begin_request(
        session, request_from(session, params), partials=partials, work_done_token=params.work_done_token
    )


def begin_request(
    session: Session,
    request: EditRequest,
    *,
    partials: PartialReporter | None = None,
    work_done_token: wire.Token | None = None,
) -> InlineEdit:
    """Begin an edit from its request.

    Raises:
        RequestError: The scheduler refuses it; see `EditScheduler.begin`.
    """
    session.workspace.symbols.update()
    begun = session.scheduler.begin(request, session.channel(request.document.uri), partials=partials)
    report_progress(session, begun, work_done_token)
    return begun


def request_from(session: Session, params: wire.EditParams) -> EditRequest:
    """Build the request of an edit from its params and the session.

    Raises:
        RequestError: A parameter is invalid.
    """
    channel = session.channel(params.text_document.uri, version=params.text_document.version)
    document = channel.document
    instruction = params.instruction.strip()
    if not instruction:
        raise InvalidRequest("an instruction says what to change; this one is empty", field="instruction")
    if params.deliver == "preview" and params.variations > 1:
        raise InvalidRequest("a preview is of one answer; ask for one", field="variations")
    selection = selection_from(document, params.range)
    return EditRequest(
        document=document,
        selection=selection,
        instruction=instruction,
        mode=params.mode or session.mode,
        choice=params.scope or session.settings.scope,
        style="preview"
        if params.deliver == "preview"
        else style_for(session.settings.delivery, channel.behavior, has_changed=channel.has_changed),
        diagnostics=tuple(_messages_of(params.context)),
        comment_line=_comment_line(document, selection[0][0], instruction),
        follows=previous_edit_of(session.scheduler.remembered(params.follows)) if params.follows else None,
        edit_id=params.edit_id,
        n_answers=params.variations,
        path=session.workspace.paths.of(document.uri),
        real_path=session.workspace.paths.real_of(document.uri),
        definitions_of=session.workspace.symbols.definitions_of,
        wait_until_indexed=session.workspace.symbols.wait_until_indexed,
        fingerprinted=session.workspace.symbols.fingerprinted,
        notes=session.workspace.notes.approved,
    )


async def _result(begun: InlineEdit) -> wire.EditResult:
    return result_to(await asyncio.shield(begun.finished), uri=begun.uri)


def cancel(session: Session, params: wire.CancelParams) -> Awaitable[wire.EditResult]:
    """``twospeed/cancel``: stop the edit at once, and respond with its outcome, also if this request is cancelled."""
    cancelled = session.scheduler.get(params.edit_id)
    session.scheduler.cancel(cancelled, params.keep)
    return _result(cancelled)


def decide(session: Session, params: wire.DecideParams) -> Awaitable[wire.DecideResult]:
    """``twospeed/decide``: decide at once; cancelling the request does not revert the decision."""
    decided = session.scheduler.get(params.edit_id)
    return asyncio.shield(session.tasks.run(_decision(session, decided, params)))


async def _decision(session: Session, decided: InlineEdit, params: wire.DecideParams) -> wire.DecideResult:
    left = await decide_hunks(decided, params.action, params.hunk)
    session.notifications.edit_decided(decided)
    return wire.DecideResult(edit_id=decided.id, version=decided.document.version, hunks=hunks_to(left))


def scopes(session: Session, params: wire.ScopesParams) -> Awaitable[wire.ScopesResult]:
    """``twospeed/scopes``."""
    document = session.channel(params.text_document.uri, version=params.text_document.version).document
    return _scopes(document, params)


async def _scopes(document: Document, params: wire.ScopesParams) -> wire.ScopesResult:
    await syntax.wait_for_tree(document.language_id, document.lines)
    line, column = document.place(position_from(params.position))
    found = syntax.enclosing_scopes(document.lines, document.language_id, line, column)
    return wire.ScopesResult(
        version=document.version, scopes=[named_scope(document, scope) for scope in found]
    )


def prepare(session: Session, params: wire.PrepareParams) -> dict[str, object]:
    """``twospeed/prepare``: parse the document, connect to the provider and warm its prompt cache for a likely edit."""
    document = session.channel(params.text_document.uri, version=params.text_document.version).document
    syntax.start_parsing(document.language_id, document.lines)
    request = EditRequest(
        document=document,
        selection=selection_from(document, params.range),
        instruction="",
        mode=params.mode or session.mode,
        choice=session.settings.scope,
        path=session.workspace.paths.of(document.uri),
        real_path=session.workspace.paths.real_of(document.uri),
        definitions_of=session.workspace.symbols.definitions_of,
        notes=partial(session.workspace.notes.approved, asks=False),
    )
    session.preconnect.expect(request)
    session.tasks.spawn(prefetch(request))
    session.workspace.symbols.update()
    return {}


def steer(session: Session, params: wire.SteerParams) -> wire.EditStarted:
    """``twospeed/steer``."""
    steered = session.scheduler.get(params.edit_id)
    session.scheduler.steer(steered, params.instruction)
    return wire.EditStarted(edit_id=steered.id)


def variation(session: Session, params: wire.VariationParams) -> Awaitable[wire.EditResult]:
    """``twospeed/variation``: show another answer; cancelling the request does not stop it."""
    return asyncio.shield(
        session.tasks.run(_variation(session, session.scheduler.get(params.edit_id), params.step))
    )


async def _variation(session: Session, varied: InlineEdit, step: int) -> wire.EditResult:
    return result_to(await session.scheduler.show_next(varied, step), uri=varied.uri)


def _comment_line(document: Document, line: int, instruction: str) -> int | None:
    found = syntax.find_instruction_comment(document.lines, document.language_id, (line, line))
    return found[0] if found and found[1] == instruction else None


def _messages_of(context: wire.EditContext) -> list[str]:
    messages = (diagnostic.get("message") for diagnostic in context.diagnostics)
    return [message for message in messages if isinstance(message, str)]
