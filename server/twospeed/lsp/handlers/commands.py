"""``workspace/executeCommand``: each command responds at once, and the ending of its edit is shown to the user."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Literal

from lsprotocol import types

from twospeed.edits.after.model_review import begin_review, review, review_summary
from twospeed.edits.after.next_steps import (
    Step,
    check_unchanged,
    forced_answer_of,
    next_steps,
    retry_request,
    shown_answer_of,
    stop_or_reject,
    with_instructions_of,
)
from twospeed.edits.after.review import Action, decide
from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.prompting.prompt_preview import preview_prompt
from twospeed.edits.values import EditRequest, ForcedAnswer, Report
from twospeed.errors import RequestError
from twospeed.lsp.client.editor_client import ERROR, INFO, WARNING
from twospeed.lsp.session.session import Session
from twospeed.lsp.wire.convert import range_to
from twospeed.lsp.wire.error_codes import INVALID_PARAMS, REQUEST_FAILED, RpcError
from twospeed.lsp.wire.params import (
    edit_id_argument,
    parsed_argument,
    require_no_arguments,
    single_argument,
    validated,
)
from twospeed.routing.lanes import Mode, modes_of, other_mode
from twospeed_protocol import messages as wire
from twospeed_protocol import methods

from . import callers, inline_completion, places, requests
from .edit_requests import request_from
from .named_edits import (
    asks_a_model,
    edit_in_review,
    has_offer,
    is_in_review,
    is_unfinished,
    named_or_newest,
    newest,
    single_edit,
)
from .verification import begin_verification, may_mend, may_verify, mend_request, mending_mode

MEND_INSTRUCTION = "Mend this code: tools report problems. Correct their cause with the smallest change."

Command = Callable[[Session, Sequence[object]], object]


def execute(session: Session, params: types.ExecuteCommandParams) -> object:
    """Run a command; raises `RpcError` if it is unknown or its arguments are invalid."""
    command = COMMANDS.get(params.command)
    if command is None:
        raise RpcError(INVALID_PARAMS, f"command: there is no command {params.command}")
    return command(session, params.arguments or [])


def _edit(session: Session, arguments: Sequence[object]) -> dict[str, object]:
    params = parsed_argument(wire.EditArguments, arguments)
    _refuse_preview(session)
    if params.ranges is None:
        return _begin(session, _request_of(session, params))
    group = places.begin(session, _params_of(session, params))
    for edit in group.edits:
        _show_ending_of(session, edit)
    return wire.EditStarted(edit_id=group.id).to_json()


def _repeat(session: Session, arguments: Sequence[object]) -> dict[str, object]:
    params = parsed_argument(wire.RepeatArguments, arguments)
    _refuse_preview(session)
    edit = session.scheduler.get_any(None)
    same = wire.EditArguments(uri=params.uri, range=params.range, instruction=edit.request.first_words)
    return _begin(session, with_instructions_of(edit, _request_of(session, same)))


def _toggle_mode(session: Session, arguments: Sequence[object]) -> None:
    require_no_arguments(arguments)
    session.modes.switch_and_show(session.modes.following)


def _set_mode(session: Session, arguments: Sequence[object]) -> None:
    params = validated(wire.SetModeParams, {"mode": single_argument(arguments)})
    assert isinstance(params, wire.SetModeParams)
    session.modes.switch_and_show(params.mode or session.modes.following)


def _cancel(session: Session, arguments: Sequence[object]) -> None:
    for edit in named_or_newest(session, edit_id_argument(arguments), asks_a_model):
        session.scheduler.cancel(edit)


def _steer(session: Session, arguments: Sequence[object]) -> dict[str, object]:
    params = parsed_argument(wire.SteerArguments, arguments)
    edits = named_or_newest(session, params.edit_id, is_unfinished)
    for edit in edits:
        session.scheduler.steer(edit, params.instruction)
    return wire.EditStarted(edit_id=params.edit_id or edits[0].id).to_json()


def _decide(action: Action) -> Command:
    def run(session: Session, arguments: Sequence[object]) -> None:
        params = parsed_argument(wire.DecideArguments, arguments or [{}])
        edits = (
            named_or_newest(session, params.edit_id, is_in_review)
            if params.hunk is None
            else [single_edit(session, params.edit_id)]
        )

        async def work() -> None:
            match edits:
                case [edit]:
                    await decide(edit, action, params.hunk)
                    session.notifications.edit_decided(edit)
                case _:
                    await places.decide_whole(session, edits, action)

        session.tasks.spawn(work())

    return run


def _decide_offer(action: Literal["take", "dismiss"]) -> Command:
    def run(session: Session, arguments: Sequence[object]) -> None:
        params = parsed_argument(wire.DecideArguments, arguments or [{}])
        (edit,) = named_or_newest(session, params.edit_id, has_offer)

        async def work() -> None:
            await session.scheduler.decide_offer(edit, action, params.hunk)

        session.tasks.spawn(work())

    return run


def _next_variation(session: Session, arguments: Sequence[object]) -> None:
    edit = edit_in_review(session, edit_id_argument(arguments))

    async def work() -> None:
        await session.scheduler.show_next(edit, 1)

    session.tasks.spawn(work())


def _retry(session: Session, arguments: Sequence[object]) -> None:
    params = parsed_argument(wire.RetryArguments, arguments or [{}])
    edit = session.scheduler.get_any(params.edit_id)
    mode = params.mode or (edit.mode if params.scope else other_mode(edit.mode))
    _begin_again(session, edit, mode, wanted=params.scope)


def _apply_anyway(session: Session, arguments: Sequence[object]) -> None:
    _begin_with_answer(session, session.scheduler.get_any(edit_id_argument(arguments)))


def _show_answer(session: Session, arguments: Sequence[object]) -> dict[str, object]:
    edit = session.scheduler.get_any(edit_id_argument(arguments))
    if edit.refused_text is None:
        raise RequestError("that edit has no refused answer")
    check_unchanged(edit, session.channel(edit.uri).document)
    if not session.client.profile.receives_events:  # else the client shows the result itself
        session.notifications.answer_files.show_diff(edit)
    shown = shown_answer_of(edit)
    return wire.ShownAnswer(
        edit_id=edit.id,
        uri=edit.uri,
        version=edit.document.version,
        range=range_to(edit.document.line_range(shown.start, shown.start + shown.count)),
        text="".join(shown.lines),
        message=edit.answer.prose or None,
    ).to_json()


def _review(session: Session, arguments: Sequence[object]) -> None:
    edit = edit_in_review(session, edit_id_argument(arguments))
    begin_review(edit)

    async def work() -> None:
        scheduler = session.scheduler
        try:
            found = await review(edit, session.source, scheduler.delimiters, scheduler.ignore)
        finally:
            edit.decision.is_model_reviewing = False
        if is_in_review(edit):
            session.notifications.diagnostics.add(edit, found)
            session.client.show_message(WARNING if found else INFO, review_summary(found))

    session.tasks.spawn(work())


def _verify(session: Session, arguments: Sequence[object]) -> None:
    edit_id = edit_id_argument(arguments)
    begin_verification(
        session, newest(session, may_verify) if edit_id is None else session.scheduler.get_any(edit_id)
    )


def _mend(session: Session, arguments: Sequence[object]) -> dict[str, object]:
    params = _mend_arguments(arguments)
    edit = (
        newest(session, lambda each: may_mend(session, each))
        if params.edit_id is None
        else session.scheduler.get_any(params.edit_id)
    )
    _refuse_preview(session)
    same = wire.EditArguments(
        uri=edit.uri,
        range=range_to(edit.place.placed_scope().range),
        instruction=MEND_INSTRUCTION,
        mode=params.mode or mending_mode(session, edit),
        scope="selection",
    )
    return _begin(session, mend_request(session, edit, _request_of(session, same)), edit)


async def _update_callers(session: Session, arguments: Sequence[object]) -> dict[str, object]:
    edit = edit_in_review(session, edit_id_argument(arguments))
    _refuse_preview(session)
    group, result = await callers.begin_update(session, edit)
    for each in group.edits if group else ():
        _show_ending_of(session, each)
    return result.to_json()


def _dismiss(session: Session, arguments: Sequence[object]) -> None:
    params = parsed_argument(wire.DismissArguments, arguments)
    session.notifications.diagnostics.dismiss(params.edit_id, params.finding)


async def _show_prompt(session: Session, arguments: Sequence[object]) -> dict[str, object]:
    request = _request_of(session, parsed_argument(wire.EditArguments, arguments), asks_about_notes=False)
    session.workspace.symbols.update()
    preview = await preview_prompt(
        request, session.source, session.scheduler.delimiters, session.settings.ignore
    )
    messages = [wire.PromptMessage(role=each.role, content=each.content) for each in preview.request.messages]
    return wire.PromptResult(
        provider=preview.entry.provider, model=preview.entry.model, messages=messages
    ).to_json()


async def _status(session: Session, arguments: Sequence[object]) -> dict[str, object]:
    require_no_arguments(arguments)
    result = await requests.status(session, wire.StatusParams())
    lanes = {"lightning": result.lanes.lightning, "deep": result.lanes.deep}
    serving = (next(entry for entry in lanes[mode] if entry.ready) for mode in modes_of(result.mode))
    names = " and ".join(f"{entry.provider}/{entry.model}" for entry in serving)
    session.client.show_message(INFO, f"twospeed: {result.mode} on {names}")
    return result.to_json()


COMMANDS: dict[str, Command] = {
    methods.COMMAND_EDIT: _edit,
    methods.COMMAND_TOGGLE_MODE: _toggle_mode,
    methods.COMMAND_SET_MODE: _set_mode,
    methods.COMMAND_CANCEL: _cancel,
    methods.COMMAND_STEER: _steer,
    methods.COMMAND_ACCEPT: _decide("accept"),
    methods.COMMAND_REJECT: _decide("reject"),
    methods.COMMAND_TAKE: _decide_offer("take"),
    methods.COMMAND_DISMISS_OFFER: _decide_offer("dismiss"),
    methods.COMMAND_RETRY: _retry,
    methods.COMMAND_SHOW_ANSWER: _show_answer,
    methods.COMMAND_APPLY_ANYWAY: _apply_anyway,
    methods.COMMAND_REPEAT: _repeat,
    methods.COMMAND_NEXT_VARIATION: _next_variation,
    methods.COMMAND_REVIEW: _review,
    methods.COMMAND_VERIFY: _verify,
    methods.COMMAND_MEND: _mend,
    methods.COMMAND_UPDATE_CALLERS: _update_callers,
    methods.COMMAND_DISMISS: _dismiss,
    methods.COMMAND_STATUS: _status,
    methods.COMMAND_SHOW_PROMPT: _show_prompt,
    methods.COMMAND_COMPLETION_ACCEPTED: inline_completion.accepted,
}


# Edits


def _refuse_preview(session: Session) -> None:
    if session.settings.delivery == "preview":
        raise RpcError(REQUEST_FAILED, "delivery.style is preview, and a command cannot show a preview")


def _request_of(
    session: Session, arguments: wire.EditArguments, *, asks_about_notes: bool = True
) -> EditRequest:
    return request_from(session, _params_of(session, arguments), asks_about_notes=asks_about_notes)


def _params_of(session: Session, arguments: wire.EditArguments) -> wire.EditParams:
    # For the current version of the document, because a command names none.
    return wire.EditParams(
        text_document=wire.VersionedDocument(
            uri=arguments.uri, version=session.channel(arguments.uri).document.version
        ),
        range=arguments.range,
        ranges=arguments.ranges,
        instruction=arguments.instruction,
        mode=arguments.mode,
        scope=arguments.scope,
    )


def _begin(session: Session, request: EditRequest, before: InlineEdit | None = None) -> dict[str, object]:
    edit = requests.begin(session, request)
    if before:  # the edit that this one mends or repeats
        session.notifications.problems.pass_on(before, edit)
    _show_ending_of(session, edit)
    return wire.EditStarted(edit_id=edit.id).to_json()


def _show_ending_of(session: Session, edit: InlineEdit) -> None:
    def show_ending(done: asyncio.Future[Report]) -> None:
        if done.cancelled():
            return
        if error := done.exception():
            session.client.show_message(ERROR, str(error))
        else:
            session.notifications.show_ending(edit, _actions_after(session, edit))

    edit.finished.add_done_callback(show_ending)


def _begin_again(
    session: Session,
    edit: InlineEdit,
    mode: Mode,
    *,
    forced: ForcedAnswer | None = None,
    wanted: wire.ScopeChoice | None = None,
) -> None:
    _refuse_preview(session)  # before the old text is restored
    channel = session.channel(edit.uri)
    check_unchanged(edit, channel.document)

    async def work() -> None:
        first, end = await stop_or_reject(edit, channel, session.scheduler.cancel)
        same = wire.EditArguments(
            uri=edit.uri,
            range=range_to(channel.document.line_range(first, first)),
            instruction=edit.request.first_words,
            mode=mode,
        )
        request = retry_request(edit, _request_of(session, same), first, end, forced, wanted)
        _begin(session, request, edit)

    session.tasks.spawn(work())


def _begin_with_answer(session: Session, edit: InlineEdit) -> None:
    _refuse_preview(session)
    _begin_again(session, edit, edit.mode, forced=forced_answer_of(edit, session.channel(edit.uri).document))


def _open_answer(session: Session, edit: InlineEdit) -> None:
    check_unchanged(edit, session.channel(edit.uri).document)
    session.notifications.answer_files.show_diff(edit)


def _actions_after(session: Session, edit: InlineEdit) -> dict[Step, Callable[[], object]]:
    actions: dict[Step, Callable[[], object]] = {
        "retry": lambda: _begin_again(session, edit, "deep"),
        "show": lambda: _open_answer(session, edit),
        "apply": lambda: _begin_with_answer(session, edit),
    }
    can_show = session.client.profile.shows_documents
    return {step: actions[step] for step in next_steps(edit, can_show=can_show)}


def _mend_arguments(arguments: Sequence[object]) -> wire.RetryArguments:
    if len(arguments) > 2:  # noqa: PLR2004 - the id of an edit and a mode
        raise RpcError(INVALID_PARAMS, "arguments: two at most, the id of an edit and a mode")
    fields = dict(zip(("editId", "mode"), arguments, strict=False))
    params = validated(wire.RetryArguments, fields, name="arguments")
    assert isinstance(params, wire.RetryArguments)
    return params
