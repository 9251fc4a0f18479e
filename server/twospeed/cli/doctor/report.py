"""What ``doctor`` says: lines for a person, and what to do about what is missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from twospeed.cli.protocol_values import ICONS
from twospeed.cli.visible import one_line, visible
from twospeed.models.catalog.providers import PROVIDERS
from twospeed.routing import NEEDS_YES
from twospeed.routing.lanes import BUILTIN_PROVIDER

from .findings import ProviderFinding
from .trial import Trial

if TYPE_CHECKING:
    from twospeed_protocol import messages

_REMEDIES = {
    NEEDS_YES: f"{NEEDS_YES}  the first edit in a terminal or editor asks; or name the provider in your config",
    "no key in": "no key          set the variable, or keep the key in your keyring: keyring set twospeed PROVIDER",
    "xllamacpp is": "no llama.cpp    pip install 'twospeed[local]', into the environment that twospeed is in",
    "no file": "no model file   gguf in your config names it",
}
"""What to do about an obstacle, by the words of `routing.availability`."""

_REMEDIES_OF_TRIALS = {
    "invalid-key": "wrong key       set the right one in the variable or the keyring, where it was found",
    "model-unavailable": "no answer       see that the server runs, and that base_url and model in your config are right",
    "model-timeout": "too slow        choose a faster model, or see what holds the server up",
    "rate-limited": "rate limit      wait, or name a second model behind it in its lane",
    "quota": "no credit       add some, or name another provider first",
    "model-protocol": "bad answer      see that base_url in your config leads to the API that api names",
    "context-too-long": "no room         the server gives the model too short a context: start it with a longer one",
    "budget": "budget          today's is used up; [budget] in your config sets it",
    "unsafe-endpoint": "bad address     an address is https://, or http:// on this machine",
}
"""What to do about a trial that went wrong, by its reason's code."""

_MAX_MODELS_SHOWN = 3


def findings_lines(findings: Sequence[ProviderFinding]) -> Iterator[str]:
    """List what is there."""
    yield "found"
    width = max((len(finding.provider) for finding in findings), default=0)
    for finding in findings:
        parts = [finding.place, finding.key, _names(finding.models), finding.trouble]
        words = "  ".join(one_line(part) for part in parts if part)
        yield f"  {visible(finding.provider):<{width}}  {words}"
    if not findings:
        yield "  no key of a provider we know, and no model server on this machine"


def _names(models: Sequence[str]) -> str:
    shown = ", ".join(models[:_MAX_MODELS_SHOWN])
    return f"{shown} and {more} more" if (more := len(models) - _MAX_MODELS_SHOWN) > 0 else shown


def lane_lines(mode: str, entries: Sequence[messages.LaneStatus]) -> Iterator[str]:
    """List a lane's entries."""
    yield f"{ICONS[mode]} {mode}"
    serving = serving_of(entries)
    for entry in entries:
        yield _lane_line(entry, serves=entry is serving)
    if serving is None:
        yield "  nothing here is ready, so an edit in this mode fails"


def serving_of(entries: Iterable[messages.LaneStatus]) -> messages.LaneStatus | None:
    """Return a lane's first entry that is ready."""
    return next((entry for entry in entries if entry.ready), None)


def _lane_line(entry: messages.LaneStatus, *, serves: bool) -> str:
    state = "serves" if serves else "ready" if entry.ready else "not ready"
    reason = f"  {one_line(entry.reason)}" if entry.reason else ""
    return f"  {state:<9} {visible(entry.provider)}/{visible(entry.model)}{reason}"


def trial_line(trial: Trial) -> str:
    """Say how a trial went."""
    instead = ""
    if trial.served and trial.served != trial.label:
        instead = f"{trial.served} served instead ({trial.route}): "
    words = f"{trial.outcome}: {trial.message}" if trial.code else _pace(trial)
    return f"  tried     {one_line(f'{trial.label}: {instead}{words}')}"


def _pace(trial: Trial) -> str:
    if trial.ttft_ms is None:
        return trial.outcome
    speed = (
        "too short to say how many a second"
        if trial.tokens_per_second is None
        else f"{trial.tokens_per_second:.0f} tokens a second"
    )
    return f"first token after {trial.ttft_ms:.0f} ms, {speed}"


def advice(
    findings: Iterable[ProviderFinding],
    lanes: Iterable[Sequence[messages.LaneStatus]],
    trials: Iterable[Trial],
    config: Path,
) -> Iterator[str]:
    """Say what to do about what is not ready or went wrong, and where nothing but the built-in engine serves."""
    lanes = list(lanes)
    for finding in findings:
        if finding.runs_without_model:
            yield f"no model        {finding.provider} runs, but has none: let it load or pull one"
    reasons = {entry.reason for entries in lanes for entry in entries if entry.reason}
    codes = {trial.code for trial in trials}
    yield from (remedy for reason, remedy in _REMEDIES.items() if any(reason in each for each in reasons))
    yield from (remedy for code, remedy in _REMEDIES_OF_TRIALS.items() if code in codes)
    serving = [entry for entries in lanes if (entry := serving_of(entries))]
    has_model = any(entry.provider != BUILTIN_PROVIDER for entry in serving)
    if has_model or any(NEEDS_YES in reason for reason in reasons):
        return
    known = list(PROVIDERS.values())
    yield "Only the built-in engine serves: it knows doc comments, renaming, type hints and f-strings. For a model"
    yield f"  set a key       {', '.join(each.settings.api_key_env for each in known if each.settings.api_key_env)}"
    yield f"                  or keep one in your keyring: keyring set twospeed {known[0].name}"
    yield f"  start a server  on this machine: {', '.join(each.label for each in known if each.is_local)}"
    yield f"  or name one     in [[lanes.lightning]] and [[lanes.deep]] of {visible(str(config))}"
