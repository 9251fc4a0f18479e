"""Choose which model serves an edit, and say why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .availability import Availability
from .lanes import BUILTIN_PROVIDER, LaneEntry, Lanes, Mode, builtin_entry


@dataclass(frozen=True, slots=True)
class Route:
    """The decision for one edit.

    Attributes:
        mode: The mode asked for.
        entry: What serves it.
        reason: Why this one: ``mode``, and each entry before it with its obstacle (wire field ``route``).
    """

    mode: Mode
    entry: LaneEntry
    reason: str


def choose_route(mode: Mode, lanes: Lanes, availability: Callable[[LaneEntry], Availability]) -> Route:
    """Take the first entry of the mode's lane that is ready; the built-in engine always is.

    Args:
        mode: The mode asked for.
        lanes: As ``assemble_lanes`` makes them.
        availability: Asked for each entry in order, until one is ready.

    Returns:
        The first ready entry, with a reason such as
        ``mode; skipped cerebras/gpt-oss-120b: no key in CEREBRAS_API_KEY``.
    """
    reasons: list[str] = ["mode"]
    for entry in lanes.get(mode, ()):
        obstacle = None if entry.provider == BUILTIN_PROVIDER else availability(entry).obstacle
        if obstacle is None:
            return Route(mode, entry, "; ".join(reasons))
        reasons.append(f"skipped {entry.label}: {obstacle}")
    return Route(mode, builtin_entry(mode), "; ".join(reasons))
