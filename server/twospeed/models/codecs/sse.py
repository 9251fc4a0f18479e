"""Split bytes into server-sent events (WHATWG HTML, "Interpreting an event stream")."""

from __future__ import annotations

from typing import NamedTuple

MAX_LINE_BYTES = 1024 * 1024
MAX_EVENT_BYTES = 1024 * 1024
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class SseError(ValueError):
    """A line or event is larger than 1 MiB; the rest of the stream cannot be trusted."""


class ServerSentEvent(NamedTuple):
    """One event: its name (``message`` by default) and its data, lines joined by LF."""

    event: str
    data: bytes


class SseSplitter:
    """Splits the chunks of one response into events, wherever the chunks are cut.

    `id` and `retry` are ignored, because an answer is never resumed.
    """

    def __init__(self) -> None:
        self._partial = bytearray()
        self._ended_in_cr = False
        self._at_start = True
        self._event = ""
        self._data: list[bytes] = []
        self._data_bytes = 0

    @property
    def is_between_events(self) -> bool:
        """Whether the next byte begins an event."""
        return not (self._partial or self._data or self._event or self._ended_in_cr or self._at_start)

    def receive_bytes(self, chunk: bytes) -> list[ServerSentEvent]:
        """Return the events that this chunk completes, in time linear in its bytes.

        After SseError the splitter cannot be used again.
        """
        events: list[ServerSentEvent] = []
        for line in self._complete_lines(chunk):
            if line.startswith(b"data:"):
                self._add_data(line[6:] if line[5:6] == b" " else line[5:])
            elif not line:
                if self._data:  # an event without its final empty line is dropped
                    data = self._data[0] if len(self._data) == 1 else b"\n".join(self._data)
                    events.append(ServerSentEvent(self._event or "message", data))
                    self._data = []
                    self._data_bytes = 0
                self._event = ""
            elif line == b"data":
                self._add_data(b"")
            elif line.startswith(b"event:"):
                self._event = line[6:].removeprefix(b" ").decode("utf-8", "replace")
            elif line == b"event":
                self._event = ""
        return events

    def _complete_lines(self, chunk: bytes) -> list[bytes]:
        if not chunk:
            return []
        if self._ended_in_cr and chunk[0] == 10:  # noqa: PLR2004  # LF: the second half of a CRLF cut in two
            chunk = chunk[1:]
        self._ended_in_cr = chunk.endswith(b"\r")
        # Unlike str.splitlines, bytes.splitlines splits only at LF, CRLF and CR, the line ends of SSE.
        lines = chunk.splitlines()
        rest = lines.pop() if lines and not chunk.endswith((b"\n", b"\r")) else b""
        if self._partial and lines:
            self._partial += lines[0]
            lines[0] = bytes(self._partial)
            self._partial.clear()
        self._partial += rest
        if max(map(len, (self._partial, *lines))) > MAX_LINE_BYTES:
            raise SseError(f"a line of the event stream is larger than {MAX_LINE_BYTES} bytes")
        if self._at_start and lines:
            self._at_start = False
            lines[0] = lines[0].removeprefix(_BYTE_ORDER_MARK)
        return lines

    def _add_data(self, value: bytes) -> None:
        self._data.append(value)
        self._data_bytes += len(value) + 1
        if self._data_bytes > MAX_EVENT_BYTES:
            raise SseError(f"an event is larger than {MAX_EVENT_BYTES} bytes")
