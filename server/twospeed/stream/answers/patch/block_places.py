"""Find the blocks of a patch in a document, and apply them.

A block stands where all its lines do, white space at their ends apart. Where it stands nowhere, it may stand indented
otherwise, all lines by the same amount; never more loosely. It has to stand there once.

Laws: what is found is independent of the blocks' order; blocks that contradict each other are refused; a document
of n lines and blocks of m lines together cost O(n + m), whatever repeats: ``MAX_PLACES`` bounds the factor.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from twospeed.stream.aligner import is_trivial
from twospeed.stream.answers.evidence import Refusal, indent_of
from twospeed.text.edits import common_ends

MAX_PLACES = 64
"""Places of a block's rarest line that are looked at; where it stands oftener, nothing can be told by it."""

FAR = 20
"""Lines two places must be apart for a diff's numbers to choose between them: models miscount by a few."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """What a hunk's header says: first line, counted from 1, and number of lines, in the old and the new text."""

    old: int
    n_old: int
    new: int
    n_new: int


@dataclass(frozen=True, slots=True)
class PatchBlock:
    """Lines a patch looks for, and what becomes of them.

    Attributes:
        search: The lines that stand in the document.
        replace: The lines that stand there afterwards.
        kept: For each line of ``replace`` its index in ``search``, ``None`` for a new one; or ``None`` altogether where
            the format does not say.
        numbers: Where the patch says the lines are.
        within: Lines that head the part of the document they are in, from the outermost on.
    """

    search: Sequence[str]
    replace: Sequence[str]
    kept: Sequence[int | None] | None = None
    numbers: Numbers | None = None
    within: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Patch:
    """The blocks of an answer, and its lines beside them."""

    blocks: Sequence[PatchBlock]
    talk: Sequence[str]


@dataclass(frozen=True, slots=True)
class BlockPlace:
    """Where a block stands: its first line, and how the patch's indentation becomes the document's."""

    start: int
    remove: str = ""
    add: str = ""

    def indented(self, line: str) -> str | None:
        """Indent a line of the patch as the document is; ``None`` where it does not have what must go."""
        if not line:
            return line
        return self.add + line.removeprefix(self.remove) if line.startswith(self.remove) else None


@dataclass(frozen=True, slots=True)
class _Change:
    """Lines ``start`` up to ``end`` become ``lines``."""

    start: int
    end: int
    lines: Sequence[str]


class LineIndex:
    """The lines of a document by their text.

    Args:
        lines: All of them, without line ends.
        scope: Those that blocks mean where they stand there, though they may stand elsewhere too; ``None`` for none.
    """

    def __init__(self, lines: Sequence[str], scope: range | None = None) -> None:
        self.lines = list(lines)
        self._scope = scope
        self._bare = [line.strip() for line in lines]
        self._by_text: dict[str, list[int]] = {}
        for index, text in enumerate(self._bare):
            self._by_text.setdefault(text, []).append(index)

    def find(self, block: PatchBlock, *, by_number: bool) -> BlockPlace | Refusal:
        """Find the one place of a block.

        Args:
            block: What to find.
            by_number: Whether its numbers may choose between places far apart.
        """
        bare = [line.strip() for line in block.search]
        if not any(bare):
            return Refusal("ambiguous", "the patch does not say which lines it changes")
        rarest = min(range(len(bare)), key=lambda index: len(self._by_text.get(bare[index], ())))
        anchors = self._by_text.get(bare[rarest], [])
        if len(anchors) > MAX_PLACES:
            return Refusal("ambiguous", "the lines that the patch changes repeat all over the document")
        starts = [at - rarest for at in anchors if at >= rarest]
        starts = [at for at in starts if self._bare[at : at + len(bare)] == bare]
        shifted = [place for at in starts if (place := self._shifted(block.search, at))]
        shifted = self._in_scope(shifted, len(bare)) or shifted
        places = [place for place in shifted if not place.remove + place.add] or shifted
        if not places:
            return Refusal("not-code", "the patch changes lines that the document does not hold")
        if len(places) > 1 and block.within:
            places = self._inside(block.within, places)
        if len(places) > 1 and by_number and block.numbers:
            places = _at_number(block.numbers.old - 1, places)
        if len(places) != 1:
            return Refusal("ambiguous", "the lines that the patch changes stand in several places")
        return places[0]

    def agree_with(self, blocks: Sequence[PatchBlock]) -> bool:
        """Whether the numbers of all hunks are there and right, as a program would write them."""
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
        """Return how far lines that are the same but for white space are indented otherwise, if all alike."""
        pairs = [
            (indent_of(line), indent_of(ours))
            for line, ours in zip(search, self.lines[start : start + len(search)], strict=True)
            if line.strip()
        ]
        theirs, ours = pairs[0]
        if ours.endswith(theirs):
            place = BlockPlace(start, add=ours.removesuffix(theirs))
        elif theirs.endswith(ours):
            place = BlockPlace(start, remove=theirs.removesuffix(ours))
        else:
            return None
        return place if all(place.indented(theirs + ".") == ours + "." for theirs, ours in pairs) else None

    def _inside(self, heads: Sequence[str], places: Sequence[BlockPlace]) -> list[BlockPlace]:
        """Return the places that are indented below all of some lines, if it can be told."""
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
        """For each line the next one that is not indented below it; lone brackets end nothing."""
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


