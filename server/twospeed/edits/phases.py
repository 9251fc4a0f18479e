"""The phases of an edit and their transitions, which ``docs/phases.md`` draws.

Clients see four states (`EditState`). A transition that is not in the table is a bug of the server.
"""

from __future__ import annotations

from enum import Enum


class EditState(Enum):
    """The state of an edit on the wire (``twospeed/editChanged``, ``twospeed/status``)."""

    QUEUED = "queued"
    RUNNING = "running"
    REVIEW = "review"
    ENDED = "ended"


class Phase(Enum):
    """The phase of an edit."""

    PLACING = "placing"  # its scope is searched; a large document is parsed first
    WAITING = "waiting"  # for edits of the same lines, and for a model
    REQUESTING = "requesting"  # a model is chosen; nothing of its answer was received
    WRITING = "writing"  # the answer is received, and streamed if the edit streams
    VALIDATING = "validating"  # the checks run on the whole answer
    APPLYING = "applying"  # the rest of the answer is sent to the client
    OFFERED = "offered"  # the answer is a code action that the user has to choose
    REVERTING = "reverting"  # the old text is sent to the client
    REVIEW = "review"  # the user decides
    ENDED = "ended"


STATE_OF: dict[Phase, EditState] = {
    Phase.PLACING: EditState.QUEUED,
    Phase.WAITING: EditState.QUEUED,
    Phase.REQUESTING: EditState.RUNNING,
    Phase.WRITING: EditState.RUNNING,
    Phase.VALIDATING: EditState.RUNNING,
    Phase.APPLYING: EditState.RUNNING,
    Phase.OFFERED: EditState.RUNNING,
    Phase.REVERTING: EditState.RUNNING,
    Phase.REVIEW: EditState.REVIEW,
    Phase.ENDED: EditState.ENDED,
}

TRANSITIONS: dict[Phase, frozenset[Phase]] = {
    Phase.PLACING: frozenset({Phase.WAITING, Phase.ENDED}),
    Phase.WAITING: frozenset({Phase.REQUESTING, Phase.ENDED}),
    Phase.REQUESTING: frozenset({Phase.WRITING, Phase.VALIDATING, Phase.REVERTING, Phase.ENDED}),
    # A failed request is repeated unless a part of its answer was applied.
    Phase.WRITING: frozenset({Phase.REQUESTING, Phase.VALIDATING, Phase.REVERTING, Phase.ENDED}),
    Phase.VALIDATING: frozenset({Phase.APPLYING, Phase.REVERTING, Phase.ENDED}),
    Phase.APPLYING: frozenset({Phase.OFFERED, Phase.REVERTING, Phase.REVIEW, Phase.ENDED}),
    Phase.OFFERED: frozenset({Phase.APPLYING, Phase.REVERTING, Phase.ENDED}),
    # REQUESTING: steering, or an unusable answer, starts another attempt.
    # REVIEW: the client did not apply the revert, so the user decides about the text.
    Phase.REVERTING: frozenset({Phase.REQUESTING, Phase.REVIEW, Phase.ENDED}),
    Phase.REVIEW: frozenset({Phase.ENDED}),
    Phase.ENDED: frozenset(),
}
"""A phase may also follow itself, except ``ENDED``."""


class PhaseError(RuntimeError):
    """A transition that the table does not contain: a bug of the server."""


def checked(phase: Phase, following: Phase) -> Phase:
    """Return ``following``; raise `PhaseError` if it must not follow ``phase``."""
    is_repeated = following is phase is not Phase.ENDED
    if not is_repeated and following not in TRANSITIONS[phase]:
        raise PhaseError(f"{phase.name} must not be followed by {following.name}")
    return following
