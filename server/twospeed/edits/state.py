"""The life of an edit as one table: ``queued → running → one outcome → review → ended``.

A step that is not in the table is a bug of ours, never a message to the user.
"""

from __future__ import annotations

from enum import Enum


class EditState(Enum):
    """Where an edit is in its life; the values are the wire's words."""

    QUEUED = "queued"
    RUNNING = "running"
    REVIEW = "review"
    ENDED = "ended"


class EditStep(Enum):
    """What moves an edit on."""

    START = "start"
    STEER = "steer"  # begin anew with other words
    REPAIR = "repair"  # begin anew with the same words: the answer did not parse
    LAND = "land"  # an outcome that changed something: the user decides
    VARY = "vary"  # another answer stands in the place of the one that landed
    END = "end"  # an outcome that changed nothing, or the decision


TRANSITIONS: dict[EditState, dict[EditStep, EditState]] = {
    EditState.QUEUED: {
        EditStep.START: EditState.RUNNING,
        EditStep.STEER: EditState.QUEUED,
        EditStep.END: EditState.ENDED,
    },
    EditState.RUNNING: {
        EditStep.STEER: EditState.RUNNING,
        EditStep.REPAIR: EditState.RUNNING,
        EditStep.LAND: EditState.REVIEW,
        EditStep.END: EditState.ENDED,
    },
    EditState.REVIEW: {
        EditStep.VARY: EditState.REVIEW,
        EditStep.END: EditState.ENDED,
    },
    EditState.ENDED: {},
}


class EditStateError(RuntimeError):
    """An edit was asked to take a step its state does not allow: our bug."""


def next_state(state: EditState, step: EditStep) -> EditState:
    """Take one step.

    Raises:
        EditStateError: The table does not allow it.
    """
    try:
        return TRANSITIONS[state][step]
    except KeyError:
        raise EditStateError(f"{state.name} does not allow {step.name}") from None
