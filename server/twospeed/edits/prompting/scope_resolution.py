"""Find the scope of an edit: at once if the document's tree is ready, else approximately until it is parsed.

Meanwhile the user's changes are recorded; the exact scope is then moved by them.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from twospeed import syntax
from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.values import EditRequest
from twospeed.errors import InvalidRequest, LimitReached, TwospeedError
from twospeed.text.code.scope import Scope
from twospeed.text.document import Document, Splice
from twospeed.text.edits import LineEdit
from twospeed.text.lines import indent_width

from .sensitivity import sensitive_uses_in, sensitivity_of

logger = logging.getLogger(__name__)

_CHOICES_IN_TREE = ("function", "class", "block")
"""Requested kinds of scope that can be found only in a tree.

Without a tree, ``auto`` gives the lines around the cursor up to the next blank lines; its `Scope` is named a block too.
"""

MAX_DOCUMENT_BYTES = 8 * 1024 * 1024
MAX_LINE_LENGTH = 100_000
"""Longest line, in characters, that is edited (SECURITY.md, R11): longer lines are generated, and a user could not review them."""

MAX_SCOPE_LINES = 20_000
"""Lines of one edit: about 200,000 tokens, more than models write, and 20 ms on the event loop."""


def refuse_too_large(document: Document) -> None:
    """Raise `LimitReached` if a document exceeds `MAX_DOCUMENT_BYTES` or `MAX_LINE_LENGTH`."""
    if document.lines.n_bytes > MAX_DOCUMENT_BYTES:
        raise LimitReached(
            f"the document is not edited: it is larger than {MAX_DOCUMENT_BYTES // 1024 // 1024} MiB"
        )
    if document.lines.longest > MAX_LINE_LENGTH:
        raise LimitReached(
            f"the document is not edited: it has a line of more than {MAX_LINE_LENGTH:,} characters"
        )


@dataclass(slots=True, eq=False)
class TypingRecord:
    """The user's changes while a scope is searched; a `delivery.client.Follower` of the document."""

    splices: list[Splice] = field(default_factory=list)

    def follow(self, splice: Splice) -> None:
        """Record a change."""
        self.splices.append(splice)


def must_wait_for_tree(request: EditRequest) -> bool:
    """Return whether the exact scope can be found only after a thread has parsed the document."""
    document = request.document
    return not syntax.is_tree_ready(document.language_id, document.lines)


async def resolve_when_parsed(edit: InlineEdit, typed: TypingRecord) -> None:
    """Find the exact scope of an edit, and move it by the user's changes since the request.

    Raises:
        InvalidRequest: There is no scope of the requested kind, or no tree for it yet.
        LimitReached: The scope has more than ``MAX_SCOPE_LINES`` lines.
    """
    request, document = edit.request, edit.request.document
    try:
        has_tree = await syntax.wait_for_tree(document.language_id, document.lines)
    except Exception:  # the run waits for the same tree, and its failure becomes the edit's outcome
        logger.exception("edit %s: its document could not be parsed", edit.id)
        return
    if edit.finished.done():
        return
    if not has_tree:
        if request.choice in _CHOICES_IN_TREE:
            raise InvalidRequest(
                f"the document is still being parsed, so no {request.choice} can be found yet; ask again in a moment",
                field="scope",
            )
        return  # the approximate scope is kept
    approximate = edit.place.scopes
    edit.place.resolve(resolve_scope(request), typed.splices)
    if not edit.is_preview:  # the scope of a preview does not follow the document
        # The exact scope has followed the changes that `typed` recorded, so it receives the next ones in its place.
        edit.channel.replace(typed, edit.place.scopes)
        edit.channel.remove(approximate)


async def best_scope(request: EditRequest) -> Scope:
    """Return the exact scope if the document can be parsed now, else the approximate one."""
    document = request.document
    has_tree = await syntax.wait_for_tree(document.language_id, document.lines)
    return resolve_scope(request) if has_tree else approximate_scope(request)


async def prefetch(request: EditRequest) -> None:
    """Parse and analyse the scope of a likely edit, to fill the caches of `syntax`; only the edit reports errors."""
    document = request.document
    try:
        refuse_too_large(document)
        if not await syntax.wait_for_tree(document.language_id, document.lines):
            return
        scope = resolve_scope(request)
    except TwospeedError:
        return
    await syntax.wait_for_scope_code(document.lines, document.language_id, scope.start, scope.end)
    await sensitive_uses_in(document, sensitivity_of(document, scope))
    await syntax.wait_for_names(document.lines, document.language_id, scope.start, scope.end)
    # The result is in a cache then; `wait_for_names` fills it only for long scopes.
    syntax.names_used(document.lines, document.language_id, scope.start, scope.end)


def approximate_scope(request: EditRequest) -> Scope:
    """Return the scope that needs no tree: the selection, the file, or the block around the cursor."""
    # Without a language `syntax` uses no tree.
    choice = "auto" if request.choice in _CHOICES_IN_TREE else request.choice
    return resolve_scope(replace(request, document=replace(request.document, language_id=""), choice=choice))


def resolve_scope(request: EditRequest) -> Scope:
    """Return the scope of a request, with the instruction comment that it consumes.

    Raises:
        InvalidRequest: There is no scope of the requested kind.
        LimitReached: The scope has more than ``MAX_SCOPE_LINES`` lines.
    """
    scope = _scope_with_comment(request)
    if scope.end - scope.start > MAX_SCOPE_LINES:
        raise LimitReached(
            f"the scope has more than {MAX_SCOPE_LINES:,} lines, the most that one edit may have; select fewer"
        )
    return scope


def _scope_with_comment(request: EditRequest) -> Scope:
    document, line = request.document, request.comment_line
    if line is None:
        return syntax.find_scope(document.lines, document.language_id, request.selection, request.choice)
    # The scope is searched in the document without the comment: at the line below it, or at the line above it if the
    # comment ends a more deeply indented block.
    lines = document.with_edits([LineEdit(line, 1)]).lines
    place = (max(0, line - 1 if _ends_block(document.lines, line) else min(line, len(lines) - 1)), 0)
    scope = syntax.find_scope(lines, document.language_id, (place, place), request.choice)
    return replace(scope, start=min(scope.start, line), end=max(scope.end, line) + 1)


def _ends_block(lines: Sequence[str], line: int) -> bool:
    below = lines[line + 1] if line + 1 < len(lines) else ""
    return not below.strip() or indent_width(below) < indent_width(lines[line])
