"""Replay a corpus of real edits in every shape models answer in, and judge each document byte for byte.

See `corpus` for where it is; without it there is nothing to do. Run with ``-s`` to see the table. Every answer is
streamed into an open document; what was applied is then rejected, so each record's document is used again.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest
from tests.replay import corpus
from tests.scenarios.editor import STREAMING, Editor

from twospeed.models.base import Finished, ModelEvent, TextDelta
from twospeed.testing.scripted_model import ScriptedModel

pytestmark = pytest.mark.skipif(not corpus.IS_THERE, reason="TWOSPEED_REPLAY does not name a corpus")

WANTED_EXACT = 0.85
"""Share of the answers in rarer shapes, whose best end is the exact text, that reach it; the others are refused."""


class Replay:
    """One record in an open document, edited again and again."""

    def __init__(self, editor: Editor, record: dict[str, Any], number: int) -> None:
        self._editor = editor
        self.record = record
        self.uri = f"file:///replay/{number}/{Path(record['path']).name}"
        self.moments: list[str] = []
        self.open()

    def open(self) -> None:
        self.buffer = self._editor.open(
            self.record["file_before"], uri=self.uri, language=self.record["language_id"]
        )

    def close(self) -> None:
        self._editor.notify("textDocument/didClose", {"textDocument": {"uri": self.uri}})

    async def answered(self, answer: list[ModelEvent]) -> tuple[str, dict[str, Any]]:
        """Run one edit; return the document as it is then, and the result."""
        self._editor.serve(ScriptedModel(answer))
        self._editor.before_apply = lambda _: self.moments.append(self.buffer.text)
        lsp_range = self.record["scope"]["lsp_range"]
        params = {
            "textDocument": {"uri": self.uri, "version": self.buffer.version},
            "range": {"start": lsp_range["start"], "end": lsp_range["end"]},
            "instruction": self.record["subject"],
            "scope": "selection",
        }
        result = await self._editor.request("twospeed/edit", params)
        return self.buffer.text, result

    async def rejected(self, result: dict[str, Any]) -> bool:
        """Put the old text back; return whether it is back."""
        if result["hunks"]:
            await self._editor.request("twospeed/decide", {"editId": result["editId"], "action": "reject"})
        return self.buffer.text == self.record["file_before"]


def events(variant: Any, seed: int) -> list[ModelEvent]:
    pieces = corpus.judge().chunks(variant.output, seed=seed)
    deltas: list[ModelEvent] = [TextDelta(piece) for piece in pieces]
    return [*deltas, Finished(variant.finish_reason)] if variant.finish_reason else deltas


async def replayed(replay: Replay, variant: Any, seed: int) -> tuple[str, str]:
    """Judge one answer: a word for the table, and what is wrong, if anything is."""
    replay.moments.clear()
    text, result = await replay.answered(events(variant, seed))
    refused = result["outcome"] not in ("applied", "unchanged")
    safe, why = corpus.judged(replay.record, variant, text, refused=refused)
    if not all(corpus.is_outside_intact(replay.record, variant, moment) for moment in replay.moments):
        safe, why = False, "text outside the scope was different for a moment"
    if not await replay.rejected(result):
        safe, why = safe and False, f"{why}; rejecting it left {len(replay.buffer.text)} characters"
        replay.close()
        replay.open()
    if not safe:
        return "UNSAFE", f"{variant.id}: {why}"
    if not refused:
        return "exact", ""
    return ("refused" if "refuse" in variant.accept else "refused though usable"), ""


@pytest.mark.parametrize("seed", corpus.SEEDS)
async def test_a_replayed_edit_leaves_the_document_exact_or_unchanged(seed: int) -> None:
    tiers: dict[str, Counter[str]] = defaultdict(Counter)
    names: dict[str, Counter[str]] = defaultdict(Counter)
    wanted = Counter[str]()
    unsafe: list[str] = []
    async with await Editor.started(STREAMING) as editor:
        for number, record in enumerate(corpus.records()):
            replay = Replay(editor, record, number)
            for variant in corpus.judge().variants(record, seed):
                word, what = await replayed(replay, variant, seed)
                tiers[variant.tier][word] += 1
                names[variant.name][word] += 1
                if variant.tier == "should" and variant.prefer == "exact":
                    wanted[word] += 1
                unsafe += [what] if what else []
            replay.close()
    print(f"\nseed {seed}")
    for name, counts in sorted(names.items()):
        print(f"{name:32} {dict(counts)}")
    for tier, counts in sorted(tiers.items()):
        print(f"tier {tier}: {dict(counts)}")
    share = wanted["exact"] / wanted.total()
    print(f"tier should, where exact is best: {dict(wanted)}: {share:.1%} exact")
    assert not unsafe, f"{len(unsafe)} unsafe, such as {unsafe[:20]}"
    assert not tiers["must"]["refused though usable"]
    assert share >= WANTED_EXACT
