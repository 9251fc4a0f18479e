"""Add the editor's settings and the workspace's ``.twospeed.toml`` to the user's settings.

Both may come from a repository, because editors merge workspace settings into what they forward. So they set
no endpoint, key, model, budget or preset, and make limits and gate only stricter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from twospeed.gate.facts import GateSettings, Strictness
from twospeed.models.base import Limits
from twospeed.routing.lanes import LaneEntry
from twospeed.routing.route import SensitivePolicy
from twospeed.workspace.guarded import read_guarded

from .explain import settings_error
from .load import unreadable
from .settings import Settings
from .toml_file import Source, read_toml

if TYPE_CHECKING:  # loaded where there is something to check
    from .schema import LimitsTable, WorkspaceTable

WORKSPACE_FILE = ".twospeed.toml"

# Limit of values that an editor forwards: pydantic's error takes several hundred bytes for each wrong value.
MAX_VALUES = 10_000

_ALLOWED_KEYS = "mode, scope, ignore, delivery, limits and gate"

_RANKS: Mapping[Strictness | SensitivePolicy, int] = {"off": 0, "warn": 1, "refuse": 2, "offer": 1, "deep": 2}


@dataclass(frozen=True, slots=True)
class Layer:
    """Validated settings that may come from a repository, with their source."""

    table: WorkspaceTable
    source: Source


def read_editor_layer(value: object, *, name: str, config_path: Path) -> Layer | None:
    """Validate the settings that an editor forwards in the message ``name``; None if they are empty.

    Raises SettingsError with the message and the key.
    """
    # The value of `initializationOptions`, `didChangeConfiguration` or `workspace/configuration` may have a key
    # `twospeed` around it.
    if isinstance(value, Mapping) and set(value) == {"twospeed"}:
        value = value["twospeed"]
    source = Source(name)
    if value is None or value in ([], {}):  # some editors send an empty list for an empty table
        return None
    if not isinstance(value, Mapping):
        raise source.error((), "must be an object")
    if _has_too_many_values(value):
        raise source.error((), f"holds more than {MAX_VALUES:,} values")
    from .schema import EditorTable  # noqa: PLC0415  # pydantic takes 3 MB, only needed with settings

    return _checked(_without_nulls(value), EditorTable, source, config_path)


def _has_too_many_values(value: object) -> bool:
    count, level = 0, [value]
    while level and count <= MAX_VALUES:
        each = level.pop()
        within = each.values() if isinstance(each, Mapping) else each if isinstance(each, list) else ()
        count += len(within)
        level += [child for child in within if isinstance(child, (Mapping, list))]
    return count > MAX_VALUES


def _without_nulls(value: Mapping[str, object]) -> dict[str, object]:
    # Tables are nested at most this deep.
    return {
        key: {name: each for name, each in inner.items() if each is not None}
        if isinstance(inner, Mapping)
        else inner
        for key, inner in value.items()
        if inner is not None
    }


def read_workspace_layer(root: Path, *, config_path: Path) -> Layer | None:
    """Read ``.twospeed.toml`` from the root of a workspace; None without such a file.

    Raises SettingsError if the file is invalid, unreadable, or outside the workspace.
    """
    path = root / WORKSPACE_FILE
    text = read_guarded(path, root=root)
    if isinstance(text, str):
        return parse_workspace_layer(text, name=str(path), config_path=config_path)
    if text.is_absent:
        return None
    raise unreadable(path, text)


def parse_workspace_layer(text: str, *, name: str, config_path: Path) -> Layer:
    """Validate the text of a ``.twospeed.toml``; raises as `read_workspace_layer`."""
    from .schema import WorkspaceTable  # noqa: PLC0415  # as above

    tables, source = read_toml(text, name=name)
    return _checked(tables, WorkspaceTable, source, config_path)


def _checked(
    tables: dict[str, object], table: type[WorkspaceTable], source: Source, config_path: Path
) -> Layer:
    try:
        return Layer(table.model_validate(tables), source)
    except ValidationError as error:
        elsewhere = f"all keys except {_ALLOWED_KEYS} belong in your own config file, {config_path}"
        raise settings_error(error, source=source, table=table, elsewhere=elsewhere) from None


def compose(user: Settings, *layers: Layer | None) -> Settings:
    """Add layers to the user's settings: the editor's, then the workspace's; None sets nothing.

    Raises SettingsError if a limit or check is looser than the user's.
    """
    settings = user
    for layer in filter(None, layers):
        _refuse_looser(user, layer)
        table = layer.table
        settings = replace(
            settings,
            mode=table.mode or settings.mode,  # the last layer decides
            scope=table.scope or settings.scope,
            delivery=table.delivery.style or settings.delivery,
            ignore=tuple(dict.fromkeys((*settings.ignore, *table.ignore))),
            limits={mode: _tightened(limits, table.limits) for mode, limits in settings.limits.items()},
            lanes={
                mode: tuple(_tightened_entry(entry, table.limits) for entry in lane)
                for mode, lane in settings.lanes.items()
            },
            suggestion_lane=tuple(
                _tightened_entry(entry, table.limits) for entry in settings.suggestion_lane
            ),
            gate=_stricter(settings.gate, _gate_of(layer)),
        )
    return settings


def _refuse_looser(user: Settings, layer: Layer) -> None:
    belongs = f"only your own config file, {user.path}, may loosen it"
    entries = [entry for lane in (*user.lanes.values(), user.suggestion_lane) for entry in lane]
    all_limits = [asdict(limits) for limits in (*user.limits.values(), *(entry.limits for entry in entries))]
    for key, wanted in _limits_of(layer.table.limits).items():
        loosest = max(limits[key] for limits in all_limits)
        if wanted > loosest:
            raise layer.source.error(("limits", key), f"{wanted:g} is looser than {loosest:g}; {belongs}")
    for check, strictness in _gate_of(layer).items():
        own: Strictness | SensitivePolicy = getattr(user.gate, check)
        if _RANKS[strictness] < _RANKS[own]:
            message = f'"{strictness}" is looser than "{own}"; {belongs}'
            raise layer.source.error(("gate", check), message)


def _limits_of(table: LimitsTable) -> dict[str, float]:
    return table.model_dump(exclude_none=True)


def _gate_of(layer: Layer) -> dict[str, Strictness | SensitivePolicy]:
    return layer.table.gate.model_dump(exclude_none=True)


def _tightened(limits: Limits, table: LimitsTable) -> Limits:
    current = asdict(limits)
    return replace(limits, **{key: min(current[key], wanted) for key, wanted in _limits_of(table).items()})


def _tightened_entry(entry: LaneEntry, table: LimitsTable) -> LaneEntry:
    return replace(entry, limits=_tightened(entry.limits, table))


def _stricter(gate: GateSettings, wanted: Mapping[str, Strictness | SensitivePolicy]) -> GateSettings:
    raised = {
        check: max((getattr(gate, check), strictness), key=_RANKS.__getitem__)
        for check, strictness in wanted.items()
    }
    return replace(gate, **raised)
