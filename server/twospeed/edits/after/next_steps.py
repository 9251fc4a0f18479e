"""The message about the end of an edit that no request waits for, and the user's next steps."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.model_source import ModelSource
from twospeed.routing.lanes import BUILTIN_PROVIDER, ICONS, LABELS

Step = Literal["retry", "show", "apply"]

STEP_TITLES: dict[Step, str] = {
    "retry": f"Retry in {ICONS['deep']} {LABELS['deep']}",
    "show": "Show the answer",
    "apply": "Apply anyway",
}


@dataclass(frozen=True, slots=True)
class OutcomeMessage:
    """One sentence about the end of an edit."""

    severity: Literal["error", "warning", "info"]
    text: str


def outcome_message(edit: InlineEdit) -> OutcomeMessage | None:
    """Return what to show; None if the edit was cancelled or the document shows its outcome."""
    ending = edit.ending
    if ending is None or ending.outcome == "cancelled":
        return None
    start = f"{ICONS[edit.mode]} {ending.outcome}: "
    if ending.reason:
        severity: Literal["error", "warning"] = "error" if ending.outcome == "failed" else "warning"
        return OutcomeMessage(severity, start + ending.reason.message)
    if ending.outcome == "unchanged":
        prose = f"; its message: {edit.message}" if edit.message else ""
        return OutcomeMessage("info", f"{start}the model returned the lines as they are{prose}")
    if n_kept := len(edit.live.clashes()):
        kept = "1 line keeps" if n_kept == 1 else f"{n_kept} lines keep"
        it = "it" if n_kept == 1 else "them"
        return OutcomeMessage(
            "warning", f"{start}{kept} what you typed, although the answer would change {it}"
        )
    return None


def next_steps(edit: InlineEdit, *, can_show: bool) -> tuple[Step, ...]:
    """Return what the user can do about a refused edit.

    Args:
        edit: An edit that has ended.
        can_show: Whether the client can open a document.
    """
    steps: list[Step] = []
    if edit.may_be_retried:
        if edit.mode == "lightning":
            steps.append("retry")
        if edit.refused_text is not None:
            if can_show:
                steps.append("show")
            if edit.is_answer_current:
                steps.append("apply")
    return tuple(steps)


async def available_steps(steps: Iterable[Step], source: ModelSource) -> tuple[Step, ...]:
    """Return the steps without ``retry`` if only the built-in engine serves deep mode."""
    steps = tuple(steps)
    if "retry" in steps and (await source.serving("deep")).provider == BUILTIN_PROVIDER:
        return tuple(step for step in steps if step != "retry")
    return steps
