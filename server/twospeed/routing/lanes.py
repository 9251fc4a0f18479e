"""Modes and the lanes they run on, as plain values.

A lane is an ordered list of entries; the first that is ready serves.
Not here: how a lane comes about (`assemble`), what makes an entry ready (`availability`), the choice (`route`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Literal

from twospeed.models.base import DEEP_LIMITS, Limits

Mode = Literal["lightning", "deep"]
"""The speed asked for: ``lightning`` answers at once, ``deep`` thinks first."""

Origin = Literal["config", "environment", "local", "builtin"]
"""How an entry came into its lane: written down, found by a key, found on this machine, or built in."""

MODES: tuple[Mode, ...] = ("lightning", "deep")

ICONS: Mapping[Mode, str] = {"lightning": "⚡", "deep": "🧠"}

LABELS: Mapping[Mode, str] = {"lightning": "Lightning", "deep": "Deep"}

DEFAULT_LIMITS: Mapping[Mode, Limits] = {"lightning": Limits(), "deep": DEEP_LIMITS}


@dataclass(frozen=True, slots=True)
class LaneEntry:
    """One model that may serve a mode.

    Attributes:
        provider: Name of the provider, as the provider table and ``[providers]`` spell it.
        model: Name of the model, as sent on the wire.
        effort: Reasoning effort, as sent on the wire; ``None`` leaves it to the provider.
        limits: Time and size limits of an answer.
        cloud: Whether a request leaves this machine.
        origin: How the entry came into its lane.
        window_tokens: What prompt and answer may be together; ``None`` where nobody has said.
        hides_secrets: Whether the model is kept from what looks like a secret.
    """

    provider: str
    model: str
    effort: str | None = None
    _: KW_ONLY
    limits: Limits
    cloud: bool
    origin: Origin
    window_tokens: int | None = None
    hides_secrets: bool = True

    @property
    def may_cost(self) -> bool:
        """Whether somebody may have to pay for it: not for the built-in engine, nor for a server found on this machine."""
        return self.origin in ("config", "environment") and self.provider != BUILTIN_PROVIDER

    @property
    def label(self) -> str:
        """Name the entry for people: ``provider/model``."""
        return f"{self.provider}/{self.model}"


Lanes = Mapping[Mode, tuple[LaneEntry, ...]]

BUILTIN_PROVIDER = "builtin"


def builtin_entry(mode: Mode) -> LaneEntry:
    """Return ``builtin/rules``, which needs no network and no key and ends every lane."""
    return LaneEntry(BUILTIN_PROVIDER, "rules", limits=DEFAULT_LIMITS[mode], cloud=False, origin="builtin")


def other_mode(mode: Mode) -> Mode:
    """Return the mode a toggle leads to."""
    return "deep" if mode == "lightning" else "lightning"
