"""An answer in one large event is read in steps, and the event loop runs between them."""

from __future__ import annotations

import asyncio

import pytest
from tests.scenarios.editor import Editor

from twospeed.edits.prompting.retrying_request import PIECE_CHARS
from twospeed.models.base import Finished, TextDelta
from twospeed.stream import EditStream
from twospeed.testing.scripted_model import ScriptedModel

OLD = "def f():\n" + "".join(f"    value_{number} = {number}  # a line\n" for number in range(2_000))
NEW = OLD.replace("value_1999 = 1999", "value_1999 = 0")


@pytest.mark.parametrize("variations", [1, 2])
async def test_the_event_loop_runs_between_the_pieces_of_a_large_delta(
    streaming: Editor, monkeypatch: pytest.MonkeyPatch, variations: int
) -> None:
    turn, read = 0, []

    def count() -> None:
        nonlocal turn
        turn += 1
        asyncio.get_running_loop().call_soon(count)

    receive_text = EditStream.receive_text

    def receive(stream: EditStream, text: str) -> object:
        read.append((id(stream), turn, len(text)))
        return receive_text(stream, text)

    monkeypatch.setattr(EditStream, "receive_text", receive)
    streaming.open(OLD, uri="file:///project/large.py")
    streaming.serve(ScriptedModel([TextDelta(NEW), Finished("stop")]))
    count()
    result = await streaming.edit(0, uri="file:///project/large.py", variations=variations)
    assert result["outcome"] == "applied"
    assert streaming.buffers["file:///project/large.py"].text == NEW
    assert max(size for _, _, size in read) <= PIECE_CHARS
    assert len({(stream, turn) for stream, turn, _ in read}) == len(read) > len(NEW) // PIECE_CHARS
