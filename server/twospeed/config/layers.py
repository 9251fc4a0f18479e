"""Put what an editor forwards and the workspace's ``.twospeed.toml`` on top of the user's settings.

Both may come from a repository: editors merge a workspace's settings into what they forward. So they may choose
mode, scope and delivery and add to ``ignore``, and make limits and the gate stricter. They can name no endpoint,
key, model, budget or preset, and a key they may not set is an error that says where it belongs.
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
from twospeed.routing.sensitive import Sending
from twospeed.workspace.guarded import read_guarded

from .explain import settings_error
from .load import unreadable
from .locate import Source
from .settings import Settings
from .toml_text import read_toml

if TYPE_CHECKING:  # loaded where there is something to check
    from .schema import LimitsTable, WorkspaceTable

WORKSPACE_FILE = ".twospeed.toml"

MAX_VALUES = 10_000
"""Values of what an editor forwards; pydantic makes an error of several hundred bytes for each that is wrong."""

_TAKEN = "mode, scope, ignore, delivery, limits and gate"

_RANKS: Mapping[Strictness | Sending, int] = {"off": 0, "warn": 1, "refuse": 2, "offer": 1, "deep": 2}


@dataclass(frozen=True, slots=True)
class Layer:
    """Settings that may come from a repository, checked for their form, and where they come from."""

    table: WorkspaceTable
    source: Source


def read_editor_layer(value: object, *, name: str, config_path: Path) -> Layer | None:
    """Take what an editor forwards.

    Args:
        value: ``initializationOptions``, the ``settings`` of ``didChangeConfiguration`` or the answer to
            ``workspace/configuration``, as plain JSON values; also under the one key ``twospeed``. Nothing,
            and the empty list that some editors send for an empty table, set nothing.
        name: Name of the message, for errors.
        config_path: The user's config file, for errors.

    Returns:
        ``None`` where nothing is set.

    Raises:
        SettingsError: Something is wrong or may not be set from here; names the message and the key.
    """
    if isinstance(value, Mapping) and set(value) == {"twospeed"}:
        value = value["twospeed"]
    source = Source(name)
    if value is None or value in ([], {}):
        return None
    if not isinstance(value, Mapping):
        raise source.error((), "must be an object")
    if _has_too_many_values(value):
        raise source.error((), f"holds more than {MAX_VALUES:,} values")
    from .schema import EditorTable  # noqa: PLC0415  # 3 MB, which nobody without settings needs

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
    """Leave out what an editor forwards as null because nobody set it; no table stands deeper than these."""
    return {
        key: {name: each for name, each in inner.items() if each is not None}
        if isinstance(inner, Mapping)
        else inner
        for key, inner in value.items()
        if inner is not None
    }


def read_workspace_layer(root: Path, *, config_path: Path) -> Layer | None:
    """Read ``.twospeed.toml`` from the root of a workspace.

    Returns:
        ``None`` where there is no such file.

    Raises:
        SettingsError: It cannot be read, leads out of the workspace, or something in it is wrong or may not be
            set from there; names file, line and key.
    """
    path = root / WORKSPACE_FILE
    text = read_guarded(path, root=root)
    if isinstance(text, str):
        return parse_workspace_layer(text, name=str(path), config_path=config_path)
    if text.is_absent:
        return None
    raise unreadable(path, text)


def parse_workspace_layer(text: str, *, name: str, config_path: Path) -> Layer:
    """Check the text of a ``.twospeed.toml``; errors are those of `read_workspace_layer`."""
    from .schema import WorkspaceTable  # noqa: PLC0415  # as above

    tables, source = read_toml(text, name=name)
    return _checked(tables, WorkspaceTable, source, config_path)


def _checked(
    tables: dict[str, object], table: type[WorkspaceTable], source: Source, config_path: Path
) -> Layer:
    try:
        return Layer(table.model_validate(tables), source)
    except ValidationError as error:
        elsewhere = f"all but {_TAKEN} belongs in your own config file, {config_path}"
        raise settings_error(error, source=source, table=table, elsewhere=elsewhere) from None


def compose(user: Settings, *layers: Layer | None) -> Settings:
    """Put layers on top of the user's settings.

    Args:
        user: What the user's config file says; nothing may be looser than this.
        layers: Later ones go on top: the editor's, then the workspace's; ``None`` sets nothing.

    Returns:
        The settings that hold. Mode, scope and delivery are those of the last layer that says any; ignore
        patterns add up; of limits and gate the strictest holds, whatever the order.

    Raises:
        SettingsError: A limit or a check is looser than the user's; names the place and the key.
    """
    settings = user
    for layer in filter(None, layers):
        _refuse_looser(user, layer)
        table = layer.table
        settings = replace(
            settings,
            mode=table.mode or settings.mode,
            scope=table.scope or settings.scope,
            delivery=table.delivery.style or settings.delivery,
            ignore=tuple(dict.fromkeys((*settings.ignore, *table.ignore))),
            limits={mode: _tightened(limits, table.limits) for mode, limits in settings.limits.items()},
            lanes={
                mode: tuple(_tightened_entry(entry, table.limits) for entry in lane)
                for mode, lane in settings.lanes.items()
            },
            gate=_stricter(settings.gate, _gate_of(layer)),
        )
    return settings


def _refuse_looser(user: Settings, layer: Layer) -> None:
    belongs = f"only your own config file, {user.path}, may loosen it"
    entries = [entry for lane in user.lanes.values() for entry in lane]
    all_limits = [asdict(limits) for limits in (*user.limits.values(), *(entry.limits for entry in entries))]
    for key, wanted in _said(layer.table.limits).items():
        loosest = max(limits[key] for limits in all_limits)
        if wanted > loosest:
            raise layer.source.error(("limits", key), f"{wanted:g} is looser than {loosest:g}; {belongs}")
    for check, strictness in _gate_of(layer).items():
        own: Strictness | Sending = getattr(user.gate, check)
        if _RANKS[strictness] < _RANKS[own]:
            message = f'"{strictness}" is looser than "{own}"; {belongs}'
            raise layer.source.error(("gate", check), message)


def _said(table: LimitsTable) -> dict[str, float]:
    """Return the limits a table names, by key."""
    return table.model_dump(exclude_none=True)


def _gate_of(layer: Layer) -> dict[str, Strictness | Sending]:
    """Return the checks a layer names, by key."""
    return layer.table.gate.model_dump(exclude_none=True)


def _tightened(limits: Limits, table: LimitsTable) -> Limits:
    """Lower each limit that the table wants lower; one that is lower already stays."""
    current = asdict(limits)
    return replace(limits, **{key: min(current[key], wanted) for key, wanted in _said(table).items()})


def _tightened_entry(entry: LaneEntry, table: LimitsTable) -> LaneEntry:
    return replace(entry, limits=_tightened(entry.limits, table))


def _stricter(gate: GateSettings, wanted: Mapping[str, Strictness | Sending]) -> GateSettings:
    """Raise each check to what is wanted; one that is stricter already stays."""
    raised = {
        check: max((getattr(gate, check), strictness), key=_RANKS.__getitem__)
        for check, strictness in wanted.items()
    }
    return replace(gate, **raised)
