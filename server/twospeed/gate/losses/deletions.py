"""Report intended deletions: a replaced secret, or an empty answer for a scope."""

from __future__ import annotations

import re
from collections.abc import Iterator

from twospeed.gate.facts import GateFacts, Remark

_NAME = re.compile(r"[^\W\d]\w*")

MAX_CHARS = 40
"""Longest quote of a name in a message."""


def deleted_scope(facts: GateFacts) -> Iterator[Remark]:
    """Report how many lines an empty answer deletes."""
    n_removed = sum(bool(line.strip()) for line in facts.old_lines)
    if n_removed and not any(line.strip() for line in facts.new_lines):
        yield Remark(
            f"the answer deletes {'the line' if n_removed == 1 else f'all {n_removed} lines'} of the scope"
        )


def secrets_gone(facts: GateFacts) -> Iterator[Remark]:
    """Report the lines whose secrets are no longer in the scope.

    Only removed lines are searched, so an answer without removed lines costs nothing.
    """
    removed = [facts.old_lines[index] for index in facts.removed_at]
    if not removed:
        return
    from twospeed.secrets.search import find_secrets  # noqa: PLC0415  # hundreds of patterns, load late

    text, left = "\n".join(removed), "\n".join(facts.new_lines)
    reported = set[int]()
    for found in sorted(find_secrets(text), key=lambda each: each.start):
        number = text.count("\n", 0, found.start)
        if number in reported or text[found.start : found.end] in left:
            continue
        reported.add(number)
        index = facts.removed_at[number]
        names = _NAME.findall(text[text.rfind("\n", 0, found.start) + 1 : found.start])
        named = f' ("{names[-1][:MAX_CHARS]}")' if names else ""
        line = facts.place_of_old(index)
        yield Remark(
            f"the secret in line {facts.first_line + index + 1}{named} was removed; make sure that it is stored elsewhere",
            (line, line),
        )
