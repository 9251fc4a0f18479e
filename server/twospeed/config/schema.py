"""The tables of a settings file as pydantic models: allowed keys and values.

All defaults mean "not set". No value is converted from another type.
"""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from twospeed.gate.facts import Strictness
from twospeed.routing.lanes import BUILTIN_PROVIDER, Mode, ModeChoice
from twospeed.routing.route import SensitivePolicy
from twospeed.text.code.language_ids import canonical_language_id
from twospeed.text.code.scope import ScopeChoice

from .provider_table import ProviderTable
from .settings import AcceptOn, DeepenWhen, DeliveryStyle, ImportPolicy
from .values import Command, Count, Money, Name, Seconds, Table


def _provider_name(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]*", name):
        raise ValueError("a provider's name consists of letters, digits, dots, dashes and underscores")
    if name == BUILTIN_PROVIDER:
        raise ValueError("is the name of the built-in engine; choose another")
    return name


def _ignore_pattern(pattern: str) -> str:
    if pattern.startswith("!"):
        raise ValueError('ignore lists only add, so a pattern must not start with "!"')
    if "\\" in pattern:
        raise ValueError('must separate folders with "/"; there is no escape character')
    if "{" in pattern:
        raise ValueError("braces are not supported; write one pattern for each alternative")
    if not pattern.strip("/ "):
        raise ValueError("must name something")
    return pattern


Pattern = Annotated[Name, AfterValidator(_ignore_pattern)]
# Limit of a prompt for any model: a longer one takes seconds to read and is billed.
MAX_CONTEXT_TOKENS = 131_072


class LimitsTable(Table):
    """``[limits]``; see `models.base.Limits`."""

    connect_s: Seconds | None = None
    first_content_s: Seconds | None = None
    content_gap_s: Seconds | None = None
    total_s: Seconds | None = None
    max_output_tokens: Count | None = None
    context_tokens: Annotated[int, Field(gt=0, le=MAX_CONTEXT_TOKENS)] | None = None


class LaneTable(LimitsTable):
    """One entry of a lane, such as ``[[lanes.lightning]]``, with optional limits."""

    provider: Name
    model: Name
    effort: Name | None = None


Lane = Mode | Literal["completion"]
"""The name of a lane."""


class LanesTable(Table):
    """``[lanes]``."""

    lightning: list[LaneTable] = Field([])
    deep: list[LaneTable] = Field([])
    completion: list[LaneTable] = Field([])

    def of(self, lane: Lane) -> list[LaneTable]:
        """Return a lane by its name."""
        return {"lightning": self.lightning, "deep": self.deep, "completion": self.completion}[lane]


class PriceTable(Table):
    """``[prices.PROVIDER.MODEL]``; see `models.base.Price`."""

    input: Money
    output: Money
    cached_input: Money | None = None
    cache_write: Money | None = None

    @model_validator(mode="before")
    @classmethod
    def _holds_no_table(cls, value: object) -> object:
        if isinstance(value, dict) and any(isinstance(each, dict) for each in value.values()):
            raise ValueError("is only part of a name; put a name with dots in quotes")
        return value


class DeliveryTable(Table):
    """``[delivery]``."""

    style: DeliveryStyle | None = None


class BudgetTable(Table):
    """``[budget]``."""

    edits_per_day: Count | None = None
    tokens_per_day: Count | None = None


class GateTable(Table):
    """``[gate]``: one key for each check, and the rule for sensitive code; see `gate.facts.GateSettings`."""

    parse: Strictness | None = None
    partial: Strictness | None = None
    gone: Strictness | None = None
    repeated: Strictness | None = None
    duplicate: Strictness | None = None
    growth: Strictness | None = None
    renamed: Strictness | None = None
    emptied: Strictness | None = None
    dropped: Strictness | None = None
    hidden: Strictness | None = None
    address: Strictness | None = None
    execution: Strictness | None = None
    encoded: Strictness | None = None
    safeguard: Strictness | None = None
    names: Strictness | None = None
    sensitive: SensitivePolicy | None = None


class ReviewTable(Table):
    """``[review]``."""

    accept_on: AcceptOn | None = None


class EditTable(Table):
    """``[edit]``."""

    imports: ImportPolicy | None = None


class CompletionTable(Table):
    """``[completion]``: suggestions at the cursor."""

    enabled: bool | None = None
    automatic: bool | None = None


class DeepenTable(Table):
    """``[deepen]``: the deep answer in addition to that of lightning."""

    when: DeepenWhen | None = None
    sees_draft: bool | None = None


class WarmTable(Table):
    """``[warm]``: work before an edit."""

    enabled: bool | None = None
    cache: bool | None = None


class HistoryTable(Table):
    """``[history]``."""

    enabled: bool | None = None


class PresetTable(Table):
    """One ``[[presets]]``."""

    title: Name
    instruction: Annotated[str, Field(min_length=1, max_length=10_000)]


LanguageId = Annotated[Name, AfterValidator(canonical_language_id)]


class VerifyTable(Table):
    """``[verify]``: commands that check an edit, by language and name."""

    seconds: Annotated[float, Field(gt=0, le=3600)] | None = None
    commands: dict[LanguageId, dict[Name, Command]] = Field({})


class WorkspaceTable(Table):
    """Keys that may come from a repository: an editor's settings and ``.twospeed.toml``."""

    mode: ModeChoice | None = None
    scope: ScopeChoice | None = None
    ignore: Annotated[list[Pattern], Field(max_length=1000)] = Field([])
    delivery: DeliveryTable = DeliveryTable()
    limits: LimitsTable = LimitsTable()
    gate: GateTable = GateTable()


class EditorTable(WorkspaceTable):
    """Settings that an editor forwards; the transport uses ``token``."""

    token: str | None = None


class UserTable(WorkspaceTable):
    """The user's config file."""

    lanes: LanesTable = LanesTable()
    providers: dict[Annotated[Name, AfterValidator(_provider_name)], ProviderTable] = Field({})
    budget: BudgetTable = BudgetTable()
    prices: dict[Name, dict[Name, PriceTable]] = Field({})
    review: ReviewTable = ReviewTable()
    edit: EditTable = EditTable()
    completion: CompletionTable = CompletionTable()
    deepen: DeepenTable = DeepenTable()
    warm: WarmTable = WarmTable()
    history: HistoryTable = HistoryTable()
    presets: Annotated[list[PresetTable], Field(max_length=100)] | None = None
    format: dict[LanguageId, Command] = Field({})
    verify: VerifyTable = VerifyTable()
