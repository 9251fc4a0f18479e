"""Find the blocks of a patch in a document, and apply them.

A block must match exactly once, ignoring trailing white space; if it does not match, with the same shift of
indentation for all lines.

Laws: the result does not depend on the order of the blocks; contradicting blocks are refused; a document of n
lines and blocks of m lines cost O(n + m), with a factor of at most ``MAX_PLACES``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from twospeed.stream.aligner import is_trivial
from twospeed.stream.answers.evidence import Refusal
from twospeed.text.edits import common_ends
from twospeed.text.lines import indent_of

MAX_PLACES = 64
"""Occurrences of a block's rarest line; with more, the block is ambiguous."""

FAR = 20
"""Minimum distance in lines of two places between which line numbers decide: models miscount by a few."""


@dataclass(frozen=True, slots=True)
class HunkRange:
    """A hunk's header: first line, from 1, and number of lines, in both texts."""

    old: int
    n_old: int
    new: int
    n_new: int


@dataclass(frozen=True, slots=True)
class PatchBlock:
    """Lines that a patch searches for, and their replacement."""

    search: Sequence[str]
    replace: Sequence[str]
    # For each line of `replace` its index in `search`, or None for a new one; None if the format does not
    # say.
    kept: Sequence[int | None] | None = None
    numbers: HunkRange | None = None
    within: Sequence[str] = ()  # heads of the enclosing parts of the document, from the outermost on
    title: str = ""  # the line above a search/replace block, such as the name of a file


@dataclass(frozen=True, slots=True)
class Patch:
    """The blocks of an answer, and the prose around them."""

    blocks: Sequence[PatchBlock]
    prose: Sequence[str]


@dataclass(frozen=True, slots=True)
class BlockPlace:
    """The place of a block: first line, and change of indentation to the document's."""

    start: int
    remove: str = ""
    add: str = ""

    def indented(self, line: str) -> str | None:
        """Return a line of the patch with the document's indentation; ``None`` if this is impossible."""
        if not line:
            return line
        return self.add + line.removeprefix(self.remove) if line.startswith(self.remove) else None


@dataclass(frozen=True, slots=True)
class PlacedChange:
    """Lines of a document, from ``start`` up to ``end``, and those that replace them."""

    start: int
    end: int
    lines: Sequence[str]


class LineIndex:
    """Finds the lines of a document by their text; matches in ``scope`` have precedence."""

    def __init__(self, lines: Sequence[str], scope: range | None = None) -> None:
        self.lines = list(lines)
        self._scope = scope
        self._bare = [line.strip() for line in lines]
        self._by_text: dict[str, list[int]] = {}
        for index, text in enumerate(self._bare):
            self._by_text.setdefault(text, []).append(index)

    def find(self, block: PatchBlock, *, by_number: bool) -> BlockPlace | Refusal:
        """Return the only place of a block; ``by_number`` lets its numbers choose between distant places."""
        bare = [line.strip() for line in block.search]
        if not any(bare):
            return Refusal("ambiguous", "the patch does not identify the lines that it changes")
        rarest = min(range(len(bare)), key=lambda index: len(self._by_text.get(bare[index], ())))
        anchors = self._by_text.get(bare[rarest], [])
        if len(anchors) > MAX_PLACES:
            return Refusal("ambiguous", "the lines that the patch changes occur too often in the document")
        starts = [at - rarest for at in anchors if at >= rarest]
        starts = [at for at in starts if self._bare[at : at + len(bare)] == bare]
        shifted = [place for at in starts if (place := self._shifted(block.search, at))]
        shifted = self._in_scope(shifted, len(bare)) or shifted
        places = [place for place in shifted if not place.remove + place.add] or shifted
        if not places:
            return Refusal("not-code", "the patch changes lines that are not in the document")
        if len(places) > 1 and block.within:
            places = self._inside(block.within, places)
        if len(places) > 1 and by_number and block.numbers:
            places = _at_number(block.numbers.old - 1, places)
        if len(places) != 1:
            return Refusal("ambiguous", "the lines that the patch changes occur in several places")
        return places[0]

    def has_exact_numbers(self, blocks: Sequence[PatchBlock]) -> bool:
        """Whether all hunks have correct numbers, as a program writes them."""
        growth = 0
        for block in blocks:
            numbers = block.numbers
            if numbers is None or (numbers.n_old, numbers.n_new) != (len(block.search), len(block.replace)):
                return False
            start = max(0, numbers.old - 1)
            found = [line.rstrip() for line in self.lines[start : start + numbers.n_old]]
            is_there = found == [line.rstrip() for line in block.search] and not all(map(is_trivial, found))
            if not is_there or numbers.new != numbers.old + growth - (numbers.n_new == 0):
                return False
            growth += numbers.n_new - numbers.n_old
        return True

    def _in_scope(self, places: Sequence[BlockPlace], n_lines: int) -> list[BlockPlace]:
        if self._scope is None:
            return []
        last_start = self._scope.stop - n_lines
        return [place for place in places if self._scope.start <= place.start <= last_start]

    def _shifted(self, search: Sequence[str], start: int) -> BlockPlace | None:
        pairs = [
            (indent_of(line), indent_of(in_document))
            for line, in_document in zip(search, self.lines[start : start + len(search)], strict=True)
            if line.strip()
        ]
        in_patch, in_document = pairs[0]
        if in_document.endswith(in_patch):
            place = BlockPlace(start, add=in_document.removesuffix(in_patch))
        elif in_patch.endswith(in_document):
            place = BlockPlace(start, remove=in_patch.removesuffix(in_document))
        else:
            return None
        return (
            place
            if all(place.indented(in_patch + ".") == in_document + "." for in_patch, in_document in pairs)
            else None
        )

    def _inside(self, heads: Sequence[str], places: Sequence[BlockPlace]) -> list[BlockPlace]:
        # All places are returned if a head is ambiguous.
        low, high = 0, len(self.lines)
        for head in heads:
            everywhere = self._by_text.get(head.strip(), [])
            if len(everywhere) > MAX_PLACES:
                return list(places)
            found = [at for at in everywhere if low <= at < high]
            if len(found) != 1:
                return list(places)
            low, high = found[0] + 1, min(high, self._ends[found[0]])
        return [place for place in places if low <= place.start < high]

    @cached_property
    def _ends(self) -> list[int]:
        # For each line the next one that is not indented below it.
        ends = [len(self.lines)] * len(self.lines)
        open_lines: list[tuple[int, int]] = []
        for index, line in enumerate(self.lines):
            if is_trivial(line):
                continue
            depth = len(indent_of(line))
            while open_lines and open_lines[-1][0] >= depth:
                ends[open_lines.pop()[1]] = index
            open_lines.append((depth, index))
        return ends


