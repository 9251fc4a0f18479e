"""Speak of what an answer brings that is there already, and of what it uses that is not."""

from __future__ import annotations

from collections.abc import Iterator

from twospeed.text.hidden import make_visible_in_line

from .facts import GateFacts, Remark


def repeated_functions(facts: GateFacts) -> Iterator[Remark]:
    """Name each new function that does what another one does, and where that stands."""
    for each in facts.repeated:
        where = f"in {each.path} does, line" if each.path else "does, line"
        message = f'"{each.name}" does what "{each.other}" {where} {each.other_line + 1}'
        yield Remark(make_visible_in_line(message), (each.line, each.line))


def unknown_names(facts: GateFacts) -> Iterator[Remark]:
    """Name what is neither defined nor imported."""
    for each in facts.unresolved:
        message = f'"{each.name}" is neither defined nor imported in this file'
        yield Remark(message, (each.line, each.line), each.fix)
