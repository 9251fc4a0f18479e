"""The corpus of real edits: where it is, its records, and its own judge.

It is not part of this repository. ``TWOSPEED_REPLAY`` names the folder that holds ``dev.jsonl.gz`` and
``replay_variants.py``; ``TWOSPEED_REPLAY_SEEDS`` and ``TWOSPEED_REPLAY_RECORDS`` say which answers are cut how, and
how many records run.
"""

from __future__ import annotations

import importlib.util
import os
import re
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


def judged(record: dict[str, Any], variant: Any, text: str, *, refused: bool) -> tuple[bool, str]:
    """Judge a document as the corpus does, but for a last line end and an empty block in the fence that was asked for.

    A document without a last line end keeps none, whatever the commit did: each answer ends its last line.

    The corpus wants that refused, since models that have nothing to say send it. The prompt says that such a block deletes
    the scope, so it may do that: as one hunk in review, with a finding that says how many lines go. A user who did not want
    it rejects it; a refusal would leave no way to ask for a deletion. A fence without a language is refused still.

    Returns:
        Whether the end is a right one, and why not.
    """
    if (
        not refused
        and "exact" in variant.accept
        and _lacks_last_end(record["file_before"], text, variant.text)
    ):
        return True, ""
    # New lines get no trailing blanks, although some commits have them.
    is_landed = not refused and "exact" in variant.accept
    if is_landed and without_trailing_blanks(text) == without_trailing_blanks(variant.text):
        return True, ""
    if variant.name == "empty_fence" and not refused and _without_last_end(text) == _deleted(record):
        return True, ""
    safe, _, why = judge().judge(record, variant, text, refused)
    return safe, why


def is_outside_intact(record: dict[str, Any], variant: Any, text: str) -> bool:
    """Whether the text around the scope is as it was; see `judged` for a scope that is deleted at the end of a document."""
    if variant.name == "empty_fence" and _without_last_end(text) == _deleted(record):
        return True
    return bool(judge().outside_intact(record, text))


def _deleted(record: dict[str, Any]) -> str:
    above, _, below = judge().split(record)
    return _without_last_end(above + below)


def _lacks_last_end(before: str, text: str, wanted: str) -> bool:
    """Whether a document has no last line end, as before, and is otherwise what is wanted."""
    return (
        not any(each.endswith(("\n", "\r")) for each in (before, text)) and _without_last_end(wanted) == text
    )


def without_trailing_blanks(text: str) -> str:
    """Return a text without blanks at the ends of its lines."""
    return re.sub(r"[ \t]+(?=[\r\n]|\Z)", "", text)


def _without_last_end(text: str) -> str:
    """Return a text without its last line ends: a document without one has none either when its last lines are gone."""
    return text.rstrip("\r\n")
