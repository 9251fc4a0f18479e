"""The trees of documents: found again, brought up to date, or made.

Nothing is parsed on a keystroke. Whoever needs a tree asks for it by the lines; the last trees of each document are
kept, and a new version is parsed from the nearest of them, so that only what changed costs anything. What would take
too long for the event loop, the first parse of a large document, is `background`'s work, in a thread.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING

from twospeed.syntax.languages import LanguageProfile, profile_for
from twospeed.text.line_blocks import Lines
from twospeed.text.lines import body_of

from .allocator import HeapTrimmer, trim_heap
from .parsing import moved_along, parse_lines, trimmed_gaps

if TYPE_CHECKING:  # see parsing
    from tree_sitter import Node, Point, Tree

MAX_DOCUMENT_BYTES = 2 * 1024 * 1024
"""A source file of 50,000 lines has 1.8 MB, its tree 39 MB; 10 MB of JavaScript took 911 MB."""

MAX_LINE_LENGTH = 20_000
PARSE_LIMIT_S = 0.5
"""Processor time. Helix gives up after the same span (helix-editor/helix, ``tree_sitter`` timeout); 2 MiB of
ordinary code take half of it, hostile input of that size may take seconds."""

QUICK_BYTES = 64 * 1024
"""What may be parsed at once, by whoever asks: some 8 ms. Reparsing a change of this size takes no longer."""

_QUICK_LIMIT_S = 0.1
"""Processor time that others may have to wait for; only what is hostile, or turns half of a document into a string, gets
there."""

MAX_DEPTH = 12_000
"""Nodes around a place that are looked at, in 6 ms; a sum of 2,000 terms is 2,000 nodes deep, people nest twenty."""

_VERSIONS_KEPT = 3
_BYTES_KEPT = 4 * 1024 * 1024
"""Documents, by their size, whose trees are kept; a tree takes some twenty times as much."""

_CLOSED_KEPT = 4
"""Closed documents whose newest tree is kept: an editor may close a document and open it again in a moment."""


@dataclass(frozen=True, slots=True)
class SourceTree:
    """The parsed lines of one document.

    Attributes:
        profile: The language.
        lines: As given, with their line ends.
        tree: Rows are indices of ``lines``; columns are UTF-8 bytes.
    """

    profile: LanguageProfile
    lines: Lines
    tree: Tree

    @property
    def root(self) -> Node:
        """The node of the whole document."""
        return self.tree.root_node

    def column(self, point: Point) -> int:
        """Turn a place of the tree into the column, in code points, on its line."""
        return column_at(self.lines[point.row], point.column) if point.row < len(self.lines) else 0

    def place(self, point: Point) -> tuple[int, int]:
        """Turn a place of the tree into a line and a column in code points."""
        return point.row, self.column(point)

    def point(self, line: int, column: int) -> tuple[int, int]:
        """Turn a line and a column in code points into a place of the tree."""
        return line, len(_encoded(self.lines[line][:column]))

    def path_to(self, line: int, column: int, known: Iterable[Node] = ()) -> list[Node]:
        """List the nodes around the character at a place, outermost first.

        Args:
            line: 0-based line.
            column: Code points from the line's start.
            known: Nodes around a place nearby, innermost first, to begin at the first of them that holds the place.

        Returns:
            At least the node begun at, which is the root where none of the known ones holds the place; of those below it
            the outermost ``MAX_DEPTH``.

        Cost: linear in the depth, 8 ms at most. Going down with a cursor is: asking 50,000 nested nodes for their ``parent``
        takes a minute, since each starts again from the root.
        """
        point = self.point(line, column)
        path = [next((node for node in known if _holds(node, point)), self.root)]
        cursor = path[0].walk()
        for _ in range(MAX_DEPTH):
            if cursor.goto_first_child_for_point(point) is None:
                break
            node = cursor.node
            assert node
            if not _holds(node, point):
                break
            path.append(node)
        return path

    def text_of(self, node: Node) -> str:
        r"""Return a node's text, with ``\n`` for every line end."""
        (first, start), (last, end) = self.place(node.start_point), self.place(node.end_point)
        if first == last:
            return self.lines[first][start:end]
        *whole, rest = self.lines[first : last + 1] if last < len(self.lines) else (*self.lines[first:], "")
        return "\n".join([*map(body_of, whole), rest[:end]])[start:]


