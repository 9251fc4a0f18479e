"""The tables of a settings file as pydantic models: allowed keys and values.

All defaults mean "not set". No value is converted from another type.
"""

from __future__ import annotations

import os
import re
import unicodedata
from pathlib import Path
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)

from twospeed.errors import UnsafeEndpoint
from twospeed.gate.facts import Strictness
from twospeed.models.http.endpoints import parse_endpoint
from twospeed.routing.lanes import BUILTIN_PROVIDER, Mode, ModeChoice
from twospeed.routing.route import SensitivePolicy
from twospeed.text.code.language_ids import canonical_language_id
from twospeed.text.code.scope import ScopeChoice

from .settings import AcceptOn, DeepenWhen, DeliveryStyle, ImportPolicy


def _on_one_line(text: str) -> str:
    if any(unicodedata.category(character) in {"Cc", "Zl", "Zp"} for character in text):
        raise ValueError("must be one line without control characters")
    return text


def _provider_name(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]*", name):
        raise ValueError("a provider's name consists of letters, digits, dots, dashes and underscores")
    if name == BUILTIN_PROVIDER:
        raise ValueError("is the name of the built-in engine; choose another")
    return name


def _variable_name(name: str) -> str:
    # An API key pasted here by mistake has lower-case letters or dashes. It is refused and never shown.
    if not re.fullmatch(r"[A-Z_][A-Z0-9_]*", name):
        raise ValueError(
            "must be the name of an environment variable in capitals, such as LAB_API_KEY, not the key itself"
        )
    return name


def _model_file(path: str) -> str:
    expanded = os.path.expanduser(path)  # noqa: PTH111  # pathlib raises for an unknown user
    if not Path(expanded).is_absolute():
        raise ValueError("must be the absolute path of a GGUF file")
    return str(Path(expanded))


def _base_url(url: str) -> str:
    if not url:
        raise ValueError("is missing")
    try:
        parse_endpoint(url)
    except UnsafeEndpoint as error:
        raise ValueError(str(error)) from None
    return url


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


Name = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_on_one_line)]
Pattern = Annotated[Name, AfterValidator(_ignore_pattern)]
Seconds = Annotated[float, Field(gt=0, le=24 * 60 * 60)]
Count = Annotated[int, Field(gt=0, le=10**12)]
# Limit of a prompt for any model: a longer one takes seconds to read and is billed.
MAX_CONTEXT_TOKENS = 131_072

Money = Annotated[float, Field(ge=0, le=10**6)]


class Table(BaseModel):
    """A table that refuses unknown keys."""

    # Built on first use, so a start without config file builds none.
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False, defer_build=True)


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

    lightning: list[LaneTable] = []
    deep: list[LaneTable] = []
    completion: list[LaneTable] = []

    def of(self, lane: Lane) -> list[LaneTable]:
        """Return a lane by its name."""
        return {"lightning": self.lightning, "deep": self.deep, "completion": self.completion}[lane]


