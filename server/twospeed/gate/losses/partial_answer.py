"""Notice an answer that is only a part of what it replaces: a method for a class, a function for a file, the changed lines.

Landing it would delete the rest. Structure alone decides: which definitions and which lines of the scope are gone, and
whether anything came for them. An answer that only deletes lines was asked to, and a new name for the old one is a
rename; neither is a part.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from twospeed.gate.facts import GateFacts, Remark, code_of
from twospeed.text.code.scope_code import Definition, ScopeCode

from .dropped_definitions import path_of
from .lost_imports import newly_imported
from .quoting import is_quoted, sign_of_quoting

_WORD = re.compile(r"\w+")

MIN_LINES = 4
"""Lines of code of a scope from which the loss of its first line says that the answer is a part of it."""

MAX_SHARE = 0.5
"""Share of the scope's lines of code up to which an answer without the scope's first line, or its other definitions, is a part
of it."""

MIN_REST = 2
"""Lines of code beside the definitions whose loss makes a part, where nothing else of the scope is gone."""

MANY = 3
"""Definitions that are gone for each new one, from which the new ones do not replace them."""

MANY_LINES = 5
"""Times as many lines of code as the answer has, from which definitions of other names do not replace those that are gone."""

MIN_GONE_FOR_ONE = 2
"""Lines that are gone for each one that came, up to which the new ones replace definitions that are gone."""

_HEADS = ("package ", "namespace ", "#pragma once", "<?php", "#!/")
"""How lines at the head of a file begin that none of its definitions can do without, in the languages that have them."""

_IMPORTS = (*_HEADS, "import", "from ", "use ", "using ", "#include", "extern crate", '"')
"""How lines begin that say what a file is of and what it uses; the last is a line of Go's list of imports."""

MAX_CHARS = 60
"""Characters of a line that a message quotes."""

MAX_NAMED = 3
"""Definitions that a message names."""


def partial_answer(facts: GateFacts) -> Iterator[Remark]:
    """Say that an answer is a part of the scope, and what is missing."""
    if message := _why_partial(facts):
        yield Remark(message)


def _why_partial(facts: GateFacts) -> str | None:
    if facts.is_open and facts.old_lines == facts.new_lines:
        return "the answer is not whole, and what came of it changes nothing"
    if (outer := _repeated_outer(facts)) is not None:
        return f'the answer has the {outer.kind} "{outer.name}" around these lines once more'
    if is_quoted(facts):
        return "the answer is a text in quotes, and not the code of these lines"
    if sign := sign_of_quoting(facts):
        return f'the answer quotes its lines with "{sign}", and is not the code of these lines'
    old, new = _code(facts.old_lines), _code(facts.new_lines)
    if not new or facts.errors_added > 0:
        return None
    missing = _lost_header(facts) or _lost_head_of_file(facts, new) or _lost_siblings(facts)
    if not missing and facts.added:
        missing = _lost_frame(facts, old, new)
    return f"the answer is only a part of these lines: {missing}" if missing else None


def _repeated_outer(facts: GateFacts) -> Definition | None:
    """Return a definition that the answer brings and that the scope is in already."""
    known = {(each.kind, each.name) for each in facts.definitions_before if not each.within}
    brought = facts.around - known - {(facts.kind, facts.name)}
    outermost = (each for each in facts.definitions_after or () if not each.within)
    return next((each for each in outermost if (each.kind, each.name) in brought), None)


def _lost_header(facts: GateFacts) -> str | None:
    """Name the function or class that is the scope, if the answer holds something of it and not itself."""
    after = facts.definitions_after
    if facts.name is None or facts.kind not in {"function", "class"} or after is None:
        return None
    outermost = [each for each in after if not each.within]
    if not _are_members_alone(facts, outermost):
        if not facts.added or any(each.name == facts.name for each in after):
            return None
        if facts.name in _words(line for _, line in facts.added):
            return None  # it is assigned, imported or called now
        # A function of another name, or another class: `_name_gone` reports it.
        if any(facts.kind == "function" or each.kind == "class" for each in outermost):
            return None
    return f'the {facts.kind} "{facts.name}" is missing'


def _are_members_alone(facts: GateFacts, outermost: Sequence[Definition]) -> bool:
    """Whether members of a class are left of it; a constructor may have its name, and any member mention it."""
    if facts.kind != "class" or any((each.kind, each.name) == ("class", facts.name) for each in outermost):
        return False
    members = {path_of(each) for each in facts.definitions_before}
    if not outermost:  # a parser may not take a constructor alone for a definition
        return bool(facts.added) and (facts.name, facts.name) in members
    return any((facts.name, each.name) in members for each in outermost)


