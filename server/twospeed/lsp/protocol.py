"""JSON-RPC messages in and out, on top of pygls.

pygls keeps the life cycle (``initialize``, ``shutdown``, ``exit``), the types and the capabilities. Dispatch is ours:

* every request gets exactly one response, also when its parameters are wrong (pygls sends none then);
* a handler starts in the moment its message is read, so that it sees the documents of that moment (an ``async``
  handler of pygls starts one turn of the loop later, after the changes behind it);
* nothing inside a message can be mistaken for a message (pygls looks for ``jsonrpc`` in every object);
* a change that could not be read leaves its document unmanaged, rather than wrong.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import orjson
from lsprotocol import types
from pygls.protocol import LanguageServerProtocol, lsp_method

from twospeed.errors import DocumentNotOpen, DocumentUnmanaged, TwospeedError
from twospeed.secrets.scrub import scrub

from .wire.encodings import choose_encoding
from .wire.envelope import (
    TOO_LARGE,
    Envelope,
    TooLarge,
    document_named_in,
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
from .wire.structuring import structured

if TYPE_CHECKING:
    from types import ModuleType

    from twospeed.budget.allowance import Allowance

    from .session.session import Session

logger = logging.getLogger(__name__)

MAX_ERROR_CHARS = 1_000
"""Length of an error's message: some quote what the client sent, which may be of a megabyte."""

_TEXT_CHANGES = frozenset({types.TEXT_DOCUMENT_DID_OPEN, types.TEXT_DOCUMENT_DID_CHANGE})
"""What must not be missed: a document whose text is not the editor's must not be edited."""


@dataclass(slots=True)
class ConnectionOptions:
    """How a protocol is connected to its transport and its process.

    Attributes:
        environ: The process's environment.
        write: Sends frames, or bare bodies if the transport has frames of its own. It never waits.
        encode: Makes a frame of a body.
        authenticate: Checks the params of ``initialize`` and returns them without the token; None if no token is required.
        reserve: Called after ``authenticate``; raises `RpcError` if there are too many connections.
        allowance: A limit of spending beside the day's budget; None for no such limit.
        on_open: Called with the editor's process id once ``initialize`` has succeeded.
    """

    environ: Mapping[str, str] = field(default_factory=dict)
    write: Callable[[bytes], None] = lambda _: None
    encode: Callable[[bytes], bytes] = encode_frame
    authenticate: Callable[[object], object] | None = None
    reserve: Callable[[], object] = lambda: None
    allowance: Allowance | None = None
    on_open: Callable[[int | None], None] = lambda _: None


