"""Read runs of events that differ in nothing but their text. No I/O.

A fast model sends dozens of events in one packet, each 200 to 350 bytes of JSON around a word, and little but the word
changes. Once one was read in full, those that follow it and are the same byte for byte are read together, as one array
of strings: a tenth of the time that splitting and decoding each of them takes (`benchmarks/bench_lanes`).
Responses also count their events, and OpenAI pads each with random letters. That means nothing to any decoder, so
whatever number or string stands in such a place is alike too.
Whatever is not such a run is left to `sse` and the decoder, so that what an answer says never depends on this.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

import orjson

from twospeed.errors import ModelError
from twospeed.models.base import ModelEvent, TextDelta

from .sse import MAX_LINE_BYTES, ServerSentEvent

_OF_EACH: Final = re.compile(rb'"sequence_number": ?(\d+)|"obfuscation": ?"(\w*)"')
"""What every event has of its own, and means nothing here."""

_TEXT: Final = "other text"
_VALUE: Final = b"7"
_EVENT_END: Final = b"\n\n"

_BETWEEN_STRINGS: Final = b'",\t"'
"""JSON lets a tab stand between strings and not inside of one, so two broken ones never read as one that is whole."""

_OPENING_BYTES: Final = 8

_MAX_VAIN_PATTERNS: Final = 8
"""Where so many patterns one after the other had no event like them, it is not worth looking any further."""


class DeltaBatches:
    """What the last event with text looked like around its text.

    Args:
        decode: Says what the data of an event would mean if it came now, without taking it.
    """

    def __init__(self, decode: Callable[[bytes], Sequence[ModelEvent]]) -> None:
        self._decode = decode
        self._seen: tuple[ServerSentEvent, str] | None = None
        self._fixed: list[bytes] = []
        self._text_at = 0
        self._n_vain = 0

    def learn(self, event: ServerSentEvent, text: str) -> None:
        """Take an event that said ``text`` and nothing else as the pattern of those to come.

        It is looked into when one comes that begins like it: the first words of an answer do not wait for that.
        """
        self._fixed = []
        self._seen = (event, text) if self._n_vain < _MAX_VAIN_PATTERNS else None

    def forget(self) -> None:
        """Take note of an event that said something else: from now on the same words may mean something else."""
        self._fixed = []
        self._seen = None

    def read(self, received: bytes, start: int) -> tuple[str, int]:
        """Read the run that ``received`` has from ``start`` on, where an event must begin.

        Returns:
            The text of the run, and where it ends: ``start`` where there is none.
        """
        if self._seen and received.startswith(_opening_of(self._seen[0]), start):
            self._look_into(*self._seen)
            self._seen = None
        if not self._fixed or not received.startswith(self._fixed[0], start):
            return "", start
        head, *between, tail = self._fixed
        received = received[start + len(head) : start + MAX_LINE_BYTES]
        # A line end cannot stand in a JSON string, so none of these cuts through a text.
        *rows, last = received.split(tail + head)
        row, found, rest = last.partition(tail)
        if found:
            rows.append(row)
        else:
            rest = head + last
        try:
            columns = _columns(rows, between)
            read = [
                _strings(values) if before.endswith(b'"') else _numbers(values)
                for before, values in zip(self._fixed, columns, strict=False)
            ]
        except ValueError:  # no whole event, others in between, half of a character, or no JSON at all
            return "", start
        self._n_vain = 0
        return "".join(read[self._text_at]), start + len(head) + len(received) - len(rest)

    def _look_into(self, event: ServerSentEvent, text: str) -> None:
        """See whether an event says another text, and nothing else, with that in its place and others in theirs."""
        self._n_vain += 1
        try:
            quoted = orjson.dumps(text)
        except TypeError:  # half of a character
            return
        data, found = event.data, event.data.find(quoted)
        if found < 0:
            return
        text_place = (found + 1, found + len(quoted) - 1)
        of_each = [match.span(match.lastindex or 0) for match in _OF_EACH.finditer(data)]
        places = sorted([text_place, *of_each])
        starts, ends = [start for start, _ in places], [end for _, end in places]
        head, *others = [data[end:start] for end, start in zip([0, *ends], [*starts, len(data)], strict=True)]
        values = [_TEXT.encode() if place == text_place else _VALUE for place in places]
        probe = head + b"".join(value + after for value, after in zip(values, others, strict=True))
        try:
            if list(self._decode(probe)) != [TextDelta(_TEXT)]:
                return
        except ModelError:  # other words would be an error
            return
        self._fixed = [_line_of(event.event, head), *others]
        self._fixed[-1] += _EVENT_END
        self._text_at = places.index(text_place)


def _opening_of(event: ServerSentEvent) -> bytes:
    """Give how it begins, short of anything of its own."""
    return _line_of(event.event, event.data[:_OPENING_BYTES])


def _line_of(name: str, data: bytes) -> bytes:
    """Write the lines of an event up to where ``data`` ends."""
    return (b"" if name == "message" else b"event: %b\n" % name.encode()) + b"data: " + data


def _columns(rows: Sequence[bytes], between: Sequence[bytes]) -> list[Sequence[bytes]]:
    """Cut each row at what stands between its values.

    Returns:
        The first value of each row, the second value of each, and so on.

    Raises:
        ValueError: A row is made of something else.
    """
    columns = []
    for fixed in between:
        values, founds, rows = zip(*[row.partition(fixed) for row in rows], strict=True)
        if not all(founds):
            raise ValueError("another event")
        columns.append(values)
    return [*columns, rows]


def _strings(values: Sequence[bytes]) -> list[str]:
    """Read what stands between the quotes of as many strings.

    Raises:
        ValueError: One of them is none.
    """
    return _as_many(values, b'["%b"]' % _BETWEEN_STRINGS.join(values))


def _numbers(values: Sequence[bytes]) -> list[str]:
    """See that they are whole numbers, as which they say nothing.

    Raises:
        ValueError: One of them is none.
    """
    if not b"".join(values).isdigit():
        raise ValueError("not a number")
    _as_many(values, b"[%b]" % b",".join(values))
    return []


def _as_many(values: Sequence[bytes], array: bytes) -> list[str]:
    read: list[str] = orjson.loads(array)
    if len(read) != len(values):
        raise ValueError("more values than one")
    return read