def _lost_head_of_file(facts: GateFacts, new: Sequence[str]) -> str | None:
    """Name the line that makes a file what it is, such as its package, if the answer does not begin with one of its kind."""
    first = next((line.strip() for line in facts.old_lines if line.strip().startswith(_HEADS)), None)
    if facts.kind != "file" or first is None or not facts.definitions_before or not facts.added:
        return None
    if any(line.startswith(_HEADS) for line in new):
        return None
    return f'"{first[:MAX_CHARS]}" would be gone'


@dataclass(frozen=True, slots=True)
class _Compared:
    """What an answer has of a scope's own definitions, and of the lines of code between them.

    Attributes:
        kept: Definitions of the scope that are there still.
        lost: Names of the others.
        new: Names of definitions that came.
        rest: Lines of code of the scope that were in no definition.
        rest_now: Such lines now.
    """

    kept: Sequence[Definition]
    lost: Sequence[str]
    new: set[str]
    rest: Sequence[str]
    rest_now: Sequence[str]

    @property
    def n_rest_kept(self) -> int:
        """Lines between the definitions that are there still."""
        return (Counter(self.rest) & Counter(self.rest_now)).total()

    @property
    def is_bare(self) -> bool:
        """Whether the definitions lost at least half of what was between them, and less came for it."""
        is_less = len(self.rest_now) < len(self.rest) or not self.rest_now
        return is_less and 2 * self.n_rest_kept <= len(self.rest)


def _compared(facts: GateFacts, after: Sequence[Definition]) -> _Compared | None:
    """Compare what a scope defines with what an answer for it does; ``None`` where the scope has no definitions."""
    before, now = _siblings(facts, facts.definitions_before), _siblings(facts, after)
    left = Counter(each.name for each in after)
    kept, lost = list[Definition](), list[str]()
    for each in before:
        if left[each.name]:
            left[each.name] -= 1
            kept.append(each)
        else:
            lost.append(each.name)
    new = {each.name for each in now} - {each.name for each in before}
    rest, rest_now = _outside(facts, facts.before, before), _outside(facts, facts.after, now)
    return _Compared(kept, lost, new, rest, rest_now) if before else None


def _lost_siblings(facts: GateFacts) -> str | None:
    """Name definitions that are gone, or lines between them, if the answer holds few of the others."""
    after = facts.definitions_after
    if facts.kind == "function" or after is None:
        return None
    names = {each.name for each in after}
    if facts.kind == "class" and facts.name not in names:
        return None  # it has another name, or became something else
    compared = _compared(facts, after)
    if compared is None or _is_deletion(facts, compared, names) or _has_moved(facts, compared):
        return None
    lost, rest = compared.lost, compared.rest
    if _uses_what_is_gone(facts, compared):
        is_part = True
    elif not compared.kept:
        is_part = _are_all_lost(facts, compared)
    elif not lost:
        is_part = _is_only_rest_lost(facts, compared)
    else:
        is_less = MIN_GONE_FOR_ONE * len(facts.added) <= len(facts.removed_at)
        is_part = is_less and (_are_more_lost(facts, compared) or _is_end_lost(facts, compared))
    if not is_part:
        return None
    if not lost:
        n_more = len(rest) - 1
        more = f" and {n_more} more line{'s' * (n_more > 1)}" if n_more else ""
        return f'"{rest[0][:MAX_CHARS]}"{more} would be gone'
    named = ", ".join(f'"{name}"' for name in lost[:MAX_NAMED])
    more = f" and {len(lost) - MAX_NAMED} more" if len(lost) > MAX_NAMED else ""
    return f"{named}{more} would be gone"


def _is_deletion(facts: GateFacts, compared: _Compared, names: set[str]) -> bool:
    """Whether definitions were only taken out: lines between them stayed, if there were any, or the instruction names one."""
    if facts.added:
        return False
    rows = {
        row - facts.first_line for each in compared.kept for row in range(each.first_line, each.last_line + 1)
    }
    is_asked = not facts.words_asked.isdisjoint([*compared.lost, *names]) or not compared.rest
    return rows.isdisjoint(facts.removed_at) and (is_asked or compared.n_rest_kept > 0)


def _has_moved(facts: GateFacts, compared: _Compared) -> bool:
    """Whether a definition that is gone is imported now: a module was taken apart."""
    names = newly_imported(facts.old_lines, facts.new_lines)
    return not names.isdisjoint(name.strip("_") for name in compared.lost)


def _uses_what_is_gone(facts: GateFacts, compared: _Compared) -> bool:
    """Whether the answer uses names of imports that are gone; one that leaves an import out on purpose does not."""
    if not compared.is_bare or not compared.rest:
        return False
    if facts.unresolved and not compared.n_rest_kept:
        return True
    now = set(compared.rest_now)
    gone = {name for line in compared.rest if line not in now for name in _brought_by(line)}
    used = _words(line for line in map(str.strip, facts.new_lines) if line not in now)
    return bool((gone & used) - _words(now))


