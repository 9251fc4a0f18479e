"""An editor that loses what it reads in one piece with an answer gets every message."""

from __future__ import annotations

import asyncio
from typing import Any

import orjson
from tests.lsp.editor import Editor
from tests.lsp.shop import NEW, TEXT

from twospeed.lsp.framing import FrameDecoder
from twospeed.lsp.lone_answers import MOMENT_S, LoneAnswers
from twospeed.models.scripted import ScriptedModel, scripted_answer

READS_WITHIN_S = MOMENT_S / 2


class ReadingPieces:
    """Stands between server and editor, and reads all that comes within a moment as one piece.

    Attributes:
        lost: What came in one piece with an answer, and behind it.
    """

    def __init__(self, editor: Editor) -> None:
        self.lost: list[Any] = []
        self._receive = editor._receive
        self._piece: list[bytes] = []
        assert editor.server.session
        for writing in (editor.server, editor.server._lone_answers):
            if isinstance(writing, LoneAnswers):
                writing._write = self.write
            elif writing:
                writing.write = self.write

    def write(self, frame: bytes) -> None:
        self._piece.append(frame)
        if len(self._piece) == 1:
            asyncio.get_running_loop().call_later(READS_WITHIN_S, self._read)

    def _read(self) -> None:
        piece, self._piece = self._piece, []
        for number, frame in enumerate(piece):
            [body] = FrameDecoder().receive_bytes(frame)
            self._receive(frame)
            if "method" not in orjson.loads(body):
                self.lost += piece[number + 1 :]
                return


async def test_what_a_command_leads_to_is_not_lost_with_its_answer() -> None:
    async with await Editor.started(name="emacs") as editor:
        buffer = editor.open(TEXT)
        editor.serve(ScriptedModel(scripted_answer(NEW)))
        pieces = ReadingPieces(editor)
        await editor.edit(3)
        assert buffer.text != TEXT
        await editor.command("twospeed.reject")
        await editor.wait_for(lambda: buffer.text == TEXT)
        await editor.command("twospeed.toggleMode")
        await editor.wait_for(lambda: editor.messages("window/showMessage"))
        assert pieces.lost == []


async def test_messages_keep_their_order_and_the_last_ones_come_at_the_end_of_all() -> None:
    written: list[bytes] = []
    answers = LoneAnswers(written.append)
    answers.send(b"1", is_answer=False)
    answers.send(b"2", is_answer=True)
    answers.send(b"3", is_answer=True)
    answers.send(b"4", is_answer=False)
    assert written == [b"1", b"2"]
    answers.flush()
    assert written == [b"1", b"2", b"3", b"4"]


async def test_an_edit_is_built_once_it_would_go_out_so_that_none_comes_behind_a_cancel() -> None:
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


async def test_other_editors_wait_for_nothing() -> None:
    async with await Editor.started(name="Neovim") as editor:
        assert editor.server._lone_answers is None
