"""JSON-RPC messages in and out, on top of pygls.

pygls keeps the life cycle (``initialize``, ``shutdown``, ``exit``), the types and the capabilities. Dispatch is ours:

* every request gets exactly one response, also when its parameters are wrong (pygls sends none then);
* a handler starts in the moment its message is read, so that it sees the documents of that moment (an ``async``
  handler of pygls starts one turn of the loop later, after the changes behind it);
* nothing inside a message can be mistaken for a message (pygls looks for ``jsonrpc`` in every object).
"""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
from collections.abc import Awaitable, Callable, Generator, Mapping
from typing import TYPE_CHECKING, Any

import orjson
from lsprotocol import types
from pydantic import BaseModel, ValidationError
from pygls.protocol import LanguageServerProtocol, lsp_method

from .client import EditorClient
from .convert import to_json
from .error_codes import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    REQUEST_CANCELLED,
    SERVER_NOT_INITIALIZED,
    RpcError,
    rpc_error,
)
from .framing import encode_frame

if TYPE_CHECKING:
    from .session import Session

logger = logging.getLogger(__name__)

Handler = Callable[[Any, Any], object]
"""``(session, params)`` to a result, or an awaitable of one."""

LIFE_CYCLE = frozenset({types.INITIALIZE, types.SHUTDOWN, types.EXIT, types.INITIALIZED, types.SET_TRACE})
"""What pygls handles."""


