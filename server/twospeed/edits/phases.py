"""The phases of an edit, and which may follow which, as one table.

Clients see four states (`EditState`); each phase belongs to one of them. A step that the table does not contain is a
bug of the server, never a message to the user. ``docs/phases.md`` draws the table.
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

    PLACING = "placing"  # its scope is looked up; a large document has to be parsed first
    WAITING = "waiting"  # for edits of the same lines, and for a model
    REQUESTING = "requesting"  # a model is chosen, and nothing of its answer was received
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
    # A failed request is repeated, as long as nothing of its answer was shown.
    Phase.WRITING: frozenset({Phase.REQUESTING, Phase.VALIDATING, Phase.REVERTING, Phase.ENDED}),
    Phase.VALIDATING: frozenset({Phase.APPLYING, Phase.REVERTING, Phase.ENDED}),
    Phase.APPLYING: frozenset({Phase.OFFERED, Phase.REVERTING, Phase.REVIEW, Phase.ENDED}),
    Phase.OFFERED: frozenset({Phase.APPLYING, Phase.REVERTING, Phase.ENDED}),
    # Another attempt follows: with a new instruction, or since the answer could not be used. What the client does not
    # take back is left for review.
    Phase.REVERTING: frozenset({Phase.REQUESTING, Phase.REVIEW, Phase.ENDED}),
    Phase.REVIEW: frozenset({Phase.ENDED}),
    Phase.ENDED: frozenset(),
}
"""A phase may also follow itself, except ``ENDED``."""


class PhaseError(RuntimeError):
    """An edit was to enter a phase that must not follow its own: a bug of the server."""


def checked(phase: Phase, following: Phase) -> Phase:
    """Return ``following``.

    Raises:
        PhaseError: It must not follow ``phase``.
    """
    is_repeated = following is phase is not Phase.ENDED
    if not is_repeated and following not in TRANSITIONS[phase]:
        raise PhaseError(f"{phase.name} must not be followed by {following.name}")
    return following
