"""Decide which outcomes an edit may have, by its answer, its editor and the actions of the person."""

from __future__ import annotations

from .answers import OUTCOMES, Answer
from .import_blocks import HeadTouch
from .profiles import Profile, Says
from .watched import TypingInScope, Watched

NOT_READ = ("not-code", "indentation", "ambiguous", "extent", "syntax", "partial")
"""Refusals of the answer reader in case of doubt; `tests.simulation.many` limits their number."""


def is_clean(watched: Watched) -> bool:
    """Whether an edit had a good answer and no event that may cause a refusal."""
    return (
        watched.answer is not None
        and watched.answer.fate == "good"
        and watched.cancelled_at is None
        and watched.undone_at is None
        and watched.touch is TypingInScope.NOTHING
        and not watched.is_mended
    )


def legal_outcomes(watched: Watched, profile: Profile) -> set[str]:
    """Return the outcomes that an edit may have."""
    outcomes = _by_answer(watched, watched.answer) if watched.answer else set()
    if watched.deep_answer and watched.answer and watched.answer.fate != "good":
        outcomes |= {*_by_answer(watched, watched.deep_answer), *OUTCOMES["good"]}
    if watched.answer and watched.edit.ending.reason and watched.edit.ending.reason.code in NOT_READ:
        outcomes.add("refused")
    if watched.is_mended:
        outcomes.add("refused")  # the reason of the first answer holds if no second one comes
    # Deleting the whole newest batch equals an undo: seed 30541 at 1080656, VS Code, ours.
    is_undone = watched.undone_at is not None or watched.looked_undone
    is_undone |= watched.is_newest_undone(watched.ledger.now)
    is_stopped = watched.cancelled_at is not None or is_undone
    if is_stopped or watched.is_offered:
        outcomes.add("cancelled")  # a new edit of the same lines replaces an answer that waits there
    if watched.touch >= TypingInScope.DELETED or profile.sends_full_text:
        outcomes.add("conflict")  # across an edge; a whole text does not say where
    if watched.ledger.is_run_by_tools:
        outcomes.add("refused")  # the user may refuse consent
    if watched.old is None:
        outcomes |= {"conflict", "failed"}  # it never got that far
    is_sure = profile.is_guarded and profile.says is not Says.YES and not profile.p_lie
    if not is_sure or watched.ledger.is_harmed:
        outcomes.add("conflict")
    if profile.p_refuse or profile.takes_edits_s is not None:
        outcomes |= {"failed", "conflict"}  # or it does not accept the old text
    return outcomes


def _by_answer(watched: Watched, answer: Answer) -> set[str]:
    outcomes, block = {*OUTCOMES[answer.fate]}, watched.block
    if not "".join(answer.lines).strip():  # blank lines alone: seed 6047431 of "VS Code, ours" at a0ed9e7e
        outcomes.add("refused")
    if answer.fate == "same" and answer.imports:  # an import that it adds is the only change
        # It clashes with what the person typed in the block: seed 2060541 of "Kate" at 7338d674.
        is_changed = watched.is_preview or block.before is not None or bool(watched.edit.report().clashes)
        outcomes |= {"applied"} if is_changed else set()
        if block.before is not None and block.touch is HeadTouch.NOTHING:
            outcomes -= {"unchanged"}
    return outcomes
