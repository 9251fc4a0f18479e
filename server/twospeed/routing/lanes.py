"""Modes and their lanes; a lane is an ordered list of entries, of which the first ready one is used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Literal

from twospeed.models.base import DEEP_LIMITS, Limits

# ``lightning`` answers at once, ``deep`` reasons first.
Mode = Literal["lightning", "deep"]

# What the user chooses: a mode, or lightning's answer at once and the deep one as an offer.
ModeChoice = Literal["lightning", "deep", "both"]

# The config, a discovered provider with a key (in the environment or keyring), a local server, or the built-in engine.
Origin = Literal["config", "environment", "local", "builtin"]

MODES: tuple[Mode, ...] = ("lightning", "deep")

ICONS: Mapping[ModeChoice, str] = {"lightning": "⚡", "deep": "🧠", "both": "⚡🧠"}

LABELS: Mapping[ModeChoice, str] = {"lightning": "Lightning", "deep": "Deep", "both": "Both"}

DEFAULT_LIMITS: Mapping[Mode, Limits] = {"lightning": Limits(), "deep": DEEP_LIMITS}


@dataclass(frozen=True, slots=True)
class LaneEntry:
    """One model of a lane."""

    provider: str
    model: str
    effort: str | None = None  # reasoning effort, as sent on the wire; None leaves it to the provider
    _: KW_ONLY
    limits: Limits
    is_cloud: bool  # whether a request leaves this machine
    origin: Origin
    window_tokens: int | None = None  # limit of prompt and answer together; None if unknown
    hides_secrets: bool = True  # whether placeholders replace the secrets in its prompts

    @property
    def may_cost(self) -> bool:
        """Whether its use may be billed: False for the built-in engine and discovered local servers."""
        return self.origin in ("config", "environment") and self.provider != BUILTIN_PROVIDER

    @property
    def label(self) -> str:
        """Name for people: ``provider/model``."""
        return f"{self.provider}/{self.model}"


Lanes = Mapping[Mode, tuple[LaneEntry, ...]]

BUILTIN_PROVIDER = "builtin"


def builtin_entry(mode: Mode) -> LaneEntry:
    """Return ``builtin/rules``, which needs no network and no key and ends every lane."""
    return LaneEntry(BUILTIN_PROVIDER, "rules", limits=DEFAULT_LIMITS[mode], is_cloud=False, origin="builtin")


def other_mode(mode: Mode) -> Mode:
    """Return the other mode."""
    return "deep" if mode == "lightning" else "lightning"


def modes_of(choice: ModeChoice) -> tuple[Mode, ...]:
    """Return the modes that a choice requests; the answer of the first one is applied at once."""
    return MODES if choice == "both" else (choice,)


def next_choice(choice: ModeChoice, *, has_both: bool) -> ModeChoice:
    """Return the choice after another one; ``has_both`` if both modes have a model."""
    if choice == "deep" and has_both:
        return "both"
    return "deep" if choice == "lightning" else "lightning"
