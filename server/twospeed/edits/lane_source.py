"""Lanes in practice: looked for where nothing is configured, asked about where a yes is needed, opened when chosen."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from twospeed.errors import SettingsError
from twospeed.models.base import Limits, Model, ProviderSettings
from twospeed.models.key_store import KeyStore
from twospeed.models.providers import BUILT_APIS
from twospeed.routing import (
    NEEDS_YES,
    Availability,
    FoundProvider,
    LaneEntry,
    Lanes,
    Mode,
    Route,
    assemble_lanes,
    availability_of,
    choose_route,
)
from twospeed.routing.lanes import BUILTIN_PROVIDER, MODES

LOOK_AGAIN_S = 30.0
"""Nothing found stays true for this long: a port that swallows packets must not delay every edit."""


@dataclass(slots=True)
class Consents:
    """The user's word on cloud providers that were found, not configured.

    Attributes:
        has: Whether the user has said yes to a provider, now or in an earlier session.
        ask: Asks; ``True`` is a yes, which the callee remembers.
    """

    has: Callable[[ProviderSettings], bool]
    ask: Callable[[ProviderSettings], Awaitable[bool]]
    refused: set[str] = field(default_factory=set)


@dataclass(slots=True)
class LaneSource:
    """Gives edits their models; implements `ModelSource`.

    Attributes:
        configured: Lanes of the user's config.
        providers: Endpoints by name.
        limits: Limits of entries that are found.
        keys: Where keys are looked up.
        find: Looks for providers nobody configured.
        open: Opens a model of a provider.
        consents: The user's word.
        error: Why the config could not be read; then no model is chosen at all.
    """

    configured: Lanes
    providers: Mapping[str, ProviderSettings]
    limits: Mapping[Mode, Limits]
    keys: KeyStore
    find: Callable[[], Awaitable[Sequence[tuple[FoundProvider, ProviderSettings]]]]
    open: Callable[[ProviderSettings, str, Limits], Model]
    consents: Consents
    error: SettingsError | None = None
    _found: Sequence[tuple[FoundProvider, ProviderSettings]] = ()
    _look_again_at: float = 0.0

    async def lanes(self) -> Lanes:
        """Return both lanes, for a report: every key that an entry needs has been looked for."""
        lanes = await self._lanes(MODES)
        await self.keys.look_up([self._provider(entry) for mode in MODES for entry in lanes[mode]])
        return lanes

    async def _lanes(self, wanted: Sequence[Mode]) -> Lanes:
        """Return the lanes; looks around where a wanted mode is not configured, now and then until it finds something."""
        now = asyncio.get_running_loop().time()
        is_needed = not all(self.configured.get(mode) for mode in wanted) and self.error is None
        if is_needed and not self._found and now >= self._look_again_at:
            self._found = await self.find()
            self._look_again_at = now + LOOK_AGAIN_S
        found = [provider for provider, _ in self._found]
        return assemble_lanes(self.configured, found, limits=self.limits)

    async def choose(self, mode: Mode) -> tuple[Route, Model]:
        """Choose and open the model for one edit; asks for a yes on the way, once a session for each provider.

        Raises:
            SettingsError: The user's config cannot be read.
        """
        if self.error:
            raise self.error
        lanes = await self._ready_lanes(mode)
        for entry in lanes[mode]:
            obstacle = self.obstacle(entry)
            if obstacle == NEEDS_YES and await self._ask(self._provider(entry)):
                obstacle = None
            if obstacle is None:
                break
        route = choose_route(mode, lanes, self._availability)
        return route, self.open(self._provider(route.entry), route.entry.model, route.entry.limits)

    async def serving(self, mode: Mode) -> LaneEntry:
        """Return the entry that would serve a mode now; asks nobody."""
        return choose_route(mode, await self._ready_lanes(mode), self._availability).entry

    async def _ready_lanes(self, mode: Mode) -> Lanes:
        """Return the lanes, with the keys looked for that decide who serves ``mode``.

        An entry that is ready as it is makes all behind it needless: a local model never waits for the keyring.
        """
        lanes = await self._lanes([mode])
        unasked: list[ProviderSettings] = []
        for entry in lanes[mode]:
            provider = self._provider(entry)
            if self.keys.is_unasked(provider):
                unasked.append(provider)
            elif self.obstacle(entry) is None:
                break
        await self.keys.look_up(unasked)
        return lanes

    def obstacle(self, entry: LaneEntry) -> str | None:
        """Say why an entry is not ready, ``None`` where it is; asks nobody."""
        return self._availability(entry).obstacle

    def _availability(self, entry: LaneEntry) -> Availability:
        return availability_of(
            entry,
            providers={**self.providers, entry.provider: self._provider(entry)},
            key_obstacle=self.keys.obstacle,
            apis=BUILT_APIS,
            has_consent=self.consents.has,
        )

    async def _ask(self, provider: ProviderSettings) -> bool:
        if provider.name in self.consents.refused:
            return False
        if await self.consents.ask(provider):
            return True
        self.consents.refused.add(provider.name)
        return False

    def _provider(self, entry: LaneEntry) -> ProviderSettings:
        """Return an entry's endpoint: of what was found, the one that answered."""
        if entry.provider == BUILTIN_PROVIDER:
            return ProviderSettings(entry.provider, "builtin", "")
        if entry.origin == "config":
            return self.providers[entry.provider]
        return next(settings for found, settings in self._found if found.provider == entry.provider)
