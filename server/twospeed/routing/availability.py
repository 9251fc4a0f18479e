"""Decide whether a lane entry is ready, and if not, why. Keys and the network stay with the caller."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from twospeed.errors import UnsafeEndpoint
from twospeed.models.base import ProviderSettings
from twospeed.models.http.endpoints import parse_endpoint

from .cooldowns import Cooldown
from .lanes import BUILTIN_PROVIDER, LaneEntry


@dataclass(frozen=True, slots=True)
class Availability:
    """Whether an entry is ready.

    Attributes:
        obstacle: Why it is not, as a phrase without a dot.
        is_cooling: Whether the obstacle ends by itself (`cooldowns`).
        may_be_asked: Whether it may still be used if no other model is ready.
    """

    obstacle: str | None = None
    is_cooling: bool = False
    may_be_asked: bool = False

    @property
    def is_ready(self) -> bool:
        """Whether a request may be made now."""
        return self.obstacle is None


READY = Availability()

NEEDS_CONSENT = "needs your consent"
"""The obstacle that the user removes by giving consent."""


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
    """Check an entry without a request to its provider.

    Returns:
        Ready, or the first obstacle: permanent ones, then those that the user can remove, then temporary ones.
    """
    if entry.provider == BUILTIN_PROVIDER:
        return READY
    provider = providers.get(entry.provider)
    if provider is None:
        return Availability("no such provider")
    if obstacle := _obstacle_at(provider, apis=apis, key_obstacle=key_obstacle):
        return Availability(obstacle)
    if entry.cloud and entry.origin != "config" and not has_consent(provider):
        return Availability(NEEDS_CONSENT)
    if cooldown is not None:
        return Availability(cooldown.words(now), is_cooling=True, may_be_asked=not cooldown.is_from_provider)
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
        parse_endpoint(provider.base_url)
    except (
        UnsafeEndpoint
    ) as error:  # from a variable such as OPENAI_BASE_URL; the config is checked when it is read
        return f"its address {error}"
    return None
