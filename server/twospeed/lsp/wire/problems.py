"""Converts diagnostics of other language servers, which a client forwards."""

from __future__ import annotations

from collections.abc import Iterable

from twospeed.edits.after.new_problems import Problem
from twospeed.lsp.client.diagnostics import SOURCE
from twospeed.text.document import Document
from twospeed_protocol import messages as wire


def problems_from(document: Document, diagnostics: Iterable[wire.Diagnostic]) -> list[Problem]:
    """Return the diagnostics of other servers, with their lines in the document."""
    last = len(document.lines) - 1
    return [_problem(each, last) for each in diagnostics if each.source != SOURCE]


def _problem(diagnostic: wire.Diagnostic, last: int) -> Problem:
    start, end = diagnostic.range.start, diagnostic.range.end
    # A range up to the start of a line does not contain that line.
    end_line = end.line - 1 if end.character == 0 and end.line > start.line else end.line
    first = min(start.line, last)
    return Problem(
        message=diagnostic.message,
        code="" if diagnostic.code is None else str(diagnostic.code),
        source=diagnostic.source or "",
        severity=diagnostic.severity or 1,
        first_line=first,
        last_line=min(max(first, end_line), last),
    )
