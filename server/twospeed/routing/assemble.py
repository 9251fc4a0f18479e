"""Build lanes from configured and discovered models.

A configured mode uses its lane and the built-in engine only: a user who configured a local model does not
want code sent to a cloud because a key is set.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from twospeed.models.base import Limits

from .lanes import DEFAULT_LIMITS, MODES, LaneEntry, Lanes, Mode, builtin_entry


@dataclass(frozen=True, slots=True)
class FoundProvider:
    """A discovered provider and its models; a mode without a model is omitted."""

    provider: str
    # `environment` if it has a key, `local` if it runs on this machine
    origin: Literal["environment", "local"]
    models: Mapping[Mode, str]
    efforts: Mapping[Mode, str] = field(default_factory=dict)
    is_cloud: bool = True  # whether a request leaves this machine; a local gateway may have a key too
    windows: Mapping[Mode, int] = field(default_factory=dict)  # context window in tokens, if known


def assemble_lanes(
    configured: Lanes, found: Iterable[FoundProvider], *, limits: Mapping[Mode, Limits] = DEFAULT_LIMITS
) -> Lanes:
    """Build both lanes; entries are unique and the built-in engine is last."""
    found = tuple(found)
    by_key = [provider for provider in found if provider.origin == "environment"]
    by_probe = [provider for provider in found if provider.origin == "local"]
    return {
        mode: _without_repeats(
            [
                *(configured.get(mode) or _entries(mode, [*by_key, *by_probe], limits[mode])),
                builtin_entry(mode),
            ]
        )
        for mode in MODES
    }


def _entries(mode: Mode, found: Iterable[FoundProvider], limits: Limits) -> list[LaneEntry]:
    return [
        LaneEntry(
            provider.provider,
            provider.models[mode],
            provider.efforts.get(mode),
            limits=limits,
            is_cloud=provider.is_cloud and provider.origin == "environment",
            origin=provider.origin,
            window_tokens=provider.windows.get(mode),
        )
        for provider in found
        if mode in provider.models
    ]


def _without_repeats(entries: Iterable[LaneEntry]) -> tuple[LaneEntry, ...]:
    first: dict[tuple[str, str, str | None], LaneEntry] = {}
    for entry in entries:
        first.setdefault((entry.provider, entry.model, entry.effort), entry)
    return tuple(first.values())


# As in qwen3-coder:30b, llama-3.2-3B-instruct, mixtral:8x7b and gemma3:270m.
_SIZE = re.compile(r"(?<![a-z0-9.])(?:(\d{1,4})x)?(\d{1,6}(?:\.\d{1,6})?)([bm])(?![a-z0-9])", re.IGNORECASE)

_NO_TEXT_MODEL = re.compile(r"embed|rerank|whisper|(?<![a-z])(?:tts|bge|clip)(?![a-z])", re.IGNORECASE)


def pick_models(names: Sequence[str]) -> Mapping[Mode, str]:
    """Choose the fast and the deep model of a local server; empty without a text model."""
    text_models = [name for name in names if not _NO_TEXT_MODEL.search(name)]
    if not text_models:
        return {}
    # Most names contain the number of parameters. Without any size the first model serves both modes.
    sizes = {name: _billions(name) for name in text_models}
    sized = [name for name in text_models if sizes[name] is not None] or text_models[:1]
    return {
        "lightning": min(sized, key=lambda name: sizes[name] or 0.0),
        "deep": max(sized, key=lambda name: sizes[name] or 0.0),
    }


def _billions(name: str) -> float | None:
    match = _SIZE.search(name)
    if match is None:
        return None
    size = float(match[2]) * int(match[1] or 1)
    return size / 1000 if match[3].lower() == "m" else size
