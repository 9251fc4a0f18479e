"""A second language server that finds references by text: each occurrence of the word in the Python files of its folder.

``python reference_server.py`` serves on stdio. It uses pygls and no code of twospeed.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from urllib.parse import unquote, urlparse

from lsprotocol import types
from pygls.lsp.server import LanguageServer

NAME = "references"
COMMAND = [sys.executable, "-P", __file__]


def make_server() -> LanguageServer:
    """Create the server."""
    server = LanguageServer(NAME, "1", text_document_sync_kind=types.TextDocumentSyncKind.Incremental)

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    def _(params: types.ReferenceParams) -> list[types.Location]:
        document = server.workspace.get_text_document(params.text_document.uri)
        word = document.word_at_position(params.position)
        folder = Path(unquote(urlparse(document.uri).path)).parent
        return [
            types.Location(
                path.as_uri(),
                types.Range(types.Position(line, match.start()), types.Position(line, match.end())),
            )
            for path in sorted(folder.glob("*.py"))
            for line, text in enumerate(server.workspace.get_text_document(path.as_uri()).lines)
            for match in re.finditer(rf"\b{word}\b", text)
        ]

    return server


if __name__ == "__main__":
    make_server().start_io()
