"""Report small losses that a parser accepts although they change what the code does.

A single line counts only if no line was added in its place. Of 1,161 edits by people, one has a finding.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice

from twospeed.gate.facts import PROSE, GateFacts, Remark, by_unique_path, code_of
from twospeed.gate.risks import removed_safeguards
from twospeed.text.code.scope import Definition
from twospeed.text.lines import indent_width

from .import_lines import imported_names, is_used
from .lost_names import lost_names

_DECORATORS = {
    **dict.fromkeys(
        ("java", "javascript", "kotlin", "python", "scala", "swift", "typescript", "typescriptreact"), "@"
    ),
    "cpp": "[[",
    "csharp": "[",
    "php": "#[",
    "rust": "#[",
}
"""Prefix of decorators and annotations."""

_COMPILER_WARNINGS = ("@SuppressWarnings", "@Suppress(", "#[allow(")

_SECTION_LANGUAGES = frozenset({"toml", "ini", "properties"})
"""Languages in which a line in brackets is the heading of the lines below it."""

_ARROWS = {
    "csharp": "=>",
    "java": "->",
    "kotlin": "->",
    "php": "=>",
    "rust": "=>",
    "scala": "=>",
    "swift": ":",
}
"""The sign after the pattern of a one-line arm."""

_EXPRESSION_LANGUAGES = frozenset({"kotlin", "ruby", "rust", "scala", "swift"})
"""Languages in which a condition can be the result of a function."""

_WORD = re.compile(r"\w+")
_JUMP = re.compile(r"return\b|throw\b|raise\b|die\b|exit\b|panic!?\(|unreachable!|process\.exit")
_CONDITION = re.compile(r"(?:if|elif|for|foreach|while)\b(?!.*(?:true|True|;;|1\)))")
"""Matches statements after which a function continues."""
_RETURN = re.compile(r"return\b.*\w")
_END = re.compile(r"(?:end|fi|done|esac)\b")
_CHECK = re.compile(
    r"(?:self\.)?(?:assert\w+|EXPECT_\w+|ASSERT_\w+|REQUIRE|CHECK|expect|XCTAssert\w*)\b|Assert\.|[tb]\.(?:Error|Fatal)"
)
_ARGUMENTS = re.compile(r"(?<=\w)\(([^()]+)\)")
_QUOTES = ('"""', "'''", 'r"""', "r'''")

MAX_QUOTED_CHARS = 40

MAX_IMPORTS = 10
"""Imported names that are checked."""

MAX_AROUND = 2_000
"""Lines above and below a scope that are searched for an imported name: 1 ms for each name."""


def small_losses(facts: GateFacts) -> Iterator[Remark]:
    """Report each loss at its line, unless a definition is missing, which is reported by its name."""
    if not facts.removed_at or facts.language_id in PROSE or facts.missing_definitions:
        return
    losses = _Losses(facts)
    found = [*losses.remarks()]
    yield from found
    if not found and not losses.lacks_safeguard:
        yield from lost_names(facts)


