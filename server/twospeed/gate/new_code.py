"""Report duplicate functions and unknown names in an answer."""

from __future__ import annotations

from collections.abc import Iterator

from twospeed.text.hidden import make_visible_in_line

from .facts import GateFacts, Remark


def repeated_functions(facts: GateFacts) -> Iterator[Remark]:
    """Report each new function that does the same as another one, with the place of the other."""
    for each in facts.repeated:
        place = f"in {each.path}, line" if each.path else "in line"
        message = f'"{each.name}" does the same as "{each.other}" {place} {each.other_line + 1}'
        yield Remark(make_visible_in_line(message), (each.line, each.line))


def unknown_names(facts: GateFacts) -> Iterator[Remark]:
    """Report names that are neither defined nor imported."""
    for each in facts.unresolved:
        message = f'"{each.name}" is neither defined nor imported in this file'
        yield Remark(message, (each.line, each.line), each.fix)
