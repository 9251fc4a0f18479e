"""The client of one connection: capabilities, requests and notifications."""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from twospeed.delivery import ApplyEditRequest, ApplyEditResult, ClientBehavior, behavior_of
from twospeed.delivery.client_table import UNKNOWN
from twospeed.errors import EditUnconfirmed
from twospeed.lsp.wire.convert import plain_edits
from twospeed.lsp.wire.error_codes import RpcError
from twospeed.lsp.wire.response_spacing import ResponseSpacing
from twospeed.secrets.scrub import scrub
from twospeed.text.hidden import make_visible_in_line
from twospeed_protocol import messages as wire
from twospeed_protocol import methods

logger = logging.getLogger(__name__)

RESPONSE_S = 10.0
"""Seconds for the response to a request that needs no user."""

USER_ANSWER_S = 120.0
"""Seconds that an edit waits for the user; the question stays open, because editors keep it on the screen."""

MAX_QUESTIONS = 20
"""Limit of open questions."""

ERROR, WARNING, INFO, LOG = 1, 2, 3, 4
"""LSP ``MessageType``."""

MAX_MESSAGE_CHARS = 200

TRIAL_NAME = "twospeed doctor"
"""Client name of ``twospeed doctor``, whose edits are in no statistics."""

YES, NO = "Yes", "No"

COMMAND_LINE_NAME = "twospeed"
"""Client name of ``twospeed edit``, whose session ends with its edit."""


@dataclass(frozen=True, slots=True)
class ClientProfile:
    """The capabilities of the client, read once at ``initialize``."""

    takes_stream: bool = False
    receives_events: bool = False
    shows_progress: bool = False
    shows_questions: bool = False
    has_configuration: bool = False
    has_code_action_literals: bool = False
    has_document_changes: bool = False
    refreshes_lenses: bool = False
    shows_diagnostics: bool = False
    shows_documents: bool = False
    opens_documents: bool = False
    finds_references: bool = False
    registers_inline_completion: bool = False
    name: str = ""
    behavior: ClientBehavior = UNKNOWN

    @property
    def is_trial(self) -> bool:
        """Whether the client is ``twospeed doctor``."""
        return self.name == TRIAL_NAME

    @property
    def is_command_line(self) -> bool:
        """Whether the client is ``twospeed edit``."""
        return self.name == COMMAND_LINE_NAME

    @classmethod
    def from_capabilities(cls, capabilities: Mapping[str, Any], name: str = "") -> ClientProfile:
        """Read plain ``ClientCapabilities``; a value of a wrong type is not announced."""

        def announced(*path: str) -> object:
            value: object = capabilities
            for key in path:
                value = value.get(key) if isinstance(value, Mapping) else None
            return value

        literals = "textDocument", "codeAction", "codeActionLiteralSupport"
        takes_stream = announced("experimental", "twospeed", "applyEdit") is True
        takes_edits = announced("workspace", "applyEdit")
        return cls(
            takes_stream=takes_stream,
            receives_events=announced("experimental", "twospeed", "events") is True,
            shows_progress=announced("window", "workDoneProgress") is True,
            shows_questions=announced("window", "showMessage") is not None,
            has_configuration=announced("workspace", "configuration") is True,
            has_code_action_literals=announced(*literals) is not None,
            has_document_changes=announced("workspace", "workspaceEdit", "documentChanges") is True,
            refreshes_lenses=announced("workspace", "codeLens", "refreshSupport") is True,
            shows_diagnostics=isinstance(announced("textDocument", "publishDiagnostics"), Mapping),
            shows_documents=announced("window", "showDocument", "support") is True,
            opens_documents=announced("experimental", "twospeed", "openDocument") is True,
            finds_references=announced("experimental", "twospeed", "references") is True,
            registers_inline_completion=announced("textDocument", "inlineCompletion", "dynamicRegistration")
            is True,
            name=name,
            behavior=behavior_of(
                name,
                takes_stream=takes_stream,
                takes_edits=takes_edits if isinstance(takes_edits, bool) else None,
                action_kinds=announced(*literals, "codeActionKind", "valueSet"),
            ),
        )


