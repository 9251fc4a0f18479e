"""Compare the diagnostics of other language servers before and after an edit, and find those that are new."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from twospeed.edits.inline_edit import InlineEdit
from twospeed.gate import Finding
from twospeed.gate.facts import Severity
from twospeed.routing.lanes import ICONS
from twospeed.text.document import Splice

from .changed_regions import ChangedRegions
from .model_review import FoundIssue

MAX_PROBLEMS = 500
"""Diagnostics of a document that are compared; clients send errors first (contract)."""

MAX_SHOWN = 20
"""New errors that become findings: the first ones in the document. A prompt has as many diagnostics."""

MAX_CHARS = 300
"""Characters of a message that a finding shows."""

MAX_COMPARED_CHARS = 1_000

_ERROR, _WARNING = 1, 2
_PLACE = re.compile(r"\bline \d+")

_Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Problem:
    """A diagnostic of another language server, from ``first_line`` to ``last_line``."""

    message: str
    code: str
    source: str
    severity: Severity
    first_line: int
    last_line: int

    @property
    def key(self) -> _Key:
        """What two diagnostics of the same problem have in common, wherever its line is now."""
        # Messages such as mypy's `Name "x" already defined on line 3` name lines that move.
        message = self.message[:MAX_COMPARED_CHARS]
        if "line " in message:
            message = _PLACE.sub("line", message)
        return message, self.code, self.source

    @property
    def title(self) -> str:
        """The message with its source."""
        return (f"{self.source}: " if self.source else "") + self.message


@dataclass(frozen=True, slots=True)
class NewProblems:
    """The problems that an edit caused: errors in the order of their lines, and the number of warnings."""

    errors: Sequence[Problem] = ()
    n_warnings: int = 0

    def found(self, n_lines: int) -> list[FoundIssue]:
        """Return a finding for each of the first errors; the document has ``n_lines`` lines."""
        issues = []
        for each in self.errors[:MAX_SHOWN]:
            first, end = min(each.first_line, n_lines - 1), min(each.last_line + 1, n_lines)
            finding = Finding("new-problem", each.severity, each.title[:MAX_CHARS], first, end - 1)
            issues.append(FoundIssue(finding, first, end))
        return issues

    def summary(self, edit: InlineEdit) -> str:
        """Return one sentence for the user; empty without an error."""
        if not self.errors:
            return ""
        counts = _count(len(self.errors), "new error")
        if self.n_warnings:
            counts += f" and {_count(self.n_warnings, 'new warning')}"
        first = self.errors[0]
        place = f"line {first.first_line + 1}: {first.title[:MAX_CHARS]}"
        return f"{ICONS[edit.mode]} {edit.request.file_name} has {counts} since the edit; {place}"


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


class KnownProblems:
    """The diagnostics of one version of a document.

    Attributes:
        lines: The sorted lines of each problem.
        has_all_errors: Whether no error is missing because there were too many.
        has_all_warnings: The same for warnings.
    """

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.lines: dict[_Key, list[int]] = defaultdict(list)
        for each in sorted(problems, key=lambda problem: problem.first_line):
            self.lines[each.key].append(each.first_line)
        is_cut = len(problems) >= MAX_PROBLEMS
        self.has_all_warnings = not is_cut
        self.has_all_errors = not is_cut or any(each.severity != _ERROR for each in problems)


class ProblemsBefore:
    """The diagnostics of a document before an edit; a `delivery.client.Follower`.

    Args:
        edit: The edit.
        known: The diagnostics in the document of its request; not changed.
    """

    def __init__(self, edit: InlineEdit, known: KnownProblems) -> None:
        self.edit = edit
        self._known = known
        self._regions = ChangedRegions()

    def follow(self, splice: Splice) -> None:
        """Follow a change of the edit or of the user."""
        self._regions.follow(splice, is_ours=self._is_near(splice))

    def _is_near(self, splice: Splice) -> bool:
        # Our own batch is reported before the spans move, a change of the user after that.
        end = splice.start + len(splice.lines)
        return any(start <= end and splice.start <= stop for start, stop in self.edit.place.scopes.spans)

    def new(self, now: Iterable[Problem]) -> NewProblems:
        """Return the problems that are neither old nor in lines that only the user changed.

        A problem is old if one with the same message, code and source was on its line, or in the changed lines that its
        line is among. If the edit moved lines, their problems may be in any line that it changed.
        """
        unmatched = {key: list(lines) for key, lines in self._known.lines.items()}
        left = [
            (each, key)
            for each in sorted(now, key=lambda problem: problem.first_line)
            if not (lines := unmatched.get(key := each.key)) or not self._take(lines, each.first_line)
        ]
        moved = Counter(
            key
            for key, lines in unmatched.items()
            for line in lines
            if (region := self._regions.at_old(line)) and region.is_ours
        )
        new: list[Problem] = []
        for each, key in left:
            region = self._regions.at(each.first_line)
            if region and not region.is_ours:
                continue
            if region and moved[key]:
                moved[key] -= 1
                continue
            new.append(each)
        errors = [each for each in new if each.severity == _ERROR] if self._known.has_all_errors else []
        warnings = [each for each in new if each.severity == _WARNING] if self._known.has_all_warnings else []
        return NewProblems(errors, len(warnings))

    def _take(self, old_lines: list[int], line: int) -> bool:
        """Remove the old line of a problem that is at ``line`` now; return whether there is one."""
        region = self._regions.at(line)
        first = region.old_start if region else self._regions.old_line(line)
        end = region.old_end if region else first + 1
        index = bisect_left(old_lines, first)
        if index == len(old_lines) or old_lines[index] >= end:
            return False
        del old_lines[index]
        return True
