"""The handler of each message; loaded with the session, because handlers import everything that edits need."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lsprotocol import types
from pydantic import BaseModel

from twospeed_protocol import messages as wire
from twospeed_protocol import methods

from .handlers import code_actions, commands, inline_completion, notifications, problems, requests
from .notebooks import notifications as notebooks
from .wire.params import validated

__all__ = ["OURS", "STANDARD", "validated"]

Handler = Callable[[Any, Any], object]
"""A function of session and params that returns a result, or an awaitable of one."""

OURS: dict[str, tuple[type[BaseModel], Handler]] = {
    methods.EDIT: (wire.EditParams, requests.edit),
    methods.PREPARE: (wire.PrepareParams, requests.prepare),
    methods.STEER: (wire.SteerParams, requests.steer),
    methods.CANCEL: (wire.CancelParams, requests.cancel),
    methods.DECIDE: (wire.DecideParams, requests.decide),
    methods.VARIATION: (wire.VariationParams, requests.variation),
    methods.DIAGNOSTICS: (wire.DiagnosticsParams, problems.diagnostics),
    methods.SCOPES: (wire.ScopesParams, requests.scopes),
    methods.SET_MODE: (wire.SetModeParams, requests.set_mode),
    methods.STATUS: (wire.StatusParams, requests.status),
}
"""Params model and handler of each request of our own protocol."""

STANDARD: dict[str, Handler] = {
    types.TEXT_DOCUMENT_DID_OPEN: notifications.did_open,
    types.TEXT_DOCUMENT_DID_CHANGE: notifications.did_change,
    types.TEXT_DOCUMENT_DID_CLOSE: notifications.did_close,
    types.TEXT_DOCUMENT_DID_SAVE: notifications.did_save,
    types.NOTEBOOK_DOCUMENT_DID_OPEN: notebooks.did_open,
    types.NOTEBOOK_DOCUMENT_DID_CHANGE: notebooks.did_change,
    types.NOTEBOOK_DOCUMENT_DID_CLOSE: notebooks.did_close,
    types.NOTEBOOK_DOCUMENT_DID_SAVE: notebooks.did_save,
    types.TEXT_DOCUMENT_CODE_ACTION: code_actions.code_action,
    types.TEXT_DOCUMENT_CODE_LENS: code_actions.code_lens,
    types.TEXT_DOCUMENT_INLINE_COMPLETION: inline_completion.inline_completion,
    types.WORKSPACE_DID_CHANGE_CONFIGURATION: notifications.did_change_configuration,
    types.WORKSPACE_DID_CHANGE_WATCHED_FILES: notifications.did_change_watched_files,
    types.WORKSPACE_EXECUTE_COMMAND: commands.execute,
    types.WINDOW_WORK_DONE_PROGRESS_CANCEL: notifications.work_done_progress_cancel,
}
"""Handler of each request and notification of LSP."""
