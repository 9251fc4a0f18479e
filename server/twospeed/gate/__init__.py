"""Whether an answer may count as applied: plain facts in, findings and at most one refusal out. No I/O."""

from .checks import check
from .facts import Definition, Finding, GateFacts, GateSettings, Judgement, Strictness
from .tool_files import why_confirmed

__all__ = [
    "Definition",
    "Finding",
    "GateFacts",
    "GateSettings",
    "Judgement",
    "Strictness",
    "check",
    "why_confirmed",
]
