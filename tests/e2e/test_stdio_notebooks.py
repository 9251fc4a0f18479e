"""A cell of a notebook edited through a real server process over stdio, with the client of pytest-lsp."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pytest_lsp import ClientServerConfig
from tests.e2e.test_stdio_scenarios import ANSWER, STREAMING, TEXT, Client, Document, make_client, stopped
from tests.lane_config import lab

from twospeed.testing.script import Script
from twospeed.testing.scripted_server import ScriptedServer

pytestmark = pytest.mark.process

NOTEBOOK = "file:///project/sales.ipynb"
CELL = "vscode-notebook-cell:/project/sales.ipynb#W1"
ABOVE = "vscode-notebook-cell:/project/sales.ipynb#W0"
EDITED = TEXT.replace("item.price", "item.price * item.count")


class NotebookClient(Client):
    """Keeps the text of one cell, and reports its changes as those of a notebook."""

    n_changes = 0

    def open_notebook(self) -> None:
        texts = {ABOVE: "RATE = 0.2\n", CELL: TEXT}
        self.document = Document(TEXT)
        cells = [types.NotebookCell(kind=types.NotebookCellKind.Code, document=uri) for uri in texts]
        self.notebook_document_did_open(
            types.DidOpenNotebookDocumentParams(
                types.NotebookDocument(NOTEBOOK, "jupyter-notebook", 1, cells),
                [types.TextDocumentItem(uri, "python", 1, text) for uri, text in texts.items()],
            )
        )

    def tell(self, changes: list[Any]) -> None:
        document = types.VersionedTextDocumentIdentifier(uri=CELL, version=self.document.version)
        content = types.NotebookDocumentCellContentChanges(document, changes)
        self.change_cells(types.NotebookDocumentCellChanges(text_content=[content]))

    def delete_cell(self) -> None:
        array = types.NotebookCellArrayChange(start=1, delete_count=1)
        closed = [types.TextDocumentIdentifier(CELL)]
        structure = types.NotebookDocumentCellChangeStructure(array, did_close=closed)
        self.change_cells(types.NotebookDocumentCellChanges(structure=structure))

    def change_cells(self, cells: types.NotebookDocumentCellChanges) -> None:
        self.n_changes += 1
        self.notebook_document_did_change(
            types.DidChangeNotebookDocumentParams(
                types.VersionedNotebookDocumentIdentifier(1 + self.n_changes, NOTEBOOK),
                types.NotebookDocumentChangeEvent(cells=cells),
            )
        )

    def cell_params(self, line: int, instruction: str) -> dict[str, object]:
        document = {"uri": CELL, "version": self.document.version}
        return {**self.edit_params(line, instruction), "textDocument": document}


async def started(tmp_path: Path, server: ScriptedServer, experimental: object) -> NotebookClient:
    (tmp_path / "config.toml").write_text(lab(server.base_url))
    environ = {**os.environ, "TWOSPEED_CONFIG": str(tmp_path / "config.toml")}
    command = [sys.executable, "-m", "twospeed", "serve", "--stdio"]
    client = await ClientServerConfig(command, make_client, server_env=environ).start()
    client.__class__ = NotebookClient
    assert isinstance(client, NotebookClient)
    synchronization = types.NotebookDocumentSyncClientCapabilities()
    capabilities = types.ClientCapabilities(
        notebook_document=types.NotebookDocumentClientCapabilities(synchronization), experimental=experimental
    )
    result = await client.initialize_session(
        types.InitializeParams(capabilities=capabilities, process_id=os.getpid())
    )
    assert result.capabilities.notebook_document_sync is not None
    return client


@pytest.mark.parametrize("experimental", [STREAMING, None], ids=["streaming", "stock"])
async def test_a_cell_is_edited_while_the_user_types(tmp_path: Path, experimental: object) -> None:
    async with ScriptedServer([Script(ANSWER, tokens_per_second=400)]) as server:
        client = await started(tmp_path, server, experimental)
        client.open_notebook()
        running = asyncio.ensure_future(client.ask("twospeed/edit", client.cell_params(1, "count them")))
        await server.wait_for_requests()
        client.type(0, "# above\n")
        result = await running
        assert result.outcome == "applied"
        assert client.document.text == "# above\n" + EDITED
        assert "RATE = 0.2" in json.dumps(server.requests[0].body)
        assert await stopped(client) == 0


async def test_deleting_a_cell_ends_its_edit(tmp_path: Path) -> None:
    async with ScriptedServer([Script(ANSWER, tokens_per_second=20)]) as server:
        client = await started(tmp_path, server, STREAMING)
        client.open_notebook()
        running = asyncio.ensure_future(client.ask("twospeed/edit", client.cell_params(1, "count them")))
        await server.wait_for_requests()
        client.delete_cell()
        result = await running
        assert (result.outcome, result.reason.code) == ("cancelled", "closed")
        await asyncio.wait_for(server.wait_for_disconnects(), 60)
        assert await stopped(client) == 0
