"""Read the user's config file into settings.

The file is trusted: only it may name endpoints, lanes and variables of keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel, ValidationError

from twospeed.budget.spending import Budget
from twospeed.errors import SettingsError
from twospeed.gate.facts import GateSettings
from twospeed.models.base import CONTEXT_TOKENS, Limits, Price, ProviderSettings
from twospeed.models.http.endpoints import DIRECT, Network
from twospeed.routing.lanes import BUILTIN_PROVIDER, MODES, LaneEntry, Lanes, Mode
from twospeed.workspace.guarded import Unreadable, read_guarded

from .explain import did_you_mean, settings_error
from .paths import CONFIG_VARIABLE, config_path
from .settings import Preset, Settings
from .toml_file import Source, read_toml

if TYPE_CHECKING:  # loaded where there is something to check
    from .provider_table import ProviderTable
    from .schema import Lane, LaneTable, UserTable

# Address of a server whose port is known only after its start.
THIS_MACHINE = "http://127.0.0.1"

_Value = TypeVar("_Value", Limits, GateSettings, Budget)


def load_settings(environ: Mapping[str, str], *, known: Mapping[str, ProviderSettings]) -> Settings:
    """Read the user's config file; defaults if it does not exist.

    Raises SettingsError, with file, line and key, if it is unreadable, invalid, or missing at
    ``TWOSPEED_CONFIG``.
    """
    path = config_path(environ)
    text = read_guarded(path, root=None)
    if isinstance(text, str):
        return parse_settings(text, path=path, known=known)
    if text.is_absent and not environ.get(CONFIG_VARIABLE):
        return Settings(path=path, providers=dict(known))
    if text.is_absent:
        raise SettingsError(f"{CONFIG_VARIABLE} names this file, but it does not exist", source=str(path))
    raise unreadable(path, text)


def unreadable(path: Path, why: Unreadable) -> SettingsError:
    """Return the error for a settings file that cannot be read."""
    place = str(path) if why.line is None else f"{path}:{why.line}"
    return SettingsError(why.reason, source=place)


def parse_settings(text: str, *, path: Path, known: Mapping[str, ProviderSettings]) -> Settings:
    """Parse the text of the user's config file; ``known`` are the built-in endpoints by name.

    Raises SettingsError for the first problem.
    """
    from .schema import UserTable  # noqa: PLC0415  # pydantic takes 3 MB, only needed with a config

    tables, source = read_toml(text, name=str(path))
    try:
        table = UserTable.model_validate(tables)
    except ValidationError as error:
        raise settings_error(error, source=source, table=UserTable) from None
    # An endpoint in the file replaces all of a known one, so that a known provider's key never goes to another address
    # unless the file says so.
    providers = {**known, **{name: _provider(name, each) for name, each in table.providers.items()}}
    default = Settings(path=path)
    limits = {mode: overlay(default.limits[mode], table.limits) for mode in MODES}
    return Settings(
        path=path,
        mode=table.mode or default.mode,
        scope=table.scope or default.scope,
        ignore=tuple(table.ignore),
        lanes=_lanes(table, providers=providers, limits=limits, source=source),
        providers=providers,
        delivery=table.delivery.style or default.delivery,
        limits=limits,
        budget=overlay(default.budget, table.budget),
        prices=_prices(table, providers=providers, source=source),
        gate=overlay(default.gate, table.gate),
        accept_on=table.review.accept_on or default.accept_on,
        imports=table.edit.imports or default.imports,
        suggests=bool(table.completion.enabled),
        suggests_anywhere=bool(table.completion.automatic),
        suggestion_lane=_lane(
            "completion", table, providers=providers, limits=limits["lightning"], source=source
        ),
        deepen_when=table.deepen.when or default.deepen_when,
        deep_sees_draft=default.deep_sees_draft
        if table.deepen.sees_draft is None
        else table.deepen.sees_draft,
        keeps_warm=default.keeps_warm if table.warm.enabled is None else table.warm.enabled,
        reads_ahead=default.reads_ahead if table.warm.cache is None else table.warm.cache,
        keeps_history=default.keeps_history if table.history.enabled is None else table.history.enabled,
        presets=default.presets
        if table.presets is None
        else tuple(Preset(each.title, each.instruction) for each in table.presets),
        formatters={language_id: tuple(command) for language_id, command in table.format.items()},
        verify_commands={
            language_id: {name: tuple(command) for name, command in commands.items()}
            for language_id, commands in table.verify.commands.items()
        },
        verify_s=table.verify.seconds or default.verify_s,
    )


def overlay(value: _Value, table: BaseModel) -> _Value:
    """Replace a value's defaults by the keys that a table sets; other keys are ignored."""
    names = {each.name for each in fields(value)}
    return replace(value, **table.model_dump(include=names, exclude_none=True))


def _provider(name: str, table: ProviderTable) -> ProviderSettings:
    return ProviderSettings(
        name,
        table.api,
        table.base_url or THIS_MACHINE,
        table.api_key_env,
        websocket=table.websocket,
        early_body=table.early_body,
        prediction=table.prediction,
        hides_secrets=table.hide_secrets,
        gguf=table.gguf or "",
        context_tokens=table.context_tokens or CONTEXT_TOKENS,
        insecure_http=table.insecure_http,
        network=_network(table),
        key_command=tuple(table.key_command or ()),
    )


def _network(table: ProviderTable) -> Network:
    network = Network(table.proxy or "", table.ca_file or "", table.client_cert or "")
    return DIRECT if network == DIRECT else network


def _lanes(
    table: UserTable,
    *,
    providers: Mapping[str, ProviderSettings],
    limits: Mapping[Mode, Limits],
    source: Source,
) -> Lanes:
    lanes = {
        mode: _lane(mode, table, providers=providers, limits=limits[mode], source=source) for mode in MODES
    }
    return {mode: lane for mode, lane in lanes.items() if lane}


def _lane(
    lane: Lane, table: UserTable, *, providers: Mapping[str, ProviderSettings], limits: Limits, source: Source
) -> tuple[LaneEntry, ...]:
    entries: list[LaneEntry] = []
    for index, entry in enumerate(table.lanes.of(lane)):
        path = ("lanes", lane, index, "provider")
        provider = providers.get(entry.provider)
        if provider is None and entry.provider != BUILTIN_PROVIDER:
            hint = did_you_mean(entry.provider, [*providers, BUILTIN_PROVIDER])
            raise source.error(path, f"there is no such provider; {hint}")
        if lane != "completion" and provider is not None and provider.api == "completions":
            raise source.error(path, 'has api = "completions", which is only for [[lanes.completion]]')
        entries.append(_entry(entry, provider, limits))
    return tuple(entries)


def _prices(
    table: UserTable, *, providers: Mapping[str, ProviderSettings], source: Source
) -> dict[tuple[str, str], Price]:
    prices: dict[tuple[str, str], Price] = {}
    for provider, models in table.prices.items():
        if provider not in providers:
            raise source.error(
                ("prices", provider), f"there is no such provider; {did_you_mean(provider, [*providers])}"
            )
        for model, price in models.items():
            prices[provider, model] = Price(**price.model_dump())
    return prices


def _entry(table: LaneTable, provider: ProviderSettings | None, limits: Limits) -> LaneEntry:
    return LaneEntry(
        table.provider,
        table.model,
        table.effort,
        limits=overlay(limits, table),
        is_cloud=provider is not None and not provider.endpoint.origin.is_loopback,
        origin="config",
        window_tokens=provider.context_tokens if provider is not None and provider.api == "llama" else None,
        hides_secrets=provider is None or provider.hides_secrets,
    )