def _brought_by(line: str) -> list[str]:
    """Return the names that an import of one line brings, as far as that is plain."""
    if not line.startswith(("import ", "from ", "use ", "using ")):
        return []
    names = line.partition("{")[2].partition("}")[0] or line.partition(" import ")[2]
    words = _WORD.findall(names or line.partition(" from ")[0])
    return words if names else words[-1:]


def _are_all_lost(facts: GateFacts, compared: _Compared) -> bool:
    """Whether no definition is left, and what came is no replacement."""
    lost, new = compared.lost, compared.new
    if compared.n_rest_kept:
        return False
    old_lines, new_lines = _code(facts.old_lines), _code(facts.new_lines)
    is_mentioned = not _words(line for _, line in facts.added).isdisjoint(lost)
    if is_mentioned and len(new_lines) <= 2 * len(lost):
        return False  # it is assigned or imported now
    if not new:
        return len(lost) >= MANY or len(old_lines) >= MANY_LINES * len(new_lines)
    every = {each.name for each in facts.definitions_before}
    if new <= every:
        return True  # a method without its class
    n_lost = len([each for each in facts.definitions_before if not each.is_local])
    is_less = len(lost) >= MANY * len(new) or n_lost >= MANY_LINES * len(new)
    return compared.is_bare and (is_less or len(old_lines) >= MANY_LINES * len(new_lines))


def _is_only_rest_lost(facts: GateFacts, compared: _Compared) -> bool:
    """Whether all definitions are left, and nothing of what was between them."""
    rest, rest_now = compared.rest, compared.rest_now
    if facts.errors_before or compared.n_rest_kept or len(rest) < MIN_REST:
        return False
    names = {each.name for each in compared.kept}
    n_fewer = len(rest) - len(rest_now)
    uses = any(not names.isdisjoint(_WORD.findall(line)) for line in rest)  # as where a module exports them
    return n_fewer >= (MANY if compared.new else MIN_REST) or (n_fewer > 0 and uses)


def _are_more_lost(facts: GateFacts, compared: _Compared) -> bool:
    """Whether more definitions are gone than stayed or came, or with them what is between them."""
    kept, lost, new = compared.kept, compared.lost, compared.new
    if compared.is_bare and compared.rest and (len(new) < len(lost) or len(compared.rest) >= MANY):
        return not compared.rest_now or len(lost) >= len(kept)
    if compared.n_rest_kept == len(compared.rest) and not all(map(_brings_names, compared.rest)):
        return False  # what is between them is all there, and not imports alone: the others were to go
    n_unasked = len([name for name in lost if name not in facts.words_asked])
    return n_unasked > max(1, len(kept) + len(new)) and _has_little(facts)


def _is_end_lost(facts: GateFacts, compared: _Compared) -> bool:
    """Whether an answer begins below some of the scope, or ends above.

    Lines above the first that stayed are gone with a definition, or several definitions below the last.
    """
    told = [row for row in facts.kept if _WORD.search(facts.old_lines[row])]
    if not told or not facts.words_asked.isdisjoint(compared.lost):
        return False
    first, last = min(told), max(told)
    came = [row for row, line in enumerate(facts.new_lines) if _WORD.search(line)]
    lost = [each for each in _siblings(facts, facts.definitions_before) if each.name in set(compared.lost)]
    above = [each for each in lost if each.last_line - facts.first_line < first]
    below = [each for each in lost if each.first_line - facts.first_line > last]
    has_no_head = facts.kept[first] == came[0] and first >= MIN_REST and bool(above)
    return has_no_head or (facts.kept[last] == came[-1] and len(below) >= MIN_REST and _has_little(facts))


def _brings_names(line: str) -> bool:
    """Whether a line is the file's package or an import, which models write above a part, too."""
    return line.startswith(_IMPORTS) or "require" in line


def _has_little(facts: GateFacts) -> bool:
    """Whether an answer has few of the scope's lines, and not some definitions less."""
    return len(_code(facts.new_lines)) <= MAX_SHARE * len(_code(facts.old_lines))


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


def _outside(facts: GateFacts, code: ScopeCode | None, definitions: Sequence[Definition]) -> list[str]:
    """Return the lines of code that are in none of the definitions, without the head of a class and without comments."""
    lines = facts.old_lines if code is facts.before else facts.new_lines
    is_code = code_of(code, lines)
    inside = {
        line - facts.first_line for each in definitions for line in range(each.first_line, each.last_line + 1)
    }
    first = 1 if facts.kind == "class" else 0
    rows = range(first, len(lines))
    return _code([lines[row] for row in rows if row not in inside and _WORD.search(is_code[row])])


def _code(lines: Sequence[str]) -> list[str]:
    return [text for line in lines if _WORD.search(text := line.strip())]


def _words(lines: Iterable[str]) -> set[str]:
    return {word for line in lines for word in _WORD.findall(line)}
