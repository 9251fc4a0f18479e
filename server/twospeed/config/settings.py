"""All settings as one frozen value, with their defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from twospeed.budget.spending import Budget
from twospeed.gate.facts import GateSettings
from twospeed.models.base import Limits, Price, ProviderSettings
from twospeed.routing.lanes import DEFAULT_LIMITS, LaneEntry, Lanes, Mode, ModeChoice
from twospeed.text.code.scope import ScopeChoice

# How an edit reaches the document: as the client supports, line by line, in one piece, or after approval.
DeliveryStyle = Literal["auto", "stream", "atomic", "preview"]

# Whether saving the document accepts edits in review.
AcceptOn = Literal["save", "never"]


# What happens to imports that an answer brings for the file: added to the import block, offered, or left in the answer.
ImportPolicy = Literal["add", "offer", "off"]


# When an edit in lightning also requests a deep answer: in the mode both, for sensitive code too, or always.
DeepenWhen = Literal["asked", "sensitive", "always"]


@dataclass(frozen=True, slots=True)
class Preset:
    """An instruction with a title of one line, shown in the editor's menu."""

    title: str
    instruction: str
    language_ids: tuple[str, ...] = ()  # empty means all

    def suits(self, language_id: str) -> bool:
        """Whether to offer it in a document of this language."""
        return not self.language_ids or language_id in self.language_ids


# Offered as code actions if the user configured none.
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
)


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings, configured or default."""

    path: Path  # the user's config file, which may not exist; for messages
    mode: ModeChoice = "lightning"
    scope: ScopeChoice = "auto"
    ignore: tuple[str, ...] = ()  # patterns of files that are never sent; syntax in `text.globs`
    lanes: Lanes = field(default_factory=dict)
    providers: Mapping[str, ProviderSettings] = field(default_factory=dict)
    delivery: DeliveryStyle = "auto"
    # for discovered entries; configured entries have their own
    limits: Mapping[Mode, Limits] = field(default_factory=lambda: DEFAULT_LIMITS)
    budget: Budget = field(default_factory=Budget)
    prices: Mapping[tuple[str, str], Price] = field(default_factory=dict)
    gate: GateSettings = field(default_factory=GateSettings)
    accept_on: AcceptOn = "save"
    imports: ImportPolicy = "add"
    suggests: bool = False  # whether `textDocument/inlineCompletion` is offered
    suggests_anywhere: bool = False  # also after a pause in typing, not only on request or after a comment
    suggestion_lane: tuple[LaneEntry, ...] = ()  # empty: that of `lightning`
    deepen_when: DeepenWhen = "asked"
    deep_sees_draft: bool = False  # whether the deep model reads lightning's answer
    keeps_warm: bool = True  # whether connections are opened before an edit and kept
    reads_ahead: bool = True  # whether a model is also sent the start of the prompt before an edit
    keeps_history: bool = True
    presets: tuple[Preset, ...] = DEFAULT_PRESETS
    # by language id; ``{file}`` in an argument is the path of the document
    formatters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # by language id and name
    verify_commands: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    verify_s: float = 120.0  # for each of these commands

    @property
    def suggestion_lanes(self) -> Lanes:
        """The lanes of suggestions, which use that of `lightning`."""
        return {**self.lanes, "lightning": self.suggestion_lane} if self.suggestion_lane else self.lanes
