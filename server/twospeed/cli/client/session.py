"""One conversation with our server: initialize, open a document, edit it, and leave.

It is a client like any editor: what it announces is in `CAPABILITIES`, what it sends is in the contract. The document
is never changed by the server (``deliver: "preview"``); the edit comes back in the result. What the server says is
checked against `twospeed_protocol.messages`, which is imported after the server was started, so that pydantic is
loaded here while the server loads too.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

from twospeed import __version__
from twospeed.cli.exits import RequestRefused, ServerTrouble
from twospeed.cli.preview import apply_text_edits, text_in
from twospeed.cli.protocol_values import range_from, range_to, text_edits_from
from twospeed.cli.render import View
from twospeed.cli.visible import complain
from twospeed.text.code.file_languages import language_id_of
from twospeed.text.edits import TextEdit
from twospeed.text.positions import Range

from .connection import SERVE, Message, StdioConnection
from .consent import ask_person

if TYPE_CHECKING:
    from twospeed_protocol import messages

CAPABILITIES = {
    "general": {"positionEncodings": ["utf-16"]},
    "window": {"showMessage": {}, "workDoneProgress": False},
    "workspace": {"workspaceEdit": {"documentChanges": True}, "configuration": True},
    "experimental": {"twospeed": {"events": True}},
}

_ERROR = 1
"""``MessageType.Error`` (LSP 3.17, "window/showMessage")."""

_START_LIMIT_S = 30.0
_QUICK_LIMIT_S = 15.0
_EDIT_LIMIT_S = 3600.0
"""Far behind every limit of the config: the server ends an edit, this one only keeps us from waiting for ever."""
_CANCEL_LIMIT_S = 3.0


class _Readable(Protocol):
    """What is needed of a pydantic model, without pydantic."""

    @classmethod
    def model_validate(cls, obj: Any, /) -> Self: ...


_Answer = TypeVar("_Answer", bound=_Readable)


@dataclass(frozen=True, slots=True)
class OpenDocument:
    """A document the server knows."""

    uri: str
    text: str
    version: int = 1


@dataclass(frozen=True, slots=True)
class EditParams:
    """What ``twospeed/edit`` is asked; ``None`` leaves the choice to the server."""

    range: Range
    instruction: str
    scope: str
    mode: str | None = None

    def params(self) -> Message:
        """Write the part that every way to ask has in common."""
        mode = {} if self.mode is None else {"mode": self.mode}
        return {"range": range_to(self.range), "instruction": self.instruction, "scope": self.scope, **mode}


class ServerSession:
    """A started and initialized server; an async context manager that ends it.

    Attributes:
        errors: What the server called an error, such as a config it cannot read. The command shows them, for its
            result may say the same at full length; a session that ends in an exception shows them itself.
    """

    client_name = "twospeed"

    def __init__(
        self, workspace: Path, *, command: Sequence[str] = SERVE, environment: Mapping[str, str] | None = None
    ) -> None:
        self._workspace = workspace
        self._command = command
        self._environment = environment
        self._views: dict[str, _Watched] = {}
        self._running_edit: str | None = None
        self._cancels: set[asyncio.Task[None]] = set()
        self._n_edits = 0
        self._connection: StdioConnection | None = None
        self.errors: list[str] = []

    async def __aenter__(self) -> Self:
        self._connection = await StdioConnection.start(
            self, command=self._command, environment=self._environment
        )
        importlib.import_module("twospeed_protocol.messages")
        try:
            await self._initialize()
        except BaseException:
            await self._connection.close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for message in self.errors if error else ():
            complain(message)
        for task in self._cancels:
            task.cancel()
        await self.connection.close()

    @property
    def connection(self) -> StdioConnection:
        """The line to the server.

        Raises:
            RuntimeError: The session was not entered.
        """
        if self._connection is None:
            raise RuntimeError("the session was not entered")
        return self._connection

    async def _initialize(self) -> None:
        uri = self._workspace.resolve().as_uri()
        params = {
            "processId": os.getpid(),
            "clientInfo": {"name": self.client_name, "version": __version__},
            "rootUri": uri,
            "workspaceFolders": [{"uri": uri, "name": self._workspace.resolve().name or uri}],
            "capabilities": CAPABILITIES,
        }
        await self.connection.request("initialize", params, limit_s=_START_LIMIT_S)
        self.connection.notify("initialized", {})

    def open_document(self, path: Path, text: str) -> OpenDocument:
        """Tell the server of a document."""
        document = OpenDocument(path.resolve().as_uri(), text)
        self.connection.notify(
            "textDocument/didOpen",
            {
                "textDocument": {
                    "uri": document.uri,
                    "languageId": language_id_of(path.name),
                    "version": document.version,
                    "text": text,
                }
            },
        )
        return document

    def close_document(self, document: OpenDocument) -> None:
        """Tell the server that a document is of no interest any more."""
        self.connection.notify("textDocument/didClose", {"textDocument": {"uri": document.uri}})

    async def edit(self, document: OpenDocument, request: EditParams, view: View) -> messages.EditResult:
        """Run one edit to its outcome; ``view`` is told how it goes.

        Raises:
            RequestRefused: The server would not start it.
            ServerTrouble: It stopped, hung, or sent nonsense.
        """
        from twospeed_protocol import messages  # noqa: PLC0415  # see the header

        self._n_edits += 1
        edit_id = token = f"cli-{self._n_edits}"
        params = request.params() | {
            "editId": edit_id,
            "textDocument": {"uri": document.uri, "version": document.version},
            "deliver": "preview",
            "partialResultToken": token,
        }
        self._views[token] = _Watched(document, view)
        self._running_edit = edit_id
        try:
            answer = await self.ask("twospeed/edit", params, limit_s=_EDIT_LIMIT_S)
        finally:
            self._running_edit = None
            del self._views[token]
        return _checked(messages.EditResult, answer)

    async def status(self) -> messages.StatusResult:
        """Ask for the mode and what serves it."""
        from twospeed_protocol import messages  # noqa: PLC0415  # see the header

        return _checked(messages.StatusResult, await self.ask("twospeed/status", {}))

    async def set_mode(self, mode: str | None = None) -> messages.ModeState:
        """Switch to a mode, to the other one where none is named."""
        from twospeed_protocol import messages  # noqa: PLC0415  # see the header

        params = {} if mode is None else {"mode": mode}
        return _checked(messages.ModeState, await self.ask("twospeed/setMode", params))

    async def prompt(self, document: OpenDocument, request: EditParams) -> messages.PromptResult:
        """Ask what a model would be sent; nothing is sent."""
        from twospeed_protocol import messages  # noqa: PLC0415  # see the header

        params = {"command": "twospeed.showPrompt", "arguments": [{"uri": document.uri, **request.params()}]}
        return _checked(messages.PromptResult, await self.ask("workspace/executeCommand", params))

    async def ask(self, method: str, params: object, *, limit_s: float = _QUICK_LIMIT_S) -> Any:
        """Send a request and return its result as it came.

        Raises:
            RequestRefused: The server answered with an error.
            ServerTrouble: It stopped or was silent for too long.
        """
        return await self.connection.request(method, params, limit_s=limit_s)

    def cancel_edit(self) -> bool:
        """Ask the server to cancel the running edit, whose request then ends with its result.

        Returns:
            Whether there is one.
        """
        if self._running_edit is None:
            return False
        task = asyncio.create_task(self._cancel(self._running_edit))
        self._cancels.add(task)
        return True

    async def _cancel(self, edit_id: str) -> None:
        with contextlib.suppress(RequestRefused, ServerTrouble):  # the edit's own request says how it ended
            await self.ask("twospeed/cancel", {"editId": edit_id}, limit_s=_CANCEL_LIMIT_S)

    def kill(self) -> None:
        """End the server at once."""
        self.connection.kill()

    def notified(self, method: str, params: Message) -> None:
        """Take a notification: the progress of an edit, or a message for the user."""
        if method == "$/progress" and params["token"] in self._views:
            self._views[params["token"]].receive(params["value"])
        elif method == "window/showMessage":
            if params["type"] == _ERROR:
                self.errors.append(params["message"])
            else:
                complain(params["message"])

    async def asked(self, method: str, params: Message) -> object:
        """Answer a request of the server."""
        match method:
            case "window/showMessageRequest":
                return await self._ask_person(params)
            case "workspace/configuration":
                return [None for _ in params["items"]]
            case (
                "window/workDoneProgress/create" | "client/registerCapability" | "client/unregisterCapability"
            ):
                return None
            case _:
                raise NotImplementedError(method)

    async def _ask_person(self, params: Message) -> Message | None:
        for watched in self._views.values():
            watched.view.pause()
        actions = params.get("actions") or []
        title = await ask_person(params["message"], [action["title"] for action in actions])
        return next((action for action in actions if action["title"] == title), None)


class _Watched:
    """Partial results of one edit on their way to its view."""

    def __init__(self, document: OpenDocument, view: View) -> None:
        self._document = document
        self.view = view

    def receive(self, value: Message) -> None:
        from twospeed_protocol import messages  # noqa: PLC0415  # see the header

        match value["type"]:
            case "started":
                started = _checked(messages.StartedPart, value)
                self.view.started(started, text_in(self._document.text, range_from(started.scope.range)))
            case "edits":
                self.view.written(text_edits_from(_checked(messages.EditsPart, value).edits))
            case "reasoning":
                self.view.thought(_checked(messages.ReasoningPart, value).text)
            case _:
                pass  # a later version says more; a client ignores what it does not know


def _checked(model: type[_Answer], value: object) -> _Answer:
    try:
        return model.model_validate(value)
    except ValueError as error:
        raise ServerTrouble(f"the server's {model.__name__} is not one: {error}") from error


def text_with_answer(document: OpenDocument, result: messages.EditResult) -> str | None:
    """Return the document's text with the answer of a refused edit in its scope; ``None`` where there is no answer.

    Raises:
        ServerTrouble: The scope is not one of this document.
    """
    if result.outcome != "refused" or result.answer is None or result.scope is None:
        return None
    return apply_text_edits(document.text, [TextEdit(range_from(result.scope.range), result.answer.text)])


def text_after(document: OpenDocument, result: messages.EditResult) -> str:
    """Return the document's text as the result's edit leaves it; the old text where there is none.

    Raises:
        ServerTrouble: The edit is not one of this document at this version.
    """
    if result.edit is None:
        return document.text
    edits: list[TextEdit] = []
    for change in result.edit.document_changes:
        named = change.text_document
        if (named.uri, named.version) != (document.uri, document.version):
            raise ServerTrouble("the server sent an edit of another document or version; nothing was written")
        edits += text_edits_from(change.edits)
    return apply_text_edits(document.text, edits)
