"""Tell of small things that are gone although what they belong to stayed: each changes what code does, and none breaks it.

In 1,161 edits by people two are told of.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .dropped import gone_from
from .facts import GateFacts, Remark

_MARKS = {
    **dict.fromkeys(("java", "kotlin", "python", "scala", "swift", "typescript", "typescriptreact"), "@"),
    "rust": "#[",
}
"""How a line begins that says something of the definition below it, by LSP language id."""

_WORD = re.compile(r"\w+")
_RETURN = re.compile(r"\s*return\b")
_QUOTES = ('"""', "'''", 'r"""', "r'''")

MAX_CHARS = 40
"""Of a line that a message quotes."""


def small_losses(facts: GateFacts) -> Iterator[Remark]:
    """Say which decorators and docstrings, which ``await`` and which last ``return`` are gone."""
    if not facts.removed_at or next(gone_from(facts), None) is not None:
        return  # what a definition has is gone with it
    yield from _marks_gone(facts)
    if facts.language_id == "python":
        yield from _docstrings_gone(facts)
    yield from _awaits_gone(facts)
    yield from _return_gone(facts)


def _marks_gone(facts: GateFacts) -> Iterator[Remark]:
    mark = _MARKS.get(facts.language_id)
    if mark is None or any(line.lstrip().startswith(mark) for _, line in facts.added):
        return
    for index in facts.removed_at:
        line = facts.old_lines[index].strip()
        if line.startswith(mark) and index + 1 < len(facts.old_lines):
            name = line[:MAX_CHARS]
            yield _remark(facts, index, f'"{name}" stood above this line, and is gone')


def _docstrings_gone(facts: GateFacts) -> Iterator[Remark]:
    if any('"""' in line or "'''" in line for _, line in facts.added):
        return
    for index in facts.removed_at:
        is_first = index > 0 and facts.old_lines[index - 1].rstrip().endswith(":")
        if is_first and facts.old_lines[index].lstrip().startswith(_QUOTES):
            yield _remark(facts, index, "the docstring that stood here is gone")


def _awaits_gone(facts: GateFacts) -> Iterator[Remark]:
    came = {line.strip(): number for number, line in facts.added}
    for index in facts.removed_at:
        line = facts.old_lines[index].strip()
        number = came.get(line.replace("await ", "", 1)) if "await " in line else None
        if number is not None:
            yield Remark('the "await" of this line is gone', (number, number))


def _return_gone(facts: GateFacts) -> Iterator[Remark]:
    """Say that a function ends without the ``return`` it ended with, if nothing came in its place."""
    last = _last_told(facts.old_lines)
    if facts.kind != "function" or last is None or last in facts.kept:
        return
    last_new = _last_told(facts.new_lines)
    is_last_known = last_new is not None and last_new in facts.kept.values()
    if is_last_known and _RETURN.match(facts.old_lines[last]):
        yield _remark(facts, last, "the return that stood here is gone")


def _last_told(lines: tuple[str, ...]) -> int | None:
    return next((index for index in reversed(range(len(lines))) if _WORD.search(lines[index])), None)


def _remark(facts: GateFacts, index: int, message: str) -> Remark:
    line = facts.place_of_old(index)
    return Remark(message, (line, line))
