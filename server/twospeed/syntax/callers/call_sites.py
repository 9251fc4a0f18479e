"""Find the calls of a changed definition in one file; what its names alone do not decide is uncertain."""

from __future__ import annotations

from collections.abc import Sequence

from twospeed.syntax.identifiers.words import WordSearch
from twospeed.syntax.languages import profile_for
from twospeed.syntax.trees.parsing import parse_lines
from twospeed.syntax.trees.trees import PARSE_LIMIT_S, SourceTree, can_be_parsed
from twospeed.text.code import javascript
from twospeed.text.line_blocks import Lines

from .go_calls import go_call_sites
from .named_calls import NamedCalls
from .places import Callee, CallSites
from .signatures import LANGUAGE_IDS

_FAMILIES = (frozenset({"python"}), frozenset({"go"}), javascript.LANGUAGE_IDS)


def is_same_family(one: str, other: str) -> bool:
    """Return whether code of one language can call that of another."""
    return any(one in family and other in family for family in _FAMILIES)


def call_sites(lines: Sequence[str], language_id: str, callee: Callee, *, path: str) -> CallSites:
    """Return the places of the file ``path`` that use a definition whose signature changed.

    A call is certain if its name is bound to the definition and to nothing else: in the file of the definition, by an
    import of that file, or as a method of ``self`` or ``this`` in the class. Calls that mean the same with the new
    signature are no places. Call it in a thread: it parses the file, which is not kept.
    """
    if language_id not in LANGUAGE_IDS or not _may_call(lines, callee, path):
        return CallSites()
    profile = profile_for(language_id)
    own = lines if isinstance(lines, Lines) else Lines.of(tuple(lines))
    if profile is None or not can_be_parsed(language_id, own):
        return CallSites()
    tree = parse_lines(profile, own, limit_s=PARSE_LIMIT_S)
    if tree is None:
        return CallSites()
    source = SourceTree(profile, own, tree)
    found = (
        go_call_sites(source, callee, path)
        if language_id == "go"
        else NamedCalls(source, callee, path).find()
    )
    return found.in_order()


def _may_call(lines: Sequence[str], callee: Callee, path: str) -> bool:
    change = callee.change
    if path != callee.path and not change.is_public:
        return False
    if change.is_default and path != callee.path:
        return True  # the importing file names it as it likes
    return next(WordSearch(0, lines).places(change.old_name), None) is not None
