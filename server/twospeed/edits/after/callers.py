"""The callers of what an edit in review changed, and the instructions that update them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from twospeed import syntax
from twospeed.aio import in_thread
from twospeed.edits.inline_edit import InlineEdit
from twospeed.text.document import Document

if TYPE_CHECKING:  # imported by the first edit
    from twospeed.workspace.call_search import Caller, CallSearch, Reference

MAX_ASKED = 10
"""Definitions of one edit whose references are requested, all at once."""

LISTED_AT_ONCE = 3
"""Places that a message names; a longer one is cut off by editors."""

ReferencesOf = Callable[[Document, int, int], Awaitable[Collection["Reference"]]]
"""Returns the known references of the name at a line and column of a document; empty if there are none."""


@dataclass(frozen=True, slots=True)
class CallerLines:
    """Lines of one file that one edit updates."""

    path: str
    start: int
    end: int
    instruction: str


async def find_callers(
    edit: InlineEdit,
    home: str,
    search: CallSearch,
    others_of: Callable[[str], Collection[str]],
    references_of: ReferencesOf,
) -> Sequence[Caller]:
    """Return the callers of the definitions whose signatures an edit changed, certain ones first.

    An uncertain place becomes certain if ``references_of`` names each of its calls.

    Args:
        edit: The edit, in review.
        home: The path of its document in ``search``.
        search: Has the documents of this moment.
        others_of: Returns the files that define a name.
        references_of: Requested for definitions with uncertain calls. Of a renamed one, old calls have another name.
    """
    old, new, before, after = (
        (edit.scope.start, edit.scope.end),
        (edit.live.start, edit.live.end),
        edit.place.requested,
        edit.document,
    )
    changes = await in_thread(
        partial(syntax.changed_signatures, before.lines, after.lines, after.language_id, old=old, new=new)
    )
    if not changes:
        return ()
    others = {each.old_name: set(others_of(each.old_name)) - {home} for each in changes}
    found = await in_thread(partial(search.run, changes, home, others))
    in_doubt = [each for each in found if each.calls and not each.is_certain and not each.change.is_renamed]
    changes_in_doubt = list(dict.fromkeys(each.change for each in in_doubt))[:MAX_ASKED]
    answers = await asyncio.gather(
        *(references_of(after, each.line, each.column) for each in changes_in_doubt)
    )
    return search.proven(dict(zip(changes_in_doubt, answers, strict=True)))


def instruction_for(change: syntax.ChangedSignature) -> str:
    """Return the instruction that updates one call or one import."""
    if change.is_renamed:
        return (
            f"`{change.old_name}` has the new name `{change.new_name}` and the signature `{change.new_signature}`. "
            f"Update this use of `{change.old_signature}`. Change nothing else."
        )
    return (
        f"Update this call of `{change.old_signature}` to its new signature `{change.new_signature}`. "
        "Change nothing else."
    )


def lines_to_update(callers: Sequence[Caller]) -> list[CallerLines]:
    """Return the lines of certain callers, those that overlap as one place with all their instructions."""
    joined: list[CallerLines] = []
    for each in sorted(callers, key=lambda caller: (caller.path, caller.site.start)):
        instruction = instruction_for(each.change)
        last = joined[-1] if joined else None
        if last and last.path == each.path and each.site.start < last.end:
            known = last.instruction
            text = known if instruction in known else f"{known}\n{instruction}"
            joined[-1] = CallerLines(each.path, last.start, max(last.end, each.site.end), text)
        else:
            joined.append(CallerLines(each.path, each.site.start, each.site.end, instruction))
    return joined


def message_about(n_updated: int, elsewhere: Sequence[Caller], name: str) -> str:
    """Return one sentence about the places that are not edited."""
    shown = ", ".join(
        f"{each.path.rpartition('/')[2]}:{each.site.line + 1}" for each in elsewhere[:LISTED_AT_ONCE]
    )
    n_more = len(elsewhere) - LISTED_AT_ONCE
    more = f" and {n_more} more" if n_more > 0 else ""
    updated = (
        f"{n_updated} calls of {name} are updated; " if n_updated != 1 else f"1 call of {name} is updated; "
    )
    places = "1 more place may use it" if len(elsewhere) == 1 else f"{len(elsewhere)} more places may use it"
    return f"{updated}{places}: {shown}{more}"
