"""Replay a corpus of real edits while somebody types above, below and inside the scope.

What is typed lands when a given share of the answer has come. Afterwards the document is the exact result with what
was typed, or the old text with it where the edit had to stop.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.replay import corpus
from tests.scenarios.editor import STREAMING, Editor, offset_of

from twospeed.models.base import Finished, ModelEvent, ModelRequest, TextDelta

pytestmark = pytest.mark.skipif(not corpus.IS_THERE, reason="TWOSPEED_REPLAY does not name a corpus")


class PausingModel:
    """Give the first part of an answer, say so, and wait for the word to go on."""

    provider = name = "pausing"

    def __init__(self, pieces: list[str], share: float) -> None:
        self._pieces = pieces
        self._pause_at = int(len(pieces) * share)
        self.is_paused = asyncio.Event()
        self.may_go_on = asyncio.Event()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        for index, piece in enumerate(self._pieces):
            if index == self._pause_at:
                self.is_paused.set()
                await self.may_go_on.wait()
            await asyncio.sleep(0)
            yield TextDelta(piece)
        yield Finished("stop")

    async def warm(self, request: ModelRequest) -> None:
        """Keep nothing."""

    def send_ahead(self, request: ModelRequest) -> None:
        """Send nothing."""


def type_as_told(editor: Editor, uri: str, record: Mapping[str, Any], typed: Any) -> None:
    """Do what the corpus says, though its places are those of the untouched file."""
    before, buffer = record["file_before"], editor.buffers[uri]
    start, end = (
        offset_of(before, place["line"], place["character"])
        for place in (typed.range["start"], typed.range["end"])
    )
    if typed.name.endswith("below"):  # what the answer did so far has moved it
        start, end = (len(buffer.text) - len(before) + offset for offset in (start, end))
    (line, character), (end_line, end_character) = (place_of(buffer.text, offset) for offset in (start, end))
    editor.type(line, character, typed.new_text, uri=uri, end=(end_line, end_character))


def place_of(text: str, offset: int) -> tuple[int, int]:
    lines = corpus.judge().lines_of(text[:offset])
    last = lines.pop() if lines and not lines[-1].endswith(("\n", "\r")) else ""
    return len(lines), len(last.encode("utf-16-le")) // 2


def what_is_wrong(record: Mapping[str, Any], typed: Any, text: str, result: Mapping[str, Any]) -> str:
    """Judge the document; return nothing where it is right."""
    if result["outcome"] != "applied":
        return (
            ""
            if text == typed.stopped
            else f"{result['outcome']}, and the text is not as it was with the typing"
        )
    if typed.exact is not None:
        # New lines get no trailing blanks in a file without any, although some commits have them.
        is_exact = corpus.without_trailing_blanks(text) == corpus.without_trailing_blanks(typed.exact)
        return "" if is_exact else "applied, and the text is not the exact one"
    if typed.name == "scope_deleted":
        return "applied to a scope that was deleted"
    (typed_line,) = {*typed.stopped.splitlines()} - {*record["file_before"].splitlines()} or {""}
    if typed_line and typed_line not in text.splitlines():
        return "what was typed is gone"
    text = corpus.without_trailing_blanks(text)
    after = corpus.without_trailing_blanks(corpus.judge().file_after(record))
    same = next(
        (at for at, (old, new) in enumerate(zip(after, text, strict=False)) if old != new), len(after)
    )
    merged = text == after[:same] + corpus.without_trailing_blanks(typed.new_text) + after[same:]
    return "" if merged or result["conflicts"] else "typed text was merged otherwise, and no conflict is told"


@pytest.mark.parametrize("seed", corpus.SEEDS)
@pytest.mark.parametrize("capabilities", [STREAMING, {}], ids=["streamed", "atomic"])
async def test_typed_text_survives_a_replayed_edit(seed: int, capabilities: Mapping[str, Any]) -> None:
    counts = Counter[str]()
    wrong: list[str] = []
    number = 0
    async with await Editor.started(capabilities) as editor:
        for record in corpus.records():
            for typed in corpus.judge().interferences(record, seed):
                if capabilities and typed.exact is None:
                    continue  # a place inside the scope means nothing once lines have been written there
                number += 1
                uri = f"file:///replay/{number}/{Path(record['path']).name}"
                buffer = editor.open(record["file_before"], uri=uri, language=record["language_id"])
                answer = record["scope_after"].replace("\r\n", "\n").replace("\r", "\n")
                model = PausingModel(corpus.judge().chunks(answer, seed=seed), typed.after)
                editor.serve(model)
                params = {
                    "textDocument": {"uri": uri, "version": 1},
                    "range": record["scope"]["lsp_range"],
                    "instruction": record["subject"],
                    "scope": "selection",
                }
                _, edit = editor.ask("twospeed/edit", params)
                async with asyncio.timeout(20):
                    pause = asyncio.ensure_future(model.is_paused.wait())
                    await asyncio.wait([pause, edit], return_when=asyncio.FIRST_COMPLETED)
                    pause.cancel()
                    type_as_told(editor, uri, record, typed)
                    model.may_go_on.set()
                    result = await edit
                if why := what_is_wrong(record, typed, buffer.text, result):
                    wrong.append(f"{record['id']}#{typed.name}: {why}")
                counts[f"{typed.name}: {result['outcome']}"] += 1
                editor.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    print(f"\nseed {seed}: {dict(sorted(counts.items()))}")
    assert not wrong, f"{len(wrong)} wrong, such as {wrong[:20]}"
