"""The capabilities and the position encoding in the response to ``initialize``.

The client waits for this module at start, so it imports little.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.capabilities import ServerCapabilitiesBuilder

from twospeed_protocol import PROTOCOL_VERSION, methods

if TYPE_CHECKING:
    from collections.abc import Mapping

    from twospeed.text.positions import Encoding

_OPTIONS = {
    types.TEXT_DOCUMENT_CODE_ACTION: types.CodeActionOptions(
        code_action_kinds=[methods.KIND_REWRITE, methods.KIND_QUICKFIX], resolve_provider=False
    ),
    types.TEXT_DOCUMENT_CODE_LENS: types.CodeLensOptions(resolve_provider=False),
}
_METHODS = {
    *_OPTIONS,
    types.TEXT_DOCUMENT_DID_OPEN,
    types.TEXT_DOCUMENT_DID_CHANGE,
    types.TEXT_DOCUMENT_DID_CLOSE,
    types.TEXT_DOCUMENT_DID_SAVE,
    types.WORKSPACE_EXECUTE_COMMAND,
}
"""The methods of `tables.STANDARD` that a capability announces."""

FEATURES = [
    "answers",
    "both",
    "cancel",
    "checks",
    "completion",
    "decide",
    "follows",
    "hunks",
    "imports",
    "notebooks",
    "partialResults",
    "preview",
    "ranges",
    "review",
    "scopes",
    "steer",
    "variations",
]
"""The features of our own protocol."""

EXPERIMENTAL: dict[str, object] = {
    "twospeed": {"protocol": PROTOCOL_VERSION, "modes": ["lightning", "deep"], "features": FEATURES}
}
"""`messages.ServerFeatures` as plain JSON: importing the models takes a quarter of the start-up time."""

_LSP_MODE = "emacs"
"""The client name of lsp-mode, which counts code points whatever it offers (emacs-lsp/lsp-mode#2080, #3958, #4999)."""


def server_capabilities(client: types.ClientCapabilities, encoding: Encoding) -> types.ServerCapabilities:
    """Return the capabilities for a client and the chosen encoding."""
    builder = ServerCapabilitiesBuilder(
        client,
        _METHODS,
        _OPTIONS,
        list(methods.COMMANDS),
        types.TextDocumentSyncKind.Incremental,
        position_encoding=types.PositionEncodingKind(encoding),
    )
    capabilities: types.ServerCapabilities = builder.build()  # type: ignore[no-untyped-call]
    capabilities.experimental = EXPERIMENTAL
    if client.notebook_document is not None:
        all_cells = types.NotebookDocumentFilterWithNotebook("*")
        capabilities.notebook_document_sync = types.NotebookDocumentSyncOptions([all_cells], save=True)
    if client.text_document is None or client.text_document.code_lens is None:
        capabilities.code_lens_provider = None
    return capabilities


def offers_suggestions_at_once(client: types.ClientCapabilities, environ: Mapping[str, str]) -> bool:
    """Return whether ``inlineCompletionProvider`` is announced: the client has it, but no dynamic registration.

    Only then is the config read before the response.
    """
    own = client.text_document.inline_completion if client.text_document else None
    if own is None or own.dynamic_registration:
        return False
    from .session.initialization import user_settings  # noqa: PLC0415 - it imports everything that edits need

    return user_settings(environ)[0].suggests


def choose_encoding(params: types.InitializeParams) -> Encoding:
    """Choose UTF-16, the best tested encoding, if the client offers it or nothing (LSP 3.17, ``positionEncodings``)."""
    if params.client_info and params.client_info.name.lower() == _LSP_MODE:
        return "utf-32"
    general = params.capabilities.general
    offered = (general and general.position_encodings) or ["utf-16"]
    names = [str(getattr(each, "value", each)) for each in offered]
    encodings: tuple[Encoding, ...] = ("utf-16", "utf-8", "utf-32")
    return next((encoding for encoding in encodings if encoding in names), "utf-16")
