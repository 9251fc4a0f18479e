"""All settings as one frozen value.

Defaults are here or in the room of a value, never in the schema of the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from twospeed.budget.spending import Budget
from twospeed.gate.facts import GateSettings
from twospeed.models.base import Limits, ProviderSettings
from twospeed.models.catalog.prices import Price
from twospeed.routing.lanes import DEFAULT_LIMITS, Lanes, Mode
from twospeed.text.code.scope import ScopeChoice

DeliveryStyle = Literal["auto", "stream", "atomic", "preview"]
"""How an edit reaches the document: as the client supports, line by line, in one piece, or after approval."""

AcceptOn = Literal["save", "never"]
"""Whether saving the document accepts edits in review."""


@dataclass(frozen=True, slots=True)
class Preset:
    """An instruction with a title of one line, shown in the editor's menu after the mode's icon."""

    title: str
    instruction: str
    language_ids: tuple[str, ...] = ()  # empty means all

    def suits(self, language_id: str) -> bool:
        """Whether to offer it in a document of this language."""
        return not self.language_ids or language_id in self.language_ids


DEFAULT_PRESETS = (
    Preset(
        "Add error handling",
        "Add error handling for the failures that can really happen here. "
        "Do not catch what cannot be handled, and keep the behaviour when nothing fails.",
    ),
    # Short, so that the built-in engine parses them too.
    Preset("Add a doc comment", "Add a doc comment."),
    Preset(
        "Add type hints",
        "Add type hints.",
        language_ids=("python",),
    ),
    Preset(
        "Simplify",
        "Simplify this code without changing what it does: remove repetition, needless nesting and dead code, "
        "and prefer what the language and its standard library offer.",
    ),
    Preset(
        "Fix the problem",
        "Find what is wrong here, taking the reported problems into account, and fix its cause with the "
        "smallest change.",
    ),
)
"""Offered as code actions if the user configured none."""


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings, configured or default.

    Attributes:
        path: The user's config file, which may not exist; for messages.
        ignore: Patterns of files that are never sent; syntax in `text.globs`.
        limits: For discovered entries; configured entries have their own.
        keeps_warm: Whether connections are opened before an edit and kept.
        reads_ahead: Whether a model is also sent the start of the prompt before an edit.
    """

    path: Path
    mode: Mode = "lightning"
    scope: ScopeChoice = "auto"
    ignore: tuple[str, ...] = ()
    lanes: Lanes = field(default_factory=dict)
    providers: Mapping[str, ProviderSettings] = field(default_factory=dict)
    delivery: DeliveryStyle = "auto"
    limits: Mapping[Mode, Limits] = field(default_factory=lambda: DEFAULT_LIMITS)
    budget: Budget = field(default_factory=Budget)
    prices: Mapping[tuple[str, str], Price] = field(default_factory=dict)
    gate: GateSettings = field(default_factory=GateSettings)
    accept_on: AcceptOn = "save"
    keeps_warm: bool = True
    reads_ahead: bool = True
    keeps_history: bool = True
    presets: tuple[Preset, ...] = DEFAULT_PRESETS
