"""``workspace/executeCommand``: each command returns at once, what it starts runs on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from lsprotocol import types
from pydantic import BaseModel

from twospeed import syntax
from twospeed.edits.after.again import retried, with_words_of
from twospeed.edits.after.review import Action, decide
from twospeed.edits.after.tracked_place import TrackedScope
from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.phases import EditState
from twospeed.edits.prompting.prompt_context import PromptContext
from twospeed.edits.prompting.scope_resolution import approximate_scope, resolve_scope
from twospeed.edits.values import EditRequest, ForcedAnswer, Report
from twospeed.errors import UnknownEdit
from twospeed.lsp.client.editor_client import ERROR, INFO
from twospeed.lsp.client.questions import Step
from twospeed.lsp.session.session import Session
from twospeed.lsp.wire.convert import range_to
from twospeed.lsp.wire.error_codes import INVALID_PARAMS, REQUEST_FAILED, RpcError
from twospeed.lsp.wire.params import validated
from twospeed.routing.lanes import Mode, other_mode
from twospeed_protocol import messages as wire
from twospeed_protocol import methods

from . import edits, modes, refused_answers, reviews

Command = Callable[[Session, Sequence[object]], object]
ModelT = TypeVar("ModelT", bound=BaseModel)


def execute(session: Session, params: types.ExecuteCommandParams) -> object:
    """Run a command."""
    command = COMMANDS.get(params.command)
    if command is None:
        raise RpcError(INVALID_PARAMS, f"command: there is no command {params.command}")
    return command(session, params.arguments or [])


def _edit(session: Session, arguments: Sequence[object]) -> object:
    wanted = _one(wire.EditArguments, arguments)
    return _start(session, wanted)


def _start(session: Session, wanted: wire.EditArguments) -> dict[str, object]:
    """Begin the edit that a command's arguments ask for; see `_begin`."""
    _refuse_preview(session)
    return _begin(session, edits.request_from(session, _edit_params(session, wanted)))


def _begin(session: Session, request: EditRequest) -> dict[str, object]:
    """Begin an edit no request waits for; the user is shown how it ended unless the text shows it."""
    begun = edits.begin_request(session, request)

    def tell(done: asyncio.Future[Report]) -> None:
        if done.cancelled():
            return
        if error := done.exception():
            session.client.show_message(ERROR, str(error))
        else:
            session.notifications.show_ending(begun, _next_steps(session, begun))

    begun.finished.add_done_callback(tell)
    return wire.EditStarted(edit_id=begun.id).to_json()


def _next_steps(session: Session, edit: InlineEdit) -> dict[Step, Callable[[], object]]:
    """Return what the user may do about an edit that was refused."""
    steps: dict[Step, Callable[[], object]] = {}
    if edit.mode == "lightning" and edit.may_be_retried:
        steps["retry"] = lambda: _retry(session, [{"editId": edit.id, "mode": "deep"}])
    if edit.may_be_retried and edit.refused_text is not None:
        if session.client.profile.shows_documents:
            steps["show"] = lambda: refused_answers.open_diff(session, edit)
        if edit.is_answer_current:
            steps["apply"] = lambda: _apply_anyway(session, [edit.id])
    return steps


def _refuse_preview(session: Session) -> None:
    if session.settings.delivery == "preview":
        raise RpcError(REQUEST_FAILED, "delivery.style is preview: a command has nowhere to show its result")


def _edit_params(session: Session, wanted: wire.EditArguments) -> wire.EditParams:
    version = session.channel(wanted.uri).document.version
    return wire.EditParams(
        text_document=wire.VersionedDocument(uri=wanted.uri, version=version),
        range=wanted.range,
        instruction=wanted.instruction,
        mode=wanted.mode,
        scope=wanted.scope,
    )


def _toggle_mode(session: Session, arguments: Sequence[object]) -> None:
    _none(arguments)
    session.modes.switch_and_show(other_mode(session.mode))


def _set_mode(session: Session, arguments: Sequence[object]) -> None:
    wanted = validated(wire.SetModeParams, {"mode": _single(arguments)})
    assert isinstance(wanted, wire.SetModeParams)
    session.modes.switch_and_show(wanted.mode or other_mode(session.mode))


def _cancel(session: Session, arguments: Sequence[object]) -> None:
    edit = _edit_named(session, arguments, _newest_live)
    session.scheduler.cancel(edit)


