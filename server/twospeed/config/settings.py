"""What the rest of twospeed is told by its settings: one frozen value, made of each room's own values.

Defaults stand here or in the room that a value belongs to, never in the schema of the file.
Not here: how a file is read (`load`), what a workspace may change (`layers`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from twospeed.budget.values import Budget
from twospeed.gate.facts import GateSettings
from twospeed.models.base import Limits, ProviderSettings
from twospeed.models.catalog.prices import Price
from twospeed.routing.lanes import DEFAULT_LIMITS, Lanes, Mode
from twospeed.text.code.scope import ScopeChoice

DeliveryStyle = Literal["auto", "stream", "atomic", "preview"]
"""How an edit reaches the document: as the client allows, line by line, in one piece, or not before a yes."""

AcceptOn = Literal["save", "never"]
"""Whether saving the document accepts what is in review."""


@dataclass(frozen=True, slots=True)
class Preset:
    """An instruction with a title.

    Attributes:
        title: One line, shown in the editor's menu behind the mode's icon.
        instruction: What the model is asked.
        language_ids: LSP language ids it is offered for; all where empty.
    """

    title: str
    instruction: str
    language_ids: tuple[str, ...] = ()

    def suits(self, language_id: str) -> bool:
        """Tell whether to offer it in a document of this language."""
        return not self.language_ids or language_id in self.language_ids


DEFAULT_PRESETS = (
    Preset(
        "Add error handling",
        "Add error handling for the failures that can really happen here. "
        "Do not catch what cannot be handled, and keep the behaviour when nothing fails.",
    ),
    # Short, so that the built-in engine understands them too.
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
"""The instructions offered as code actions where the user configured none of their own."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that is set, by the user or by default.

    Attributes:
        path: The user's config file, whether there is one or not; messages name it.
        mode: The mode a workspace starts in.
        scope: What an edit may change where the request does not say.
        ignore: Patterns of files that are never sent, in the form `text.patterns.globs` describes.
        lanes: The configured entries of each mode; a mode nobody configured is left out.
        providers: Endpoints by name: the built-in ones with the user's in their place.
        limits: Limits of each mode, for entries that were found; configured entries carry their own.
        prices: What tokens cost, by provider and model.
        keeps_warm: Whether a connection is made before an edit needs it, and kept while edits are made.
        reads_ahead: Whether a model is also sent what an edit will begin with, so that it has read it by then.
        keeps_history: Whether a row of each edit is kept on this machine.
        presets: Instructions offered as code actions, in this order.
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
