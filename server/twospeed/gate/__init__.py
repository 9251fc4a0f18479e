"""Whether an answer may count as applied: plain facts in, findings and at most one refusal out. No I/O."""

from .checks import check
from .facts import Finding, Fix, GateFacts, GateSettings, Judgement, Remark, Strictness
from .sensitive import touches
from .tool_files import why_confirmed

__all__ = [
    "Finding",
    "Fix",
    "GateFacts",
    "GateSettings",
    "Judgement",
    "Remark",
    "Strictness",
    "check",
    "touches",
    "why_confirmed",
]
