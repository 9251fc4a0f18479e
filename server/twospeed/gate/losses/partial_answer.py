"""Detect an answer that is only a part of the scope, such as a method for a class.

Only structure counts: which definitions and lines are missing, and whether anything replaces them. A mere
deletion and a rename are accepted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from twospeed.gate.facts import GateFacts, Remark, code_of
from twospeed.text.code.scope import Definition, ScopeCode
from twospeed.text.lines import indent_width

from .import_lines import newly_imported
from .quoting import is_quoted, sign_of_quoting

_WORD = re.compile(r"\w+")

MIN_LINES = 4
"""Lines of a scope from which a missing first line shows a partial answer."""

MAX_SHARE = 0.5
"""Largest share of the lines of code in a partial answer."""

MIN_REST = 2
"""Lines outside definitions whose loss alone shows a partial answer."""

MANY = 3
"""Missing definitions for each new one, from which the new ones do not replace them."""

MANY_LINES = 5
"""Old lines for each new one, from which other definitions do not replace the missing ones."""

MIN_REMOVED_PER_ADDED = 2
"""Missing lines for each added one, up to which the new ones replace missing definitions."""

_HEADS = ("package ", "namespace ", "#pragma once", "<?php", "#!/")
"""Prefixes of lines at the top of a file that its definitions need."""

_IMPORTS = (*_HEADS, "import", "from ", "use ", "using ", "#include", "extern crate", '"')
"""The last prefix matches a line in Go's import list."""

MAX_QUOTED_CHARS = 60

MAX_NAMED = 3


def partial_answer(facts: GateFacts) -> Iterator[Remark]:
    """Report what is missing from an answer that is only a part of the scope."""
    if message := _why_partial(facts):
        yield Remark(message)


def _why_partial(facts: GateFacts) -> str | None:
    if facts.is_unclosed and facts.old_lines == facts.new_lines:
        return "the answer is incomplete, and the received part changes nothing"
    if (outer := _repeated_outer(facts)) is not None:
        return f'the answer repeats the {outer.kind} "{outer.name}" that encloses these lines'
    if is_quoted(facts):
        return "the answer is a quoted text instead of code"
    if sign := sign_of_quoting(facts):
        return f'the answer marks its lines with "{sign}" and is not the code of the scope'
    old, new = _code(facts.old_lines), _code(facts.new_lines)
    if not new or facts.errors_added > 0:
        return None
    # Each function returns what is missing, or None.
    missing = _lost_header(facts) or _lost_head_of_file(facts, new) or _lost_siblings(facts)
    if not missing and facts.added:
        missing = _lost_block(facts, old, new)
    return f"the answer is only a part of the scope: {missing}" if missing else None


def _repeated_outer(facts: GateFacts) -> Definition | None:
    known = {(each.kind, each.name) for each in facts.definitions_before if not each.within}
    new_outer = facts.enclosing - known - {(facts.kind, facts.name)}
    outermost = (each for each in facts.definitions_after or () if not each.within)
    return next((each for each in outermost if (each.kind, each.name) in new_outer), None)


def _lost_header(facts: GateFacts) -> str | None:
    after = facts.definitions_after
    if facts.name is None or facts.kind not in {"function", "class"} or after is None:
        return None
    outermost = [each for each in after if not each.within]
    if not _has_only_members(facts, outermost):
        if not facts.added or any(each.name == facts.name for each in after):
            return None
        if facts.name in _words(line for _, line in facts.added):
            return None  # now assigned, imported or called
        # A function with another name, or another class, is reported by `_name_gone`.
        if any(facts.kind == "function" or each.kind == "class" for each in outermost):
            return None
    return f'the {facts.kind} "{facts.name}" is missing'


def _has_only_members(facts: GateFacts, outermost: Sequence[Definition]) -> bool:
    if facts.kind != "class" or any((each.kind, each.name) == ("class", facts.name) for each in outermost):
        return False
    members = {each.path for each in facts.definitions_before}
    if not outermost:  # a parser may not recognize a constructor alone
        return bool(facts.added) and (facts.name, facts.name) in members
    return any((facts.name, each.name) in members for each in outermost)