class TwospeedProtocol(LanguageServerProtocol):
    """One connection's messages.

    Attributes:
        ours: Params model and handler of each ``twospeed/…`` request.
        standard: Handler of each LSP request and notification, with lsprotocol's params.
        session: The connection's session, once it is initialized.
        write: Takes whole frames.
    """

    ours: Mapping[str, tuple[type[BaseModel], Handler]]
    standard: Mapping[str, Handler]
    open_session: Callable[[EditorClient, types.InitializeParams], Session]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.session: Session | None = None
        self.write: Callable[[bytes], None] = lambda _: None
        self.client = EditorClient(self.send)
        self.has_exited = False
        self._running: dict[int | str, asyncio.Future[Any]] = {}

    # In

    def receive_body(self, body: bytes) -> None:
        """Take one message."""
        try:
            message = _parsed(body)
        except (ValueError, RecursionError):
            self._respond_error(None, RpcError(PARSE_ERROR, "the message is not JSON"))
            return
        if not isinstance(message, dict):
            self._respond_error(None, RpcError(INVALID_REQUEST, "a message is a JSON object"))
            return
        method, message_id = message.get("method"), message.get("id")
        if isinstance(method, str):
            params = message.get("params")
            if "id" not in message:
                self._receive_notification(method, params)
            elif isinstance(message_id, (int, str)):
                self._receive_request(message_id, method, params)
            else:
                self._respond_error(None, RpcError(INVALID_REQUEST, "id: must be a number or a string"))
        elif message_id is not None:
            self.client.receive_response(message)

    def _receive_request(self, message_id: int | str, method: str, params: object) -> None:
        try:
            if method in LIFE_CYCLE:
                self._handle_life_cycle(message_id, method, params)
                return
            result = self._handler_of(method, params)()
        except Exception as error:  # noqa: BLE001 - the outer wall: every request is answered
            self._respond_error(message_id, self._reported(error))
            return
        if inspect.isawaitable(result):
            self._await_result(message_id, result)
        else:
            self._respond(message_id, result)

    def _handle_life_cycle(self, message_id: int | str, method: str, params: object) -> None:
        if method == types.INITIALIZE and self.session is not None:
            raise RpcError(INVALID_REQUEST, "the server is initialized already")
        self._handle_request(message_id, method, self._structured(method, params))

    def _receive_notification(self, method: str, params: object) -> None:
        if method == types.CANCEL_REQUEST:
            wanted = params.get("id") if isinstance(params, dict) else None
            if isinstance(wanted, (int, str)) and (task := self._running.get(wanted)):
                task.cancel()
            return
        try:
            if method in LIFE_CYCLE:
                self._handle_notification(method, self._structured(method, params))
            elif method in self.standard and self.session is not None:
                self.standard[method](self.session, self._structured(method, params))
        except Exception as error:  # noqa: BLE001 - the outer wall: the server lives on
            logger.warning("%s: %s", method, self._reported(error).message)

    def _handler_of(self, method: str, params: object) -> Callable[[], object]:
        """Find a request's handler and give it its parameters.

        Raises:
            RpcError: No such method, not the time for it, or wrong parameters.
        """
        if method not in self.ours and method not in self.standard:
            raise RpcError(METHOD_NOT_FOUND, f"no such method: {method}")
        if self.session is None:
            raise RpcError(SERVER_NOT_INITIALIZED, "the server is not initialized")
        if self._shutdown:
            raise RpcError(INVALID_REQUEST, "the server is shutting down")
        session = self.session
        if method in self.ours:
            model, handler = self.ours[method]
            values = validated(model, params)
            return lambda: handler(session, values)
        structured = self._structured(method, params)
        return lambda: self.standard[method](session, structured)

    def _structured(self, method: str, params: object) -> Any:
        kind = self.get_message_type(method)
        assert kind is not None
        envelope = {"jsonrpc": "2.0", "method": method, "id": 0, "params": params}
        try:
            return self._converter.structure(envelope, kind).params
        except Exception as error:
            raise RpcError(
                INVALID_PARAMS, f"params: not as {method} wants them ({_first_cause(error)})"
            ) from error

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
        self.write(encode_frame(orjson.dumps(message)))

    def _respond(self, message_id: int | str, result: object) -> None:
        try:
            plain = to_json(result) if isinstance(result, BaseModel) else self.plain(result)
            self.send({"jsonrpc": "2.0", "id": message_id, "result": plain})
        except Exception as error:  # noqa: BLE001 - the outer wall, on the way out
            self._respond_error(message_id, self._reported(error))

    def _respond_error(self, message_id: int | str | None, error: RpcError) -> None:
        body = {"code": error.code, "message": error.message}
        self.send({"jsonrpc": "2.0", "id": message_id, "error": body})

    def _send_data(self, data: Any) -> None:
        """Send what pygls sends of its own accord: the answers of the life cycle."""
        self.send(self._converter.unstructure(data))

    # Life cycle

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        """Open the session; name the encoding it chose and what of our own protocol there is."""
        result = yield from super().lsp_initialize(params)
        session = self.session = self.open_session(self.client, params)
        result.capabilities.position_encoding = types.PositionEncodingKind(session.encoding)
        result.capabilities.experimental = {"twospeed": to_json(session.features)}
        return result

    @lsp_method(types.INITIALIZED)
    def lsp_initialized(self, *_: Any) -> None:
        """Tell the session that it may talk."""
        if self.session is not None:
            self.session.begin()

    @lsp_method(types.SHUTDOWN)
    def lsp_shutdown(self, *args: Any) -> Generator[Any, Any, None]:
        """Stop what runs: its old text comes back while the editor still listens."""
        yield from super().lsp_shutdown(*args)
        if self.session is not None:
            self.session.desk.stop_all()

    @lsp_method(types.EXIT)
    def lsp_exit(self, *_: Any) -> Generator[Any, Any, None]:
        """Take note; whoever feeds the messages ends then."""
        self.has_exited = True
        return
        yield

    @property
    def is_shut_down(self) -> bool:
        """Whether the editor asked for an orderly end."""
        return self._shutdown

    def plain(self, value: object) -> Any:
        """Turn a value of lsprotocol's into plain JSON values."""
        return self._converter.unstructure(value)

    async def aclose(self) -> None:
        """End everything this connection runs."""
        if self.session is not None:
            await self.session.aclose()
        for task in list(self._running.values()):
            task.cancel()
        await asyncio.gather(*self._running.values(), return_exceptions=True)


def validated(model: type[BaseModel], params: object) -> BaseModel:
    """Check parameters against a model.

    Raises:
        RpcError: ``INVALID_PARAMS``, naming the first field that is wrong.
    """
    try:
        return model.model_validate_json(orjson.dumps({} if params is None else params))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "params"
        raise RpcError(INVALID_PARAMS, f"{place}: {first['msg'][:1].lower()}{first['msg'][1:]}") from None


def _parsed(body: bytes) -> Any:
    """Read JSON; half of a surrogate pair, which no text of ours can hold, becomes ``?``, which is as long.

    Raises:
        ValueError: It is not JSON.
        RecursionError: It is nested too deeply.
    """
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        text = json.dumps(json.loads(body), ensure_ascii=False)
        return orjson.loads(text.encode("utf-8", "replace"))


def _first_cause(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return type(error).__name__