class TwospeedProtocol(LanguageServerProtocol):
    """Dispatches the messages of one connection.

    Attributes:
        options: How it is connected.
        experimental: Our own server capabilities.
        is_refused: Whether the client was refused at ``initialize``; then the transport closes the connection.
        has_exited: Whether the client sent ``exit``.
    """

    # On the class, because pygls reads every attribute while it constructs the object.
    _session: Session | None = None
    _opening: Callable[[], Session] | None = None
    _why_closed: Exception | None = None
    _response_spacing: ResponseSpacing | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.options = ConnectionOptions()
        self.experimental: dict[str, object] = {}
        self.is_refused = False
        self.has_exited = False
        self._is_authenticated = False
        self._running: dict[int | str, asyncio.Future[Any]] = {}

    @property
    def session(self) -> Session | None:
        """The session after ``initialize``; the first access builds it."""
        if self._opening is not None:
            opening, self._opening = self._opening, None
            try:
                self._session = opening()
            except Exception as error:  # noqa: BLE001 - every later request is answered with it
                self._why_closed = self._reported(error)
        return self._session

    # In

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
        """Handle a message that was too large to be stored: respond with an error, or mark its document unmanaged."""
        error = RpcError(REQUEST_FAILED, f"the message was larger than {MAX_BODY_BYTES >> 20} MiB")
        self._receive_unreadable(read_envelope(body.head), error)

    def _receive_unreadable(self, found: Envelope, error: RpcError) -> None:
        if self.session is not None and found.id is None and found.method in _TEXT_CHANGES:
            self.session.documents.mark_unmanaged(
                found.uri, f"a change of the document was lost ({error.message})"
            )
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
            error = RpcError(INVALID_REQUEST, "id: a request of this id is not answered yet")
            self._respond_error(message_id, error)
        else:
            self._receive_request(message_id, method, params)

    def _receive_request(self, message_id: int | str, method: str, params: object) -> None:
        try:
            result = self._handler_of(method, params)()
        except Exception as error:  # noqa: BLE001 - the outer wall: every request is answered
            self._respond_error(message_id, self._reported(error))
            return
        if inspect.isawaitable(result):
            self._await_result(message_id, result)
        else:
            self._respond(message_id, result)

    def _receive_notification(self, method: str, params: object) -> None:
        if method == types.CANCEL_REQUEST:
            wanted = params.get("id") if isinstance(params, dict) else None
            if is_message_id(wanted) and (task := self._running.get(wanted)):
                task.cancel()
            return
        try:
            match method:
                case types.EXIT:
                    self.has_exited = True
                case types.INITIALIZED if self.session is not None:
                    self.session.begin()
                case _ if self.session is not None and (handler := _tables().STANDARD.get(method)):
                    handler(self.session, self._structured(method, params))
                case _:
                    pass  # what we do not know, or before there is a session
        except (DocumentNotOpen, DocumentUnmanaged):
            logger.debug("%s of a document that is not followed", method)
        except Exception as error:  # noqa: BLE001 - the outer wall: the server lives on
            reported = self._reported(error)
            logger.warning("%s: %s", method, reported.message)
            uri = document_named_in(params)
            if self.session is not None and method in _TEXT_CHANGES and uri is not None:
                why = (
                    str(error)
                    if isinstance(error, TwospeedError)
                    else "a change of the document was not understood"
                )
                self.session.documents.mark_unmanaged(uri, why)

    def _handler_of(self, method: str, params: object) -> Callable[[], object]:
        """Return a request's handler with its parameters.

        Raises:
            RpcError: The method is unknown or not allowed now, or the parameters are invalid.
        """
        if method == types.INITIALIZE:
            return lambda: self._initialize(params)
        if self.session is None:
            raise self._why_closed or RpcError(SERVER_NOT_INITIALIZED, "the server is not initialized")
        session, tables = self.session, _tables()
        if method not in tables.OURS and method not in tables.STANDARD and method != types.SHUTDOWN:
            raise RpcError(METHOD_NOT_FOUND, f"no such method: {method}")
        if self._shutdown:
            raise RpcError(INVALID_REQUEST, "the server is shutting down")
        if method == types.SHUTDOWN:
            return self._shut_down
        if method in tables.OURS:
            model, own_handler = tables.OURS[method]
            values = tables.validated(model, params)
            return lambda: own_handler(session, values)
        handler, structured = tables.STANDARD[method], self._structured(method, params)
        return lambda: handler(session, structured)

    def _structured(self, method: str, params: object) -> Any:
        return structured(self._converter, method, params)

    def _await_result(self, message_id: int | str, result: Awaitable[object]) -> None:
        task = asyncio.ensure_future(result)
        self._running[message_id] = task

        def respond(done: asyncio.Future[object]) -> None:
            self._running.pop(message_id, None)
            if done.cancelled():
                self._respond_error(message_id, RpcError(REQUEST_CANCELLED, "the request was cancelled"))
            elif error := done.exception():
                self._respond_error(message_id, self._reported(error))
            else:
                self._respond(message_id, done.result())

        task.add_done_callback(respond)

    @staticmethod
    def _reported(error: BaseException) -> RpcError:
        response = rpc_error(error)
        if response.message.startswith("twospeed failed"):
            logger.error("a handler failed", exc_info=error)
        return response

    # Out

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
            plain = to_json() if to_json else self.plain(result)
            self.send({"jsonrpc": "2.0", "id": message_id, "result": plain})
        except Exception as error:  # noqa: BLE001 - the outer wall, on the way out
            self._respond_error(message_id, self._reported(error))

    def _respond_error(self, message_id: int | str | None, error: RpcError) -> None:
        body = {"code": error.code, "message": scrub(error.message[:MAX_ERROR_CHARS])}
        self.send({"jsonrpc": "2.0", "id": message_id, "error": body})

    # Life cycle

    def _initialize(self, params: object) -> types.InitializeResult:
        """Open the session.

        Raises:
            RpcError: There is one already, the client may not come in, or the parameters are wrong.
        """
        if self._session is not None or self._opening is not None:
            raise RpcError(INVALID_REQUEST, "the server is initialized already")
        try:
            if self.options.authenticate:
                params = self.options.authenticate(params)
            self.options.reserve()
        except RpcError:
            self.is_refused = True
            raise
        self._is_authenticated = True
        structured: types.InitializeParams = self._structured(types.INITIALIZE, params)
        result: types.InitializeResult = _returned(self.lsp_initialize(structured))
        self.options.on_open(structured.process_id)
        return result

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        """Name the encoding and what of our own protocol there is; the session opens behind the answer."""
        result = yield from super().lsp_initialize(params)
        encoding = choose_encoding(params)
        result.capabilities.position_encoding = types.PositionEncodingKind(encoding)
        result.capabilities.experimental = self.experimental
        if params.capabilities.text_document is None or params.capabilities.text_document.code_lens is None:
            result.capabilities.code_lens_provider = None

        def open_session() -> Session:
            from .session.initialization import open_session  # noqa: PLC0415 - all that works on edits comes with it

            session = open_session(
                params,
                encoding=encoding,
                environ=self.options.environ,
                send=self.send,
                plain=self.plain,
                allowance=self.options.allowance,
            )
            if session.client.profile.behavior.drops_behind_answers:
                session.client.response_spacing = self._response_spacing = ResponseSpacing(self.options.write)
            return session

        self._opening = open_session
        asyncio.get_running_loop().call_soon(lambda: self.session)
        return result

    def _shut_down(self) -> None:
        """Stop every edit, while the editor can still receive the old text."""
        self._shutdown = True
        if self._session is not None:
            self._session.scheduler.stop_all()

    @property
    def is_shut_down(self) -> bool:
        """Whether the editor asked for an orderly end."""
        return self._shutdown

    def get_message_type(self, method: str) -> type[Any] | None:  # type: ignore[override]  # uncached, see below
        """Return lsprotocol's type of a message; pygls caches it together with the protocol, which then stays."""
        return types.METHOD_TO_TYPES.get(method, (None,))[0]

    def plain(self, value: object) -> Any:
        """Convert a value of lsprotocol to plain JSON values."""
        return self._converter.unstructure(value)

    async def aclose(self) -> None:
        """Stop everything that this connection runs."""
        self._opening = None
        if self._session is not None:
            await self._session.aclose()
        for task in list(self._running.values()):
            task.cancel()
        await asyncio.gather(*self._running.values(), return_exceptions=True)
        if self._response_spacing:
            self._response_spacing.flush()


def _tables() -> ModuleType:
    """Return the tables of handlers, which are imported with the session."""
    from . import tables  # noqa: PLC0415 - all that works on edits comes with it

    return tables


def _returned(steps: Generator[Any, Any, types.InitializeResult]) -> types.InitializeResult:
    """Run a pygls handler, which yields only to handlers that others registered; here are none."""
    try:
        next(steps)
    except StopIteration as done:
        result: types.InitializeResult = done.value
        return result
    raise AssertionError("pygls waits for a handler nobody registered")
