"""Frames are read whole from any pieces, and no input costs more than its size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.lsp.wire.naive_frames import read_frames

from twospeed.lsp.wire import framing
from twospeed.lsp.wire.framing import (
    HEAD_BYTES,
    MAX_BODY_BYTES,
    MAX_HEADER_BYTES,
    FrameDecoder,
    FramingError,
    OversizedBody,
    encode_frame,
)


def frames(data: bytes, size: int) -> list[bytes]:
    decoder = FrameDecoder()
    return [body for at in range(0, len(data), size) for body in decoder.receive_bytes(data[at : at + size])]


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_frames_are_decoded_whole_from_any_chunks(size: int) -> None:
    bodies = [orjson.dumps({"n": n, "é": "x" * n}) for n in range(20)]
    assert frames(b"".join(map(encode_frame, bodies)), size) == bodies


@pytest.mark.security("R11.1")
@pytest.mark.parametrize("size", [1, 5, 1000])
@pytest.mark.parametrize(
    "header",
    [
        b"content-length: 2",
        b"CONTENT-LENGTH:2",
        b"content-type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-LENGTH:  2 ",
        b"Content-Length: 2\r\nContent-Type: application/vscode-jsonrpc; charset=utf8",
        b"Content-Length: 000000002",
        b"Content-Length: \t2\t\r\nX-Other: yes",
    ],
)
def test_header_names_ignore_case_and_unknown_headers_are_skipped(header: bytes, size: int) -> None:
    assert frames(header + b"\r\n\r\n{}" + encode_frame(b"[]"), size) == [b"{}", b"[]"]


@pytest.mark.security("R11.1")
@pytest.mark.parametrize("size", [1, 4096])
@pytest.mark.parametrize(
    "data",
    [
        b"Content-Length: 1000000000000\r\n\r\n",
        b"Content-Length: 1000000000000000000\r\n\r\n",
        b"Content-Length: 1" + b"0" * 30 + b"\r\n\r\n",
        b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n",
        b"Content-Length: -1\r\n\r\n",
        b"Content-Length: +1\r\n\r\n",
        b"Content-Length: 0x10\r\n\r\n",
        b"Content-Length: 1_0\r\n\r\n",
        b"Content-Length: 1.0\r\n\r\n",
        b"Content-Length: \xb2\r\n\r\n",
        b"Content-Length: \r\n\r\n",
        b"Content-Length: 2\n\n",
        b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n",
        b"Content-Length: 2\r\ncontent-length: 3\r\n\r\n",
        b"Content-Length : 2\r\n\r\n",
        b" Content-Length: 2\r\n\r\n",
        b"Content-Length: 2\r\n folded: 3\r\n\r\n",
        b"Content-Length: 2\r\n: empty\r\n\r\n",
        b"Content-Type: x\r\n\r\n",
        b"Content-Lengthy: 2\r\n\r\n",
        b"X-First: 1\r\nContent-Length: 2\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n",
        b"Host: x\r\n",
        b"\xef\xbb\xbfContent-Length: 2\r\n\r\n",
        b'{"jsonrpc":"2.0"}',
        b"\x16\x03\x01\x02\x00",
        b"Content-Length: 2\r\nX: " + b"x" * MAX_HEADER_BYTES,
        b"x" * (MAX_HEADER_BYTES + 1),
        b"\r\n\r\n",
        b"\x00",
    ],
)
def test_a_malformed_header_is_an_error(data: bytes, size: int) -> None:
    if data.endswith(b"2\n\n"):
        data += b"x" * MAX_HEADER_BYTES  # a bare line feed ends no header line, so the header goes on
    with pytest.raises(FramingError):
        frames(data, size)


@pytest.mark.security("R6.3")
@pytest.mark.parametrize(
    "line", [b"GET / HTTP/1.1\r\n", b"POST", b"Origin: http", b"Host: 127", b"content: "]
)
def test_an_http_request_is_refused_at_its_first_line(line: bytes) -> None:
    with pytest.raises(FramingError, match="begins with Content-Length"):
        list(FrameDecoder().receive_bytes(line))


def test_frames_before_a_malformed_header_are_delivered() -> None:
    assert decoded([encode_frame(b"{}") + b"GET /"]) == ([b"{}"], 0, True)


@pytest.mark.security("R11.1")
def test_an_oversized_body_is_skipped_and_the_next_is_read() -> None:
    told: list[OversizedBody] = []
    decoder = FrameDecoder(on_oversized=told.append)
    start = b'{"id":7,"method":"x","params":"'
    n_bytes = MAX_BODY_BYTES + 1
    bodies = list(decoder.receive_bytes(b"Content-Length: %d\r\n\r\n" % n_bytes + start))
    left = n_bytes - len(start)
    while left:
        piece = b"y" * min(left, 1 << 20)
        bodies += decoder.receive_bytes(piece)
        left -= len(piece)
        assert len(decoder._body) <= HEAD_BYTES
    assert list(decoder.receive_bytes(encode_frame(b"{}"))) == [b"{}"]
    assert bodies == []
    assert [(body.n_bytes, body.head) for body in told] == [
        (n_bytes, (start + b"y" * HEAD_BYTES)[:HEAD_BYTES])
    ]


@pytest.mark.security("R11.1")
def test_an_oversized_body_without_callback_is_an_error() -> None:
    with pytest.raises(FramingError, match="larger than"):
        list(FrameDecoder().receive_bytes(b"Content-Length: %d\r\n\r\n" % (MAX_BODY_BYTES + 1)))


@pytest.mark.security("R11.1")
def test_a_header_line_of_200_megabytes_is_refused_after_8_kilobytes() -> None:
    decoder = FrameDecoder()
    with pytest.raises(FramingError):
        list(decoder.receive_bytes(b"Content-Type: " + b"x" * 200_000_000))
    assert len(decoder._header) <= MAX_HEADER_BYTES


class CountedChunk(bytes):
    """A chunk that counts the bytes copied from chunks and buffers."""

    n_copied = 0

    def __getitem__(self, key: Any) -> Any:
        return counted(super().__getitem__(key))


class CountedBuffer(bytearray):
    """A buffer of the decoder: counts the bytes that are added, searched and copied."""

    def __iadd__(self, data: Any) -> Self:
        return super().__iadd__(counted(data))

    def __add__(self, data: Any) -> bytearray:
        return CountedBuffer(counted(super().__add__(data)))

    def find(self, sub: Any, start: Any = 0, end: Any = None) -> int:
        CountedChunk.n_copied += len(self) - start
        return super().find(sub, start, end)

    def __getitem__(self, key: Any) -> Any:
        return counted(super().__getitem__(key))


def counted(data: Any) -> Any:
    CountedChunk.n_copied += len(data)
    return data


@pytest.mark.security("R11.1")
@pytest.mark.parametrize(
    ("data", "n", "size"),
    [
        (lambda n: encode_frame(b"x" * n), 40_000, 1),
        (lambda n: encode_frame(b"x" * n), 800_000, 4096),
        (lambda n: encode_frame(b"{}") * n, 4_000, 1 << 30),
        (lambda n: (b"Content-Length: 2\r\nX: " + b"x" * 8_000 + b"\r\n\r\n{}") * n, 8, 1),
    ],
    ids=["single bytes", "a large body", "many small frames at once", "large headers in single bytes"],
)
def test_the_copied_bytes_are_linear_in_the_size(
    data: Callable[[int], bytes], n: int, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(framing, "bytearray", CountedBuffer, raising=False)
    monkeypatch.setattr(framing, "bytes", lambda buffer: counted(bytes(buffer)), raising=False)

    def copied(n: int) -> int:
        CountedChunk.n_copied = 0
        decoder, stream = FrameDecoder(), data(n)
        bodies: list[bytes] = []
        for at in range(0, len(stream), size):
            bodies += decoder.receive_bytes(CountedChunk(stream[at : at + size]))
        assert b"".join(map(encode_frame, bodies)).count(b"{}") == stream.count(b"{}")
        return CountedChunk.n_copied

    n_small = copied(n)
    assert 0 < copied(4 * n) < 4.1 * n_small


@pytest.mark.security("R11.1")
@pytest.mark.parametrize("n_bytes", range(MAX_HEADER_BYTES - 3, MAX_HEADER_BYTES + 4))
def test_the_header_limit_is_independent_of_chunks(n_bytes: int) -> None:
    start, end = b"Content-Length: 2\r\nX: ", b"\r\n\r\n"
    header = start + b"x" * (n_bytes - len(start) - len(end)) + end
    expected = read_frames(header + b"{}")
    assert expected == (([b"{}"], 0, False) if n_bytes <= MAX_HEADER_BYTES else ([], 0, True))
    for size in (1, 255, 256, 257, 8191, 8192, 8193, 9000):
        chunks = [(header + b"{}")[at : at + size] for at in range(0, n_bytes + 2, size)]
        assert decoded(chunks) == expected


CHUNKS = st.lists(st.integers(1, 40), max_size=30)
PIECES = st.one_of(
    st.binary(max_size=30).map(encode_frame),
    st.sampled_from(
        [
            b"Content-Length: ",
            b"content-type: x\r\n",
            b"Content-Length: 3\r\n",
            b"Content-Length: 12345678901\r\n",
            b"\r\n",
            b"\r\n\r\n",
            b":",
            b"GET / HTTP/1.1",
            b"Content-Length: 60\r\n\r\n" + b"y" * 60,
        ]
    ),
    st.binary(max_size=12),
)


SMALL_BYTES = 50


def decoded(chunks: list[bytes]) -> tuple[list[bytes], int, bool]:
    bodies: list[bytes] = []
    told: list[OversizedBody] = []
    decoder = FrameDecoder(on_oversized=told.append, max_body_bytes=SMALL_BYTES)
    try:
        for chunk in chunks:
            for body in decoder.receive_bytes(chunk):
                bodies.append(body)  # noqa: PERF402 - the error comes after what was whole
    except FramingError:
        return bodies, len(told), True
    return bodies, len(told), False


@pytest.mark.security("R11.1")
@settings(max_examples=400, deadline=None)
@given(st.lists(PIECES, max_size=8).map(b"".join), CHUNKS)
def test_any_chunking_equals_the_reference_decoder(data: bytes, sizes: list[int]) -> None:
    chunks, at = [], 0
    for size in sizes:
        chunks.append(data[at : at + size])
        at += size
    chunks.append(data[at:])
    whole = decoded([data])
    assert decoded(chunks) == whole
    assert decoded([bytes([byte]) for byte in data]) == whole
    assert whole == read_frames(data, max_body=SMALL_BYTES)
