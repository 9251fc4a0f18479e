"""Edits through a real server process over stdio, with the client of pytest-lsp."""

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
from tests.lane_config import lab, lane

from twospeed.testing.script import Drop, Script
from twospeed.testing.scripted_server import ScriptedServer

pytestmark = pytest.mark.process

URI = "file:///project/shop.py"
TEXT = """\
def total(items, tax=0.2):
    result = 0
    for item in items:
        result += item.price
    return result * (1 + tax)


def other():
    return 1
"""
NEW = TEXT[: TEXT.index("\n\ndef other")].replace("item.price", "item.price * item.count")
ANSWER = f"Here it is:\n\n```python\n{NEW}```\n"

STREAMING = {"twospeed": {"applyEdit": True, "events": True}}


class Document:
    """The client's own text, changed by LSP edits alone; a plain reading of the specification, ASCII only."""

    def __init__(self, text: str) -> None:
        self.text, self.version = text, 1

    def offset(self, position: Any) -> int:
        lines = self.text.split("\n")
        return sum(len(line) + 1 for line in lines[: position.line]) + position.character

    def apply(self, edits: list[Any]) -> None:
        spans = [(self.offset(e.range.start), self.offset(e.range.end), e.new_text) for e in edits]
        for start, end, new in sorted(spans, reverse=True):
            self.text = self.text[:start] + new + self.text[end:]
        self.version += 1


class Client(LanguageClient):
    """Does what an editor does with edits and progress."""

    document: Document
    progress_values: list[Any]
    edit_methods: list[str]

    def open(self, text: str, language_id: str = "python") -> None:
        self.document = Document(text)
        item = types.TextDocumentItem(uri=URI, language_id=language_id, version=1, text=text)
        self.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))

    def take(self, version: int, edits: list[Any]) -> bool:
        if version != self.document.version:
            return False
        self.document.apply(edits)
        self.tell(
            [types.TextDocumentContentChangePartial(range=e.range, text=e.new_text) for e in reversed(edits)]
        )
        return True

    def tell(self, changes: list[Any]) -> None:
        document = types.VersionedTextDocumentIdentifier(uri=URI, version=self.document.version)
        self.text_document_did_change(
            types.DidChangeTextDocumentParams(text_document=document, content_changes=changes)
        )

    def type(self, line: int, text: str) -> None:
        at = types.Range(types.Position(line, 0), types.Position(line, 0))
        self.document.apply([types.TextEdit(range=at, new_text=text)])
        self.tell([types.TextDocumentContentChangePartial(range=at, text=text)])

    async def ask(self, method: str, params: object) -> Any:
        return await asyncio.wait_for(self.protocol.send_request_async(method, params), 60)

    def edit_params(self, line: int, instruction: str, **more: object) -> dict[str, object]:
        return {
            "textDocument": {"uri": URI, "version": self.document.version},
            "range": {"start": {"line": line, "character": 4}, "end": {"line": line, "character": 4}},
            "instruction": instruction,
            **more,
        }


