"""The report of ``doctor``: what it found, how a trial request ended, and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from twospeed.cli.doctor.provider_findings import NOT_ENCRYPTED, ProviderFinding
from twospeed.cli.doctor.report import advice, findings_lines, trial_line
from twospeed.cli.doctor.trial import Trial
from twospeed_protocol.results import LaneStatus
from twospeed_protocol.words import ReasonCode

CONFIG = Path("/home/me/config.toml")
LAB = LaneStatus(provider="lab", model="m", ready=True, reason=None)
RULES = LaneStatus(provider="builtin", model="rules", ready=True, reason=None)


def told(trial: Trial | None = None, *findings: ProviderFinding, lane: LaneStatus = LAB) -> str:
    return "\n".join(advice(findings, [[lane]], [trial] if trial else [], CONFIG))


def test_a_successful_trial_shows_latency_and_speed() -> None:
    trial = Trial("lab/m", "applied", served="lab/m", ttft_ms=81.6, tokens_per_second=966.4)
    assert trial_line(trial) == "  tried     lab/m: first token after 82 ms, 966 tokens per second"


def test_the_fallback_model_is_named_with_the_reason() -> None:
    route = "mode; skipped lab/m: down, again in 5 s"
    trial = Trial("lab/m", "applied", served="second/m", route=route, ttft_ms=9.0, tokens_per_second=5.0)
    assert (
        "lab/m: second/m was used instead (mode; skipped lab/m: down, again in 5 s): first token"
        in trial_line(trial)
    )


def test_no_advice_without_problems() -> None:
    assert told(Trial("lab/m", "applied", served="lab/m")) == ""


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("invalid-key", "correct it in the variable"),
        ("model-unavailable", "check that the server runs"),
        ("model-timeout", "choose a faster model"),
        ("rate-limited", "add a second model"),
        ("quota", "no credit"),
        ("model-protocol", "base_url"),
        ("budget", "[budget]"),
    ],
)
def test_each_problem_of_a_model_has_advice(code: ReasonCode, words: str) -> None:
    assert words in told(Trial("lab/m", "failed", code=code, message="x"))


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("xllamacpp is not installed", "twospeed[local]"),
        ("no file /models/tiny.gguf", "set gguf in your config"),
    ],
)
def test_a_model_file_that_cannot_run_has_advice(reason: str, words: str) -> None:
    mine = LaneStatus(provider="mine", model="tiny", ready=False, reason=reason)
    assert words in told(lane=mine)


def test_a_server_without_a_model_has_advice() -> None:
    empty = ProviderFinding("ollama", "http://127.0.0.1:11434", "needs no key", (), "it has no model")
    assert told(None, empty) == "no model        ollama runs without a model: load or pull one"
    assert "it has no model" in "\n".join(findings_lines([empty]))


def test_a_server_without_encryption_has_a_warning_and_advice() -> None:
    gpu = ProviderFinding("gpu", "http://192.168.1.5:11434", "needs no key", warning=NOT_ENCRYPTED)
    assert "not encrypted (insecure_http)" in "\n".join(findings_lines([gpu]))
    assert gpu.to_json()["warning"] == NOT_ENCRYPTED
    assert told(None, gpu).startswith(
        "not encrypted   the network can read your code, and the key, on the way to gpu:"
    )


def test_advice_on_models_if_only_the_built_in_engine_is_ready() -> None:
    assert str(CONFIG) in told(lane=RULES)
    assert "Only the built-in engine" not in told(lane=LAB)


def test_many_models_are_counted_and_a_hostile_name_is_harmless() -> None:
    models = ("a\x1b[31m", "b", "c", "d", "e")
    [_, line] = findings_lines([ProviderFinding("ollama", "http://127.0.0.1:11434", "needs no key", models)])
    assert "\x1b" not in line
    assert line.endswith("b, c and 2 more")
