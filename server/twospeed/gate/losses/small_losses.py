"""Report small things that are gone although what they belong to is still there.

Each of them changes what the code does, and a parser accepts the rest: a decorator, a docstring, an ``await``, the ``return`` at
the end of a function, the only lines of a block, a call's arguments, a check of a test, an arm of a match, an import that is
used, the last line of a file. Single lines count as gone only where no line came in their place. 1,161 edits by people have
one finding of these.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice

from twospeed.gate.facts import PROSE, GateFacts, Remark, code_of, width_of
from twospeed.gate.risks import removed_safeguards
from twospeed.text.code.scope_code import Definition

from .dropped_definitions import gone_from, path_of
from .lost_imports import imported_names, is_used
from .lost_names import lost_names

_MARKS = {
    **dict.fromkeys(
        ("java", "javascript", "kotlin", "python", "scala", "swift", "typescript", "typescriptreact"), "@"
    ),
    "cpp": "[[",
    "csharp": "[",
    "php": "#[",
    "rust": "#[",
}
"""How a line begins that says something of the definition below it, by LSP language id."""

_QUIET_MARKS = ("@SuppressWarnings", "@Suppress(", "#[allow(")
"""These change only what a compiler warns about."""

_SECTIONS = frozenset({"toml", "ini", "properties"})
"""Languages in which a line in brackets names what the lines below it belong to."""

_ARROWS = {
    "csharp": "=>",
    "java": "->",
    "kotlin": "->",
    "php": "=>",
    "rust": "=>",
    "scala": "=>",
    "swift": ":",
}
"""What follows the pattern of an arm that is one line, by LSP language id."""

_EXPRESSIONS = frozenset({"kotlin", "ruby", "rust", "scala", "swift"})
"""Languages in which a condition at the end of a function can be what it returns."""

_WORD = re.compile(r"\w+")
_LEAVES = re.compile(r"return\b|throw\b|raise\b|die\b|exit\b|panic!?\(|unreachable!|process\.exit")
_MAY_SKIP = re.compile(r"(?:if|elif|for|foreach|while)\b(?!.*(?:true|True|;;|1\)))")
"""Begins a statement behind which a function goes on."""
_RETURN = re.compile(r"return\b.*\w")
_END = re.compile(r"(?:end|fi|done|esac)\b")
_CHECK = re.compile(
    r"(?:self\.)?(?:assert\w+|EXPECT_\w+|ASSERT_\w+|REQUIRE|CHECK|expect|XCTAssert\w*)\b|Assert\.|[tb]\.(?:Error|Fatal)"
)
_ARGUMENTS = re.compile(r"(?<=\w)\(([^()]+)\)")
_QUOTES = ('"""', "'''", 'r"""', "r'''")

MAX_CHARS = 40
"""Of a line that a message quotes."""

MAX_IMPORTS = 10
"""Imported names that are looked for, each in all of the scope and the lines around it."""

MAX_AROUND = 2_000
"""Lines above a scope, and below it, in which an imported name is looked for: 1 ms for each name."""


def small_losses(facts: GateFacts) -> Iterator[Remark]:
    """Report each loss at the line where it was; nothing where a definition is gone, which is reported by its name."""
    if not facts.removed_at or facts.language_id in PROSE or next(gone_from(facts), None) is not None:
        return
    losses = _Losses(facts)
    found = [*losses.found()]
    yield from found
    if not found and not losses.lacks_safeguard:
        yield from lost_names(facts)