def make_client() -> LanguageClient:
    client = make_test_lsp_client()
    client.__class__ = Client
    assert isinstance(client, Client)
    client.progress_values, client.edit_methods = [], []
    features = client.protocol.fm.features

    def apply_edit(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        client.edit_methods.append("workspace/applyEdit")
        assert params.edit.document_changes
        change = params.edit.document_changes[0]
        assert isinstance(change, types.TextDocumentEdit)
        assert change.text_document.version is not None
        return types.ApplyWorkspaceEditResult(client.take(change.text_document.version, list(change.edits)))

    def apply_streamed(params: Any) -> dict[str, object]:
        client.edit_methods.append("twospeed/applyEdit")
        edits = [
            types.TextEdit(
                range=types.Range(
                    types.Position(e.range.start.line, e.range.start.character),
                    types.Position(e.range.end.line, e.range.end.character),
                ),
                new_text=e.newText,
            )
            for e in params.edits
        ]
        applied = client.take(params.textDocument.version, edits)
        return {"applied": applied, "version": client.document.version}

    features[types.PROGRESS] = lambda params: client.progress_values.append(params.value)
    features[types.WORKSPACE_APPLY_EDIT] = apply_edit
    features["twospeed/applyEdit"] = apply_streamed
    features["twospeed/editChanged"] = lambda params: None
    features["twospeed/modeChanged"] = lambda params: None
    return client


async def started(tmp_path: Path, config: str = "", experimental: object = None) -> Client:
    path = tmp_path / "config.toml"
    path.write_text(config)
    env = {**os.environ, "TWOSPEED_CONFIG": str(path)}
    command = [sys.executable, "-m", "twospeed", "serve", "--stdio"]
    client = await ClientServerConfig(command, make_client, server_env=env).start()
    assert isinstance(client, Client)
    capabilities = types.ClientCapabilities(experimental=experimental)
    await client.initialize_session(types.InitializeParams(capabilities=capabilities, process_id=os.getpid()))
    return client


async def stopped(client: Client) -> int | None:
    process = client._server
    assert process
    await client.shutdown_session()
    await client.stop()
    return process.returncode


@pytest.fixture
async def stock(tmp_path: Path) -> AsyncIterator[Client]:
    client = await started(tmp_path)
    client.open(TEXT)
    yield client
    assert await stopped(client) == 0


async def test_a_stock_editor_renames_with_the_built_in_engine_and_rejects_it(stock: Client) -> None:
    result = await stock.ask("twospeed/edit", stock.edit_params(1, "rename result to amount"))
    assert (result.outcome, result.provider, result.model) == ("applied", "builtin", "rules")
    renamed = TEXT.replace("result", "amount")
    assert stock.document.text == renamed
    assert stock.edit_methods == ["workspace/applyEdit"]
    await stock.ask("twospeed/decide", {"editId": result.editId, "action": "reject"})
    assert stock.document.text == TEXT


async def test_the_built_in_engine_lists_its_instructions(stock: Client) -> None:
    result = await stock.ask("twospeed/edit", stock.edit_params(1, "make it faster"))
    assert (result.outcome, result.reason.code) == ("refused", "declined")
    assert "rename" in result.reason.message
    assert stock.document.text == TEXT


async def test_a_code_action_is_listed_and_run(stock: Client) -> None:
    await stock.ask("twospeed/edit", stock.edit_params(1, "rename total to order_total"))
    where = types.Range(types.Position(1, 0), types.Position(1, 0))
    params = types.CodeActionParams(
        text_document=types.TextDocumentIdentifier(URI), range=where, context=types.CodeActionContext([])
    )
    actions = await stock.text_document_code_action_async(params)
    assert actions
    (command,) = [each for each in actions if "doc comment" in each.title]
    assert isinstance(command, types.Command)
    arguments = types.ExecuteCommandParams(command=command.command, arguments=command.arguments)
    started_edit: Any = await stock.workspace_execute_command_async(arguments)
    result = await stock.ask("twospeed/status", {})
    while result.edits[-1].outcome is None:
        result = await stock.ask("twospeed/status", {})
    assert result.edits[-1].editId == started_edit["editId"]
    assert result.edits[-1].outcome == "applied"
    assert '"""Order total.' in stock.document.text
    compile(stock.document.text, "shop.py", "exec")


async def test_a_streaming_editor_types_while_a_real_http_stream_comes_in(tmp_path: Path) -> None:
    async with ScriptedServer([Script(ANSWER, tokens_per_second=400)]) as server:
        client = await started(tmp_path, lab(server.base_url), STREAMING)
        client.open(TEXT)
        running = asyncio.ensure_future(client.ask("twospeed/edit", client.edit_params(1, "count them")))
        await server.wait_for_requests()
        client.type(0, "# above\n")
        result = await running
        assert (result.outcome, result.provider, result.model) == ("applied", "lab", "m")
        assert client.document.text == "# above\n" + TEXT.replace("item.price", "item.price * item.count")
        assert set(client.edit_methods) == {"twospeed/applyEdit"}
        assert result.stats.outputTokens > 0
        assert "authorization" not in {name.lower() for name in server.requests[0].headers}
        assert await stopped(client) == 0


async def test_a_preview_streams_partial_results_and_leaves_the_document(tmp_path: Path) -> None:
    async with ScriptedServer([Script(ANSWER)]) as server:
        client = await started(tmp_path, lab(server.base_url))
        client.open(TEXT)
        params = client.edit_params(1, "count them", deliver="preview", partialResultToken="p")
        result = await client.ask("twospeed/edit", params)
        assert client.document.text == TEXT
        kinds = [value["type"] for value in client.progress_values]
        assert (kinds[0], set(kinds[1:])) == ("started", {"edits"})
        assert result.edit.documentChanges[0].textDocument.version == 1
        assert await stopped(client) == 0


async def test_a_dropped_model_connection_restores_the_text_and_the_next_edit_works(tmp_path: Path) -> None:
    answers = [Script(ANSWER, faults=(Drop(after_tokens=20),)), Script(ANSWER)]
    async with ScriptedServer(answers) as server:
        client = await started(tmp_path, lab(server.base_url), STREAMING)
        client.open(TEXT)
        broken = await client.ask("twospeed/edit", client.edit_params(1, "count them"))
        assert broken.outcome == "failed"
        assert client.document.text == TEXT
        result = await client.ask("twospeed/edit", client.edit_params(1, "count them"))
        assert result.outcome == "applied"
        assert await stopped(client) == 0


async def test_cancelling_releases_the_connection_and_the_text(tmp_path: Path) -> None:
    async with ScriptedServer([Script(ANSWER, tokens_per_second=20)]) as server:
        client = await started(tmp_path, lab(server.base_url), STREAMING)
        client.open(TEXT)
        params = client.edit_params(1, "count them", editId="mine")
        running = asyncio.ensure_future(client.ask("twospeed/edit", params))
        await server.wait_for_requests()
        cancelled = await client.ask("twospeed/cancel", {"editId": "mine"})
        assert cancelled.outcome == "cancelled"
        assert (await running).outcome == "cancelled"
        await asyncio.wait_for(server.wait_for_disconnects(), 60)
        assert client.document.text == TEXT
        assert await stopped(client) == 0


async def test_the_mode_is_toggled_and_chooses_the_lane(tmp_path: Path) -> None:
    async with ScriptedServer([Script(ANSWER)]) as server:
        deep = lane("deep", "lab", "thinker")
        client = await started(tmp_path, deep + lab(server.base_url))
        client.open(TEXT)
        state = await client.ask("twospeed/setMode", {})
        assert (state.mode, state.deep.model, state.lightning.model) == ("deep", "thinker", "m")
        result = await client.ask("twospeed/edit", client.edit_params(1, "count them"))
        assert (result.mode, result.model) == ("deep", "thinker")
        assert await stopped(client) == 0


async def run_server(data: bytes) -> tuple[int | None, bytes, bytes]:
    process = await asyncio.create_subprocess_exec(
        *[sys.executable, "-m", "twospeed", "serve"],
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await asyncio.wait_for(process.communicate(data), 60)
    return process.returncode, out, err


async def test_the_end_of_input_ends_the_server() -> None:
    assert await run_server(b"") == (0, b"", b"")


@pytest.mark.security("R11.1")
async def test_a_client_with_another_protocol_gets_one_line_and_ends_the_process() -> None:
    status, out, err = await run_server(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert (status, out) == (2, b"")
    assert err.count(b"\n") == 1
    assert b"Traceback" not in err


@pytest.mark.security("R2.4")
async def test_modules_in_the_working_folder_are_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("json", "orjson", "pygls", "sitecustomize"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('imported from the workspace')\n")
    monkeypatch.chdir(tmp_path)
    script = Path(sys.executable).with_name("twospeed")
    command = [str(script)] if script.exists() else [sys.executable, "-P", "-m", "twospeed"]
    process = await asyncio.create_subprocess_exec(
        *[*command, "serve"],
        stdin=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    _, err = await asyncio.wait_for(process.communicate(), 60)
    assert (process.returncode, err) == (0, b"")
