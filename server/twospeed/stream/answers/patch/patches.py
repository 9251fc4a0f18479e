"""An answer that is a patch: search/replace blocks, a unified diff, or an ``apply_patch`` envelope.

A patch is applied to the whole document, all of it or nothing, and what it makes of the scope is the answer. So a
block may show lines from outside the scope, and is refused only where it would change them.

The formats are read in `search_replace` and `unified_diff`; where blocks stand is found in `block_places`.
"""

from __future__ import annotations

from collections.abc import Sequence

from twospeed.stream.aligner import is_trivial
from twospeed.stream.answers.evidence import Refusal, Surroundings
from twospeed.stream.answers.whole_file import BYTE_ORDER_MARK, between, without_mark

from . import search_replace, unified_diff
from .block_places import LineIndex, Patch, apply_blocks


def opens_patch(line: str) -> bool:
    """Whether a line can only be the opening of a patch, if the old text does not hold it."""
    return search_replace.opens_block(line) or unified_diff.opens_diff(line)


def patched(lines: Sequence[str], old: Sequence[str], around: Surroundings) -> list[str] | Refusal:
    """Apply a patch to the document and return what the scope is then.

    Args:
        lines: The answer from the patch's opening line on, without line ends. The fence around it may be closed in
            between, others may follow, and so may talk.
        old: The scope's lines.
        around: The scope's place; the document is ``above + old + below``.

    Returns:
        The scope's new lines, or why the patch cannot be used: all of it is applied, or nothing.

    Cost: linear in the lines of the answer and of the document.
    """
    opening = next((line for line in lines if opens_patch(line)), "")
    is_search_replace = search_replace.opens_block(opening)
    patch = search_replace.read_blocks(lines) if is_search_replace else unified_diff.read_diff(lines)
    if isinstance(patch, Refusal):
        return patch
    old = old if around.shown is None else around.shown
    marked = [*around.above, *old, *around.below]
    document = without_mark(marked)
    if refusal := _doubt(patch, document):
        return refusal
    if not old and is_search_replace and len(patch.blocks) == 1 and not patch.blocks[0].search:
        return list(patch.blocks[0].replace)
    is_of_scope = is_search_replace and around.is_asked_for_blocks
    scope = range(len(around.above), len(around.above) + len(old)) if is_of_scope else None
    result = apply_blocks(LineIndex(document, scope), patch.blocks)
    if isinstance(result, Refusal):
        return result
    if result and marked[0] != document[0]:
        result[0] = BYTE_ORDER_MARK + result[0]
    new = between(result, around.above, around.below)
    return Refusal("extent", "the patch changes lines outside of what is edited") if new is None else new


def _doubt(patch: Patch, document: Sequence[str]) -> Refusal | None:
    """Refuse a patch that holds nothing to apply, or has code of the document beside its blocks."""
    if not patch.blocks:
        return Refusal("not-code", "the answer opens a patch that changes nothing")
    talk = {text for line in patch.talk if not is_trivial(text := line.strip())}
    if any(line.strip() in talk for line in document):
        return Refusal("not-code", "the answer has code beside its patch")
    return None
