"""An editor that loses messages read together with a response gets every message."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from typing import Any, cast

import orjson
import pytest
from tests.scenarios.editor import Editor
from tests.scenarios.shop import NEW, TEXT

from twospeed.lsp.wire import response_spacing
from twospeed.lsp.wire.framing import FrameDecoder
from twospeed.lsp.wire.response_spacing import PAUSE_S, ResponseSpacing
from twospeed.testing.scripted_model import ScriptedModel, scripted_answer

READS_WITHIN_S = PAUSE_S / 2


class ChunkedReader:
    """Delivers all frames of ``READS_WITHIN_S`` to the editor as one read, which drops those after a response."""

    def __init__(self, editor: Editor) -> None:
        self.lost: list[Any] = []
        self._receive = editor._receive
        self._chunk: list[bytes] = []
        assert editor.server.session
        for writing in (editor.server, editor.server._response_spacing):
            if isinstance(writing, ResponseSpacing):
                writing._write = self.write
            elif writing:
                writing.options.write = self.write

    def write(self, frame: bytes) -> None:
        self._chunk.append(frame)
        if len(self._chunk) == 1:
            asyncio.get_running_loop().call_later(READS_WITHIN_S, self._read)

    def _read(self) -> None:
        chunk, self._chunk = self._chunk, []
        for number, frame in enumerate(chunk):
            [body] = FrameDecoder().receive_bytes(frame)
            self._receive(frame)
            if "method" not in orjson.loads(body):
                self.lost += chunk[number + 1 :]
                return


async def test_messages_after_a_command_response_are_not_lost() -> None:
    async with await Editor.started(name="emacs") as editor:
        buffer = editor.open(TEXT)
        editor.serve(ScriptedModel(scripted_answer(NEW)))
        reader = ChunkedReader(editor)
        await editor.edit(3)
        assert buffer.text != TEXT
        await editor.command("twospeed.reject")
        await editor.wait_for(lambda: buffer.text == TEXT)
        await editor.command("twospeed.toggleMode")
        await editor.wait_for(lambda: editor.messages("window/showMessage"))
        assert reader.lost == []


async def test_delayed_messages_keep_their_order_and_are_flushed_at_the_end() -> None:
    written: list[bytes] = []
    spacing = ResponseSpacing(written.append)
    spacing.send(b"1", is_response=False)
    spacing.send(b"2", is_response=True)
    spacing.send(b"3", is_response=True)
    spacing.send(b"4", is_response=False)
    assert written == [b"1", b"2"]
    spacing.flush()
    assert written == [b"1", b"2", b"3", b"4"]


PAUSE = 4
"""Length of a pause in the tests with a fake clock."""


class Timers:
    """The clock of an event loop, which the test advances."""

    Event = asyncio.Event

    def __init__(self) -> None:
        self.now = 0
        self.timers: list[tuple[int, Callable[[], None]]] = []

    def get_running_loop(self) -> Timers:
        return self

    def call_later(self, seconds: int, call: Callable[[], None]) -> Timers:
        assert seconds == PAUSE
        self.timers.append((self.now + seconds, call))
        return self

    def cancel(self) -> None:
        self.timers.clear()

    def advance_to(self, now: int) -> None:
        while self.timers and self.timers[0][0] <= now:
            self.now, call = self.timers.pop(0)
            call()
        self.now = now


def sent_when(calls: list[tuple[int, bytes, bool]]) -> list[tuple[int, bytes]]:
    """Compute when each frame is due: in order, and not before a pause after the last response."""
    sent: list[tuple[int, bytes]] = []
    free_at = 0
    for at, frame, is_response in calls:
        free_at = max(free_at, at)
        sent.append((free_at, frame))
        free_at += PAUSE if is_response else 0
    return sent


def test_each_frame_is_sent_after_a_pause_behind_a_response(monkeypatch: pytest.MonkeyPatch) -> None:
    dice = random.Random(1)
    monkeypatch.setattr(response_spacing, "PAUSE_S", PAUSE)
    for _ in range(60):
        timers = Timers()
        monkeypatch.setattr(response_spacing, "asyncio", cast("Any", timers))
        sent: list[tuple[int, bytes]] = []

        def write(frame: bytes, timers: Timers = timers, sent: list[tuple[int, bytes]] = sent) -> None:
            sent.append((timers.now, frame))

        spacing = ResponseSpacing(write)
        calls: list[tuple[int, bytes, bool]] = []
        for number in range(dice.randint(1, 12)):
            timers.advance_to(timers.now + dice.choice([0, 1, 2, 4, 10]))
            calls.append((timers.now, b"%d" % number, dice.random() < 0.5))
            spacing.send(calls[-1][1], is_response=calls[-1][2])
            assert sent == [each for each in sent_when(calls) if each[0] <= timers.now]
            is_idle = len(sent) == len(calls) and not timers.timers
            assert spacing._idle.is_set() is is_idle
        timers.advance_to(timers.now + 20 * PAUSE)
        assert sent == sent_when(calls)
        assert spacing._idle.is_set()


async def test_wait_until_idle_returns_whether_frames_were_delayed() -> None:
    spacing = ResponseSpacing(list[bytes]().append)
    assert await spacing.wait_until_idle() is False
    spacing.send(b"1", is_response=True)
    waiting = asyncio.create_task(spacing.wait_until_idle())
    await asyncio.sleep(0)
    assert not waiting.done()
    spacing.flush()
    assert await waiting is True


async def test_frames_after_a_flush_are_sent_at_once() -> None:
    written: list[bytes] = []
    spacing = ResponseSpacing(written.append)
    spacing.send(b"1", is_response=True)
    spacing.send(b"2", is_response=False)
    spacing.flush()
    spacing.send(b"3", is_response=False)
    spacing.flush()
    assert written == [b"1", b"2", b"3"]


async def test_a_batch_is_built_only_when_it_can_be_sent() -> None:
    async with await Editor.started(name="emacs") as editor:
        buffer = editor.open(TEXT)
        held = asyncio.Event()
        model = ScriptedModel([held, *scripted_answer(NEW)])
        editor.serve(model)
        _, running = editor.ask("twospeed/edit", editor.edit_params(3, editId="c1"))
        questions = [editor.ask("twospeed/status", {})[1] for _ in range(4)]
        held.set()
        await questions[1]  # by then the model is done, and two more answers wait
        assert (await editor.request("twospeed/cancel", {"editId": "c1"}))["outcome"] == "cancelled"
        assert (await running)["outcome"] == "cancelled"
        assert not editor.requests
        assert buffer.text == TEXT


async def test_other_clients_have_no_response_spacing() -> None:
    async with await Editor.started(name="Neovim") as editor:
        assert editor.server._response_spacing is None
