"""Decide whether imports in an answer are for the file or belong to the scope."""

from __future__ import annotations

from collections.abc import Sequence

from twospeed import syntax
from twospeed.edits.values import ImportPolicy
from twospeed.text.code.import_statements import ImportMarks
from twospeed.text.code.scope import Scope
from twospeed.text.line_blocks import Lines


def import_marks_for(
    policy: ImportPolicy, lines: Lines, language_id: str, scope: Scope
) -> ImportMarks | None:
    """Return how imports for the file are written; ``None`` if imports may belong to the scope.

    They are for the file if the scope is a function, a class, or whole definitions that are not in a function.
    """
    marks = None if policy == "off" else ImportMarks.of(language_id)
    if marks is None or scope.kind in ("function", "class"):
        return marks
    is_part = scope.kind in ("selection", "block")
    return marks if is_part and _has_only_definitions(lines, language_id, scope, marks.line_comment) else None


def _has_only_definitions(lines: Lines, language_id: str, scope: Scope, comment: str) -> bool:
    file = syntax.symbols_of(lines, language_id)
    if file is None:
        return False
    at = scope.start
    for symbol in file.symbols:
        is_outside = symbol.end <= scope.start or symbol.start >= scope.end
        is_around = symbol.kind == "class" and symbol.start < scope.start and scope.end <= symbol.end
        if is_outside or is_around or symbol.start < at:  # the last is part of a definition before
            continue
        is_whole = symbol.kind != "value" and scope.start <= symbol.start and symbol.end <= scope.end
        if not is_whole or not _has_no_code(lines[at : symbol.start], comment):
            return False
        at = max(at, symbol.end)
    return at > scope.start and _has_no_code(lines[at : scope.end], comment)


def _has_no_code(lines: Sequence[str], comment: str) -> bool:
    return all(not text or text.startswith((comment, "/*", "*")) for text in map(str.strip, lines))
