"""The closed lists of words of the protocol."""

from __future__ import annotations

from typing import Literal

Mode = Literal["lightning", "deep"]
ModeChoice = Literal["lightning", "deep", "both"]
ScopeChoice = Literal["auto", "selection", "function", "class", "file"]
ScopeKind = Literal["selection", "function", "class", "block", "file", "insertion"]
Outcome = Literal["applied", "unchanged", "refused", "conflict", "cancelled", "failed"]
State = Literal["queued", "running", "review", "ended"]
Verdict = Literal["accepted", "rejected"]
DeepState = Literal[
    "requested", "offered", "taken", "dismissed", "applied", "unchanged", "refused", "failed", "cancelled"
]
ReasonCode = Literal[
    # refused
    "empty",
    "declined",
    "truncated",
    "elided",
    "not-code",
    "ambiguous",
    "indentation",
    "extent",
    "syntax",
    "partial",
    "growth",
    "name-gone",
    "duplicate",
    "emptied",
    "dropped",
    "hidden",
    "risk",
    "unknown-name",
    "never-send",
    "secret",
    "not-agreed",
    # conflict
    "boundary",
    "unconfirmed",
    # cancelled
    "cancelled",
    "closed",
    "shutdown",
    # failed
    "model-unavailable",
    "model-timeout",
    "rate-limited",
    "quota",
    "budget",
    "invalid-key",
    "context-too-long",
    "model-protocol",
    "unsafe-endpoint",
    "client-refused",
    "settings",
    "internal",
]
