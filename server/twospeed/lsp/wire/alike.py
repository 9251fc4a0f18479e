"""Group the diagnostics of one kind, for one instruction that fixes them all."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types

from twospeed_protocol import MAX_PLACES

MAX_MESSAGES = 5
"""Different messages in an instruction; they are examples of the same kind."""


def alike_diagnostics(diagnostics: Sequence[types.Diagnostic]) -> list[list[types.Diagnostic]]:
    """Return the groups of two or more places with the same source and code, or without a code the same message.

    A group is sorted by place, has one diagnostic for each range, and at most `MAX_PLACES`.
    """
    groups: dict[tuple[object, ...], dict[tuple[int, ...], types.Diagnostic]] = {}
    for diagnostic in diagnostics:
        places = groups.setdefault(_kind_of(diagnostic), {})
        places.setdefault(_order_of(diagnostic), diagnostic)
    return [
        [places[at] for at in sorted(places)][:MAX_PLACES] for places in groups.values() if len(places) > 1
    ]


def fix_instruction(diagnostics: Sequence[types.Diagnostic]) -> str:
    """Return the instruction to fix diagnostics of one kind."""
    messages = list(dict.fromkeys(each.message for each in diagnostics))
    if len(diagnostics) == 1:
        return f"Fix this problem: {messages[0]}"
    return "Fix every problem of this kind: " + "; ".join(messages[:MAX_MESSAGES])


def _kind_of(diagnostic: types.Diagnostic) -> tuple[object, ...]:
    if diagnostic.code is None:
        return diagnostic.source, None, diagnostic.message
    return diagnostic.source, diagnostic.code


def _order_of(diagnostic: types.Diagnostic) -> tuple[int, ...]:
    start, end = diagnostic.range.start, diagnostic.range.end
    return start.line, start.character, end.line, end.character
