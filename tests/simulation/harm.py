"""Find what a change of the server must not do: change other lines than its own, or lose or double typed text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from .import_blocks import why_misplaced
from .ledger import Change, Span, Text
from .watched import Watched, lines_at


def harm_of(watched: Watched, edits: Iterable[Watched], before: Text, spans: Sequence[Span]) -> str | None:
    """Return what a change does and must not do; ``None`` if it is correct.

    Args:
        watched: The edit that makes it.
        edits: All edits of the document, which contains the change.
        before: The text before the change.
        spans: What becomes what.
    """
    others = [other.own for other in edits]
    kept = Counter(watched.ledger.now.text.splitlines())
    kept.subtract(before.text.splitlines())
    gone = {line for line, n in kept.items() if n < 0}
    for start, end, new in spans:
        above, own = watched.split(before, Change(start, before.cut(start, end), Text(new, new)))
        if above and not watched.takes_imports_back(above) and (why := why_misplaced(before, above)):
            return why
        if own and (why := _why_not_own(watched, others, before, own, gone)):
            return why
    after = watched.ledger.now
    runes, were = (Counter(char for char in text.text if watched.is_fresh(char)) for text in (after, before))
    if set(were) != set(runes):
        return f"loses what was typed, or brings it back: {set(were) ^ set(runes)}"
    twice = [rune for rune, n in runes.items() if n > max(1, were[rune])]  # another edit may have copied
    return f"doubles what was typed: {twice}" if twice else None


def _why_not_own(
    watched: Watched, others: Sequence[set[str]], before: Text, change: Change, gone: set[str]
) -> str | None:
    # Both may contain the same line if another edit wrote it while this one is in review, or took it away and gave it back
    # while this one was written (seed 405980 of "lsp-mode" at 03f144e2).
    is_old = {*change.old.text.splitlines()} <= {*(watched.old or "").splitlines()}
    may_be_theirs = is_old or watched.outcome is not None
    # A line of another edit stays if the new lines above it are written as a change of it and lines below: seed 2088057 of
    # "says yes and does nothing, ours" at 7338d674.
    may_be_theirs |= gone.isdisjoint(lines_at(before, change))
    for char, char_id in zip(change.old.text, change.old.ids, strict=True):
        is_own = watched.is_mine(char_id) or (may_be_theirs and any(char_id in own for own in others))
        if char not in "\r\n" and not is_own:
            return f"takes away {char!r} outside of its lines"
    return misplaced(watched, before, change.start, change.end)


def misplaced(watched: Watched, before: Text, start: int, end: int) -> str | None:
    """Return why a change is outside of the scope; ``None`` if it is not."""
    above = before.ids.find(watched.above) if watched.above else -1
    below = before.ids.find(watched.below) if watched.below else -1
    if above >= 0 and start < above:  # a line's end above goes with a document's last lines
        return "writes above its lines"
    # A blank line that was deleted and restored may be above an insertion: seed 7023362 of "Neovim" at e8b4cd34.
    is_below_blanks = not (watched.old or "").strip() and not before.text[below:end].strip()
    if below >= 0 and end > below and not watched.has_borrowed_end(before) and not is_below_blanks:
        return "writes below its lines"
    return None
