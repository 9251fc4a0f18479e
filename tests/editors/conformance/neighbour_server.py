"""Another language server, such as everybody has beside ours: it keeps every open document, and tells what it has.

``python neighbour_server.py SOCKET`` serves on stdio. To the Unix socket it writes lines of JSON,
``{"uri": …, "text": …}``, whenever a document is opened or has changed. It is made with pygls and nothing of twospeed.
"""

from __future__ import annotations

import json
import socket
import sys

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.workspace import PositionCodec

NAME = "neighbour"
LSP_MODE = "emacs"
"""How lsp-mode calls itself, which counts code points whatever it was told."""

ACTION = "Greet the neighbour"


def make_server(path: str) -> LanguageServer:
    """Make the server that tells on this socket."""
    server = LanguageServer(NAME, "1", text_document_sync_kind=types.TextDocumentSyncKind.Incremental)
    listener = socket.socket(socket.AF_UNIX)
    listener.connect(path)

    def tell(uri: str) -> None:
        text = server.workspace.get_text_document(uri).source
        listener.sendall(json.dumps({"uri": uri, "text": text}).encode() + b"\n")

    @server.feature(types.INITIALIZE)
    def _(params: types.InitializeParams) -> None:
        if params.client_info and params.client_info.name == LSP_MODE:
            server.workspace._position_codec = PositionCodec(types.PositionEncodingKind.Utf32)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def _(params: types.DidOpenTextDocumentParams) -> None:
        tell(params.text_document.uri)
        here = types.Range(types.Position(0, 0), types.Position(0, 1))
        found = types.Diagnostic(here, "a line", types.DiagnosticSeverity.Hint, source=NAME)
        server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(params.text_document.uri, [found])
        )

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def _(params: types.DidChangeTextDocumentParams) -> None:
        tell(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION)
    def _(_: types.CodeActionParams) -> list[types.CodeAction]:
        return [types.CodeAction(ACTION, types.CodeActionKind.RefactorRewrite)]

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def _(_: types.HoverParams) -> types.Hover:
        return types.Hover("a neighbour")

    return server


if __name__ == "__main__":
    make_server(sys.argv[1]).start_io()
