"""Suggestions through a real server process over stdio, with the client of pytest-lsp."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, make_test_lsp_client
from tests.lane_config import lane, provider

from twospeed.testing.script import Hang, Script
from twospeed.testing.scripted_server import RecordedRequest, ScriptedServer

pytestmark = pytest.mark.process

URI = "file:///project/shop.py"
COMMENT = "# add the prices of all items"
TEXT = f"import math\n\n\n{COMMENT}\n\n\nprint(math.pi)\n"
CODE = "def total(items):\n    return Decimal(sum(item.price for item in items))"
ANSWER = f"from decimal import Decimal\n\n\n{CODE}\n"
HANGS = "# wait for an answer that never ends"


class Journey:
    """A client with its own text of one document, in ASCII."""

    def __init__(self, client: LanguageClient) -> None:
        self.client = client
        self.text, self.version = TEXT, 1
        self.registered: list[str] = []
        features = client.protocol.fm.features
        features[types.CLIENT_REGISTER_CAPABILITY] = self._register
        features[types.WORKSPACE_APPLY_EDIT] = self._apply
        self.has_edits = asyncio.Event()
        self.is_registered = asyncio.Event()

    def _register(self, params: types.RegistrationParams) -> None:
        self.registered += [each.method for each in params.registrations]
        self.is_registered.set()

    def _apply(self, params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        assert params.edit.document_changes
        change = params.edit.document_changes[0]
        assert isinstance(change, types.TextDocumentEdit)
        if change.text_document.version != self.version:
            return types.ApplyWorkspaceEditResult(applied=False)
        for edit in reversed(change.edits):
            assert isinstance(edit, types.TextEdit)
            self.insert(edit.range, edit.new_text)
        self.has_edits.set()
        return types.ApplyWorkspaceEditResult(applied=True)

    def open(self) -> None:
        item = types.TextDocumentItem(URI, "python", self.version, self.text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def insert(self, where: types.Range, text: str) -> None:
        lines = self.text.split("\n")
        start, end = (
            sum(len(line) + 1 for line in lines[: at.line]) + at.character for at in (where.start, where.end)
        )
        self.text = self.text[:start] + text + self.text[end:]
        self.version += 1
        document = types.VersionedTextDocumentIdentifier(version=self.version, uri=URI)
        change = types.TextDocumentContentChangePartial(range=where, text=text)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))

    def params(self, line: int, character: int, kind: types.InlineCompletionTriggerKind) -> Any:
        return types.InlineCompletionParams(
            types.InlineCompletionContext(kind),
            types.TextDocumentIdentifier(URI),
            types.Position(line, character),
        )

    async def items(
        self,
        line: int,
        character: int,
        kind: types.InlineCompletionTriggerKind = types.InlineCompletionTriggerKind.Automatic,
    ) -> Any:
        result = await self.client.text_document_inline_completion_async(self.params(line, character, kind))
        assert isinstance(result, types.InlineCompletionList)
        return result.items


def answer(request: RecordedRequest) -> Script:
    hangs = HANGS in str(request.body["prompt"])
    return Script("x", faults=(Hang(after_tokens=0),)) if hangs else Script(ANSWER)


@pytest.fixture
async def server() -> AsyncIterator[ScriptedServer]:
    async with ScriptedServer(answer) as provider:
        yield provider


@pytest.fixture
async def journey(tmp_path: Path, server: ScriptedServer) -> AsyncIterator[Journey]:
    path = tmp_path / "config.toml"
    path.write_text(
        "[completion]\nenabled = true\n"
        + lane("completion", "lab")
        + provider("lab", server.base_url, api="completions")
    )
    command = [sys.executable, "-m", "twospeed", "serve", "--stdio"]
    env = {**os.environ, "TWOSPEED_CONFIG": str(path)}
    client = await ClientServerConfig(command, make_test_lsp_client, server_env=env).start()
    assert isinstance(client, LanguageClient)
    journey = Journey(client)
    capabilities = types.ClientCapabilities(
        text_document=types.TextDocumentClientCapabilities(
            inline_completion=types.InlineCompletionClientCapabilities(dynamic_registration=True)
        ),
        workspace=types.WorkspaceClientCapabilities(apply_edit=True),
    )
    await client.initialize_session(types.InitializeParams(capabilities=capabilities, process_id=os.getpid()))
    journey.open()
    yield journey
    await client.shutdown_session()
    await client.stop()


async def test_code_appears_after_a_comment_and_is_accepted(journey: Journey) -> None:
    async with asyncio.timeout(60):
        await journey.is_registered.wait()
        assert journey.registered == ["textDocument/inlineCompletion"]
        (item,) = await journey.items(3, len(COMMENT))
        assert item.insert_text == f"\n{CODE}"
        journey.insert(item.range, item.insert_text)
        await journey.client.workspace_execute_command_async(
            types.ExecuteCommandParams(command=item.command.command, arguments=item.command.arguments)
        )
        await journey.has_edits.wait()
    expected = TEXT.replace(COMMENT, f"{COMMENT}\n{CODE}").replace(
        "import math\n", "import math\nfrom decimal import Decimal\n"
    )
    assert journey.text == expected


async def test_a_newer_request_closes_the_connection_of_the_older_one(
    journey: Journey, server: ScriptedServer
) -> None:
    async with asyncio.timeout(60):
        at = types.Position(5, 0)
        journey.insert(types.Range(at, at), f"{HANGS}\n")
        older = asyncio.ensure_future(journey.items(5, len(HANGS), types.InlineCompletionTriggerKind.Invoked))
        await server.wait_for_requests(1)
        (item,) = await journey.items(3, len(COMMENT))
        assert not await older
        await server.wait_for_disconnects(1)
    assert item.insert_text == f"\n{CODE}"