def apply_blocks(places: LineIndex, blocks: Sequence[PatchBlock]) -> list[str] | Refusal:
    """Apply all blocks to a document, or none.

    Returns:
        The document's new lines.
    """
    by_number = places.agree_with(blocks)
    changes: list[_Change] = []
    for block in blocks:
        place = places.find(block, by_number=by_number)
        if isinstance(place, Refusal):
            return place
        new = _written(block, place, places.lines)
        if isinstance(new, Refusal):
            return new
        start, end = place.start, place.start + len(block.search)
        head, tail = common_ends(places.lines[start:end], new)
        changes.append(_Change(start + head, end - tail, new[head : len(new) - tail]))
    changes = list({(each.start, each.end, tuple(each.lines)): each for each in changes}.values())
    if _contradict(changes):
        return Refusal("ambiguous", "parts of the patch change the same lines")
    return _spliced(places.lines, changes)


def _at_number(start: int, places: Sequence[BlockPlace]) -> list[BlockPlace]:
    near = [place for place in places if abs(place.start - start) <= FAR]
    return near if [place.start for place in near] == [start] else list(places)


def _written(block: PatchBlock, place: BlockPlace, lines: Sequence[str]) -> list[str] | Refusal:
    """Return a block's new lines; a line that stays is the document's own, white space and all."""
    kept = block.kept or _kept(block, place, lines)
    if kept is None:
        return Refusal("indentation", "the patch has lost white space at the ends of lines that it keeps")
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
            return Refusal("indentation", "the patch is not indented as the document is")
        new.append(text)
    return new


def _kept(block: PatchBlock, place: BlockPlace, lines: Sequence[str]) -> list[int | None] | None:
    """Tell which new lines are old ones that lost white space at their end.

    Such a line is told from a new one only if it stays as often as it was there, in its place, or goes altogether.
    """
    old: dict[str, list[int]] = {}
    for index, line in enumerate(block.search):
        old.setdefault(line.rstrip(), []).append(index)
    bent = {
        text
        for text, indexes in old.items()
        if any(place.indented(block.search[index]) != lines[place.start + index] for index in indexes)
    }
    if not any(lines[place.start + index] for index in old.get("", ())):
        bent.discard("")  # the document's blank lines are empty, so new ones are too
    if not bent:
        return [None] * len(block.replace)
    counts = Counter(line.rstrip() for line in block.replace)
    stays = {text: iter(indexes) for text, indexes in old.items() if counts[text] == len(indexes)}
    kept = [next(stays[text]) if (text := line.rstrip()) in stays else None for line in block.replace]
    in_order = [index for index in kept if index is not None]
    if in_order != sorted(in_order) or any(counts[text] and text not in stays for text in bent):
        return None
    return [index if line.rstrip() in bent else None for line, index in zip(block.replace, kept, strict=True)]


def _contradict(changes: Sequence[_Change]) -> bool:
    """Whether two blocks change the same line, or insert at the same place; what one shows as it is the other may change."""
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


def _spliced(lines: Sequence[str], changes: Sequence[_Change]) -> list[str]:
    """Return the document's lines with changes that do not touch each other."""
    result: list[str] = []
    at = 0
    for change in sorted(changes, key=lambda change: (change.start, change.end)):
        result += [*lines[at : change.start], *change.lines]
        at = change.end
    return [*result, *lines[at:]]
