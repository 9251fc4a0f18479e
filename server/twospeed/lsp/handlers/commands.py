"""``workspace/executeCommand``. Each command responds at once; an edit that it begins runs in the background."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from lsprotocol import types
from pydantic import BaseModel

from twospeed.edits.after.review import Action, decide
from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.phases import EditState
from twospeed.edits.prompting.prompt_preview import preview_prompt
from twospeed.errors import UnknownEdit
from twospeed.lsp.client.editor_client import INFO
from twospeed.lsp.session.session import Session
from twospeed.lsp.wire.error_codes import INVALID_PARAMS, RpcError
from twospeed.lsp.wire.params import validated
from twospeed.routing.lanes import other_mode
from twospeed_protocol import messages as wire
from twospeed_protocol import methods

from . import command_edits, modes, refused_answers, reviews

Command = Callable[[Session, Sequence[object]], object]
ModelT = TypeVar("ModelT", bound=BaseModel)


def execute(session: Session, params: types.ExecuteCommandParams) -> object:
    """Run a command.

    Raises:
        RpcError: The command is unknown, or its arguments are invalid.
    """
    command = COMMANDS.get(params.command)
    if command is None:
        raise RpcError(INVALID_PARAMS, f"command: there is no command {params.command}")
    return command(session, params.arguments or [])


def _edit(session: Session, arguments: Sequence[object]) -> object:
    return command_edits.start(session, _one(wire.EditArguments, arguments))


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
    wanted = _one(wire.RetryArguments, arguments or [{}])
    edit = session.scheduler.remembered(wanted.edit_id)
    command_edits.retry(session, edit, wanted.mode or other_mode(edit.mode))


def _apply_anyway(session: Session, arguments: Sequence[object]) -> None:
    command_edits.apply_anyway(session, session.scheduler.remembered(_edit_id(arguments)))


def _show_answer(session: Session, arguments: Sequence[object]) -> dict[str, object]:
    return refused_answers.show(session, session.scheduler.remembered(_edit_id(arguments)))


def _review(session: Session, arguments: Sequence[object]) -> None:
    reviews.begin(session, _edit_named(session, arguments, _newest_in_review))


def _dismiss(session: Session, arguments: Sequence[object]) -> None:
    wanted = _one(wire.DismissArguments, arguments)
    session.notifications.diagnostics.dismiss(wanted.edit_id, wanted.finding)


def _repeat(session: Session, arguments: Sequence[object]) -> object:
    return command_edits.repeat(session, _one(wire.RepeatArguments, arguments))


async def _show_prompt(session: Session, arguments: Sequence[object]) -> dict[str, object]:
    request = command_edits.request_of(session, _one(wire.EditArguments, arguments))
    session.workspace.symbols.update()
    request = replace(request, notes=partial(session.workspace.notes.approved, asks=False))
    preview = await preview_prompt(
        request, session.source, session.scheduler.delimiters, session.settings.ignore
    )
    messages = [wire.PromptMessage(role=each.role, content=each.content) for each in preview.request.messages]
    return wire.PromptResult(
        provider=preview.entry.provider, model=preview.entry.model, messages=messages
    ).to_json()


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
    """Return the edit whose id is the argument; without one, the newest of the wanted kind."""
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
