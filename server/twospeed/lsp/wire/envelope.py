"""Parses a JSON-RPC message, or reads only its envelope: which request fails, or which document's text is lost."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeGuard

import orjson

from .framing import HEAD_BYTES
from .message_cost import MAX_MULTIPLE, cost_of

MAX_DEPTH = 256
"""Levels of arrays and objects; LSP needs about 20."""

MAX_PLAIN_BYTES = 1024 * 1024
"""Size limit of a message that contains no document; its values may take 30 times as much memory."""

TOO_LARGE = f"the message was larger than {MAX_PLAIN_BYTES >> 20} MiB"

_LONG_METHODS = frozenset(
    {
        "textDocument/didOpen",
        "textDocument/didChange",
        "textDocument/didSave",
        "notebookDocument/didOpen",
        "notebookDocument/didChange",
        "workspace/didChangeWatchedFiles",
    }
)
"""Messages that may contain a document or name every file of a workspace."""

_ID_AT_END = re.compile(
    rb'"id"\s*:\s*(-?\d{1,20}|"[^"\\]*")\s*(?:,\s*"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*)*\}\s*$'
)
"""The id as one of the last members of the outermost object."""

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|["{}\[\]:,]|[^\s{}\[\]:,"]+', re.DOTALL)
_PLACES = {
    ("id",): "id",
    ("method",): "method",
    ("params", "textDocument", "uri"): "uri",
    ("params", "notebookDocument", "uri"): "uri",
}


class TooLarge(ValueError):
    """A message would take too much memory."""


@dataclass(slots=True)
class Envelope:
    """The parts found of a message."""

    id: int | str | None = None
    method: str | None = None
    uri: str | None = None


def read_envelope(body: bytes) -> Envelope:
    """Read the first ``HEAD_BYTES``; ignores equal keys inside ``params``."""
    found = Envelope()
    for path, value in _values(body[:HEAD_BYTES]):
        name = _PLACES.get(path)
        if name == "id" and is_message_id(value):
            found.id = value
        elif name is not None and isinstance(value, str):
            setattr(found, name, value)
    return found


def read_whole_envelope(body: bytes) -> Envelope:
    """Read both ends of a complete message; some clients write the id after the params."""
    found = read_envelope(body)
    if found.id is None and (match := _ID_AT_END.search(body[-HEAD_BYTES:])):
        value = _scalar(match[1])
        found.id = value if is_message_id(value) else None
    return found


def is_message_id(value: object) -> TypeGuard[int | str]:
    """Return whether a value is an integer or a string (LSP 3.17); ``true`` is neither."""
    return isinstance(value, (int, str)) and not isinstance(value, bool)


def is_request(message: object, method: str) -> bool:
    """Return whether a message is a request with this method."""
    return isinstance(message, dict) and message.get("method") == method and is_message_id(message.get("id"))


def document_uri_in(params: object) -> str | None:
    """Return ``params.textDocument.uri``, or that of ``params.notebookDocument``, if it is there."""
    named = params if isinstance(params, dict) else {}
    document = named.get("textDocument", named.get("notebookDocument"))
    uri = document.get("uri") if isinstance(document, dict) else None
    return uri if isinstance(uri, str) else None


def parse_message(body: bytes) -> object:
    """Parse a message.

    Raises:
        TooLarge: It would take too much memory (`message_cost`).
        ValueError: It is not JSON, or nested deeper than ``MAX_DEPTH``.
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
    """Return whether a message is larger than its method needs."""
    return n_bytes > MAX_PLAIN_BYTES and isinstance(method, str) and method not in _LONG_METHODS


def _loaded(body: bytes) -> object:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        if b"\\u" not in body:
            raise
        # A lone surrogate, which UTF-8 cannot encode, becomes `?`, which has the same UTF-16 length.
        text = json.dumps(json.loads(body), ensure_ascii=False)
        return orjson.loads(text.encode("utf-8", "replace"))


def _values(head: bytes) -> Iterator[tuple[tuple[str, ...], object]]:
    # Yields strings and numbers with their path of keys; an empty key means an array.
    keys: list[str] = []
    last, is_value = b"", False
    for token in (match[0] for match in _TOKEN.finditer(head)):
        match token:
            case b'"':
                return  # a string that the end of the head cuts off
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
                pass  # a key, or invalid JSON
        last = token


def _scalar(token: bytes) -> object:
    try:
        return json.loads(token)
    except (ValueError, RecursionError):
        return None
