"""A second language server that reports errors, as a type checker does: the name of each ``missing_…`` is not defined.

``python problem_server.py`` serves on stdio. It publishes after a pause, and uses pygls and no code of twospeed.
"""

from __future__ import annotations

import asyncio
import re
import sys

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.workspace import PositionCodec

NAME = "problems"
LSP_MODE = "emacs"
"""The client name of lsp-mode, which counts code points whatever encoding was negotiated."""

PAUSE_S = 0.2
COMMAND = [sys.executable, "-P", __file__]

_MISSING = re.compile(r"missing_\w+")


def make_server() -> LanguageServer:
    """Create the server."""
    server = LanguageServer(NAME, "1", text_document_sync_kind=types.TextDocumentSyncKind.Incremental)

    @server.feature(types.INITIALIZE)
    def _(params: types.InitializeParams) -> None:
        if params.client_info and params.client_info.name == LSP_MODE:
            server.workspace._position_codec = PositionCodec(types.PositionEncodingKind.Utf32)

    async def publish(uri: str) -> None:
        await asyncio.sleep(PAUSE_S)
        document = server.workspace.get_text_document(uri)
        found = [
            types.Diagnostic(
                types.Range(types.Position(line, match.start()), types.Position(line, match.end())),
                f"{match[0]} is not defined",
                types.DiagnosticSeverity.Error,
                source=NAME,
            )
            for line, text in enumerate(document.lines)
            for match in _MISSING.finditer(text)
        ]
        server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found))

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def _(params: types.DidOpenTextDocumentParams) -> None:
        await publish(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def _(params: types.DidChangeTextDocumentParams) -> None:
        await publish(params.text_document.uri)

    return server


if __name__ == "__main__":
    make_server().start_io()