def _lost_head_of_file(facts: GateFacts, new: Sequence[str]) -> str | None:
    first = next((line.strip() for line in facts.old_lines if line.strip().startswith(_HEADS)), None)
    if facts.kind != "file" or first is None or not facts.definitions_before or not facts.added:
        return None
    if any(line.startswith(_HEADS) for line in new):
        return None
    return f'"{first[:MAX_QUOTED_CHARS]}" would be removed'


@dataclass(frozen=True, slots=True)
class _Compared:
    """Definitions of a scope, and lines of code outside them (``rest``), before and after."""

    kept: Sequence[Definition]
    lost: Sequence[str]
    new: set[str]
    rest: Sequence[str]
    rest_now: Sequence[str]

    @property
    def n_rest_kept(self) -> int:
        """Number of lines outside definitions that are still there."""
        return (Counter(self.rest) & Counter(self.rest_now)).total()

    @property
    def is_bare(self) -> bool:
        """Whether at least half of ``rest`` is missing and fewer lines were added."""
        is_less = len(self.rest_now) < len(self.rest) or not self.rest_now
        return is_less and 2 * self.n_rest_kept <= len(self.rest)


def _compared(facts: GateFacts, after: Sequence[Definition]) -> _Compared | None:
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
    after = facts.definitions_after
    if facts.kind == "function" or after is None:
        return None
    names = {each.name for each in after}
    if facts.kind == "class" and facts.name not in names:
        return None  # renamed, or replaced by something else
    compared = _compared(facts, after)
    if compared is None or _is_deletion(facts, compared, names) or _is_now_imported(facts, compared):
        return None
    lost, rest = compared.lost, compared.rest
    if _uses_removed_imports(facts, compared):
        is_part = True
    elif not compared.kept:
        is_part = _are_all_lost(facts, compared)
    elif not lost:
        is_part = _is_only_rest_lost(facts, compared)
    else:
        is_less = MIN_REMOVED_PER_ADDED * len(facts.added) <= len(facts.removed_at)
        is_part = is_less and (_are_more_lost(facts, compared) or _is_end_lost(facts, compared))
    if not is_part:
        return None
    if not lost:
        n_more = len(rest) - 1
        more = f" and {n_more} more line{'s' * (n_more > 1)}" if n_more else ""
        return f'"{rest[0][:MAX_QUOTED_CHARS]}"{more} would be removed'
    named = ", ".join(f'"{name}"' for name in lost[:MAX_NAMED])
    more = f" and {len(lost) - MAX_NAMED} more" if len(lost) > MAX_NAMED else ""
    return f"{named}{more} would be removed"


def _is_deletion(facts: GateFacts, compared: _Compared, names: set[str]) -> bool:
    if facts.added:
        return False
    rows = {
        row - facts.first_line for each in compared.kept for row in range(each.first_line, each.last_line + 1)
    }
    is_requested = not facts.instruction_words.isdisjoint([*compared.lost, *names]) or not compared.rest
    return rows.isdisjoint(facts.removed_at) and (is_requested or compared.n_rest_kept > 0)


def _is_now_imported(facts: GateFacts, compared: _Compared) -> bool:
    names = newly_imported(facts.old_lines, facts.new_lines)
    return not names.isdisjoint(name.strip("_") for name in compared.lost)


def _uses_removed_imports(facts: GateFacts, compared: _Compared) -> bool:
    if not compared.is_bare or not compared.rest:
        return False
    if facts.unresolved and not compared.n_rest_kept:
        return True
    now = set(compared.rest_now)
    removed = {name for line in compared.rest if line not in now for name in _imported_by(line)}
    used = _words(line for line in map(str.strip, facts.new_lines) if line not in now)
    return bool((removed & used) - _words(now))


def _imported_by(line: str) -> list[str]:
    if not line.startswith(("import ", "from ", "use ", "using ")):
        return []
    names = line.partition("{")[2].partition("}")[0] or line.partition(" import ")[2]
    words = _WORD.findall(names or line.partition(" from ")[0])
    return words if names else words[-1:]


