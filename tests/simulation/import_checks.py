"""Check the import block of an edit where its batches, its outcome and its verdict come."""

from __future__ import annotations

from collections import Counter

from .import_blocks import bindings_of
from .ledger import Text
from .watched import Watched


def note_imports(watched: Watched, before: Text, counts: Counter[str], *, is_fresh: bool) -> str | None:
    """Record a batch that changes the import block; return its fault, if it has one."""
    ledger, block = watched.ledger, watched.block
    why = block.note_applied(before, ledger.now, watched.file_imports, watched.asked_text, is_fresh=is_fresh)
    # A reject restores those before: seed 7006300 of "hidden" at e8b4cd34.
    ledger.asked_lines |= {*block.after, *(block.before or ())}
    counts["imports written"] += 1
    return why


def check_imports(watched: Watched, counts: Counter[str], *, is_new: bool) -> None:
    """Check that the import block has the imports of the edit, or that they have gone."""
    if watched.is_preview or watched.ledger.is_harmed or watched.block.before is None:
        return
    how, why = watched.block.why_wrong(watched.ledger.text, is_new=is_new)
    counts[f"imports {'in' if is_new else 'out'} judged {how}"] += 1
    assert not why, f"{watched.label}: {why}"


def check_added(watched: Watched, counts: Counter[str]) -> None:
    """Check that no import of an answer is missing, unless a finding names it."""
    if not (watched.answer and watched.answer.imports):
        return
    is_named = any(each.code == "import-not-added" for each in watched.edit.answer.findings)
    counts["imports not added"] += is_named
    if is_named or watched.block.is_head_old:
        return
    wanted, here = bindings_of("\n".join(watched.file_imports)), bindings_of(watched.ledger.text)
    missing = wanted - here - bindings_of(watched.asked_text)
    assert not missing, f"{watched.label} lacks imports, and no finding names them: {[*missing]}"
    counts["imports complete"] += 1
