"""Tell whether a lane entry is ready, and if not, why.

No key comes here: whoever keeps them says what is missing. Nothing here reaches for the network.
"""

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
        is_cooling: Whether the obstacle goes away by itself (`cooldowns`).
        may_be_asked: Whether it may be asked all the same, where no other model is ready.
    """

    obstacle: str | None = None
    is_cooling: bool = False
    may_be_asked: bool = False

    @property
    def is_ready(self) -> bool:
        """Whether a request may be made now."""
        return self.obstacle is None


READY = Availability()

NEEDS_YES = "needs your yes"
"""The obstacle that the user removes by answering a question."""


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
    """Look an entry over without asking its provider.

    Args:
        entry: An entry of a lane.
        providers: Endpoints by name: the built-in table with the user's on top.
        key_obstacle: Says why a provider that needs a key has none, ``None`` where all is well.
        apis: The wire protocols this server speaks, such as ``chat``.
        has_consent: Whether the user has said yes to a cloud provider that was found, not configured.
        cooldown: Whether it is to be left alone, as `Cooldowns` says.
        now: Seconds of that clock.

    Returns:
        Ready, or the first obstacle: what cannot work at all, what the user can mend, what passes by itself.
    """
    if entry.provider == BUILTIN_PROVIDER:
        return READY
    provider = providers.get(entry.provider)
    if provider is None:
        return Availability("no such provider")
    if obstacle := _obstacle_at(provider, apis=apis, key_obstacle=key_obstacle):
        return Availability(obstacle)
    if entry.cloud and entry.origin != "config" and not has_consent(provider):
        return Availability(NEEDS_YES)
    if cooldown is not None:
        return Availability(cooldown.words(now), is_cooling=True, may_be_asked=not cooldown.is_said)
    return READY


def _obstacle_at(
    provider: ProviderSettings,
    *,
    apis: Collection[str],
    key_obstacle: Callable[[ProviderSettings], str | None],
) -> str | None:
    if provider.api not in apis:
        return f"api not built: {provider.api}"
    if obstacle := key_obstacle(provider):
        return obstacle
    try:
        parse_endpoint(provider.base_url)
    except UnsafeEndpoint as error:  # out of a variable such as OPENAI_BASE_URL; a config was checked
        return f"its address {error}"
    return None
