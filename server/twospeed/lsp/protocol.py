"""The JSON-RPC dispatch of one connection.

Every request gets exactly one response. A handler starts when its message is read, and sees the documents of that moment. A
change that cannot be read leaves its document unmanaged, because a wrong text must not be edited.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import orjson
from lsprotocol import types

from twospeed import __version__
from twospeed.errors import DocumentNotOpen, DocumentUnmanaged, TwospeedError
from twospeed.secrets.scrub import scrub

from .capabilities import choose_encoding, offers_suggestions_at_once, server_capabilities
from .wire.envelope import (
    TOO_LARGE,
    Envelope,
    TooLarge,
    document_uri_in,
    is_message_id,
    is_request,
    is_too_large,
    parse_message,
    read_envelope,
    read_whole_envelope,
)
from .wire.error_codes import (
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    REQUEST_CANCELLED,
    REQUEST_FAILED,
    SERVER_NOT_INITIALIZED,
    RpcError,
    rpc_error,
)
from .wire.framing import MAX_BODY_BYTES, OversizedBody, encode_frame
from .wire.response_spacing import ResponseSpacing
from .wire.structuring import plain, structured

if TYPE_CHECKING:
    from types import ModuleType

    from twospeed.budget.allowance import Allowance

    from .session.session import Session

logger = logging.getLogger(__name__)

MAX_ERROR_CHARS = 1_000
"""Length of an error's message, which may quote megabytes of a request."""

_TEXT_CHANGES = frozenset(
    {
        types.TEXT_DOCUMENT_DID_OPEN,
        types.TEXT_DOCUMENT_DID_CHANGE,
        types.NOTEBOOK_DOCUMENT_DID_OPEN,
        types.NOTEBOOK_DOCUMENT_DID_CHANGE,
    }
)
"""Without one of these the text of a document, or of the cells of a notebook, is unknown."""


@dataclass(slots=True)
class ConnectionOptions:
    """How a protocol is connected to its transport and its process."""

    environ: Mapping[str, str] = field(default_factory=dict)
    write: Callable[[bytes], None] = lambda _: None  # sends what `encode` returns; never waits
    encode: Callable[[bytes], bytes] = encode_frame
    # Returns the params of `initialize` without the token, or raises `RpcError`; None if no token is required.
    authenticate: Callable[[object], object] | None = None
    reserve: Callable[[], object] = lambda: None  # raises `RpcError` if there are too many connections
    allowance: Allowance | None = None  # limits spending in addition to the day's budget
    # Receives the client's process id once `initialize` has succeeded.
    on_open: Callable[[int | None], None] = lambda _: None