def _steer(session: Session, arguments: Sequence[object]) -> object:
    wanted = _one(wire.SteerArguments, arguments)
    edit = _newest_live(session) if wanted.edit_id is None else session.scheduler.get(wanted.edit_id)
    session.scheduler.steer(edit, wanted.instruction)
    return wire.EditStarted(edit_id=edit.id).to_json()


def _decide(action: Action) -> Command:
    def run(session: Session, arguments: Sequence[object]) -> None:
        wanted = _one(wire.DecideArguments, arguments or [{}])
        edit = _newest_in_review(session) if wanted.edit_id is None else session.scheduler.get(wanted.edit_id)

        async def work() -> None:
            await decide(edit, action, wanted.hunk)
            session.notifications.edit_decided(edit)

        session.tasks.spawn(work())

    return run


def _next_variation(session: Session, arguments: Sequence[object]) -> None:
    edit = _edit_named(session, arguments, _newest_in_review)

    async def work() -> None:
        await session.scheduler.show_next(edit, 1)

    session.tasks.spawn(work())


def _retry(session: Session, arguments: Sequence[object]) -> None:
    """Put the old text back, then ask again, in the other mode unless one is named."""
    _refuse_preview(session)  # before anything is put back
    wanted = _one(wire.RetryArguments, arguments or [{}])
    edit = session.scheduler.remembered(wanted.edit_id)
    _begin_again(session, edit, wanted.mode or other_mode(edit.mode))


def _apply_anyway(session: Session, arguments: Sequence[object]) -> None:
    """Put the answer of a refused edit in the place of its scope, as an edit of its own in review."""
    _refuse_preview(session)
    edit = session.scheduler.remembered(_edit_id(arguments))
    if edit.refused_text is None or edit.route is None:
        raise RpcError(REQUEST_FAILED, "that edit has no answer that was refused")
    refused_answers.check_unchanged(session, edit)
    if not edit.is_answer_current:
        raise RpcError(
            REQUEST_FAILED, "you typed in the lines of that edit while it was written, which its answer lacks"
        )
    _begin_again(session, edit, edit.mode, ForcedAnswer(edit.answer, edit.old_lines, edit.route))


def _show_answer(session: Session, arguments: Sequence[object]) -> dict[str, object]:
    """Show the answer of a refused edit beside the text that it would have replaced."""
    return refused_answers.show(session, session.scheduler.remembered(_edit_id(arguments)))


def _begin_again(session: Session, edit: InlineEdit, mode: Mode, given: ForcedAnswer | None = None) -> None:
    """Begin an edit at the lines of another one, once the old text of that is back."""
    channel = session.channel(edit.uri)
    refused_answers.check_unchanged(session, edit)

    async def work() -> None:
        place = TrackedScope(edit)
        try:
            if edit.is_live:
                session.scheduler.cancel(edit)
                await asyncio.shield(edit.finished)
            if edit.state is EditState.REVIEW:
                await decide(edit, "reject")
            if channel.is_closed:  # what is open now may be another text
                raise RpcError(REQUEST_FAILED, "the document was closed; ask again where it is now")
            await channel.settled()
            lines = place.lines
            if lines.is_lost:
                raise RpcError(
                    REQUEST_FAILED, "the lines of that edit are gone; ask again where the text is now"
                )
            again = wire.EditArguments(
                uri=edit.uri,
                range=range_to(channel.document.line_range(lines.start, lines.start)),
                instruction=edit.request.first_words,
                mode=mode,
            )
            request = edits.request_from(session, _edit_params(session, again))
            _begin(session, retried(edit, request, lines.start, lines.end, given))
        finally:
            place.stop()

    session.tasks.spawn(work())


def _review(session: Session, arguments: Sequence[object]) -> None:
    """Have Deep look over an edit in review; what it finds is shown as diagnostics."""
    edit = _edit_named(session, arguments, _newest_in_review)
    reviews.begin(session, edit)


def _dismiss(session: Session, arguments: Sequence[object]) -> None:
    """Show a finding no more."""
    wanted = _one(wire.DismissArguments, arguments)
    session.notifications.diagnostics.dismiss(wanted.edit_id, wanted.finding)


def _repeat(session: Session, arguments: Sequence[object]) -> object:
    """Ask the newest edit's instruction again, somewhere else."""
    wanted = _one(wire.RepeatArguments, arguments)
    _refuse_preview(session)
    edit = session.scheduler.remembered(None)
    again = wire.EditArguments(uri=wanted.uri, range=wanted.range, instruction=edit.request.first_words)
    return _begin(session, with_words_of(edit, edits.request_from(session, _edit_params(session, again))))


