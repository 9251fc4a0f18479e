"""Checks of finished answers: plain facts in, findings and at most one refusal out."""

from .checks import check
from .facts import Finding, Fix, GateFacts, GateResult, GateSettings, Remark, Strictness
from .sensitive import sensitive_uses
from .tool_files import confirmation_reason

__all__ = [
    "Finding",
    "Fix",
    "GateFacts",
    "GateResult",
    "GateSettings",
    "Remark",
    "Strictness",
    "check",
    "confirmation_reason",
    "sensitive_uses",
]
