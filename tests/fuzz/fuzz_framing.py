"""Fuzz the frame reader: `make fuzz`, or ``python -m tests.fuzz.fuzz_framing FOLDER [libFuzzer options]``.

The first byte of an input says how the rest is cut into chunks. What the decoder makes of them must be what a second
reading of the specification makes of the whole, and nothing but ``FramingError`` may come out of it. FOLDER holds the
corpus; the seeds are written there by the target itself.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

from tests.lsp.wire.naive_frames import read_frames

from twospeed.lsp.wire import framing
from twospeed.lsp.wire.framing import FrameDecoder, FramingError, OversizedBody, encode_frame

MAX_BODY_BYTES = 200
"""Small, so that inputs of a size the fuzzer reaches can be too large."""

SEEDS = (
    b"\x00" + encode_frame(b'{"jsonrpc":"2.0","id":1,"method":"shutdown"}'),
    b"\x01" + encode_frame(b"{}") * 4,
    b"\x03Content-Type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-length: 2\r\n\r\n{}",
    b"\x07Content-Length: 300\r\n\r\n" + b"x" * 300 + encode_frame(b"[]"),
    b"\x05Content-Length: 1000000000000\r\n\r\n",
    b"\x02Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
    b"\x00POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\n\r\n{}",
    b"\x10Content-Length: 0\r\n\r\n" * 3,
    b"\x00\r\n\r\n",
)


def check(data: bytes) -> None:
    """Hold the decoder against the second reading, for one input."""
    size, stream = (data[0] or 1 << 20, data[1:]) if data else (1, b"")
    bodies: list[bytes] = []
    oversized: list[OversizedBody] = []
    decoder = FrameDecoder(on_oversized=oversized.append, max_body_bytes=MAX_BODY_BYTES)
    is_broken = False
    try:
        for at in range(0, len(stream), size):
            for body in decoder.receive_bytes(stream[at : at + size]):
                bodies.append(body)  # noqa: PERF402 - an error comes after what was whole
    except FramingError:
        is_broken = True
    expected = read_frames(stream, max_body=MAX_BODY_BYTES)
    assert (bodies, len(oversized), is_broken) == expected


def write_seeds(folder: Path) -> None:
    """Put the seeds into the corpus."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(SEEDS):
        (folder / f"seed-{number}").write_bytes(seed)


def main(arguments: list[str]) -> None:
    """Fuzz until libFuzzer's options say stop."""
    atheris: Any = importlib.import_module(
        "atheris"
    )  # in an environment of its own; the seeds are a test like any
    folder, *options = arguments
    write_seeds(Path(folder))
    atheris.instrument_func(check)
    for name in ("receive_bytes", "_read_header", "_read_body", "_end_body"):
        setattr(FrameDecoder, name, atheris.instrument_func(getattr(FrameDecoder, name)))
    for name in ("_check_first_name", "_content_length"):
        setattr(framing, name, atheris.instrument_func(getattr(framing, name)))
    atheris.Setup([sys.argv[0], folder, *options], check)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1:])