def column_at(line: str, byte_column: int) -> int:
    """Turn a column of a line in UTF-8 bytes into code points.

    Cost: that of `_PIECE_BYTES`, however long the line is, but for the first column asked of it.
    """
    if line.isascii():
        return min(byte_column, len(line))
    encoded, starts = _measured(line)
    number = min(byte_column // _PIECE_BYTES, len(starts) - 1)
    return starts[number] + _n_characters(encoded[number * _PIECE_BYTES : byte_column])


_PIECE_BYTES = 256
_CONTINUATION = bytes(range(0x80, 0xC0))
"""Bytes of UTF-8 that do not begin a character (RFC 3629)."""


@lru_cache(maxsize=16)
def _measured(line: str) -> tuple[bytes, list[int]]:
    """Return a line's bytes, and how many characters begin before each piece of them."""
    encoded = _encoded(line)
    pieces = (encoded[at : at + _PIECE_BYTES] for at in range(0, len(encoded), _PIECE_BYTES))
    return encoded, list(accumulate(map(_n_characters, pieces), initial=0))


def _n_characters(encoded: bytes) -> int:
    return len(encoded.translate(None, _CONTINUATION))


def _holds(node: Node, point: tuple[int, int]) -> bool:
    return node.start_point <= point < node.end_point


class _KeptTrees:
    """The last trees of the documents used last; shared by threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._trees: OrderedDict[tuple[str, object], list[SourceTree]] = OrderedDict()
        self._trimmer = HeapTrimmer(trim_heap)
        self._closed: OrderedDict[tuple[str, object], None] = OrderedDict()
        self._hopeless: deque[Lines] = deque(maxlen=_VERSIONS_KEPT)
        self._being_parsed: dict[object, Lines] = {}

    def of(self, language_id: str, lines: Lines) -> list[SourceTree]:
        """Return the trees of a document's versions, newest last."""
        with self._lock:
            key = (language_id, lines.family)
            if key in self._trees:
                self._trees.move_to_end(key)
            return list(self._trees.get(key, ()))

    def find(self, language_id: str, lines: Lines) -> SourceTree | None:
        """Find the tree of these lines: of this version, or of a document that was closed and is open again."""
        kept = self.of(language_id, lines)
        for source in reversed(kept):
            if source.lines is lines or source.lines == lines:
                return source
        if kept or not (twin := self.equal_to(language_id, lines)):
            return None
        source = replace(twin, lines=lines)
        self.keep(source)
        return source

    def equal_to(self, language_id: str, lines: Lines | tuple[str, ...]) -> SourceTree | None:
        """Find the tree of any document that has these lines."""
        with self._lock:
            kept = [
                source
                for (known, _), trees in self._trees.items()
                if known == language_id
                for source in trees
            ]
        return next((source for source in reversed(kept) if source.lines == lines), None)

    def keep(self, source: SourceTree) -> None:
        """Keep a tree, and let go of the oldest."""
        key = (source.profile.language_id, source.lines.family)
        with self._lock:
            self._trees[key] = [*self._trees.get(key, ()), source][-_VERSIONS_KEPT:]
            self._trees.move_to_end(key)
            while len(self._trees) > 1 and self._n_bytes() > _BYTES_KEPT:
                self._trees.popitem(last=False)
        self._trimmer.note_tree(source.lines.n_bytes)

    def close(self, lines: Lines) -> None:
        """Let go of all but the newest tree of a closed document, and of that when more documents were closed."""
        with self._lock:
            for key in [key for key in self._trees if key[1] is lines.family]:
                self._trees[key] = self._trees[key][-1:]
                self._closed[key] = None
            while len(self._closed) > _CLOSED_KEPT:
                oldest, _ = self._closed.popitem(last=False)
                self._trees.pop(oldest, None)

    def give_up(self, lines: Lines) -> None:
        """Remember a version that takes too long to parse, so that nobody tries it again and again."""
        with self._lock:
            self._hopeless.append(lines)

    def is_hopeless(self, lines: Lines) -> bool:
        """Whether a version was given up."""
        with self._lock:
            return any(known is lines for known in self._hopeless)

    @contextmanager
    def parsing(self, lines: Lines) -> Iterator[None]:
        """Mark a version that a thread is at work on; several may be."""
        mark = object()
        with self._lock:
            self._being_parsed[mark] = lines
        try:
            yield
        finally:
            with self._lock:
                del self._being_parsed[mark]

    def is_being_parsed(self, lines: Lines) -> bool:
        """Whether a thread is at work on a version, which need not be done twice."""
        with self._lock:
            return any(other is lines for other in self._being_parsed.values())

    def _n_bytes(self) -> int:
        return sum(trees[-1].lines.n_bytes for trees in self._trees.values())


_kept = _KeptTrees()


def parse(language_id: str, lines: Sequence[str]) -> SourceTree | None:
    """Return a document's tree if it is at hand, or can be made without keeping anybody waiting.

    Args:
        language_id: LSP language id.
        lines: With their line ends, the last without one (``text.lines.split_lines``).

    Returns:
        The tree, or ``None`` where there is no grammar, the document is larger than ``MAX_DOCUMENT_BYTES`` or has a
        line longer than ``MAX_LINE_LENGTH``, or parsing would take long: then `background.wait_for_tree` helps.

    Cost: next to nothing for lines that were parsed before, 8 ms at most for others.
    """
    return _parse(language_id, lines, is_patient=False)


def followed(language_id: str, lines: Lines) -> SourceTree | None:
    """Return the tree of an earlier version, moved along with what has changed since, but not parsed again.

    Functions are where they were, a little longer or shorter: after a keystroke that turns half of a document into a
    string that is nearer to what a person means than what the parser will say. Of no use to tell errors.

    Returns:
        ``None`` where no version is kept, or more than ``QUICK_BYTES`` have changed.

    Cost: next to nothing.
    """
    base = _followable(language_id, lines)
    return base and SourceTree(base.profile, lines, moved_along(base.tree, base.lines, lines))


def can_be_followed(language_id: str, lines: Lines) -> bool:
    """Whether `followed` has a tree."""
    return _followable(language_id, lines) is not None


def _followable(language_id: str, lines: Lines) -> SourceTree | None:
    if not can_be_parsed(language_id, lines):
        return None
    base, n_changed = _nearest(_kept.of(language_id, lines), lines)
    return base if n_changed <= QUICK_BYTES else None


def parse_fully(language_id: str, lines: Sequence[str], *, is_fresh: bool = False) -> SourceTree | None:
    """Parse a document however large, for a thread of its own; holds the interpreter for a few milliseconds at a time.

    Args:
        language_id: LSP language id.
        lines: As for `parse`.
        is_fresh: Look at no earlier tree. Where code is broken, what the parser makes of it may depend on that.

    Returns:
        As `parse`; ``None`` also where it would have taken longer than ``PARSE_LIMIT_S``.

    Cost: 50 ms for 10,000 lines of Python, or 3 ms after a change of a line.
    """
    return _parse(language_id, lines, is_patient=True, is_fresh=is_fresh)


def being_parsed(lines: Lines) -> AbstractContextManager[None]:
    """Let `parse` know that a thread will parse these lines, so that it does not do the same work."""
    return _kept.parsing(lines)


def forget_closed(lines: Lines) -> None:
    """Let go of the trees of a document that is closed, but for the newest of the last few such documents.

    Args:
        lines: Any version of it.
    """
    _kept.close(lines)


def can_be_parsed(language_id: str, lines: Sequence[str]) -> bool:
    """Whether there is a grammar and the document is within the limits."""
    if profile_for(language_id) is None:
        return False
    own = _own(language_id, lines)
    return own.longest <= MAX_LINE_LENGTH and own.n_bytes <= MAX_DOCUMENT_BYTES


def is_at_hand(language_id: str, lines: Lines) -> bool:
    """Whether `parse` will not need a thread's help: the tree is there, soon made, or will never be."""
    if not can_be_parsed(language_id, lines) or lines.n_bytes <= QUICK_BYTES or _kept.is_hopeless(lines):
        return True
    return any(source.lines is lines for source in _kept.of(language_id, lines))


def _parse(
    language_id: str, lines: Sequence[str], *, is_patient: bool, is_fresh: bool = False
) -> SourceTree | None:
    lines = _own(language_id, lines)
    profile = profile_for(language_id)
    if profile is None or not can_be_parsed(language_id, lines):
        return None
    if not is_fresh and (source := _kept.find(profile.language_id, lines)):
        return source
    if _kept.is_hopeless(lines):
        return None
    kept = [] if is_fresh else _kept.of(language_id, lines)
    base, n_changed = _nearest(kept, lines)
    if not is_patient and (n_changed > QUICK_BYTES or _kept.is_being_parsed(lines)):
        return None
    tree = parse_lines(
        profile,
        lines,
        limit_s=PARSE_LIMIT_S if is_patient else _QUICK_LIMIT_S,
        base=(base.tree, base.lines) if base else None,
    )
    if tree is None:
        # A thread may have more patience; and what takes long afresh may be quick from an earlier tree.
        if not is_fresh and (is_patient or lines.n_bytes <= QUICK_BYTES):
            _kept.give_up(lines)
        return None
    source = SourceTree(profile, lines, tree)
    if not is_fresh:
        _kept.keep(source)
    return source


def _nearest(kept: Sequence[SourceTree], lines: Lines) -> tuple[SourceTree | None, int]:
    """Find the kept version that least has to be parsed again from, and how many characters that is."""
    nearest, fewest = None, lines.n_bytes
    for source in reversed(kept):
        n_changed = sum(
            sum(map(len, lines[gap.new_start : gap.new_end]))
            + sum(map(len, source.lines[gap.start : gap.end]))
            for gap in trimmed_gaps(source.lines, lines)
        )
        if n_changed < fewest:
            nearest, fewest = source, n_changed
    return nearest, fewest


def _own(language_id: str, lines: Sequence[str]) -> Lines:
    """Return lines in the form that is parsed; a plain sequence is looked up among those of the kept trees."""
    if isinstance(lines, Lines):
        return lines
    plain = tuple(lines)
    twin = _kept.equal_to(language_id, plain)
    return twin.lines if twin else Lines.of(plain)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")