async def _show_prompt(session: Session, arguments: Sequence[object]) -> dict[str, object]:
    """Show what would be sent, and to whom; nothing is sent, and nobody is asked."""
    wanted = _one(wire.EditArguments, arguments)
    request = edits.request_from(session, _edit_params(session, wanted))
    session.workspace.symbols.wake()
    request = replace(request, notes=partial(session.workspace.notes.approved, asks=False))
    can_tell = await syntax.wait_for_tree(request.document.language_id, request.document.lines)
    scope = resolve_scope(request) if can_tell else approximate_scope(request)
    question = await PromptContext.asked(request, scope, session.scheduler.delimiters)
    if why := request.why_never_sent(session.settings.ignore):
        raise RpcError(REQUEST_FAILED, f"{question.file_name} {why}")
    entry = await session.source.serving(request.mode)
    asked = question.request_for(entry, own_key_in=session.source.own_key_in)
    messages = [wire.PromptMessage(role=each.role, content=each.content) for each in asked.messages]
    return wire.PromptResult(provider=entry.provider, model=entry.model, messages=messages).to_json()


async def _status(session: Session, arguments: Sequence[object]) -> dict[str, object]:
    _none(arguments)
    result = await modes.status(session, wire.StatusParams())
    lane = result.lanes.lightning if result.mode == "lightning" else result.lanes.deep
    serving = next(entry for entry in lane if entry.ready)
    session.client.show_message(INFO, f"twospeed: {result.mode} on {serving.provider}/{serving.model}")
    return result.to_json()


COMMANDS: dict[str, Command] = {
    methods.COMMAND_EDIT: _edit,
    methods.COMMAND_TOGGLE_MODE: _toggle_mode,
    methods.COMMAND_SET_MODE: _set_mode,
    methods.COMMAND_CANCEL: _cancel,
    methods.COMMAND_STEER: _steer,
    methods.COMMAND_ACCEPT: _decide("accept"),
    methods.COMMAND_REJECT: _decide("reject"),
    methods.COMMAND_RETRY: _retry,
    methods.COMMAND_SHOW_ANSWER: _show_answer,
    methods.COMMAND_APPLY_ANYWAY: _apply_anyway,
    methods.COMMAND_REPEAT: _repeat,
    methods.COMMAND_NEXT_VARIATION: _next_variation,
    methods.COMMAND_REVIEW: _review,
    methods.COMMAND_DISMISS: _dismiss,
    methods.COMMAND_STATUS: _status,
    methods.COMMAND_SHOW_PROMPT: _show_prompt,
}


# Arguments


def _single(arguments: Sequence[object]) -> object:
    if len(arguments) > 1:
        raise RpcError(INVALID_PARAMS, "arguments: one at most")
    return arguments[0] if arguments else None


def _one(model: type[ModelT], arguments: Sequence[object]) -> ModelT:
    wanted = validated(model, _single(arguments), name="arguments.0")
    assert isinstance(wanted, model)
    return wanted


def _none(arguments: Sequence[object]) -> None:
    if arguments:
        raise RpcError(INVALID_PARAMS, "arguments: this command takes none")


def _edit_named(
    session: Session, arguments: Sequence[object], newest: Callable[[Session], InlineEdit]
) -> InlineEdit:
    """Find the edit whose id is the argument, or the newest where there is none."""
    edit_id = _edit_id(arguments)
    return newest(session) if edit_id is None else session.scheduler.get(edit_id)


def _edit_id(arguments: Sequence[object]) -> str | None:
    """Return the argument, the id of an edit; ``None`` where there is none, which editors also write as null."""
    edit_id = _single(arguments)
    if edit_id is None or isinstance(edit_id, str):
        return edit_id
    raise RpcError(INVALID_PARAMS, "arguments.0: the id of an edit is a string")


def _newest_live(session: Session) -> InlineEdit:
    return _newest(session, lambda edit: edit.is_live)


def _newest_in_review(session: Session) -> InlineEdit:
    return _newest(session, lambda edit: edit.state is EditState.REVIEW)


def _newest(session: Session, is_wanted: Callable[[InlineEdit], bool]) -> InlineEdit:
    for edit in reversed(session.scheduler.edits):
        if is_wanted(edit):
            return edit
    raise UnknownEdit(None)
