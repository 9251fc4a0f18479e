"""A text delta crosses the rooms once, in one direction, from the model's event to the client's request."""

from __future__ import annotations

import asyncio
import sys
from itertools import groupby
from pathlib import Path
from types import FrameType

from tests.scenarios.editor import Editor
from tests.scenarios.shop import NEW

import twospeed
from twospeed.models.base import Finished, TextDelta
from twospeed.testing.scripted_model import ScriptedModel, Step

PACKAGE = Path(twospeed.__file__).parent


class CallTrace:
    """Records which rooms are called, in order, until the client's request is sent.

    The reading task passes the delta on in ``flush_soon``. What it calls after that belongs to the next delta.
    """

    def __init__(self) -> None:
        self.calls: list[tuple[str, str]] = []
        self._reader: asyncio.Task[object] | None = None

    def begin(self) -> None:
        sys.setprofile(self._note)

    def end(self) -> None:
        sys.setprofile(None)

    def rooms(self) -> list[str]:
        """Name the rooms in the order in which they are entered; calls of values in ``text`` are left out."""
        return [room for room, _ in groupby(room for room, _ in self.calls if room != "text")]

    def _note(self, frame: FrameType, event: str, _: object) -> None:
        path, name = Path(frame.f_code.co_filename), frame.f_code.co_name
        if event != "call" or not path.is_relative_to(PACKAGE):
            return
        room = path.relative_to(PACKAGE).parts[0]
        if room in ("testing", "aio.py") or (self._reader and asyncio.current_task() is self._reader):
            return
        self.calls.append((room, name))
        if name == "flush_soon" and path.name == "flush_loop.py":
            self._reader = asyncio.current_task()
        if name == "encode_frame":
            self.end()


async def test_a_delta_reaches_the_client_without_coming_back(streaming: Editor) -> None:
    go_on, finish = asyncio.Event(), asyncio.Event()
    lines = NEW.splitlines(keepends=True)
    first, second, rest = "".join(lines[:3]), "".join(lines[3:5]), "".join(lines[5:])
    steps: list[Step] = [
        TextDelta(first),
        go_on,
        TextDelta(second),
        finish,
        TextDelta(rest),
        Finished("stop"),
    ]
    streaming.serve(ScriptedModel(steps))
    _, running = streaming.ask("twospeed/edit", streaming.edit_params(4))
    await streaming.wait_for(lambda: len(streaming.requests) == 1)
    for _ in range(20):  # until the client's response is processed
        await asyncio.sleep(0)
    trace = CallTrace()
    trace.begin()
    go_on.set()
    try:
        await streaming.wait_for(lambda: len(streaming.requests) == 2)
    finally:
        trace.end()
    assert trace.rooms() == ["edits", "stream", "delivery", "stream", "delivery", "lsp"]
    finish.set()
    assert (await running)["outcome"] == "applied"
