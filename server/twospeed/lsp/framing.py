r"""Frames of the base protocol: bytes in any chunks to message bodies, and back. No I/O.

A frame is a block of ``Name: value\r\n`` header lines, an empty line, and ``Content-Length`` bytes of body
(LSP 3.17, "Base Protocol"). Header names are case-insensitive, as in HTTP, whose grammar the specification
borrows. The limits keep a broken or hostile peer from claiming memory: a header block of 8 KiB is eighty times
what any client sends, 64 MiB is more than the largest document an editor should open here.
"""

from __future__ import annotations

MAX_HEADER_BYTES = 8 * 1024
MAX_BODY_BYTES = 64 * 1024 * 1024
_MAX_LENGTH_DIGITS = 9
_END_OF_HEADER = b"\r\n\r\n"


class FramingError(Exception):
    """The peer does not speak the base protocol; nothing after this point can be trusted."""


class FrameDecoder:
    """Cut a stream of bytes into message bodies."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._body_length: int | None = None

    def receive_bytes(self, data: bytes) -> list[bytes]:
        """Take what arrived, in any chunks.

        Returns:
            The bodies completed by it, in order.

        Raises:
            FramingError: A header is malformed, repeated, missing or too large; the decoder is of no use any more.

        Cost: linear in the bytes received.
        """
        self._buffer += data
        bodies: list[bytes] = []
        while True:
            if self._body_length is None:
                end = self._buffer.find(_END_OF_HEADER, 0, MAX_HEADER_BYTES)
                if end < 0:
                    if len(self._buffer) >= MAX_HEADER_BYTES:
                        raise FramingError(f"header block larger than {MAX_HEADER_BYTES} bytes")
                    return bodies
                self._body_length = _content_length(bytes(self._buffer[:end]))
                del self._buffer[: end + len(_END_OF_HEADER)]
            if len(self._buffer) < self._body_length:
                return bodies
            bodies.append(bytes(self._buffer[: self._body_length]))
            del self._buffer[: self._body_length]
            self._body_length = None


def encode_frame(body: bytes) -> bytes:
    """Put the header before a message body."""
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def _content_length(header: bytes) -> int:
    length: int | None = None
    for line in header.split(b"\r\n"):
        name, colon, value = line.partition(b":")
        if not colon or not name or name != name.strip():
            raise FramingError("malformed header line")
        if name.lower() != b"content-length":
            continue
        digits = value.strip()
        if length is not None:
            raise FramingError("more than one Content-Length")
        if not digits.isdigit() or len(digits) > _MAX_LENGTH_DIGITS:
            raise FramingError("Content-Length is not a small number")
        length = int(digits)
    if length is None:
        raise FramingError("no Content-Length")
    if length > MAX_BODY_BYTES:
        raise FramingError(f"body larger than {MAX_BODY_BYTES} bytes")
    return length
