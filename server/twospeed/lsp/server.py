"""Build one connection's server, and announce its capabilities.

The editor waits for this module at start, so it imports little. The handlers are in `tables`, loaded after the response to
``initialize``.
"""

from __future__ import annotations

from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from twospeed import __version__
from twospeed_protocol import PROTOCOL_VERSION, methods

from .protocol import ConnectionOptions, TwospeedProtocol
from .wire.structuring import shared_converter

ANNOUNCED: dict[str, Any] = {
    types.TEXT_DOCUMENT_DID_OPEN: None,
    types.TEXT_DOCUMENT_DID_CHANGE: None,
    types.TEXT_DOCUMENT_DID_CLOSE: None,
    types.TEXT_DOCUMENT_DID_SAVE: None,
    types.TEXT_DOCUMENT_CODE_ACTION: types.CodeActionOptions(
        code_action_kinds=[methods.KIND_REWRITE, methods.KIND_QUICKFIX], resolve_provider=False
    ),
    types.TEXT_DOCUMENT_CODE_LENS: types.CodeLensOptions(resolve_provider=False),
    types.WORKSPACE_DID_CHANGE_CONFIGURATION: None,
    types.WORKSPACE_DID_CHANGE_WATCHED_FILES: None,
    types.WORKSPACE_EXECUTE_COMMAND: None,
    types.WINDOW_WORK_DONE_PROGRESS_CANCEL: None,
}
"""What of LSP is handled, with the options that pygls announces; `tables.STANDARD` says by whom."""

FEATURES = [
    "answers",
    "cancel",
    "decide",
    "follows",
    "hunks",
    "partialResults",
    "preview",
    "review",
    "scopes",
    "steer",
    "variations",
]
"""What of our own protocol is built."""

EXPERIMENTAL: dict[str, object] = {
    "twospeed": {"protocol": PROTOCOL_VERSION, "modes": ["lightning", "deep"], "features": FEATURES}
}
"""`wire.ServerFeatures` as plain JSON: the models take a quarter of the start-up."""


def create_server(options: ConnectionOptions) -> TwospeedProtocol:
    """Build the server of one connection; return its protocol, which receives message bodies."""
    server = LanguageServer(
        "twospeed",
        __version__,
        text_document_sync_kind=types.TextDocumentSyncKind.Incremental,
        protocol_cls=TwospeedProtocol,
        converter_factory=shared_converter,
    )
    protocol = server.protocol
    assert isinstance(protocol, TwospeedProtocol)
    for method, method_options in ANNOUNCED.items():  # pygls announces what it knows; dispatch is ours
        if method not in protocol.fm.builtin_features:
            protocol.fm.feature(method, method_options)(_announced)
    for command in methods.COMMANDS:
        protocol.fm.command(command)(_announced)
    protocol.experimental = EXPERIMENTAL
    protocol.options = options
    return protocol


def _announced(*_: object) -> None:
    """Registered with pygls so that it announces the capability; `TwospeedProtocol` calls the real handler."""
