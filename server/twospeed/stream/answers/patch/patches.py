"""Apply an answer that is a patch: search/replace blocks, a unified diff, or an ``apply_patch`` envelope.

A patch is applied to the whole document, or not at all; the scope's lines in the result are the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from twospeed.stream.aligner import is_trivial
from twospeed.stream.answers.evidence import Refusal, Surroundings
from twospeed.stream.answers.imports.other_files import names_other_file
from twospeed.stream.answers.whole_file import BYTE_ORDER_MARK, between, without_mark
from twospeed.text.code.import_statements import ImportLines

from . import search_replace, unified_diff
from .block_places import LineIndex, Patch, changes_of, spliced
from .patch_imports import separate_blocks, separate_changes


@dataclass(frozen=True, slots=True)
class Patched:
    """The scope's new lines, and the new import statements for the file (``Surroundings.imports``)."""

    lines: list[str]
    imports: Sequence[ImportLines] = ()


def opens_patch(line: str) -> bool:
    """Whether a line, if it is not an old one, can only open a patch."""
    return search_replace.opens_block(line) or unified_diff.opens_diff(line)


def patched(
    lines: Sequence[str], old: Sequence[str], around: Surroundings, title: str = ""
) -> Patched | Refusal:
    """Apply a patch to the document; return the scope's new lines, or a refusal.

    The answer begins with the patch, below the line ``title``; fences and prose may follow. Cost: linear in all
    lines.
    """
    opening = next((line for line in lines if opens_patch(line)), "")
    is_search_replace = search_replace.opens_block(opening)
    patch = search_replace.read_blocks(lines, title) if is_search_replace else unified_diff.read_diff(lines)
    if isinstance(patch, Refusal):
        return patch
    old = old if around.prompt_lines is None else around.prompt_lines
    marked = [*around.above, *old, *around.below]
    document = without_mark(marked)
    if refusal := _refusal_of(patch, document):
        return refusal
    if not old and is_search_replace and len(patch.blocks) == 1 and not patch.blocks[0].search:
        return Patched(list(patch.blocks[0].replace))
    is_of_scope = is_search_replace and around.are_blocks_requested
    scope = range(len(around.above), len(around.above) + len(old)) if is_of_scope else None
    if around.imports and any(names_other_file(each.title, around.file_name) for each in patch.blocks):
        around = replace(around, imports=None)
    blocks, imports = separate_blocks(patch.blocks, old, around)
    changes = changes_of(LineIndex(document, scope), blocks)
    if isinstance(changes, Refusal):
        return changes
    changes, further = separate_changes(changes, document, around)
    result = spliced(document, changes)
    if result and marked[0] != document[0]:
        result[0] = BYTE_ORDER_MARK + result[0]
    new = between(result, around.above, around.below)
    if new is None:
        return Refusal("extent", "the patch changes lines outside the scope")
    return Patched(new, (*imports, *further))


def _refusal_of(patch: Patch, document: Sequence[str]) -> Refusal | None:
    if not patch.blocks:
        return Refusal("not-code", "the answer is a patch that changes nothing")
    prose = {text for line in patch.prose if not is_trivial(text := line.strip())}
    if any(line.strip() in prose for line in document):
        return Refusal("not-code", "the answer has code outside its patch")
    return None