class _Losses:
    """Compares the old lines with the new ones. No definition is missing."""

    def __init__(self, facts: GateFacts) -> None:
        self._facts = facts
        self._old = code_of(facts.before, facts.old_lines)
        self._new = code_of(facts.after, facts.new_lines)

    def remarks(self) -> Iterator[Remark]:
        yield from self._lines_gone()
        yield from self._last_line_gone()
        yield from self._imports_gone()
        yield from self._entries_gone()
        if self._facts.language_id == "python":
            yield from self._docstrings_gone()
        yield from self._awaits_gone()
        yield from self._returns_gone()
        yield from self._blocks_emptied()
        yield from self._arguments_gone()

    @cached_property
    def _definition_lines(self) -> frozenset[int]:
        return frozenset(each.first_line - self._facts.first_line for each in self._facts.definitions_before)

    @cached_property
    def _groups(self) -> tuple[tuple[Sequence[int], Sequence[int]], ...]:
        """The removed lines between two kept ones, with the lines added there."""
        facts, groups = self._facts, list[tuple[Sequence[int], Sequence[int]]]()
        removed, start = list[int](), 0  # index in the new lines, after the last kept one
        added = [line - facts.first_line for line, _ in facts.added]
        for index, line in enumerate(facts.old_lines):
            if index in facts.kept and _WORD.search(line):
                end = facts.kept[index]
                if removed and start <= end:
                    groups.append((removed, added[bisect_left(added, start) : bisect_left(added, end)]))
                removed, start = [], end + 1
            elif index not in facts.kept and line.strip():
                removed.append(index)
        if removed:
            groups.append((removed, added[bisect_left(added, start) :]))
        return tuple(groups)

    def _lines_gone(self) -> Iterator[Remark]:
        for index in sorted({*self._not_replaced, *self._decorators_gone}):
            line = self._facts.old_lines[index].strip()
            if index in self._decorators_gone or self._is_branch(line) or self._is_check(line):
                yield self._remark(index, f'"{line[:MAX_QUOTED_CHARS]}" was removed here')

    @cached_property
    def _not_replaced(self) -> frozenset[int]:
        return frozenset(index for removed, added in self._groups if not added for index in removed)

    @cached_property
    def _decorators_gone(self) -> frozenset[int]:
        facts = self._facts
        if facts.language_id in _SECTION_LANGUAGES:
            return frozenset(
                index
                for index in self._not_replaced
                if facts.old_lines[index].strip().startswith("[") and index + 1 in facts.kept
            )
        mark = _DECORATORS.get(facts.language_id)
        if mark is None or any(line.lstrip().startswith(mark) for _, line in facts.added):
            return frozenset()
        lines = ((index, facts.old_lines[index].strip()) for index in facts.removed_at)
        return frozenset(
            index
            for index, line in lines
            if line.startswith(mark)
            and not line.startswith(_COMPILER_WARNINGS)
            and index + 1 < len(facts.old_lines)
        )

    def _is_branch(self, line: str) -> bool:
        arrow = _ARROWS.get(self._facts.language_id)
        is_arm = arrow is not None and f" {arrow} " in line and not line.startswith((".", "?."))
        if line.startswith(("case ", "when ")):
            return not line.endswith(":")  # its body is below
        return is_arm and line.endswith((",", ";")) and line.count("(") == line.count(")") and "{" not in line

    def _is_check(self, line: str) -> bool:
        return bool(_CHECK.match(line)) and not self.lacks_safeguard

    @cached_property
    def lacks_safeguard(self) -> bool:
        return next(removed_safeguards(self._facts), None) is not None

    def _last_line_gone(self) -> Iterator[Remark]:
        last = next((at for at in reversed(range(len(self._old))) if _WORD.search(self._old[at])), 0)
        line = self._facts.old_lines[last]
        is_outer = self._facts.kind == "file" and bool(self._facts.definitions_before) and _WORD.match(line)
        if not is_outer or last not in self._facts.removed_at:
            return
        first = _WORD.findall(line)[0]
        if not any(first in _WORD.findall(each) for _, each in self._facts.added):
            yield self._remark(last, f'the end of the file was removed: "{line.strip()[:MAX_QUOTED_CHARS]}"')

    def _imports_gone(self) -> Iterator[Remark]:
        facts = self._facts
        first, behind = facts.first_line, facts.first_line + facts.lines_before
        reported = {each.name for each in facts.unresolved}
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
            is_here = any(line in each for each in facts.new_lines)  # the import has more names now
            if name not in reported and not is_here and is_used(name, code):
                reported.add(name)
                yield self._remark(
                    index, f'"{name}" is still used, but "{line[:MAX_QUOTED_CHARS]}" was removed'
                )

    def _entries_gone(self) -> Iterator[Remark]:
        words = {word for line in self._facts.new_lines for word in _WORD.findall(line)}
        for removed, added in self._groups:
            old = [self._facts.old_lines[index] for index in removed]
            forms = {_form(line) for line in (*old, *(self._facts.new_lines[index] for index in added))}
            is_fewer = 0 < len(added) < len(removed) and len(forms) == 1
            if is_fewer and not any(words.issuperset(_WORD.findall(line)) for line in old):
                yield self._remark(removed[0], removal_message(len(removed), len(added)))

    def _docstrings_gone(self) -> Iterator[Remark]:
        if any('"""' in line or "'''" in line for _, line in self._facts.added):
            return
        for index in self._facts.removed_at:
            is_first = index > 0 and self._facts.old_lines[index - 1].rstrip().endswith(":")
            if is_first and self._facts.old_lines[index].lstrip().startswith(_QUOTES):
                yield self._remark(index, "the docstring was removed")

    def _awaits_gone(self) -> Iterator[Remark]:
        added = {line.strip(): number for number, line in self._facts.added}
        for index in self._facts.removed_at:
            line = self._facts.old_lines[index].strip()
            number = added.get(line.replace("await ", "", 1)) if "await " in line else None
            if number is not None:
                yield Remark('the "await" in this line was removed', (number, number))

    def _returns_gone(self) -> Iterator[Remark]:
        after = by_unique_path(self._facts.definitions_after or ())
        for each in self._facts.definitions_before:
            now = after.get(each.path)
            if each.kind != "function" or now is None or now.is_empty:
                continue
            last = self._last_code_line(self._old, each)
            if last in self._facts.kept or not _RETURN.match(self._old[last].strip()):
                continue
            end = self._new[self._last_code_line(self._new, now)].strip()
            is_left = last in self._not_replaced and not _JUMP.match(end)
            if is_left or self._falls_through(now, indent_width(self._old[last])):
                yield self._remark(last, "the return at the end of this function was removed")

    def _falls_through(self, function: Definition, width: int) -> bool:
        last = self._last_code_line(self._new, function, width)
        line = self._new[last].strip()
        if _CONDITION.match(line) and self._facts.language_id not in _EXPRESSION_LANGUAGES:
            below = self._new[last + 1 : function.last_line + 1 - self._facts.first_line]
            return not any("else" in _WORD.findall(each) for each in below)
        is_last = last == self._last_code_line(self._new, function)
        return is_last and last in self._facts.kept.values() and not _JUMP.match(line)

    def _last_code_line(self, code: Sequence[str], function: Definition, width: int | None = None) -> int:
        # Of the lines indented at most `width`; else the first line of the function.
        first, behind = (
            line - self._facts.first_line for line in (function.first_line, function.last_line + 1)
        )
        rows = (
            at
            for at in reversed(range(max(first, 0), min(behind, len(code))))
            if width is None or indent_width(code[at]) <= width
            if _WORD.search(code[at]) and not _END.match(code[at].strip())
        )
        return next(rows, max(first, 0))

    def _blocks_emptied(self) -> Iterator[Remark]:
        for index, place in self._facts.kept.items():
            if index in self._definition_lines:  # reported by `emptied-body`
                continue
            old, new = _below(self._old, index), _below(self._new, place)
            if old is None or not _WORD.search(self._old[index]) or old in self._facts.kept:
                continue
            is_inner = indent_width(self._old[old]) > indent_width(self._old[index])
            is_empty = new is None or indent_width(self._new[new]) <= indent_width(self._new[place])
            between = self._facts.new_lines[place + 1 : len(self._new) if new is None else new]
            if is_inner and is_empty and not any(map(str.strip, between)):
                line = self._facts.first_line + place
                name = self._old[index].strip()[:MAX_QUOTED_CHARS]
                yield Remark(f'the body of "{name}" was removed', (line, line))

    def _arguments_gone(self) -> Iterator[Remark]:
        added = {line.strip(): number for number, line in self._facts.added}
        words = Counter(word for line in added for word in {*_WORD.findall(line)})
        for index in self._facts.removed_at:
            line = self._facts.old_lines[index].strip()
            for found in () if index in self._definition_lines else _ARGUMENTS.finditer(line):
                number = added.get(line[: found.start(1)] + line[found.end(1) :])
                if (
                    number is not None
                    and _WORD.search(found[1])
                    and not all(map(words.get, _WORD.findall(found[1])))
                ):
                    yield Remark(
                        f'the arguments "{found[1][:MAX_QUOTED_CHARS]}" of this call were removed',
                        (number, number),
                    )

    def _remark(self, index: int, message: str) -> Remark:
        line = self._facts.line_of_removed(index)
        return Remark(message, (line, line))


def removal_message(n_removed: int, n_added: int) -> str:
    """Return the message about removed lines and those added in their place."""
    removed = "1 line was removed here" if n_removed == 1 else f"{n_removed} lines were removed here"
    were = "was" if n_added == 1 else "were"
    return f"{removed} and {n_added} {were} added" if n_added else removed


def _form(line: str) -> tuple[int, str]:
    text = line.lstrip()
    found = _WORD.search(text)
    return len(line) - len(text), text[: found.end()] if found else text


def _below(code: Sequence[str], index: int) -> int | None:
    return next((at for at in range(index + 1, len(code)) if code[at].strip()), None)