class TwospeedProtocol:
    """Dispatches the messages of one connection."""

    def __init__(self, options: ConnectionOptions) -> None:
        self.options = options
        self.is_refused = False  # at `initialize`; then the transport closes the connection
        self.is_shut_down = False  # the client sent `shutdown`
        self.has_exited = False  # the client sent `exit`
        self._is_authenticated = False
        self._running: dict[int | str, asyncio.Future[Any]] = {}
        self._session: Session | None = None
        self._open_session: Callable[[], Session] | None = None
        self._open_error: Exception | None = None
        self._response_spacing: ResponseSpacing | None = None

    @property
    def session(self) -> Session | None:
        """The session after ``initialize``; the first access builds it."""
        if self._open_session is not None:
            open_session, self._open_session = self._open_session, None
            try:
                self._session = open_session()
            except Exception as error:  # noqa: BLE001 - it is the response to every later request
                self._open_error = self._error_response(error)
        return self._session

    # Messages of the client

    def receive_body(self, body: bytes) -> None:
        """Handle one message."""
        message: object = None
        error: ValueError | None = None
        try:
            message = parse_message(body)
        except ValueError as caught:
            error = caught
        is_locked = self.options.authenticate is not None and not self._is_authenticated
        if is_locked and not is_request(message, types.INITIALIZE):
            self.is_refused = True
        elif error is not None:
            code = REQUEST_FAILED if isinstance(error, TooLarge) else PARSE_ERROR
            self._receive_unreadable(read_whole_envelope(body), RpcError(code, str(error)))
        elif not isinstance(message, dict):
            self._respond_error(None, RpcError(INVALID_REQUEST, "a message is a JSON object"))
        elif is_too_large(method := message.get("method"), len(body)):
            message_id = message.get("id") if is_message_id(message.get("id")) else None
            self._receive_unreadable(Envelope(message_id, method), RpcError(REQUEST_FAILED, TOO_LARGE))
        else:
            self._receive_message(message)

    def receive_oversized(self, body: OversizedBody) -> None:
        """Respond to a message that was too large to store, or mark its document unmanaged."""
        error = RpcError(REQUEST_FAILED, f"the message was larger than {MAX_BODY_BYTES >> 20} MiB")
        self._receive_unreadable(read_envelope(body.head), error)

    def _receive_unreadable(self, found: Envelope, error: RpcError) -> None:
        if self.session is not None and found.id is None and found.method in _TEXT_CHANGES:
            self.session.text_lost(found.uri, f"a change of the document was lost ({error.message})")
        if found.id is not None or found.method is None:
            self._respond_error(found.id, error)

    def _receive_message(self, message: Mapping[str, Any]) -> None:
        method, message_id, params = message.get("method"), message.get("id"), message.get("params")
        if "method" not in message and "id" in message:
            if self.session is not None:
                self.session.client.receive_response(message)
        elif "id" in message and not is_message_id(message_id):
            self._respond_error(None, RpcError(INVALID_REQUEST, "id: must be an integer or a string"))
        elif not isinstance(method, str):
            self._respond_error(message_id, RpcError(INVALID_REQUEST, "method: must be a string"))
        elif message_id is None:
            self._receive_notification(method, params)
        elif message_id in self._running:
            error = RpcError(INVALID_REQUEST, "id: a request with this id has no response yet")
            self._respond_error(message_id, error)
        else:
            self._receive_request(message_id, method, params)

    def _receive_request(self, message_id: int | str, method: str, params: object) -> None:
        try:
            result = self._handler_of(method, params)()
        except Exception as error:  # noqa: BLE001 - every request gets a response
            self._respond_error(message_id, self._error_response(error))
            return
        if inspect.isawaitable(result):
            self._await_result(message_id, result)
        else:
            self._respond(message_id, result)

    def _receive_notification(self, method: str, params: object) -> None:
        if method == types.CANCEL_REQUEST:
            cancelled = params.get("id") if isinstance(params, dict) else None
            if is_message_id(cancelled) and (task := self._running.get(cancelled)):
                task.cancel()
            return
        try:
            match method:
                case types.EXIT:
                    self.has_exited = True
                case types.INITIALIZED if self.session is not None:
                    self.session.begin()
                case _ if self.session is not None and (handler := _tables().STANDARD.get(method)):
                    handler(self.session, structured(method, params))
                case _:
                    pass  # unknown, or before the session: LSP ignores it
        except (DocumentNotOpen, DocumentUnmanaged):
            logger.debug("%s of a document that is not followed", method)
        except Exception as error:  # noqa: BLE001 - an error must not end the server
            logger.warning("%s: %s", method, self._error_response(error).message)
            uri = document_uri_in(params)
            if self.session is not None and method in _TEXT_CHANGES and uri is not None:
                reason = (
                    str(error)
                    if isinstance(error, TwospeedError)
                    else "a change of the document was not understood"
                )
                self.session.text_lost(uri, reason)

    def _handler_of(self, method: str, params: object) -> Callable[[], object]:
        if method == types.INITIALIZE:
            return lambda: self._initialize(params)
        if self.session is None:
            raise self._open_error or RpcError(SERVER_NOT_INITIALIZED, "the server is not initialized")
        session, tables = self.session, _tables()
        if method not in tables.OURS and method not in tables.STANDARD and method != types.SHUTDOWN:
            raise RpcError(METHOD_NOT_FOUND, f"no such method: {method}")
        if self.is_shut_down:
            raise RpcError(INVALID_REQUEST, "the server is shutting down")
        if method == types.SHUTDOWN:
            return self._shut_down
        if method in tables.OURS:
            model, own_handler = tables.OURS[method]
            own_params = tables.validated(model, params)
            return lambda: own_handler(session, own_params)
        handler, lsp_params = tables.STANDARD[method], structured(method, params)
        return lambda: handler(session, lsp_params)

    def _await_result(self, message_id: int | str, result: Awaitable[object]) -> None:
        task = asyncio.ensure_future(result)
        self._running[message_id] = task

        def respond(done: asyncio.Future[object]) -> None:
            self._running.pop(message_id, None)
            if done.cancelled():
                self._respond_error(message_id, RpcError(REQUEST_CANCELLED, "the request was cancelled"))
            elif error := done.exception():
                self._respond_error(message_id, self._error_response(error))
            else:
                self._respond(message_id, done.result())

        task.add_done_callback(respond)

    @staticmethod
    def _error_response(error: BaseException) -> RpcError:
        if not isinstance(error, RpcError | TwospeedError):
            logger.error("a handler failed", exc_info=error)
        return rpc_error(error)

    # Messages to the client

    def send(self, message: dict[str, object]) -> None:
        """Send one message."""
        frame = self.options.encode(orjson.dumps(message))
        if self._response_spacing:
            self._response_spacing.send(frame, is_response="method" not in message)
        else:
            self.options.write(frame)

    def _respond(self, message_id: int | str, result: object) -> None:
        try:
            to_json = getattr(result, "to_json", None)  # a message of our own; all others are lsprotocol's
            self.send({"jsonrpc": "2.0", "id": message_id, "result": to_json() if to_json else plain(result)})
        except Exception as error:  # noqa: BLE001 - every request gets a response
            self._respond_error(message_id, self._error_response(error))

    def _respond_error(self, message_id: int | str | None, error: RpcError) -> None:
        body = {"code": error.code, "message": scrub(error.message[:MAX_ERROR_CHARS])}
        self.send({"jsonrpc": "2.0", "id": message_id, "error": body})

    # Life cycle

    def _initialize(self, params: object) -> types.InitializeResult:
        if self._session is not None or self._open_session is not None:
            raise RpcError(INVALID_REQUEST, "the server is initialized already")
        try:
            if self.options.authenticate:
                params = self.options.authenticate(params)
            self.options.reserve()
        except RpcError:
            self.is_refused = True
            raise
        self._is_authenticated = True
        lsp_params: types.InitializeParams = structured(types.INITIALIZE, params)
        encoding = choose_encoding(lsp_params)
        capabilities = server_capabilities(lsp_params.capabilities, encoding)
        if offers_suggestions_at_once(lsp_params.capabilities, self.options.environ):
            capabilities.inline_completion_provider = types.InlineCompletionOptions()

        def open_session() -> Session:
            from .session.initialization import open_session  # noqa: PLC0415 - it imports everything that edits need

            session = open_session(
                lsp_params,
                encoding=encoding,
                environ=self.options.environ,
                send=self.send,
                allowance=self.options.allowance,
            )
            if session.client.profile.behavior.drops_messages_after_responses:
                session.client.response_spacing = self._response_spacing = ResponseSpacing(self.options.write)
            return session

        self._open_session = open_session
        # The response is written first: the client waits for it, and it does not depend on the session.
        asyncio.get_running_loop().call_soon(lambda: self.session)
        self.options.on_open(lsp_params.process_id)
        return types.InitializeResult(capabilities, types.ServerInfo("twospeed", __version__))

    def _shut_down(self) -> None:
        # Here, not at `exit`: the client can still receive the old text of edits that are stopped.
        self.is_shut_down = True
        if self._session is not None:
            self._session.scheduler.stop_all()

    async def aclose(self) -> None:
        """End the session and every request."""
        self._open_session = None
        if self._session is not None:
            await self._session.aclose()
        for task in list(self._running.values()):
            task.cancel()
        await asyncio.gather(*self._running.values(), return_exceptions=True)
        if self._response_spacing:
            self._response_spacing.flush()


def _tables() -> ModuleType:
    from . import tables  # noqa: PLC0415 - it imports everything that edits need

    return tables