def _are_all_lost(facts: GateFacts, compared: _Compared) -> bool:
    lost, new = compared.lost, compared.new
    if compared.n_rest_kept:
        return False
    old_lines, new_lines = _code(facts.old_lines), _code(facts.new_lines)
    is_mentioned = not _words(line for _, line in facts.added).isdisjoint(lost)
    if is_mentioned and len(new_lines) <= 2 * len(lost):
        return False  # now assigned or imported
    if not new:
        return len(lost) >= MANY or len(old_lines) >= MANY_LINES * len(new_lines)
    every = {each.name for each in facts.definitions_before}
    if new <= every:
        return True  # a method without its class
    n_lost = len([each for each in facts.definitions_before if not each.is_local])
    is_less = len(lost) >= MANY * len(new) or n_lost >= MANY_LINES * len(new)
    return compared.is_bare and (is_less or len(old_lines) >= MANY_LINES * len(new_lines))


def _is_only_rest_lost(facts: GateFacts, compared: _Compared) -> bool:
    rest, rest_now = compared.rest, compared.rest_now
    if facts.errors_before or compared.n_rest_kept or len(rest) < MIN_REST:
        return False
    names = {each.name for each in compared.kept}
    n_fewer = len(rest) - len(rest_now)
    uses = any(not names.isdisjoint(_WORD.findall(line)) for line in rest)  # such as exports
    return n_fewer >= (MANY if compared.new else MIN_REST) or (n_fewer > 0 and uses)


def _are_more_lost(facts: GateFacts, compared: _Compared) -> bool:
    kept, lost, new = compared.kept, compared.lost, compared.new
    if compared.is_bare and compared.rest and (len(new) < len(lost) or len(compared.rest) >= MANY):
        return not compared.rest_now or len(lost) >= len(kept)
    if compared.n_rest_kept == len(compared.rest) and not all(map(_is_import, compared.rest)):
        return False  # everything between them is kept, and not only imports: the deletion is intended
    n_unrequested = len([name for name in lost if name not in facts.instruction_words])
    return n_unrequested > max(1, len(kept) + len(new)) and _is_short(facts)


def _is_end_lost(facts: GateFacts, compared: _Compared) -> bool:
    rows = [row for row in facts.kept if _WORD.search(facts.old_lines[row])]
    if not rows or not facts.instruction_words.isdisjoint(compared.lost):
        return False
    first, last = min(rows), max(rows)
    new_rows = [row for row, line in enumerate(facts.new_lines) if _WORD.search(line)]
    lost = [each for each in _siblings(facts, facts.definitions_before) if each.name in set(compared.lost)]
    above = [each for each in lost if each.last_line - facts.first_line < first]
    below = [each for each in lost if each.first_line - facts.first_line > last]
    has_no_head = facts.kept[first] == new_rows[0] and first >= MIN_REST and bool(above)
    return has_no_head or (facts.kept[last] == new_rows[-1] and len(below) >= MIN_REST and _is_short(facts))


def _is_import(line: str) -> bool:
    return line.startswith(_IMPORTS) or "require" in line


def _is_short(facts: GateFacts) -> bool:
    return len(_code(facts.new_lines)) <= MAX_SHARE * len(_code(facts.old_lines))


def _lost_block(facts: GateFacts, old: Sequence[str], new: Sequence[str]) -> str | None:
    if facts.kind in {"function", "selection"} or facts.definitions_before or len(old) < MIN_LINES:
        return None
    if len(new) > MAX_SHARE * len(old) or not _is_framed(facts.old_lines):
        return None
    first = _words([old[0]])
    if old[0] in new or any(len(first & _words([line])) * 2 > len(first) for line in new):
        return None
    return f'the line "{old[0][:MAX_QUOTED_CHARS]}" and {len(old) - len(set(old) & set(new)) - 1} more are missing'


def _is_framed(lines: Sequence[str]) -> bool:
    code = [line for line in lines if line.strip()]
    widths = [indent_width(line) for line in code]
    inner = widths[1:-1] if widths[-1] == widths[0] and not _WORD.search(code[-1]) else widths[1:]
    return bool(inner) and min(inner) > widths[0]


def _siblings(facts: GateFacts, definitions: Sequence[Definition]) -> list[Definition]:
    around = (facts.name,) if facts.kind == "class" else ()
    return [each for each in definitions if each.within == around]


def _outside(facts: GateFacts, code: ScopeCode | None, definitions: Sequence[Definition]) -> list[str]:
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
