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

MAX_DEPTH = 256
"""How deep arrays and objects of a message may be nested; the deepest of LSP is about 20."""

HEAD_BYTES = 4 * 1024

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|["{}\[\]:,]|[^\s{}\[\]:,"]+', re.DOTALL)
_PLACES = {("id",): "id", ("method",): "method", ("params", "textDocument", "uri"): "uri"}


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


def is_message_id(value: object) -> TypeGuard[int | str]:
    """Tell whether a value may be a message's id (LSP 3.17: an integer or a string; ``true`` is neither)."""
    return isinstance(value, (int, str)) and not isinstance(value, bool)


def is_request(message: object, method: str) -> bool:
    """Tell whether a message is a request of this method."""
    return isinstance(message, dict) and message.get("method") == method and is_message_id(message.get("id"))


def document_named_in(params: object) -> str | None:
    """Return the uri of the document that params are about, if they say so in their usual place."""
    document = params.get("textDocument") if isinstance(params, dict) else None
    uri = document.get("uri") if isinstance(document, dict) else None
    return uri if isinstance(uri, str) else None


def parse_message(body: bytes) -> object:
    """Read a message; half of a surrogate pair, which no text of ours can hold, becomes ``?``, which is as long.

    Raises:
        ValueError: It is not JSON, or nested deeper than ``MAX_DEPTH``; the text says so.
    """
    try:
        message = _loaded(body)
    except (ValueError, RecursionError):
        raise ValueError("the message is not JSON") from None
    if _is_too_deep(message, body):
        raise ValueError(f"the message is nested deeper than {MAX_DEPTH}")
    return message


def _loaded(body: bytes) -> object:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        if b"\\u" not in body:
            raise
        text = json.dumps(json.loads(body), ensure_ascii=False)
        return orjson.loads(text.encode("utf-8", "replace"))


def _is_too_deep(message: object, body: bytes) -> bool:
    if body.count(b"[") + body.count(b"{") <= MAX_DEPTH:
        return False  # the most usual answer, without a step into the message
    level = [message]
    for _ in range(MAX_DEPTH):
        level = [child for each in level for child in _children(each)]
        if not level:
            return False
    return True


def _children(value: object) -> list[object]:
    within = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [child for child in within if isinstance(child, (dict, list))]


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
