"""Put lanes together from what is configured and what was found.

A mode with a configured lane runs on that and the built-in engine, on nothing else: who wrote down a model on
this machine does not want code sent to a cloud because a key happens to be set. Only a mode without one is
filled with what was found: providers whose key is at hand, then servers on this machine (contract, "Config").
Not here: asking the environment or the network; whoever does hands in ``FoundProvider`` values.
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
    """A provider nobody configured, and the models it would serve.

    Attributes:
        provider: Name in the provider table.
        origin: ``environment`` where its key is at hand, ``local`` where it answers on this machine.
        models: The fast model for ``lightning``, the deep one for ``deep``; a mode without one is left out.
        efforts: Reasoning effort of a mode, where its model takes one.
        is_cloud: Whether a request leaves this machine; with a key it may, for a gateway here may have one too.
        windows: What prompt and answer may be together in a mode's model, where the provider says so.
    """

    provider: str
    origin: Literal["environment", "local"]
    models: Mapping[Mode, str]
    efforts: Mapping[Mode, str] = field(default_factory=dict)
    is_cloud: bool = True
    windows: Mapping[Mode, int] = field(default_factory=dict)


def assemble_lanes(
    configured: Lanes, found: Iterable[FoundProvider], *, limits: Mapping[Mode, Limits] = DEFAULT_LIMITS
) -> Lanes:
    """Make both lanes.

    Args:
        configured: Lanes of the user's config file; a mode may be missing or empty.
        found: What was found, in the order it is to be tried within its origin.
        limits: Limits of found entries.

    Returns:
        A lane for each mode: what is configured, or else what was found by key, then on this machine; the
        built-in engine last. No entry names a provider and model twice.
    """
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
            cloud=provider.is_cloud and provider.origin == "environment",
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

_NO_WRITER = re.compile(r"embed|rerank|whisper|(?<![a-z])(?:tts|bge|clip)(?![a-z])", re.IGNORECASE)


def pick_models(names: Sequence[str]) -> Mapping[Mode, str]:
    """Choose the fast and the deep one among the models of a server on this machine.

    The count of parameters stands in most names ("qwen3-coder:30b"); the smallest is taken for ``lightning``,
    the largest for ``deep``. Where no name tells a size the first one listed serves both.

    Args:
        names: Model names as the server lists them.

    Returns:
        A model for each mode, the same one where there is only one; empty where no model writes text.
    """
    writers = [name for name in names if not _NO_WRITER.search(name)]
    if not writers:
        return {}
    sizes = {name: _billions(name) for name in writers}
    sized = [name for name in writers if sizes[name] is not None] or writers[:1]
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