class ProviderTable(Table):
    """``[providers.NAME]``: a custom endpoint, or another address for a known one."""

    api: Literal["chat", "responses", "messages", "completions", "llama"]
    base_url: Annotated[str, Field(max_length=2000, validate_default=True)] = ""
    gguf: Annotated[Name, AfterValidator(_model_file)] | None = Field(None, validate_default=True)
    context_tokens: Count | None = None
    api_key_env: Annotated[Name, AfterValidator(_variable_name)] | None = None
    websocket: bool = False
    early_body: bool = False
    prediction: bool = False
    hide_secrets: bool = True

    @field_validator("base_url")
    @classmethod
    def _is_valid_for_the_api(cls, url: str, info: ValidationInfo) -> str:
        is_llama = info.data.get("api") == "llama"
        if is_llama and url:
            raise ValueError('is not allowed for api = "llama", whose server chooses its own address')
        return url if is_llama else _base_url(url)

    @field_validator("gguf", "context_tokens")
    @classmethod
    def _only_for_llama(cls, value: object, info: ValidationInfo) -> object:
        is_llama = info.data.get("api", "llama") == "llama"
        if value is not None and not is_llama:
            raise ValueError('is only for api = "llama"')
        if value is None and is_llama and info.field_name == "gguf" and "api" in info.data:
            raise ValueError("is missing")
        return value

    @field_validator("prediction")
    @classmethod
    def _only_for_chat(cls, prediction: bool, info: ValidationInfo) -> bool:  # noqa: FBT001  # pydantic's call
        if prediction and info.data.get("api", "chat") != "chat":
            raise ValueError('is only for api = "chat"')
        return prediction

    @field_validator("early_body")
    @classmethod
    def _only_over_http(cls, early_body: bool, info: ValidationInfo) -> bool:  # noqa: FBT001  # pydantic's call
        if early_body and info.data.get("websocket"):
            raise ValueError("cannot be combined with websocket = true")
        return early_body

    @field_validator("hide_secrets")
    @classmethod
    def _only_on_this_machine(cls, hide_secrets: bool, info: ValidationInfo) -> bool:  # noqa: FBT001  # pydantic's call
        url = info.data.get("base_url")
        if not hide_secrets and url and not parse_endpoint(url).origin.is_loopback:
            raise ValueError("can be false only for a server on this machine")
        return hide_secrets

    @field_validator("websocket")
    @classmethod
    def _only_for_responses(cls, websocket: bool, info: ValidationInfo) -> bool:  # noqa: FBT001  # pydantic's call
        if websocket and info.data.get("api", "responses") != "responses":
            raise ValueError('is only for api = "responses"')
        return websocket


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


def _program(arguments: list[str]) -> list[str]:
    program = os.path.expanduser(arguments[0])  # noqa: PTH111  # pathlib raises for an unknown user
    if not Path(program).is_absolute() and Path(program).name != program:
        raise ValueError("must begin with the name of a program on PATH or its absolute path")
    return [program, *arguments[1:]]


Argument = Annotated[str, Field(min_length=1, max_length=1000), AfterValidator(_on_one_line)]
Command = Annotated[list[Argument], Field(min_length=1, max_length=100), AfterValidator(_program)]
LanguageId = Annotated[Name, AfterValidator(canonical_language_id)]


class VerifyTable(Table):
    """``[verify]``: commands that check an edit, by language and name."""

    seconds: Annotated[float, Field(gt=0, le=3600)] | None = None
    commands: dict[LanguageId, dict[Name, Command]] = {}


class WorkspaceTable(Table):
    """Keys that may come from a repository: an editor's settings and ``.twospeed.toml``."""

    mode: ModeChoice | None = None
    scope: ScopeChoice | None = None
    ignore: Annotated[list[Pattern], Field(max_length=1000)] = []
    delivery: DeliveryTable = DeliveryTable()
    limits: LimitsTable = LimitsTable()
    gate: GateTable = GateTable()


class EditorTable(WorkspaceTable):
    """Settings that an editor forwards; the transport uses ``token``."""

    token: str | None = None


class UserTable(WorkspaceTable):
    """The user's config file."""

    lanes: LanesTable = LanesTable()
    providers: dict[Annotated[Name, AfterValidator(_provider_name)], ProviderTable] = {}
    budget: BudgetTable = BudgetTable()
    prices: dict[Name, dict[Name, PriceTable]] = {}
    review: ReviewTable = ReviewTable()
    edit: EditTable = EditTable()
    completion: CompletionTable = CompletionTable()
    deepen: DeepenTable = DeepenTable()
    warm: WarmTable = WarmTable()
    history: HistoryTable = HistoryTable()
    presets: Annotated[list[PresetTable], Field(max_length=100)] | None = None
    format: dict[LanguageId, Command] = {}
    verify: VerifyTable = VerifyTable()
