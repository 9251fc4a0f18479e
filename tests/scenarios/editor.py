"""A small editor in the same process that speaks JSON-RPC with the server and keeps its own text.

It applies edits with its own reading of the specification, at exactly their version or not at all, and reports its
changes the way editors do. What it says yes to, when, and in which order, a test can change.
"""

from __future__ import annotations

import asyncio
import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import orjson

from twospeed.lsp.protocol import ConnectionOptions, TwospeedProtocol
from twospeed.lsp.wire.framing import FrameDecoder, encode_frame
from twospeed.models.base import Model

URI = "file:///project/shop.py"

STREAMING = {"experimental": {"twospeed": {"applyEdit": True, "events": True}}}
LITERALS: dict[str, Any] = {
    "textDocument": {"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}}}
}


class RequestFailed(Exception):
    """The server responded with an error."""

    def __init__(self, error: Mapping[str, Any]) -> None:
        super().__init__(f"{error['code']}: {error['message']}")
        self.code: int = error["code"]
        self.message: str = error["message"]


def offset_of(text: str, line: int, character: int) -> int:
    """Return an offset in UTF-16, as the specification counts."""
    starts = [0, *(match.end() for match in re.finditer(r"\r\n|\n|\r", text))]
    start = starts[line]
    body = re.split(r"\r\n|\n|\r", text[start:], maxsplit=1)[0]
    raw = body.encode("utf-16-le")
    assert character * 2 <= len(raw), "a position of the server is behind the end of its line"
    return start + len(raw[: character * 2].decode("utf-16-le"))


@dataclass
class Buffer:
    """One open document."""

    uri: str
    text: str
    version: int = 1

    def apply(self, edits: Sequence[Mapping[str, Any]]) -> None:
        spans = []
        for edit in edits:
            start, end = edit["range"]["start"], edit["range"]["end"]
            spans.append(
                (
                    offset_of(self.text, start["line"], start["character"]),
                    offset_of(self.text, end["line"], end["character"]),
                    edit["newText"],
                )
            )
        for (_, end, _), (start, _, _) in itertools.pairwise(spans):
            assert end <= start, "edits overlap"
        for start, end, new in reversed(spans):
            self.text = self.text[:start] + new + self.text[end:]
        self.version += 1


@dataclass
class Editor:
    """The client's side of one connection. ``async with await Editor.started(…) as editor``."""

    capabilities: Mapping[str, Any]
    environ: Mapping[str, str] = field(default_factory=dict)
    buffers: dict[str, Buffer] = field(default_factory=dict)
    notifications: list[tuple[str, Any]] = field(default_factory=list)
    requests: list[tuple[str, Any]] = field(default_factory=list)
    before_apply: Callable[[Editor], None] | None = None
    answer: Callable[[str, Any], Any] | None = None
    initialized: Mapping[str, Any] = field(default_factory=dict)
    news: asyncio.Condition = field(default_factory=asyncio.Condition)
    server: TwospeedProtocol = field(init=False)
    _decoder: FrameDecoder = field(default_factory=FrameDecoder)
    _waiting: dict[object, asyncio.Future[Any]] = field(default_factory=dict)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)
    _next_id: int = 0

    @classmethod
    async def started(
        cls,
        capabilities: Mapping[str, Any] | None = None,
        *,
        environ: Mapping[str, str] | None = None,
        options: object = None,
        root: str | None = None,
        name: str | None = None,
    ) -> Self:
        editor = cls(capabilities or {}, environ or {})
        editor.server = TwospeedProtocol(ConnectionOptions(editor.environ, editor._receive))
        params = {
            "processId": None,
            "rootUri": root,
            "capabilities": editor.capabilities,
            "initializationOptions": options,
            **({"clientInfo": {"name": name}} if name else {}),
        }
        editor.initialized = await editor.request("initialize", params)
        editor.notify("initialized", {})
        return editor

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.server.aclose()

    # The line

    def send(self, message: Mapping[str, Any]) -> None:
        for body in FrameDecoder().receive_bytes(encode_frame(orjson.dumps(message))):
            self.server.receive_body(body)

    def notify(self, method: str, params: object) -> None:
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def ask(self, method: str, params: object) -> tuple[int, asyncio.Future[Any]]:
        self._next_id += 1
        future = asyncio.get_running_loop().create_future()
        self._waiting[self._next_id] = future
        request_id = self._next_id
        self.send({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})
        return request_id, future

    async def request(self, method: str, params: object) -> Any:
        async with asyncio.timeout(60):
            return await self.ask(method, params)[1]

    def _receive(self, frame: bytes) -> None:
        for body in self._decoder.receive_bytes(frame):
            message = orjson.loads(body)
            if "method" not in message:
                future = self._waiting.pop(message["id"], None)
                assert future is not None, f"an answer nobody asked for: {message}"
                if "error" in message:
                    future.set_exception(RequestFailed(message["error"]))
                else:
                    future.set_result(message["result"])
            elif "id" in message:
                self.requests.append((message["method"], message["params"]))
                asyncio.get_running_loop().call_soon(self._answer_request, message)
            else:
                self.notifications.append((message["method"], message["params"]))
                self._tell()

    def _tell(self) -> None:
        async def tell() -> None:
            async with self.news:
                self.news.notify_all()

        task = asyncio.ensure_future(tell())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _answer_request(self, message: Mapping[str, Any]) -> None:
        method, params = message["method"], message["params"]
        try:
            given = None if self.answer is None else self.answer(method, params)
        except RequestFailed as error:
            self.send(
                {
                    "jsonrpc": "2.0",
                    "id": message["id"],
                    "error": {"code": error.code, "message": error.message},
                }
            )
            return
        if given is ...:
            return  # it never responds
        if given is not None:
            result = given
        elif method == "workspace/applyEdit":
            result = {"applied": self._apply_workspace_edit(params["edit"])}
        elif method == "twospeed/applyEdit":
            result = self._apply_streamed(params)
        elif method == "workspace/configuration":
            result = [None for _ in params["items"]]
        else:
            result = None
        self.send({"jsonrpc": "2.0", "id": message["id"], "result": result})
        self._tell()

    # Documents

    def open(self, text: str, *, uri: str = URI, language: str = "python") -> Buffer:
        buffer = self.buffers[uri] = Buffer(uri, text)
        item = {"uri": uri, "languageId": language, "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})
        return buffer

    def type(
        self, line: int, character: int, text: str, *, uri: str = URI, end: tuple[int, int] | None = None
    ) -> None:
        """Type at a position, or over a range, and report the change."""
        buffer = self.buffers[uri]
        end_line, end_character = end or (line, character)
        edit = {"range": place_range(line, character, end_line, end_character), "newText": text}
        buffer.apply([edit])
        self._did_change(buffer, [{"range": edit["range"], "text": text}])

    def _did_change(self, buffer: Buffer, changes: list[dict[str, Any]]) -> None:
        document = {"uri": buffer.uri, "version": buffer.version}
        self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})

    def _apply_workspace_edit(self, edit: Mapping[str, Any]) -> bool:
        assert set(edit) == {"documentChanges"}
        (change,) = edit["documentChanges"]
        return self._apply(change["textDocument"], change["edits"])

    def _apply_streamed(self, params: Mapping[str, Any]) -> dict[str, Any]:
        applied = self._apply(params["textDocument"], params["edits"])
        version = self.buffers[params["textDocument"]["uri"]].version
        return {"applied": applied, "version": version, **({} if applied else {"reason": "stale"})}

    def _apply(self, document: Mapping[str, Any], edits: list[dict[str, Any]]) -> bool:
        if self.before_apply is not None:
            self.before_apply(self)
        buffer = self.buffers[document["uri"]]
        assert document["version"] is not None, "an edit without a version"
        if document["version"] != buffer.version:
            return False
        buffer.apply(edits)
        changes = [{"range": edit["range"], "text": edit["newText"]} for edit in reversed(edits)]
        self._did_change(buffer, changes)
        return True

    # Shortcuts

    def edit_params(
        self, line: int, instruction: str = "do it", *, uri: str = URI, **more: object
    ) -> dict[str, Any]:
        buffer = self.buffers[uri]
        return {
            "textDocument": {"uri": uri, "version": buffer.version},
            "range": place_range(line, 0, line, 0),
            "instruction": instruction,
            **more,
        }

    async def edit(self, line: int, instruction: str = "do it", **more: Any) -> Any:
        return await self.request("twospeed/edit", self.edit_params(line, instruction, **more))

    async def command(self, name: str, *arguments: object) -> Any:
        return await self.request("workspace/executeCommand", {"command": name, "arguments": list(arguments)})

    def serve(self, model: Model) -> None:
        """Make every lane open this model."""
        assert self.server.session
        self.server.session.source.open = lambda provider, name, limits: model

    async def wait_for(self, is_there: Callable[[], Any]) -> None:
        async with asyncio.timeout(60), self.news:
            await self.news.wait_for(is_there)

    def messages(self, method: str) -> list[Any]:
        return [params for name, params in self.notifications if name == method]

    def progress(self, token: object) -> list[Any]:
        return [params["value"] for params in self.messages("$/progress") if params["token"] == token]


def place_range(line: int, character: int, end_line: int, end_character: int) -> dict[str, Any]:
    return {
        "start": {"line": line, "character": character},
        "end": {"line": end_line, "character": end_character},
    }
