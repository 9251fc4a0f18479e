"""Choose the model of an edit: which entries are ready, which one serves, and which mode is used."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from twospeed.errors import UnsafeEndpoint
from twospeed.models.base import ProviderSettings

from .cooldowns import Cooldown
from .lanes import BUILTIN_PROVIDER, LABELS, LaneEntry, Lanes, Mode, builtin_entry

_REQUESTED = "mode"

# The obstacle that the user removes by giving consent.
NEEDS_CONSENT = "needs your consent"


@dataclass(frozen=True, slots=True)
class Availability:
    """Whether a lane entry is ready, and if not, why."""

    obstacle: str | None = None  # why it is not ready, as a phrase without a dot
    is_cooling: bool = False  # whether the obstacle ends by itself (`cooldowns`)
    is_last_resort: bool = False  # whether it is still used if no other model is ready

    @property
    def is_ready(self) -> bool:
        """Whether a request may be made now."""
        return self.obstacle is None


READY = Availability()


def availability_of(
    entry: LaneEntry,
    *,
    providers: Mapping[str, ProviderSettings],
    key_obstacle: Callable[[ProviderSettings], str | None],
    apis: Collection[str],
    has_consent: Callable[[ProviderSettings], bool],
    cooldown: Cooldown | None = None,
    now: float = 0.0,
) -> Availability:
    """Check an entry without a request; permanent obstacles come before those that the user or time removes."""
    if entry.provider == BUILTIN_PROVIDER:
        return READY
    provider = providers.get(entry.provider)
    if provider is None:
        return Availability("no such provider")
    if obstacle := _obstacle_at(provider, apis=apis, key_obstacle=key_obstacle):
        return Availability(obstacle)
    if entry.is_cloud and entry.origin != "config" and not has_consent(provider):
        return Availability(NEEDS_CONSENT)
    if cooldown is not None:
        return Availability(
            cooldown.description(now), is_cooling=True, is_last_resort=not cooldown.is_from_provider
        )
    return READY


def _obstacle_at(
    provider: ProviderSettings,
    *,
    apis: Collection[str],
    key_obstacle: Callable[[ProviderSettings], str | None],
) -> str | None:
    if provider.api not in apis:
        return f"api not supported: {provider.api}"
    if obstacle := key_obstacle(provider):
        return obstacle
    try:
        _ = provider.endpoint
    except UnsafeEndpoint as error:
        # The URL is from a variable such as OPENAI_BASE_URL; the config is checked when it is read.
        return f"its address {error}"
    return None


@dataclass(frozen=True, slots=True)
class Route:
    """The decision for one edit."""

    mode: Mode
    entry: LaneEntry
    # wire field `route`, such as `mode; skipped cerebras/gpt-oss-120b: rate limited, again in 42 s`
    reason: str
    cooling: tuple[LaneEntry, ...] = ()  # skipped entries that are only cooling down
    # the first skipped entry that the user has to make ready, with its obstacle; may be empty
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
    """
    skipped: list[tuple[LaneEntry, Availability]] = []
    chosen = builtin_entry(mode)
    for entry in lanes.get(mode, ()):
        known = Availability() if entry.provider == BUILTIN_PROVIDER else availability(entry)
        if known.is_ready:
            chosen = entry
            break
        skipped.append((entry, known))
    if chosen.provider == BUILTIN_PROVIDER:
        chosen = next((entry for entry, known in skipped if known.is_last_resort), chosen)
    skipped = [(entry, known) for entry, known in skipped if entry != chosen]
    blocked = [
        f"{entry.label} is not ready: {known.obstacle}" for entry, known in skipped if not known.is_cooling
    ]
    return Route(
        mode,
        chosen,
        "; ".join([_REQUESTED, *(f"skipped {entry.label}: {known.obstacle}" for entry, known in skipped)]),
        tuple(entry for entry, known in skipped if known.is_cooling),
        next(iter(blocked), ""),
    )


# What happens to a lightning edit of sensitive code: deep mode is used, deep mode is offered, nothing.
SensitivePolicy = Literal["deep", "offer", "off"]


def mode_for(
    mode: Mode, topics: Sequence[str], policy: SensitivePolicy, *, is_deep_ready: bool
) -> tuple[Mode, str]:
    """Return the mode of an edit that touches sensitive ``topics``, and the reason (wire field ``route``)."""
    if mode == "deep" or not topics or policy == "off":
        return mode, _REQUESTED
    about = f"sensitive: {', '.join(topics)}"
    if policy == "deep" and is_deep_ready:
        return "deep", about
    return mode, f"{_REQUESTED}; {about}, {LABELS['deep']} is {'offered' if is_deep_ready else 'not ready'}"
