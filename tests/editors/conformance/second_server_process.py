"""A second language server, as users have one in addition to twospeed: it reports the text of each open document.

``python second_server_process.py SOCKET`` serves on stdio. To the Unix socket it writes lines of JSON,
``{"uri": …, "text": …}``, when a document is opened or changed. It uses pygls and no code of twospeed.
"""

from __future__ import annotations

import json
import socket
import sys

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.workspace import PositionCodec

NAME = "second-server"
LSP_MODE = "emacs"
"""The client name of lsp-mode, which counts code points whatever encoding was negotiated."""

ACTION = "Greet the second server"


def make_server(path: str) -> LanguageServer:
    """Create the server that reports to this socket."""
    server = LanguageServer(NAME, "1", text_document_sync_kind=types.TextDocumentSyncKind.Incremental)
    listener = socket.socket(socket.AF_UNIX)
    listener.connect(path)

    def report(uri: str) -> None:
        text = server.workspace.get_text_document(uri).source
        listener.sendall(json.dumps({"uri": uri, "text": text}).encode() + b"\n")

    @server.feature(types.INITIALIZE)
    def _(params: types.InitializeParams) -> None:
        if params.client_info and params.client_info.name == LSP_MODE:
            server.workspace._position_codec = PositionCodec(types.PositionEncodingKind.Utf32)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def _(params: types.DidOpenTextDocumentParams) -> None:
        report(params.text_document.uri)
        here = types.Range(types.Position(0, 0), types.Position(0, 1))
        diagnostic = types.Diagnostic(here, "a line", types.DiagnosticSeverity.Hint, source=NAME)
        server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(params.text_document.uri, [diagnostic])
        )

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def _(params: types.DidChangeTextDocumentParams) -> None:
        report(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION)
    def _(_: types.CodeActionParams) -> list[types.CodeAction]:
        return [types.CodeAction(ACTION, types.CodeActionKind.RefactorRewrite)]

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def _(_: types.HoverParams) -> types.Hover:
        return types.Hover("a second server")

    return server


if __name__ == "__main__":
    make_server(sys.argv[1]).start_io()
