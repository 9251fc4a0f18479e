"""The corpus of real edits: where it is, its records, and its own judge.

It is not part of this repository. ``TWOSPEED_REPLAY`` names the folder that holds ``dev.jsonl.gz`` and
``replay_variants.py``; ``TWOSPEED_REPLAY_SEEDS`` and ``TWOSPEED_REPLAY_RECORDS`` say which answers are cut how, and
how many records run.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

FOLDER = Path(os.environ.get("TWOSPEED_REPLAY", ""))
IS_THERE = bool(os.environ.get("TWOSPEED_REPLAY"))
SEEDS = [int(seed) for seed in os.environ.get("TWOSPEED_REPLAY_SEEDS", "1").split(",")]
N_RECORDS = int(os.environ.get("TWOSPEED_REPLAY_RECORDS", "1000"))


@cache
def judge() -> ModuleType:
    """Import the corpus's own maker of answers, and judge of documents."""
    spec = importlib.util.spec_from_file_location("replay_variants", FOLDER / "replay_variants.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def records(limit: int = N_RECORDS) -> Iterator[dict[str, Any]]:
    """Give the records, in the corpus's order."""
    return islice(judge().load(FOLDER / "dev.jsonl.gz"), limit)
