"""Replay a corpus of real edits in every shape models answer in, and judge each document byte for byte.

The corpus is not part of this repository. ``TWOSPEED_REPLAY`` names the folder that holds ``dev.jsonl.gz`` and
``replay_variants.py``; without it there is nothing to do. ``TWOSPEED_REPLAY_RECORDS`` limits how many records run.
Run with ``-s`` to see the table.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections import Counter, defaultdict
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests.lsp.editor import Editor

from twospeed.models.base import Finished, ModelEvent, TextDelta
from twospeed.models.scripted import ScriptedModel

FOLDER = os.environ.get("TWOSPEED_REPLAY", "")
SEEDS = [int(seed) for seed in os.environ.get("TWOSPEED_REPLAY_SEEDS", "1").split(",")]
N_RECORDS = int(os.environ.get("TWOSPEED_REPLAY_RECORDS", "1000"))

pytestmark = pytest.mark.skipif(not FOLDER, reason="TWOSPEED_REPLAY does not name a corpus")

MAX_REFUSED_MUST = 0.05
"""Share of answers in plain shapes that may be refused; the rest of the must tier is exact or rightly refused."""


def load_judge() -> ModuleType:
    spec = importlib.util.spec_from_file_location("replay_variants", Path(FOLDER) / "replay_variants.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def events(judge: ModuleType, variant: Any, seed: int) -> list[ModelEvent]:
    deltas: list[ModelEvent] = [TextDelta(piece) for piece in judge.chunks(variant.output, seed=seed)]
    return [*deltas, Finished(variant.finish_reason)] if variant.finish_reason else deltas


async def replayed(
    editor: Editor, record: dict[str, Any], answer: list[ModelEvent], number: int
) -> tuple[str, str]:
    """Run one edit through the server; return the document and how it ended."""
    uri = f"file:///replay/{number}/{Path(record['path']).name}"
    buffer = editor.open(record["file_before"], uri=uri, language=record["language_id"])
    editor.serve(ScriptedModel(answer))
    lsp_range = record["scope"]["lsp_range"]
    params = {
        "textDocument": {"uri": uri, "version": 1},
        "range": {"start": lsp_range["start"], "end": lsp_range["end"]},
        "instruction": record["subject"],
        "scope": "selection",
    }
    result = await editor.request("twospeed/edit", params)
    editor.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    text, outcome = buffer.text, result["outcome"]
    return text, outcome if outcome != "refused" else f"refused:{result['reason']['code']}"


@pytest.mark.parametrize("seed", SEEDS)
async def test_every_document_is_exact_or_untouched(seed: int) -> None:
    judge = load_judge()
    tiers: dict[str, Counter[str]] = defaultdict(Counter)
    names: dict[str, Counter[str]] = defaultdict(Counter)
    unsafe: list[str] = []
    async with await Editor.started() as editor:
        number = 0
        for record in islice(judge.load(Path(FOLDER) / "dev.jsonl.gz"), N_RECORDS):
            for variant in judge.variants(record, seed):
                number += 1
                text, ending = await replayed(editor, record, events(judge, variant, seed), number)
                refused = ending not in ("applied", "unchanged")
                safe, _, why = judge.judge(record, variant, text, refused)
                word = "unsafe" if not safe else "exact" if not refused else "refused"
                if word == "refused" and "refuse" not in variant.accept:
                    word = "refused though usable"
                tiers[variant.tier][word] += 1
                names[variant.name][word] += 1
                if not safe:
                    unsafe.append(f"{variant.id}: {why}")
    for name, counts in sorted(names.items()):
        print(f"{name:32} {dict(counts)}")
    for tier, counts in sorted(tiers.items()):
        print(f"tier {tier}: {dict(counts)}")
    must = tiers["must"]
    assert not unsafe, f"{len(unsafe)} unsafe, such as {unsafe[:200]}"
    assert must["refused though usable"] <= MAX_REFUSED_MUST * sum(must.values())
