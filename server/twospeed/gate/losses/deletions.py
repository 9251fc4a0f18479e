"""Say what is gone on purpose: a secret that something took the place of, and a scope whose answer is an empty block."""

from __future__ import annotations

import re
from collections.abc import Iterator

from twospeed.gate.facts import GateFacts, Remark

_NAME = re.compile(r"[^\W\d]\w*")

MAX_CHARS = 40
"""Characters of a name that a message quotes."""


def deleted_scope(facts: GateFacts) -> Iterator[Remark]:
    """Say how many lines go where nothing is left of the scope."""
    n_gone = sum(bool(line.strip()) for line in facts.old_lines)
    if n_gone and not any(line.strip() for line in facts.new_lines):
        yield Remark(
            f"the answer deletes {'the line' if n_gone == 1 else f'all {n_gone} lines'} of the scope"
        )


def secrets_gone(facts: GateFacts) -> Iterator[Remark]:
    """Name the lines whose secrets are nowhere in the scope any more.

    Only what shows to be a secret on the lines that went is looked at, so that an answer without such lines costs nothing.
    """
    went = [facts.old_lines[index] for index in facts.removed_at]
    if not went:
        return
    from twospeed.secrets.search import find_secrets  # noqa: PLC0415  # some hundred expressions, loaded when used

    text, left = "\n".join(went), "\n".join(facts.new_lines)
    told = set[int]()
    for found in sorted(find_secrets(text), key=lambda each: each.start):
        number = text.count("\n", 0, found.start)
        if number in told or text[found.start : found.end] in left:
            continue
        told.add(number)
        index = facts.removed_at[number]
        names = _NAME.findall(text[text.rfind("\n", 0, found.start) + 1 : found.start])
        named = f' ("{names[-1][:MAX_CHARS]}")' if names else ""
        line = facts.place_of_old(index)
        yield Remark(
            f"the secret of line {facts.first_line + index + 1}{named} is gone; make sure that it is kept elsewhere",
            (line, line),
        )
