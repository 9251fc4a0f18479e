"""Notice an answer that is only a part of what it replaces: a method for a class, a function for a file, the changed lines.

Landing it would delete the rest. Structure alone decides: which definitions and which lines of the scope are gone, and
whether anything came for them. An answer that only deletes lines was asked to, and a new name for the old one is a
rename; neither is a part.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from twospeed.text.scope_code import Definition

from .dropped import path_of
from .facts import PROSE, GateFacts, Remark

_WORD = re.compile(r"\w+")

MIN_LINES = 4
"""Lines of code of a scope from which the loss of its first line says that the answer is a part of it."""

MAX_SHARE = 0.5
"""Share of the scope's lines of code up to which an answer without the scope's first line is a part of it."""

MIN_REST = 2
"""Lines of code beside the definitions whose loss makes a part, where nothing else of the scope is gone."""

MANY = 3
"""Definitions that are gone for each new one, from which the new ones do not replace them."""

MIN_QUOTED = 2
"""Lines of code in quotes; of a single one, quotes may be what was asked for."""

_CALL = re.compile(r"[A-Za-z]\w*\((?=['\"`])")
"""A call around a text, as in ``print("...")``."""

_QUOTES = ('"""', "'''", '"', "'", "`")

MAX_CHARS = 60
"""Characters of a line that a message quotes."""

MAX_NAMED = 3
"""Definitions that a message names."""


def partial_answer(facts: GateFacts) -> Iterator[Remark]:
    """Say that an answer is a part of the scope, and what is missing."""
    if facts.is_open and facts.old_lines == facts.new_lines:
        yield Remark("the answer is not whole, and what came of it changes nothing")
        return
    if (outer := _repeated_outer(facts)) is not None:
        yield Remark(f'the answer has the {outer.kind} "{outer.name}" around these lines once more')
        return
    if _is_quoted(facts):
        yield Remark("the answer is a text in quotes, and not the code of these lines")
        return
    if sign := _sign_of_quoting(facts):
        yield Remark(f'the answer quotes its lines with "{sign}", and is not the code of these lines')
        return
    old, new = _code(facts.old_lines), _code(facts.new_lines)
    if not new or not facts.added or facts.errors_added > 0:
        return
    missing = _lost_header(facts) or _lost_siblings(facts) or _lost_frame(facts, old, new)
    if missing:
        yield Remark(f"the answer is only a part of these lines: {missing}")


def _repeated_outer(facts: GateFacts) -> Definition | None:
    """Return a definition that the answer brings and that the scope is in already."""
    known = {(each.kind, each.name) for each in facts.definitions_before if not each.within}
    brought = facts.around - known - {(facts.kind, facts.name)}
    outermost = (each for each in facts.definitions_after or () if not each.within)
    return next((each for each in outermost if (each.kind, each.name) in brought), None)


def _is_quoted(facts: GateFacts) -> bool:
    """Whether one pair of quotes is around all lines of code, and none was: its first is open on the first line."""
    if facts.language_id in PROSE or (mark := quotes_around(facts)) is None:
        return False
    new = [line for line in facts.new_lines if line.strip()]
    return len(new) >= MIN_QUOTED and all(line.count(mark) % 2 for line in (new[0], new[-1]))


def _sign_of_quoting(facts: GateFacts) -> str:
    """Return the sign that a terminal, a mail or a patch puts before lines, if the answer has it and the old lines do not."""
    old, new = ([line for line in lines if line.strip()] for lines in (facts.old_lines, facts.new_lines))
    if facts.language_id in PROSE or len(new) < MIN_QUOTED:
        return ""
    if new[0].startswith("$ ") and not any(line.startswith("$ ") for line in old):
        return "$"
    first = new[0][0]
    is_marked = first in ">+" and all(line.startswith(first) for line in new)
    return first if is_marked and not any(line.startswith(first) for line in old) else ""


def quotes_around(facts: GateFacts) -> str | None:
    """Return the quotes that an answer begins and ends with, where the old lines did not; ``None`` where there are none."""
    old, new = (
        [line.strip() for line in lines if line.strip()] for lines in (facts.old_lines, facts.new_lines)
    )
    if not old or not new:
        return None
    first, last = new[0], new[-1]
    if (
        len(new) >= MIN_QUOTED
        and (call := _CALL.match(first))
        and last.endswith(")")
        and not _CALL.match(old[0])
    ):
        first, last = first[call.end() :], last.removesuffix(")")
    mark = next((mark for mark in _QUOTES if first.startswith(mark) and last.endswith(mark)), None)
    if mark is None or (len(new) == 1 and len(first) <= 2 * len(mark)):
        return None
    was_text = old[0].startswith(_QUOTES if len(mark) == 1 else mark)  # one kind of quotes may become another
    return None if was_text else mark


def _lost_header(facts: GateFacts) -> str | None:
    """Name the function or class that is the scope, if the answer holds something of it and not itself."""
    after = facts.definitions_after
    if facts.name is None or facts.kind not in {"function", "class"} or after is None:
        return None
    if not _is_constructor_alone(facts, after):
        if any(each.name == facts.name for each in after):
            return None
        if facts.name in _words(line for _, line in facts.added):
            return None  # it is assigned, imported or called now
        outermost = [each for each in after if not each.within]
        # A function of another name, or another class: `_name_gone` reports it.
        if any(facts.kind == "function" or each.kind == "class" for each in outermost):
            return None
    return f'the {facts.kind} "{facts.name}" is missing'


def _is_constructor_alone(facts: GateFacts, after: Sequence[Definition]) -> bool:
    """Whether no class is left of one whose constructor has its name, as in Java."""
    constructor = (facts.name, facts.name)
    had_constructor = any(path_of(each) == constructor for each in facts.definitions_before)
    return had_constructor and not any(each.kind == "class" for each in after)


def _lost_siblings(facts: GateFacts) -> str | None:
    """Name definitions that are gone, if the answer holds few of the others and nothing beside them."""
    after = facts.definitions_after
    if facts.kind == "function" or not after:
        return None
    before, now = _siblings(facts, facts.definitions_before), _siblings(facts, after)
    if _outside(facts, facts.new_lines, now):
        return None
    names = {each.name for each in after}
    lost = [each for each in before if each.name not in names]
    n_kept = len(before) - len(lost)
    new = {each.name for each in now} - {each.name for each in before}
    rest = _outside(facts, facts.old_lines, before)
    if not n_kept:
        is_method = new <= {each.name for each in facts.definitions_before}  # without its class
        is_part = bool(new) and (is_method or len(lost) >= MANY * len(new))
    elif not lost:
        is_part = len(rest) >= MIN_REST and not new and not facts.errors_before
    else:
        is_part = len(new) < len(lost) and bool(rest or (len(lost) > n_kept and not new))
    if not is_part:
        return None
    if not lost:
        return f'"{rest[0][:MAX_CHARS]}" and {len(rest) - 1} more lines would be gone'
    named = ", ".join(f'"{each.name}"' for each in lost[:MAX_NAMED])
    more = f" and {len(lost) - MAX_NAMED} more" if len(lost) > MAX_NAMED else ""
    return f"{named}{more} would be gone"


def _lost_frame(facts: GateFacts, old: Sequence[str], new: Sequence[str]) -> str | None:
    """Say that the scope's first line and most of the others are gone, where a parser knows no definitions."""
    if facts.kind in {"function", "selection"} or facts.definitions_before or len(old) < MIN_LINES:
        return None
    if len(new) > MAX_SHARE * len(old) or not _is_framed(facts.old_lines):
        return None
    first = _words([old[0]])
    if old[0] in new or any(len(first & _words([line])) * 2 > len(first) for line in new):
        return None
    return f'the line "{old[0][:MAX_CHARS]}" and {len(old) - len(set(old) & set(new)) - 1} more are missing'


def _is_framed(lines: Sequence[str]) -> bool:
    """Whether the first line opens what the others are in: they are indented more, but for a last one that closes it."""
    code = [line for line in lines if line.strip()]
    widths = [len(line) - len(line.lstrip()) for line in code]
    inner = widths[1:-1] if widths[-1] == widths[0] and not _WORD.search(code[-1]) else widths[1:]
    return bool(inner) and min(inner) > widths[0]


def _siblings(facts: GateFacts, definitions: Sequence[Definition]) -> list[Definition]:
    """Return the definitions directly in the scope; of a class its members."""
    around = (facts.name,) if facts.kind == "class" else ()
    return [each for each in definitions if each.within == around]


def _outside(facts: GateFacts, lines: Sequence[str], definitions: Sequence[Definition]) -> list[str]:
    """Return the lines of code that are in none of the definitions, without the head of a class."""
    inside = {
        line - facts.first_line for each in definitions for line in range(each.first_line, each.last_line + 1)
    }
    first = 1 if facts.kind == "class" else 0
    return _code([line for number, line in enumerate(lines) if number >= first and number not in inside])


def _code(lines: Sequence[str]) -> list[str]:
    return [text for line in lines if _WORD.search(text := line.strip())]


def _words(lines: Iterable[str]) -> set[str]:
    return {word for line in lines for word in _WORD.findall(line)}
