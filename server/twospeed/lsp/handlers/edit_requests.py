"""Build the request of an edit from the params of a client."""

from __future__ import annotations

from functools import partial

from twospeed.delivery import style_for
from twospeed.edits.after.next_steps import previous_edit_of
from twospeed.edits.prompting.request_lines import check_instruction, comment_line_at
from twospeed.edits.values import Deepening, EditRequest
from twospeed.errors import InvalidRequest
from twospeed.lsp.notebooks.cells_above import lines_above
from twospeed.lsp.session.session import Session
from twospeed.lsp.wire.convert import selection_from
from twospeed.routing import ModeChoice, modes_of
from twospeed_protocol import messages as wire


def request_from(
    session: Session, params: wire.EditParams, *, asks_about_notes: bool = True, field: str = "range"
) -> EditRequest:
    """Build the request of an edit of one place; raises `RequestError` if a parameter is invalid."""
    if params.range is None:
        raise InvalidRequest("says which lines to edit; it is missing", field="range")
    channel = session.channel(params.text_document.uri, version=params.text_document.version)
    document = channel.document
    is_preview = params.deliver == "preview"
    instruction = check_instruction(params.instruction, n_answers=params.variations, is_preview=is_preview)
    selection = selection_from(document, params.range, field=field)
    notes = session.workspace.notes.approved
    choice = params.mode or session.mode
    style = style_for(session.settings.delivery, channel.behavior, has_changed=channel.has_changed)
    return EditRequest(
        document=document,
        selection=selection,
        instruction=instruction,
        mode=modes_of(choice)[0],
        choice=params.scope or session.settings.scope,
        style="preview" if is_preview else style,
        diagnostics=tuple(_messages_of(params.context)),
        imports=session.settings.imports,
        comment_line=comment_line_at(document, selection[0][0], instruction),
        follows=previous_edit_of(session.scheduler.get_any(params.follows)) if params.follows else None,
        edit_id=params.edit_id,
        n_answers=params.variations,
        deepening=_deepening(session, choice),
        path=session.workspace.paths.of(document.uri),
        real_path=session.workspace.paths.real_of(document.uri),
        definitions_of=session.workspace.symbols.definitions_of,
        wait_until_indexed=session.workspace.symbols.wait_until_indexed,
        fingerprinted=session.workspace.symbols.fingerprinted,
        notes=notes if asks_about_notes else partial(notes, asks=False),
        cells_above=lines_above(session, document),
        formatter=session.commands.formatter_of(document),
    )


def _deepening(session: Session, choice: ModeChoice) -> Deepening | None:
    """Return why a deep answer is requested too; ``None`` if it is not."""
    settings = session.settings
    if choice == "both":
        return Deepening("always", is_asked=True, sees_draft=settings.deep_sees_draft)
    if choice == "deep" or settings.deepen_when not in ("sensitive", "always"):
        return None
    return Deepening(settings.deepen_when, is_asked=False, sees_draft=settings.deep_sees_draft)


def _messages_of(context: wire.EditContext) -> list[str]:
    messages = (diagnostic.get("message") for diagnostic in context.diagnostics)
    return [message for message in messages if isinstance(message, str)]