def changes_of(index: LineIndex, blocks: Sequence[PatchBlock]) -> list[PlacedChange] | Refusal:
    """Return what all blocks change in a document, or a refusal."""
    by_number = index.has_exact_numbers(blocks)
    changes: list[PlacedChange] = []
    for block in blocks:
        place = index.find(block, by_number=by_number)
        if isinstance(place, Refusal):
            return place
        new = _new_lines_of(block, place, index.lines)
        if isinstance(new, Refusal):
            return new
        start, end = place.start, place.start + len(block.search)
        head, tail = common_ends(index.lines[start:end], new)
        changes.append(PlacedChange(start + head, end - tail, new[head : len(new) - tail]))
    changes = list({(each.start, each.end, tuple(each.lines)): each for each in changes}.values())
    if _contradict(changes):
        return Refusal("ambiguous", "parts of the patch change the same lines")
    return changes


def _at_number(start: int, places: Sequence[BlockPlace]) -> list[BlockPlace]:
    near = [place for place in places if abs(place.start - start) <= FAR]
    return near if [place.start for place in near] == [start] else list(places)


def _new_lines_of(block: PatchBlock, place: BlockPlace, lines: Sequence[str]) -> list[str] | Refusal:
    # Kept lines are the document's own, including white space.
    kept = block.kept or _kept(block, place, lines)
    if kept is None:
        return Refusal("indentation", "the patch omits white space at the ends of lines that it keeps")
    blank = [
        (line, lines[place.start + index]) for index, line in enumerate(block.search) if not line.strip()
    ]
    has_empty_lines = any(line for line, _ in blank) and not any(own for _, own in blank)
    new: list[str] = []
    for line, index in zip(block.replace, kept, strict=True):
        if has_empty_lines and not line.strip():
            new.append("")
            continue
        text = place.indented(line) if index is None else lines[place.start + index]
        if text is None:
            return Refusal("indentation", "the patch is indented differently from the document")
        new.append(text)
    return new


def _kept(block: PatchBlock, place: BlockPlace, lines: Sequence[str]) -> list[int | None] | None:
    """Return for each new line its index among the old ones, if it lost trailing white space.

    Such a line differs from a new one only if it occurs as often as before, in order, or never.
    """
    old: dict[str, list[int]] = {}
    for index, line in enumerate(block.search):
        old.setdefault(line.rstrip(), []).append(index)
    trimmed = {
        text
        for text, indexes in old.items()
        if any(place.indented(block.search[index]) != lines[place.start + index] for index in indexes)
    }
    if not any(lines[place.start + index] for index in old.get("", ())):
        trimmed.discard("")  # the document's blank lines are empty, so new ones must be
    if not trimmed:
        return [None] * len(block.replace)
    counts = Counter(line.rstrip() for line in block.replace)
    stays = {text: iter(indexes) for text, indexes in old.items() if counts[text] == len(indexes)}
    kept = [next(stays[text]) if (text := line.rstrip()) in stays else None for line in block.replace]
    in_order = [index for index in kept if index is not None]
    if in_order != sorted(in_order) or any(counts[text] and text not in stays for text in trimmed):
        return None
    return [
        index if line.rstrip() in trimmed else None for line, index in zip(block.replace, kept, strict=True)
    ]


def _contradict(changes: Sequence[PlacedChange]) -> bool:
    lines: dict[int, int] = {}
    gaps: dict[int, int] = {}
    for number, change in enumerate(changes):
        if change.start == change.end and change.lines and gaps.setdefault(change.start, number) != number:
            return True
        if any(lines.setdefault(line, number) != number for line in range(change.start, change.end)):
            return True
    return any(
        gaps.get(line, number) != number
        for number, change in enumerate(changes)
        for line in range(change.start + 1, change.end)
    )


def spliced(lines: Sequence[str], changes: Sequence[PlacedChange]) -> list[str]:
    """Return the lines of a document after all changes."""
    result: list[str] = []
    at = 0
    for change in sorted(changes, key=lambda change: (change.start, change.end)):
        result += [*lines[at : change.start], *change.lines]
        at = change.end
    return [*result, *lines[at:]]