class EditorClient:
    """Sends requests and notifications to the client; implements `delivery.EditClient`."""

    def __init__(self, send: Callable[[dict[str, object]], None]) -> None:
        self.profile = ClientProfile()
        self.response_spacing: ResponseSpacing | None = None
        self._send = send
        self._ids = itertools.count(1)
        self._waiting: dict[str, asyncio.Future[object]] = {}
        self._n_questions = 0
        self._refuses_questions = False

    # JSON-RPC

    def notify(self, method: str, params: object) -> None:
        """Send a notification."""
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    async def request(self, method: str, params: object, *, limit_s: float | None = RESPONSE_S) -> object:
        """Send a request and return the result; raises `RpcError` for an error response, and TimeoutError."""
        request_id = f"twospeed-{next(self._ids)}"
        future: asyncio.Future[object] = asyncio.get_running_loop().create_future()
        self._waiting[request_id] = future
        try:
            self._send({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})
            async with asyncio.timeout(limit_s):
                return await future
        finally:
            self._waiting.pop(request_id, None)

    def receive_response(self, message: Mapping[str, Any]) -> None:
        """Complete the request of a response; drop a late or unknown one."""
        future = self._waiting.get(str(message.get("id")))
        if future is None or future.done():
            logger.debug("an unexpected response")
        elif isinstance(error := message.get("error"), Mapping):
            future.set_exception(RpcError(_code_of(error), str(error.get("message", ""))))
        else:
            future.set_result(message.get("result"))

    async def register_inline_completion(self) -> None:
        """Register ``textDocument/inlineCompletion`` for all documents; a client that refuses it has no such feature."""
        method = "textDocument/inlineCompletion"
        options = {"documentSelector": None}
        registration = {"id": f"twospeed {method}", "method": method, "registerOptions": options}
        try:
            await self.request("client/registerCapability", {"registrations": [registration]})
        except (RpcError, TimeoutError):
            logger.info("the editor did not register %s", method)

    # Edits

    async def wait_until_idle(self) -> bool:
        """See `EditClient.wait_until_idle`."""
        return self.response_spacing is not None and await self.response_spacing.wait_until_idle()

    async def apply_edit(self, apply_request: ApplyEditRequest) -> ApplyEditResult:
        """See `EditClient.apply_edit`."""
        try:
            if self.profile.takes_stream and not apply_request.is_hidden:
                return await self._apply_streamed(apply_request)
            return await self._apply_workspace_edit(apply_request)
        except RpcError:
            return ApplyEditResult(applied=False)
        except TimeoutError:
            raise EditUnconfirmed("the editor did not respond in time; the text is left as it is") from None

    async def _apply_streamed(self, apply_request: ApplyEditRequest) -> ApplyEditResult:
        params = {  # `wire.ApplyEditParams`
            "editId": apply_request.edit_id,
            "seq": apply_request.seq,
            "textDocument": _document_of(apply_request),
            "edits": plain_edits(apply_request.edits),
            "undoStopBefore": apply_request.is_first,
            "undoStopAfter": apply_request.is_last,
        }
        result = await self.request(methods.APPLY_EDIT, params)
        try:
            claim = wire.ApplyEditResult.model_validate(result)
        except ValidationError:
            logger.warning("the editor's response to %s is invalid", methods.APPLY_EDIT)
            return ApplyEditResult(applied=False)
        return ApplyEditResult(claim.applied, claim.reason)

    async def _apply_workspace_edit(self, apply_request: ApplyEditRequest) -> ApplyEditResult:
        change = {"textDocument": _document_of(apply_request), "edits": plain_edits(apply_request.edits)}
        edit = {"documentChanges": [change]}
        result = await self.request("workspace/applyEdit", {"label": "twospeed edit", "edit": edit})
        return ApplyEditResult(isinstance(result, Mapping) and result.get("applied") is True)

    # Documents

    async def show_document(self, uri: str, *, takes_focus: bool = False) -> bool:
        """Show a file in the editor; return whether it was shown. Raises as `request`."""
        result = await self.request("window/showDocument", {"uri": uri, "takeFocus": takes_focus})
        return isinstance(result, Mapping) and result.get("success") is True

    async def open_document(self, uri: str) -> bool:
        """Open a file, in the background if the client can; return whether its ``didOpen`` may follow. Raises as `request`."""
        if not self.profile.opens_documents:
            return await self.show_document(uri)
        params = {"textDocument": {"uri": uri}}  # `wire.OpenDocumentParams`
        return await self.request(methods.OPEN_DOCUMENT, params) is not None

    # The user

    def show_message(self, kind: int, text: str) -> None:
        """Show one line to the user."""
        self.notify("window/showMessage", {"type": kind, "message": one_line(text)})

    def log_message(self, text: str) -> None:
        """Write one line to the output of the client, which does not interrupt the user."""
        self.notify("window/logMessage", {"type": LOG, "message": one_line(text)})

    @property
    def can_ask(self) -> bool:
        """Whether the client announced questions, and responded to none with an error."""
        return self.profile.shows_questions and not self._refuses_questions

    async def ask(self, text: str, choices: tuple[str, ...]) -> str | None:
        """Ask the user to choose, without a time limit; None if the question is closed or impossible."""
        if not self.can_ask or self._n_questions >= MAX_QUESTIONS:
            return None
        params = {
            "type": INFO,
            "message": one_line(text, 400),
            "actions": [{"title": title} for title in choices],
        }
        self._n_questions += 1
        try:
            chosen = await self.request("window/showMessageRequest", params, limit_s=None)
        except RpcError:
            self._refuses_questions = True
            return None
        finally:
            self._n_questions -= 1
        title = chosen.get("title") if isinstance(chosen, Mapping) else None
        return title if title in choices else None


async def within_limit(question: asyncio.Task[str | None], late: Callable[[str], object]) -> str | None:
    """Wait for an answer for `USER_ANSWER_S`, else raise TimeoutError; ``late`` receives a later one."""

    def report_late(_: object) -> None:
        if not question.cancelled() and question.exception() is None and (title := question.result()):
            late(title)

    try:
        done, _ = await asyncio.wait({question}, timeout=USER_ANSWER_S)
    except asyncio.CancelledError:
        question.add_done_callback(report_late)
        raise
    if not done:
        question.add_done_callback(report_late)
        raise TimeoutError
    return question.result()


def one_line(text: str, max_chars: int = MAX_MESSAGE_CHARS) -> str:
    """Return a text as one short line without keys, control characters and links."""
    # VS Code renders Markdown links in messages, even links that run a command, and a model may have written the text.
    line = make_visible_in_line(scrub(text)).replace("](", "] (")
    return line if len(line) <= max_chars else line[: max_chars - 1] + "…"


def _document_of(apply_request: ApplyEditRequest) -> dict[str, object]:
    return {"uri": apply_request.document.uri, "version": apply_request.document.version}


def _code_of(error: Mapping[str, Any]) -> int:
    code = error.get("code")
    return code if isinstance(code, int) else 0
