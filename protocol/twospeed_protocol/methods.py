"""Names of methods, commands and code action kinds."""

from __future__ import annotations

from typing import Final

# Requests, client to server
EDIT: Final = "twospeed/edit"
PREPARE: Final = "twospeed/prepare"
STEER: Final = "twospeed/steer"
CANCEL: Final = "twospeed/cancel"
DECIDE: Final = "twospeed/decide"
VARIATION: Final = "twospeed/variation"
DIAGNOSTICS: Final = "twospeed/diagnostics"
SCOPES: Final = "twospeed/scopes"
SET_MODE: Final = "twospeed/setMode"
STATUS: Final = "twospeed/status"

# Server to client: requests to clients that announced their names, notifications to those that announced `events`
APPLY_EDIT: Final = "twospeed/applyEdit"
OPEN_DOCUMENT: Final = "twospeed/openDocument"
REFERENCES: Final = "twospeed/references"
MODE_CHANGED: Final = "twospeed/modeChanged"
EDIT_CHANGED: Final = "twospeed/editChanged"

# Commands, run by way of LSP's own request for commands
COMMAND_EDIT: Final = "twospeed.edit"
COMMAND_TOGGLE_MODE: Final = "twospeed.toggleMode"
COMMAND_SET_MODE: Final = "twospeed.setMode"
COMMAND_CANCEL: Final = "twospeed.cancel"
COMMAND_STEER: Final = "twospeed.steer"
COMMAND_ACCEPT: Final = "twospeed.accept"
COMMAND_REJECT: Final = "twospeed.reject"
COMMAND_TAKE: Final = "twospeed.take"
COMMAND_DISMISS_OFFER: Final = "twospeed.dismissOffer"
COMMAND_RETRY: Final = "twospeed.retry"
COMMAND_SHOW_ANSWER: Final = "twospeed.showAnswer"
COMMAND_APPLY_ANYWAY: Final = "twospeed.applyAnyway"
COMMAND_REPEAT: Final = "twospeed.repeat"
COMMAND_NEXT_VARIATION: Final = "twospeed.nextVariation"
COMMAND_REVIEW: Final = "twospeed.review"
COMMAND_VERIFY: Final = "twospeed.verify"
COMMAND_MEND: Final = "twospeed.mend"
COMMAND_UPDATE_CALLERS: Final = "twospeed.updateCallers"
COMMAND_DISMISS: Final = "twospeed.dismiss"
COMMAND_STATUS: Final = "twospeed.status"
COMMAND_SHOW_PROMPT: Final = "twospeed.showPrompt"
COMMAND_COMPLETION_ACCEPTED: Final = "twospeed.completionAccepted"

COMMANDS: Final = (
    COMMAND_EDIT,
    COMMAND_TOGGLE_MODE,
    COMMAND_SET_MODE,
    COMMAND_CANCEL,
    COMMAND_STEER,
    COMMAND_ACCEPT,
    COMMAND_REJECT,
    COMMAND_TAKE,
    COMMAND_DISMISS_OFFER,
    COMMAND_RETRY,
    COMMAND_SHOW_ANSWER,
    COMMAND_APPLY_ANYWAY,
    COMMAND_REPEAT,
    COMMAND_NEXT_VARIATION,
    COMMAND_REVIEW,
    COMMAND_VERIFY,
    COMMAND_MEND,
    COMMAND_UPDATE_CALLERS,
    COMMAND_DISMISS,
    COMMAND_STATUS,
    COMMAND_SHOW_PROMPT,
    COMMAND_COMPLETION_ACCEPTED,
)

KIND_REWRITE: Final = "refactor.rewrite.twospeed"
KIND_QUICKFIX: Final = "quickfix.twospeed"
