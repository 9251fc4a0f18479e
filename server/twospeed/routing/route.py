"""Choose the model of an edit, with the reason."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from .availability import Availability
from .lanes import BUILTIN_PROVIDER, LaneEntry, Lanes, Mode, builtin_entry

_REQUESTED = "mode"


@dataclass(frozen=True, slots=True)
class Route:
    """The decision for one edit.

    Attributes:
        reason: ``mode`` or another cause, and each skipped entry with its obstacle (wire field ``route``).
        stands_in_for: Skipped entries that are only cooling down.
        needs_user: The first skipped entry that the user has to make ready, with its obstacle; may be
            empty.
    """

    mode: Mode
    entry: LaneEntry
    reason: str
    stands_in_for: tuple[LaneEntry, ...] = ()
    needs_user: str = ""

    @property
    def is_builtin(self) -> bool:
        """Whether the built-in engine was chosen."""
        return self.entry.provider == BUILTIN_PROVIDER

    def because(self, why: str) -> Route:
        """Return the same decision with another reason for its mode."""
        return replace(self, reason=why + self.reason.removeprefix(_REQUESTED))


def choose_route(mode: Mode, lanes: Lanes, availability: Callable[[LaneEntry], Availability]) -> Route:
    """Choose the first ready entry of the mode's lane; the built-in engine is always ready.

    A model with a guessed cooldown is preferred to the built-in engine.


    Returns:
        The decision, with a reason such as ``mode; skipped cerebras/gpt-oss-120b: rate limited, again in 42
            s``.
    """
    skipped: list[tuple[LaneEntry, Availability]] = []
    serves = builtin_entry(mode)
    for entry in lanes.get(mode, ()):
        known = Availability() if entry.provider == BUILTIN_PROVIDER else availability(entry)
        if known.is_ready:
            serves = entry
            break
        skipped.append((entry, known))
    if serves.provider == BUILTIN_PROVIDER:
        serves = next((entry for entry, known in skipped if known.may_be_asked), serves)
    before = [(entry, known) for entry, known in skipped if entry != serves]
    return Route(
        mode,
        serves,
        "; ".join([_REQUESTED, *(f"skipped {entry.label}: {known.obstacle}" for entry, known in before)]),
        tuple(entry for entry, known in before if known.is_cooling),
        next(
            (
                f"{entry.label} is not ready: {known.obstacle}"
                for entry, known in before
                if not known.is_cooling
            ),
            "",
        ),
    )
