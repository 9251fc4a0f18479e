"""The function that handles each message: start reading here.

The handlers import everything that works on edits. They are loaded with the session, after the response to ``initialize``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lsprotocol import types
from pydantic import BaseModel

from twospeed_protocol import messages as wire
from twospeed_protocol import methods

from .handlers import code_actions, code_lenses, commands, documents, edits, modes, progress
from .wire.params import validated

__all__ = ["OURS", "STANDARD", "validated"]

Handler = Callable[[Any, Any], object]
"""``(session, params)`` to a result, or an awaitable of one."""

OURS: dict[str, tuple[type[BaseModel], Handler]] = {
    methods.EDIT: (wire.EditParams, edits.edit),
    methods.PREPARE: (wire.PrepareParams, edits.prepare),
    methods.STEER: (wire.SteerParams, edits.steer),
    methods.CANCEL: (wire.CancelParams, edits.cancel),
    methods.DECIDE: (wire.DecideParams, edits.decide),
    methods.VARIATION: (wire.VariationParams, edits.variation),
    methods.SCOPES: (wire.ScopesParams, edits.scopes),
    methods.SET_MODE: (wire.SetModeParams, modes.set_mode),
    methods.STATUS: (wire.StatusParams, modes.status),
}
"""Params model and handler of each request of our own."""

STANDARD: dict[str, Handler] = {
    types.TEXT_DOCUMENT_DID_OPEN: documents.did_open,
    types.TEXT_DOCUMENT_DID_CHANGE: documents.did_change,
    types.TEXT_DOCUMENT_DID_CLOSE: documents.did_close,
    types.TEXT_DOCUMENT_DID_SAVE: documents.did_save,
    types.TEXT_DOCUMENT_CODE_ACTION: code_actions.code_action,
    types.TEXT_DOCUMENT_CODE_LENS: code_lenses.code_lens,
    types.WORKSPACE_DID_CHANGE_CONFIGURATION: documents.did_change_configuration,
    types.WORKSPACE_DID_CHANGE_WATCHED_FILES: documents.did_change_watched_files,
    types.WORKSPACE_EXECUTE_COMMAND: commands.execute,
    types.WINDOW_WORK_DONE_PROGRESS_CANCEL: progress.work_done_progress_cancel,
}
"""Handler of each request and notification of LSP, which takes lsprotocol's params."""
