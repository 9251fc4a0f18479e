"""A second reader of the base protocol for comparison: the whole stream at once, without state."""

from __future__ import annotations

from twospeed.lsp.wire.framing import MAX_BODY_BYTES, MAX_HEADER_BYTES

Frames = tuple[list[bytes], int, bool]
"""Bodies, how many were too large to be kept, and whether the stream stopped making sense after them."""

TOKEN = set(b"!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")


def read_frames(data: bytes, *, max_body: int = MAX_BODY_BYTES) -> Frames:
    bodies: list[bytes] = []
    n_oversized = 0
    while data:
        block, end, rest = data.partition(b"\r\n\r\n")
        if not end or len(block) + 4 > MAX_HEADER_BYTES:
            return bodies, n_oversized, cannot_become_a_header(data)
        size = size_of(block)
        if size is None:
            return bodies, n_oversized, True
        if len(rest) < size:
            return bodies, n_oversized, False
        if size > max_body:
            n_oversized += 1
        else:
            bodies.append(rest[:size])
        data = rest[size:]
    return bodies, n_oversized, False


def cannot_become_a_header(start: bytes) -> bool:
    if len(start) >= MAX_HEADER_BYTES:
        return True
    name = start.lower().split(b":")[0]
    known = [b"content-length", b"content-type"]
    return name not in known if b":" in start else not any(each.startswith(name) for each in known)


def size_of(block: bytes) -> int | None:
    sizes: list[bytes] = []
    for number, line in enumerate(block.split(b"\r\n")):
        name, colon, value = line.partition(b":")
        if not colon or not name or not set(name) <= TOKEN:
            return None
        if number == 0 and name.lower() not in (b"content-length", b"content-type"):
            return None
        if name.lower() == b"content-length":
            sizes.append(value.strip(b" \t"))
    if len(sizes) != 1 or not 1 <= len(sizes[0]) <= 9 or not set(sizes[0]) <= set(b"0123456789"):
        return None
    return int(sizes[0])
