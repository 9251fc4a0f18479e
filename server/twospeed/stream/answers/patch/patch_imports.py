"""Separate the imports for the file from a patch: blocks and changes of import lines above the scope."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from twospeed.stream.aligner import aligned
from twospeed.stream.answers.evidence import Surroundings
from twospeed.stream.answers.imports.file_imports import FileImports
from twospeed.stream.ops import Change, Delete, Keep, without_corrected_changes
from twospeed.text.code.import_statements import ImportLines, ImportMarks, split_imports

from .block_places import PatchBlock, PlacedChange, spliced

_Separated = tuple[list[PatchBlock], list[ImportLines]]


def separate_blocks(blocks: Sequence[PatchBlock], old: Sequence[str], around: Surroundings) -> _Separated:
    """Return the blocks that do not only have imports for the file, and the new imports of the others.

    Such a block searches for import statements of the document above the scope, or for nothing.
    """
    marks = around.imports
    if marks is None:
        return list(blocks), []
    file = FileImports(around, marks)
    in_scope = {text for line in old if (text := line.strip())}
    rest: list[PatchBlock] = []
    found: list[ImportLines] = []
    for block in blocks:
        (searched, others, _), (new, new_others, _) = (
            split_imports(side, marks) for side in (block.search, block.replace)
        )
        is_known = file.has_any(searched) if searched else bool(new) and not any(map(str.strip, block.search))
        is_import = is_known and not others and not new_others
        if not is_import or any(line.strip() in in_scope for line in block.search):
            rest.append(block)
        else:
            found += file.new_among(new)
    return rest, found


def separate_changes(
    changes: Sequence[PlacedChange], document: Sequence[str], around: Surroundings
) -> tuple[list[PlacedChange], list[ImportLines]]:
    """Return the changes that do not only change imports above the scope, and the new imports of the others.

    All changes are returned if something else changes above the scope.
    """
    marks, n_above = around.imports, len(around.above)
    if marks is None or all(change.start > n_above for change in changes):
        return list(changes), []
    single = [part for change in changes for part in _parts_of(change, document, n_above)]
    above = [part for part in single if part.start < n_above or _has_only_imports(part, marks)]
    above = [part for part in above if part.end <= n_above]
    before = split_imports(document[:n_above], marks)
    after = split_imports(spliced(document[:n_above], above), marks)
    if after[1] != before[1]:
        return list(changes), []
    file = FileImports(around, marks)
    return [part for part in single if part not in above], file.new_among(after[0])


def _has_only_imports(change: PlacedChange, marks: ImportMarks) -> bool:
    statements, others, _ = split_imports(change.lines, marks)
    return bool(statements) and not others


def _parts_of(change: PlacedChange, document: Sequence[str], n_above: int) -> Iterator[PlacedChange]:
    """Yield a change as several ones if it changes lines on both sides of the scope's start."""
    if not change.start < n_above < change.end:
        yield change
        return
    start = at = change.start
    new: list[str] = []
    for op in without_corrected_changes(aligned(document[change.start : change.end], change.lines)):
        if isinstance(op, Keep):
            if new or at > start:
                yield PlacedChange(start, at, new)
            start = at = change.start + op.until
            new = []
        elif isinstance(op, Delete):
            at = change.start + op.until
        else:
            new.append(op.line)
            at += isinstance(op, Change)
    if new or at > start:
        yield PlacedChange(start, at, new)
