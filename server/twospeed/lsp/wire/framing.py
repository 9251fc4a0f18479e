r"""Converts bytes in any chunks to message bodies, and back. No I/O.

A frame has ``Name: value\r\n`` header lines, an empty line, and ``Content-Length`` bytes of body (LSP 3.17, "Base
Protocol"). Header names are case-insensitive, as in HTTP.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

MAX_HEADER_BYTES = 8 * 1024  # clients send about 100
MAX_BODY_BYTES = 64 * 1024 * 1024  # more than the largest document that is edited
HEAD_BYTES = 4 * 1024
"""Bytes kept from the start of an oversized body: enough to read its id, method and document (`envelope`)."""

_MAX_LENGTH_DIGITS = 9
_PIECE_BYTES = 256
"""Headers are read in pieces, so that a chunk of many frames is not copied for each frame."""

_END_OF_HEADER = b"\r\n\r\n"
_HEADER_LINE = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):(.*)", re.DOTALL)
_FIRST_HEADERS = (b"content-length", b"content-type")


class FramingError(Exception):
    """The client violates the base protocol; later bytes cannot be interpreted."""


@dataclass(frozen=True, slots=True)
class OversizedBody:
    """The first ``HEAD_BYTES`` and the size of a body that was not stored."""

    head: bytes
    n_bytes: int


class FrameDecoder:
    """Cuts a stream of bytes into message bodies."""

    def __init__(
        self,
        *,
        on_oversized: Callable[[OversizedBody], None] | None = None,
        max_body_bytes: int = MAX_BODY_BYTES,
    ) -> None:
        self.on_oversized = on_oversized  # called after each oversized body; if None, such a body is an error
        self.max_body_bytes = max_body_bytes  # may be changed between bodies
        self._header = bytearray()
        self._body = bytearray()
        self._n_bytes = 0
        self._n_missing: int | None = None  # bytes of the body; None while a header is read

    def receive_bytes(self, data: bytes) -> Iterator[bytes]:
        """Yield the bodies that these bytes complete, in linear time; raises `FramingError`."""
        at = 0
        while at < len(data):
            at = self._read_header(data, at) if self._n_missing is None else self._read_body(data, at)
            if self._n_missing == 0 and (body := self._end_body()) is not None:
                yield body

    def _read_header(self, data: bytes, at: int) -> int:
        n_before = len(self._header)
        self._header += data[at : at + min(_PIECE_BYTES, MAX_HEADER_BYTES - n_before)]
        # The end of the header may be split between two chunks.
        end = self._header.find(_END_OF_HEADER, max(0, n_before - len(_END_OF_HEADER) + 1))
        if end < 0:
            # An HTTP request of a web page must be refused at its first wrong byte, before its body is read.
            _check_first_name(self._header[:_PIECE_BYTES])
            if len(self._header) >= MAX_HEADER_BYTES:
                raise FramingError(f"header block larger than {MAX_HEADER_BYTES} bytes")
            return at + len(self._header) - n_before
        self._n_bytes = self._n_missing = _content_length(bytes(self._header[:end]))
        if self._is_oversized and self.on_oversized is None:
            raise FramingError(f"body larger than {self.max_body_bytes} bytes")
        self._header.clear()
        return at + end + len(_END_OF_HEADER) - n_before

    def _read_body(self, data: bytes, at: int) -> int:
        assert self._n_missing is not None
        piece = data[at : at + self._n_missing]
        self._n_missing -= len(piece)
        self._body += piece[: max(0, HEAD_BYTES - len(self._body))] if self._is_oversized else piece
        return at + len(piece)

    def _end_body(self) -> bytes | None:
        body, self._body, self._n_missing = bytes(self._body), bytearray(), None
        if not self._is_oversized:
            return body
        assert self.on_oversized is not None
        self.on_oversized(OversizedBody(body, self._n_bytes))
        return None

    @property
    def _is_oversized(self) -> bool:
        return self._n_bytes > self.max_body_bytes


def encode_frame(body: bytes) -> bytes:
    """Return a message body with its header."""
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def _check_first_name(header: bytes | bytearray) -> None:
    name, colon, _ = header.lower().partition(b":")
    if not (name in _FIRST_HEADERS if colon else any(known.startswith(name) for known in _FIRST_HEADERS)):
        raise FramingError("a frame begins with Content-Length")


def _content_length(header: bytes) -> int:
    _check_first_name(header)
    length: int | None = None
    for line in header.split(b"\r\n"):
        match = _HEADER_LINE.fullmatch(line)
        if match is None:
            raise FramingError("malformed header line")
        name, value = match.groups()
        if name.lower() != b"content-length":
            continue
        digits = value.strip(b" \t")
        if length is not None:
            raise FramingError("more than one Content-Length")
        if not digits.isdigit() or len(digits) > _MAX_LENGTH_DIGITS:
            raise FramingError("Content-Length is not a small number")
        length = int(digits)
    if length is None:
        raise FramingError("no Content-Length")
    return length
