"""Findings about an edit from the output of a command that failed, such as a test."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import PurePath

from twospeed.edits.inline_edit import InlineEdit
from twospeed.gate import Finding

from .model_review import FoundIssue

MAX_FOUND = 10
"""Findings of one verification: the first places in the document that the output names."""

MAX_CHARS = 300
"""Characters of a line of output that a finding shows."""

MAX_PATH_CHARS = 400
"""Characters before a file name that may be its folder."""

MAX_PLACES = 2_000
"""Places in an output that are read; each takes 15 µs."""

_BEFORE_PATH = re.compile(r"""[\s"'()\[\]<>=]""")


def findings_in(edit: InlineEdit, title: str, output: str, path: PurePath) -> Iterator[FoundIssue]:
    """Yield a finding for each place of the document in the output; without one, for the first line of the edit.

    Args:
        edit: An edit in review.
        title: The name of the command, and how it failed.
        output: Its output; empty if the lines in it are not those of the document.
        path: The path of the document.
    """
    n_lines = len(edit.document.lines)
    places = {line: text for line, text in places_in(output, path) if line < n_lines}
    for line, text in list(places.items())[:MAX_FOUND] or [(edit.live.start, "")]:
        message = f"{title.partition(' (')[0]}: {text}" if text else f"{title} failed"
        finding = Finding("new-problem", 2, message[:MAX_CHARS], line, line)
        yield FoundIssue(finding, line, min(line + 1, n_lines))


def places_in(output: str, path: PurePath) -> Iterator[tuple[int, str]]:
    """Yield each line of a file that an output names, from 0, with the line of output.

    Places have the forms ``path:12``, ``path(12`` and, as in Python, ``File "path", line 12``.
    """
    place = re.compile(rf"""{re.escape(path.name)}(?:"?, line |:|\()(\d{{1,7}})\b""")
    for match in islice(place.finditer(output), MAX_PLACES):
        # Near the match only: a long line may have many.
        nearest = max(0, match.start() - MAX_PATH_CHARS)
        start = max(nearest, output.rfind("\n", nearest, match.start()) + 1)
        before = output[start : match.start()]
        named = PurePath(_BEFORE_PATH.split(before)[-1] + path.name)
        is_same = named == path or (
            not named.is_absolute() and path.parts[-len(named.parts) :] == named.parts
        )
        if is_same and int(match[1]):
            text = output[start : match.end() + MAX_CHARS].partition("\n")[0]
            yield int(match[1]) - 1, text.strip()
