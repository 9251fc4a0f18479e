"""Count syntax errors, to tell whether an edit has broken something."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from .background import in_thread
from .languages import profile_for
from .trees import SourceTree, parse, parse_fully

if TYPE_CHECKING:  # see trees
    from tree_sitter import Node, Tree


def count_errors(lines: Sequence[str], language_id: str) -> int | None:
    """Count what the parser could not read, and what it had to imagine.

    Args:
        lines: The document's lines, with their line ends.
        language_id: LSP language id.

    Returns:
        The number of ``ERROR`` and ``MISSING`` nodes, ``None`` where the document cannot be parsed, or the grammar
        knows so little of the language that its errors say nothing.
    """
    return _count(parse(language_id, lines))


def tells_code_from_talk(lines: Sequence[str], language_id: str) -> bool:
    """Whether it says something about a text that it parses in the place of some of these lines."""
    profile = profile_for(language_id)
    return profile is not None and not profile.reads_talk and count_errors(lines, language_id) is not None


async def count_errors_afresh(lines: Sequence[str], language_id: str) -> int | None:
    """Count as `count_errors`, in a thread and from a tree that no earlier version has had a hand in.

    Where code is broken, what the parser makes of it may depend on what it read before: two trees of the same text can
    differ by an error. A refusal should not.
    """
    return _count(await in_thread(lambda: parse_fully(language_id, lines, is_fresh=True)))


def _count(source: SourceTree | None) -> int | None:
    if source is None or source.profile.is_partial:
        return None
    return sum(1 for _ in errors_in(source.tree))


def errors_in(tree: Tree) -> Iterator[Node]:
    """Yield the ``ERROR`` and ``MISSING`` nodes of a tree; parts without any are not entered."""
    cursor = tree.walk()
    while True:
        node = cursor.node
        assert node
        if node.is_error or node.is_missing:
            yield node
        if node.has_error and cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return
