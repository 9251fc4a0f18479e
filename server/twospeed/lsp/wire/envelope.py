"""A message before it is understood: read from JSON, or what can be told of one that cannot be read.

A message may be too large, too deep, or no JSON; its sender still waits for an answer, and its document may be lost.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeGuard

import orjson

from .message_cost import MAX_MULTIPLE, cost_of

MAX_DEPTH = 256
"""How deep arrays and objects of a message may be nested; the deepest of LSP is about 20."""

HEAD_BYTES = 4 * 1024

MAX_PLAIN_BYTES = 1024 * 1024
"""How large a message may be that carries no text of a document; one of its values may take 30 times its bytes."""

TOO_LARGE = f"the message was larger than {MAX_PLAIN_BYTES >> 20} MiB"

_LONG_METHODS = frozenset(
    {
        "textDocument/didOpen",
        "textDocument/didChange",
        "textDocument/didSave",
        "workspace/didChangeWatchedFiles",
    }
)
"""Those that may carry the text of a document, or name every file of a workspace."""

_ID_AT_END = re.compile(
    rb'"id"\s*:\s*(-?\d{1,20}|"[^"\\]*")\s*(?:,\s*"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*)*\}\s*$'
)
"""The id of a message as one of its last members; nothing but the message itself ends there."""

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|["{}\[\]:,]|[^\s{}\[\]:,"]+', re.DOTALL)
_PLACES = {("id",): "id", ("method",): "method", ("params", "textDocument", "uri"): "uri"}


class TooLarge(ValueError):
    """A message takes more memory than any honest one; the text says so."""


@dataclass(slots=True)
class Envelope:
    """The request's id, the method and the document a message names, as far as they could be found."""

    id: int | str | None = None
    method: str | None = None
    uri: str | None = None


def read_envelope(body: bytes) -> Envelope:
    """Read what stands in the first ``HEAD_BYTES`` of a message, whatever comes behind them.

    A key counts only in its own place: an ``id`` inside of ``params`` is not the message's.
    """
    found = Envelope()
    for path, value in _values(body[:HEAD_BYTES]):
        name = _PLACES.get(path)
        if name == "id" and is_message_id(value):
            found.id = value
        elif name is not None and isinstance(value, str):
            setattr(found, name, value)
    return found


def read_whole_envelope(body: bytes) -> Envelope:
    """Read what stands at either end of a whole message: some clients write its id behind its params."""
    found = read_envelope(body)
    if found.id is None and (match := _ID_AT_END.search(body[-HEAD_BYTES:])):
        value = _scalar(match[1])
        found.id = value if is_message_id(value) else None
    return found


def is_message_id(value: object) -> TypeGuard[int | str]:
    """Tell whether a value may be a message's id (LSP 3.17: an integer or a string; ``true`` is neither)."""
    return isinstance(value, (int, str)) and not isinstance(value, bool)


def is_request(message: object, method: str) -> bool:
    """Tell whether a message is a request of this method."""
    return isinstance(message, dict) and message.get("method") == method and is_message_id(message.get("id"))


def document_uri_in(params: object) -> str | None:
    """Return the uri of the document that params are about, if they say so in their usual place."""
    document = params.get("textDocument") if isinstance(params, dict) else None
    uri = document.get("uri") if isinstance(document, dict) else None
    return uri if isinstance(uri, str) else None


def parse_message(body: bytes) -> object:
    """Read a message; half of a surrogate pair, which no text of ours can hold, becomes ``?``, which is as long.

    Raises:
        TooLarge: It would take more memory than it may (`message_cost`), or than there is.
        ValueError: It is not JSON, or nested deeper than ``MAX_DEPTH``; the text says so.
    """
    if len(body) > MAX_PLAIN_BYTES and is_too_large(read_envelope(body).method, len(body)):
        raise TooLarge(TOO_LARGE)
    cost = cost_of(body, MAX_DEPTH)
    if cost.is_too_large:
        raise TooLarge(f"the values of the message would take more than {MAX_MULTIPLE} times its size")
    if cost.is_too_deep:
        raise ValueError(f"the message is nested deeper than {MAX_DEPTH}")
    try:
        return _loaded(body)
    except (ValueError, RecursionError):
        raise ValueError("the message is not JSON") from None
    except MemoryError:
        raise TooLarge("there is not enough memory for the message") from None


def is_too_large(method: object, n_bytes: int) -> bool:
    """Whether a request or a notification is larger than its method may need."""
    return n_bytes > MAX_PLAIN_BYTES and isinstance(method, str) and method not in _LONG_METHODS


def _loaded(body: bytes) -> object:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        if b"\\u" not in body:
            raise
        text = json.dumps(json.loads(body), ensure_ascii=False)
        return orjson.loads(text.encode("utf-8", "replace"))


def _values(head: bytes) -> Iterator[tuple[tuple[str, ...], object]]:
    """Yield strings and numbers, each with the keys that lead to it; the key of an array's items is empty."""
    keys: list[str] = []
    last, is_value = b"", False
    for token in (match[0] for match in _TOKEN.finditer(head)):
        match token:
            case b'"':
                return  # a string that goes on behind the head
            case b"{" | b"[":
                keys.append("")
                is_value = False
            case b"}" | b"]":
                del keys[-1:]
            case b":" if keys:
                keys[-1], is_value = str(_scalar(last)), True
            case b",":
                is_value = False
            case _ if is_value:
                yield tuple(keys), _scalar(token)
            case _:
                pass  # a key, or what no value can be
        last = token


def _scalar(token: bytes) -> object:
    try:
        return json.loads(token)
    except (ValueError, RecursionError):
        return None
