"""The diagnostics of other language servers before each edit, and what is new after it."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from twospeed.edits.after.model_review import FoundIssue
from twospeed.edits.after.new_problems import MAX_CHARS, KnownProblems, NewProblems, Problem, ProblemsBefore
from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.phases import EditState
from twospeed.edits.values import Report

from .diagnostics import Diagnostics

MAX_CHECKED = 50
"""Edits whose earlier diagnostics are remembered, as many as the scheduler remembers."""


class ProblemChecks:
    """Compares the diagnostics before and after the edits of one connection."""

    def __init__(self, diagnostics: Diagnostics) -> None:
        self._diagnostics = diagnostics
        self._before: dict[str, ProblemsBefore] = {}
        self._shown: dict[str, tuple[InlineEdit, list[FoundIssue]]] = {}

    def expect(self, edit: InlineEdit, known: KnownProblems) -> None:
        """Remember the diagnostics at the version for which an edit was just requested."""
        self._follow(edit, ProblemsBefore(edit, known))

    def _follow(self, edit: InlineEdit, before: ProblemsBefore) -> None:
        self._before[edit.id] = before
        edit.channel.add(before)
        edit.finished.add_done_callback(lambda done: self._forget_if_failed(edit, done))
        while len(self._before) > MAX_CHECKED:
            oldest = self._before.pop(next(iter(self._before)))
            oldest.edit.channel.remove(oldest)

    def _forget_if_failed(self, edit: InlineEdit, done: asyncio.Future[Report]) -> None:
        # Only then is no phase reported.
        if (done.cancelled() or done.exception()) and (before := self._before.pop(edit.id, None)):
            edit.channel.remove(before)

    def edit_changed(self, edit: InlineEdit) -> None:
        """Stop following the document of an edit that has ended; a retry of it may still need the diagnostics."""
        if edit.state is EditState.ENDED:
            self._shown.pop(edit.id, None)
            if before := self._before.get(edit.id):
                edit.channel.remove(before)

    def pass_on(self, old: InlineEdit, new: InlineEdit) -> None:
        """Compare with the diagnostics before ``old`` after ``new`` too: it was just requested, and mends or repeats ``old``."""
        has_ended = old.state is EditState.ENDED
        version = old.place.ended_version if has_ended else new.request.document.version
        before = self._before.pop(old.id, None)
        if before is None or version != new.request.document.version:
            return
        before.edit = new
        if has_ended:
            self._follow(new, before)
        else:
            self._before[new.id] = before

    def compare(self, edit: InlineEdit, now: Sequence[Problem]) -> NewProblems:
        """Compare with the diagnostics of the current document, and show what is new as findings.

        A problem belongs to one edit: that in whose lines it is, otherwise the one that is compared first.
        """
        self._forget_solved(edit, now)
        before = self._before.get(edit.id)
        if before is None:
            return NewProblems()
        new = before.new(now)
        is_of_another = self._of_others(edit)
        errors = [each for each in new.errors if not is_of_another(each)]
        new = NewProblems(errors, new.n_warnings)
        found = new.found(len(edit.channel.document.lines))
        _, old = self._shown.get(edit.id, (edit, []))
        self._shown[edit.id] = edit, found
        self._diagnostics.replace(edit, old, found)
        return new

    def _forget_solved(self, edit: InlineEdit, now: Sequence[Problem]) -> None:
        titles = {each.title[:MAX_CHARS] for each in now}
        for other, issues in self._shown.values():
            solved = [each for each in issues if each.finding.message not in titles]
            if other.uri == edit.uri and other is not edit and solved:
                self._diagnostics.replace(other, solved, ())

    def _of_others(self, edit: InlineEdit) -> Callable[[Problem], bool]:
        """Return whether a problem is in the lines of another edit, or is a finding of another one already."""
        others = [
            each.edit
            for each in self._before.values()
            if each.edit is not edit and each.edit.uri == edit.uri and each.edit.state is EditState.REVIEW
        ]
        own, others_spans = (
            edit.place.scopes.spans,
            [span for each in others for span in each.place.scopes.spans],
        )
        marks = defaultdict(list)
        for other, _ in self._shown.values():
            if other is not edit and other.uri == edit.uri:
                for mark in self._diagnostics.of(other):
                    marks[mark.finding.message].append((mark.start, mark.end))

        def is_of_another(problem: Problem) -> bool:
            line = problem.first_line
            if _contain(marks.get(problem.title[:MAX_CHARS], ()), line):
                return True
            return not _contain(own, line) and _contain(others_spans, line)

        return is_of_another


def _contain(spans: Iterable[tuple[int, int]], line: int) -> bool:
    return any(start <= line < end for start, end in spans)