class _Losses:
    """Compares the old lines of an edit with the new ones.

    Args:
        facts: The edit; no definition of its scope is gone.
    """

    def __init__(self, facts: GateFacts) -> None:
        self._facts = facts
        self._old = code_of(facts.before, facts.old_lines)
        self._new = code_of(facts.after, facts.new_lines)

    def found(self) -> Iterator[Remark]:
        """Yield what is gone, by kind."""
        yield from self._lines_gone()
        yield from self._tail_gone()
        yield from self._imports_gone()
        yield from self._entries_gone()
        if self._facts.language_id == "python":
            yield from self._docstrings_gone()
        yield from self._awaits_gone()
        yield from self._returns_gone()
        yield from self._blocks_emptied()
        yield from self._arguments_gone()

    @cached_property
    def _heads(self) -> frozenset[int]:
        """The first lines of definitions."""
        return frozenset(each.first_line - self._facts.first_line for each in self._facts.definitions_before)

    @cached_property
    def _groups(self) -> tuple[tuple[Sequence[int], Sequence[int]], ...]:
        """The old lines that went between two that are still there, and the new lines that came between the same two."""
        facts, groups = self._facts, list[tuple[Sequence[int], Sequence[int]]]()
        gone, start = list[int](), 0  # of the new lines, the one below the last that is still there
        came = [line - facts.first_line for line, _ in facts.added]
        for index, line in enumerate(facts.old_lines):
            if index in facts.kept and _WORD.search(line):
                end = facts.kept[index]
                if gone and start <= end:
                    groups.append((gone, came[bisect_left(came, start) : bisect_left(came, end)]))
                gone, start = [], end + 1
            elif index not in facts.kept and line.strip():
                gone.append(index)
        if gone:
            groups.append((gone, came[bisect_left(came, start) :]))
        return tuple(groups)

    def _lines_gone(self) -> Iterator[Remark]:
        """Report single lines that something else needs."""
        for index in sorted({*self._plainly_gone, *self._marks_gone}):
            line = self._facts.old_lines[index].strip()
            if index in self._marks_gone or self._is_branch(line) or self._is_check(line):
                yield self._remark(index, f'"{line[:MAX_CHARS]}" is gone, and nothing came for it')

    @cached_property
    def _plainly_gone(self) -> frozenset[int]:
        """The old lines that went without any line in their place."""
        return frozenset(index for gone, came in self._groups if not came for index in gone)

    @cached_property
    def _marks_gone(self) -> frozenset[int]:
        """The decorators that are gone where none came, and the names of sections whose lines are still there."""
        facts = self._facts
        if facts.language_id in _SECTIONS:
            return frozenset(
                index
                for index in self._plainly_gone
                if facts.old_lines[index].strip().startswith("[") and index + 1 in facts.kept
            )
        mark = _MARKS.get(facts.language_id)
        if mark is None or any(line.lstrip().startswith(mark) for _, line in facts.added):
            return frozenset()
        lines = ((index, facts.old_lines[index].strip()) for index in facts.removed_at)
        return frozenset(
            index
            for index, line in lines
            if line.startswith(mark)
            and not line.startswith(_QUIET_MARKS)
            and index + 1 < len(facts.old_lines)
        )

    def _is_branch(self, line: str) -> bool:
        """Whether a line is all of one case of several."""
        arrow = _ARROWS.get(self._facts.language_id)
        is_arm = arrow is not None and f" {arrow} " in line and not line.startswith((".", "?."))
        if line.startswith(("case ", "when ")):
            return not line.endswith(":")  # this one goes on below
        return is_arm and line.endswith((",", ";")) and line.count("(") == line.count(")") and "{" not in line

    def _is_check(self, line: str) -> bool:
        """Whether a line checks something in a test, of which no other check tells."""
        return bool(_CHECK.match(line)) and not self.lacks_safeguard

    @cached_property
    def lacks_safeguard(self) -> bool:
        """Whether a check is gone, which is reported for itself."""
        return next(removed_safeguards(self._facts), None) is not None

    def _tail_gone(self) -> Iterator[Remark]:
        """Report what a file exports or runs at its end."""
        last = next((at for at in reversed(range(len(self._old))) if _WORD.search(self._old[at])), 0)
        line = self._facts.old_lines[last]
        is_outer = self._facts.kind == "file" and bool(self._facts.definitions_before) and _WORD.match(line)
        if not is_outer or last not in self._facts.removed_at:
            return
        first = _WORD.findall(line)[0]
        if not any(first in _WORD.findall(each) for _, each in self._facts.added):
            yield self._remark(last, f'the end of the file, "{line.strip()[:MAX_CHARS]}", is gone')

    def _imports_gone(self) -> Iterator[Remark]:
        """Report imports whose names are still used, in the scope or around it."""
        facts = self._facts
        first, behind = facts.first_line, facts.first_line + facts.lines_before
        told = {each.name for each in facts.unresolved}
        lines = ((index, facts.old_lines[index].strip()) for index in facts.removed_at)
        found = (
            (index, line, name) for index, line in lines for name in imported_names(line, facts.language_id)
        )
        code: list[str] = []
        for index, line, name in islice(found, MAX_IMPORTS):
            above, below = (
                facts.document[max(first - MAX_AROUND, 0) : first],
                facts.document[behind : behind + MAX_AROUND],
            )
            code = code or [*self._new, *above, *below]
            is_here = any(line in each for each in facts.new_lines)  # the import became longer
            if name not in told and not is_here and is_used(name, code):
                told.add(name)
                yield self._remark(index, f'"{name}" is still used, and "{line[:MAX_CHARS]}" is gone')

    def _entries_gone(self) -> Iterator[Remark]:
        """Report lines that fewer new ones of the same form replace, as the entries of a list by a new entry."""
        words = {word for line in self._facts.new_lines for word in _WORD.findall(line)}
        for gone, came in self._groups:
            old = [self._facts.old_lines[index] for index in gone]
            forms = {_form(line) for line in (*old, *(self._facts.new_lines[index] for index in came))}
            is_fewer = 0 < len(came) < len(gone) and len(forms) == 1
            if is_fewer and not any(words.issuperset(_WORD.findall(line)) for line in old):
                yield self._remark(
                    gone[0], f"{len(gone)} lines were removed here, and {len(came)} came for them"
                )

    def _docstrings_gone(self) -> Iterator[Remark]:
        if any('"""' in line or "'''" in line for _, line in self._facts.added):
            return
        for index in self._facts.removed_at:
            is_first = index > 0 and self._facts.old_lines[index - 1].rstrip().endswith(":")
            if is_first and self._facts.old_lines[index].lstrip().startswith(_QUOTES):
                yield self._remark(index, "the docstring is gone")

    def _awaits_gone(self) -> Iterator[Remark]:
        came = {line.strip(): number for number, line in self._facts.added}
        for index in self._facts.removed_at:
            line = self._facts.old_lines[index].strip()
            number = came.get(line.replace("await ", "", 1)) if "await " in line else None
            if number is not None:
                yield Remark('the "await" of this line is gone', (number, number))

    def _returns_gone(self) -> Iterator[Remark]:
        """Report functions that ended with a ``return``, and whose end can be reached without one now."""
        after = {path_of(each): each for each in self._facts.definitions_after or ()}
        n_after = Counter(path_of(each) for each in self._facts.definitions_after or ())
        for each in self._facts.definitions_before:
            path = path_of(each)
            if each.kind != "function" or n_after[path] != 1 or after[path].is_empty:
                continue
            last = self._last(self._old, each)
            if last in self._facts.kept or not _RETURN.match(self._old[last].strip()):
                continue
            end = self._new[self._last(self._new, after[path])].strip()
            is_left = last in self._plainly_gone and not _LEAVES.match(end)
            if is_left or self._falls_through(after[path], width_of(self._old[last])):
                yield self._remark(last, "the return at the end of this function is gone")

    def _falls_through(self, function: Definition, width: int) -> bool:
        """Whether the last statement of a function's outermost block is a condition, a loop, or a line that was above a return."""
        last = self._last(self._new, function, width)
        line = self._new[last].strip()
        if _MAY_SKIP.match(line) and self._facts.language_id not in _EXPRESSIONS:
            below = self._new[last + 1 : function.last_line + 1 - self._facts.first_line]
            return not any("else" in _WORD.findall(each) for each in below)
        is_last = last == self._last(self._new, function)
        return is_last and last in self._facts.kept.values() and not _LEAVES.match(line)

    def _last(self, code: Sequence[str], function: Definition, width: int | None = None) -> int:
        """Return the last line of a function, indented up to a width, that is more than its end; its first where there is none."""
        first, behind = (
            line - self._facts.first_line for line in (function.first_line, function.last_line + 1)
        )
        told = (
            at
            for at in reversed(range(max(first, 0), min(behind, len(code))))
            if width is None or width_of(code[at]) <= width
            if _WORD.search(code[at]) and not _END.match(code[at].strip())
        )
        return next(told, max(first, 0))

    def _blocks_emptied(self) -> Iterator[Remark]:
        """Report lines that opened a block and have nothing below them now."""
        for index, place in self._facts.kept.items():
            if index in self._heads:  # `emptied-body` is about these
                continue
            old, new = _below(self._old, index), _below(self._new, place)
            if old is None or not _WORD.search(self._old[index]) or old in self._facts.kept:
                continue
            is_inner = width_of(self._old[old]) > width_of(self._old[index])
            is_empty = new is None or width_of(self._new[new]) <= width_of(self._new[place])
            between = self._facts.new_lines[place + 1 : len(self._new) if new is None else new]
            if is_inner and is_empty and not any(map(str.strip, between)):
                line = self._facts.first_line + place
                name = self._old[index].strip()[:MAX_CHARS]
                yield Remark(f'nothing is left of what "{name}" held', (line, line))

    def _arguments_gone(self) -> Iterator[Remark]:
        came = {line.strip(): number for number, line in self._facts.added}
        words = Counter(word for line in came for word in {*_WORD.findall(line)})
        for index in self._facts.removed_at:
            line = self._facts.old_lines[index].strip()
            for found in () if index in self._heads else _ARGUMENTS.finditer(line):
                number = came.get(line[: found.start(1)] + line[found.end(1) :])
                if (
                    number is not None
                    and _WORD.search(found[1])
                    and not all(map(words.get, _WORD.findall(found[1])))
                ):
                    yield Remark(
                        f'the arguments "{found[1][:MAX_CHARS]}" of this call are gone', (number, number)
                    )

    def _remark(self, index: int, message: str) -> Remark:
        line = self._facts.place_of_old(index)
        return Remark(message, (line, line))


def _form(line: str) -> tuple[int, str]:
    """Return what lines of one list have in common: their indentation and their first word, with the signs before it."""
    text = line.lstrip()
    found = _WORD.search(text)
    return len(line) - len(text), text[: found.end()] if found else text


def _below(code: Sequence[str], index: int) -> int | None:
    return next((at for at in range(index + 1, len(code)) if code[at].strip()), None)
