"""The imports that an edit in review made unused, as findings whose fix removes them."""

from __future__ import annotations

from functools import partial
from urllib.parse import urlsplit

from twospeed import syntax
from twospeed.aio import in_thread
from twospeed.edits.inline_edit import InlineEdit
from twospeed.gate import Finding, Fix
from twospeed.text.document import Document

from .model_review import FoundIssue

_IMPORTED_FROM_ELSEWHERE = ("/__init__.py", "/conftest.py", ".pyi", ".d.ts")
"""Ends of the paths of files whose imports other files use."""

MAX_RUNS = 3
"""Searches for one edit; the text that the user types during a search makes its result useless."""


async def find_unused_imports(edit: InlineEdit) -> list[FoundIssue]:
    """Return a finding for each import whose names only the lines that an edit removed used.

    An edit that removes no line starts no search. The search runs in a thread.
    """
    if not (edit.stats.lines_removed and _is_a_file_alone(edit.uri)):
        return []
    before, scope = edit.place.requested, (edit.scope.start, edit.scope.end)
    for _ in range(MAX_RUNS):
        document = edit.document
        found = await in_thread(partial(_unused, before, scope, document, (edit.live.start, edit.live.end)))
        if edit.document is document:
            return _issues(found)
    return []


def _is_a_file_alone(uri: str) -> bool:
    """Return whether other files, or cells of a notebook, are not known to use the names of a file."""
    parts = urlsplit(uri)
    return parts.scheme == "file" and not parts.fragment and not parts.path.endswith(_IMPORTED_FROM_ELSEWHERE)


def _unused(
    before: Document, old: tuple[int, int], after: Document, new: tuple[int, int]
) -> tuple[syntax.UnusedImport, ...]:
    names = syntax.removed_names(before.lines, before.language_id, *old, after.lines[slice(*new)])
    return syntax.unused_imports(after.lines, after.language_id, names)


def _issues(unused: tuple[syntax.UnusedImport, ...]) -> list[FoundIssue]:
    names = tuple(name for each in unused for name in each.names)
    title = f"Remove the unused import {names[0]}" if len(names) == 1 else "Remove unused imports"
    fix = Fix(title, (), tuple(each.edit for each in unused), removes=names)
    return [
        FoundIssue(
            Finding(
                "import-unused",
                3,
                f"no longer used: {', '.join(each.names)}",
                each.edit.start,
                each.edit.start + each.edit.count - 1,
                fix,
            ),
            each.edit.start,
            each.edit.start + each.edit.count,
        )
        for each in unused
    ]
