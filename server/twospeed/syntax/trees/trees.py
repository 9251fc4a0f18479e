"""The trees of documents: cached, updated or parsed.

A new version is parsed from the nearest kept one, so the cost depends on the change. `background` first
parses a large document in a thread.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Generic, TypeVar

from twospeed.syntax.languages import LanguageProfile, profile_for
from twospeed.text.line_blocks import Lines
from twospeed.text.lines import body_of

from .allocator import HeapTrimmer, trim_heap
from .parsing import parse_lines, shifted, trimmed_gaps

if TYPE_CHECKING:  # see trees
    from tree_sitter import Node, Point, Tree

MAX_DOCUMENT_BYTES = 2 * 1024 * 1024
"""A source file of 50,000 lines has 1.8 MB, its tree 39 MB."""

MAX_LINE_LENGTH = 20_000
PARSE_LIMIT_S = 0.5
"""Limit of processor time, as in Helix. 2 MiB of ordinary code take half of it."""

QUICK_BYTES = 64 * 1024
"""Documents and changes up to this size are parsed at once by the caller, in about 8 ms."""

_QUICK_LIMIT_S = 0.1
"""Limit of processor time on the event loop. Only hostile input, or a new quote, reaches it."""

MAX_DEPTH = 12_000
"""Limit of nodes around a place, visited in 6 ms. A sum of 2,000 terms is 2,000 nodes deep."""

_VERSIONS_KEPT = 3
_BYTES_KEPT = 4 * 1024 * 1024
"""Size of the documents whose trees are kept. A tree takes about twenty times as much."""

_CLOSED_KEPT = 4
"""An editor may close and reopen a document."""


@dataclass(frozen=True, slots=True)
class SourceTree:
    """The parsed lines of one document.

    Attributes:
        lines: The lines, with line ends.
        tree: Its rows are indexes of ``lines``, its columns are UTF-8 bytes.
    """

    profile: LanguageProfile
    lines: Lines
    tree: Tree

    @property
    def root(self) -> Node:
        """The node of the whole document."""
        return self.tree.root_node

    def column(self, point: Point) -> int:
        """Convert a point of the tree to a column in code points."""
        return column_at(self.lines[point.row], point.column) if point.row < len(self.lines) else 0

    def place(self, point: Point) -> tuple[int, int]:
        """Convert a point of the tree to a line and a column in code points."""
        return point.row, self.column(point)

    def point(self, line: int, column: int) -> tuple[int, int]:
        """Convert a line and a column in code points to a point of the tree."""
        return line, len(_encoded(self.lines[line][:column]))

    def path_to(self, line: int, column: int, known: Iterable[Node] = ()) -> list[Node]:
        """Return the nodes around a character, outermost first, from the first of ``known`` that contains it.

        Cost: linear in the depth, at most 8 ms. ``Node.parent`` starts from the root each time: a minute for 50,000
        levels.
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
        r"""Return the text of a node, with ``\n`` for every line end."""
        return self.text_between(node.start_point, node.end_point)

    def text_between(self, begin: Point, stop: Point) -> str:
        r"""Return the text between two points, with ``\n`` for every line end."""
        (first, start), (last, end) = self.place(begin), self.place(stop)
        if first == last:
            return self.lines[first][start:end]
        *whole, rest = self.lines[first : last + 1] if last < len(self.lines) else (*self.lines[first:], "")
        return "\n".join([*map(body_of, whole), rest[:end]])[start:]


def column_at(line: str, byte_column: int) -> int:
    """Convert a column in UTF-8 bytes to code points. The first call for a line measures all of it."""
    if line.isascii():
        return min(byte_column, len(line))
    encoded, starts = _measured(line)
    number = min(byte_column // _PIECE_BYTES, len(starts) - 1)
    return starts[number] + _n_characters(encoded[number * _PIECE_BYTES : byte_column])


_PIECE_BYTES = 256
_CONTINUATION = bytes(range(0x80, 0xC0))
"""Bytes of UTF-8 that do not start a character (RFC 3629)."""


@lru_cache(maxsize=16)
def _measured(line: str) -> tuple[bytes, list[int]]:
    encoded = _encoded(line)
    pieces = (encoded[at : at + _PIECE_BYTES] for at in range(0, len(encoded), _PIECE_BYTES))
    return encoded, list(accumulate(map(_n_characters, pieces), initial=0))


def _n_characters(encoded: bytes) -> int:
    return len(encoded.translate(None, _CONTINUATION))


def _holds(node: Node, point: tuple[int, int]) -> bool:
    return node.start_point <= point < node.end_point


class _KeptTrees:
    """The last trees of recently used documents, shared by threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._trees: OrderedDict[tuple[str, object], list[SourceTree]] = OrderedDict()
        self._trimmer = HeapTrimmer(trim_heap)
        self._closed: OrderedDict[tuple[str, object], None] = OrderedDict()
        self._too_slow: deque[Lines] = deque(maxlen=_VERSIONS_KEPT)
        self._being_parsed: dict[object, Lines] = {}

    def of(self, language_id: str, lines: Lines) -> list[SourceTree]:
        """Return the trees of the versions of a document, newest last."""
        with self._lock:
            key = (language_id, lines.family)
            if key in self._trees:
                self._trees.move_to_end(key)
            return list(self._trees.get(key, ()))

    def find(self, language_id: str, lines: Lines) -> SourceTree | None:
        """Return the tree of these lines, also if their document was closed and reopened."""
        kept = self.of(language_id, lines)
        for source in reversed(kept):
            if source.lines is lines or source.lines == lines:
                return source
        if kept or not (equal := self.equal_to(language_id, lines)):
            return None
        source = replace(equal, lines=lines)
        self.keep(source)
        return source

    def equal_to(self, language_id: str, lines: Lines | tuple[str, ...]) -> SourceTree | None:
        """Return the tree of any document with these lines."""
        with self._lock:
            kept = [
                source
                for (known, _), trees in self._trees.items()
                if known == language_id
                for source in trees
            ]
        return next((source for source in reversed(kept) if source.lines == lines), None)

    def keep(self, source: SourceTree) -> None:
        """Store a tree, and drop the oldest ones."""
        key = (source.profile.language_id, source.lines.family)
        with self._lock:
            self._trees[key] = [*self._trees.get(key, ()), source][-_VERSIONS_KEPT:]
            self._trees.move_to_end(key)
            while len(self._trees) > 1 and self._n_bytes() > _BYTES_KEPT:
                self._trees.popitem(last=False)
        self._trimmer.count_tree(source.lines.n_bytes)

    def close(self, lines: Lines) -> None:
        """Drop the trees of a closed document except the newest, and that one after further closings."""
        with self._lock:
            for key in [key for key in self._trees if key[1] is lines.family]:
                self._trees[key] = self._trees[key][-1:]
                self._closed[key] = None
            while len(self._closed) > _CLOSED_KEPT:
                oldest, _ = self._closed.popitem(last=False)
                self._trees.pop(oldest, None)

    def mark_too_slow(self, lines: Lines) -> None:
        """Record a version that takes too long to parse."""
        with self._lock:
            self._too_slow.append(lines)

    def is_too_slow(self, lines: Lines) -> bool:
        """Return whether a version takes too long to parse."""
        with self._lock:
            return any(known is lines for known in self._too_slow)

    @contextmanager
    def parsing(self, lines: Lines) -> Iterator[None]:
        """Record that a thread parses a version. Several threads may."""
        mark = object()
        with self._lock:
            self._being_parsed[mark] = lines
        try:
            yield
        finally:
            with self._lock:
                del self._being_parsed[mark]

    def is_being_parsed(self, lines: Lines) -> bool:
        """Return whether a thread parses a version."""
        with self._lock:
            return any(other is lines for other in self._being_parsed.values())

    def _n_bytes(self) -> int:
        return sum(trees[-1].lines.n_bytes for trees in self._trees.values())


_kept = _KeptTrees()


def parse(language_id: str, lines: Sequence[str]) -> SourceTree | None:
    """Return the tree of a document if it is cached or can be parsed quickly, in at most 8 ms.

    ``None`` also without a grammar or above a limit of size. See `background.wait_for_tree`.
    """
    return _parse(language_id, lines, is_patient=False)


def shifted_tree(language_id: str, lines: Lines) -> SourceTree | None:
    """Return the tree of an earlier version, adjusted to the changes but not parsed again.

    After a keystroke that turns half of a document into a string, it is closer to the user's intent than a parse.
    It does not show errors. ``None`` if more than ``QUICK_BYTES`` have changed.
    """
    base = _base_version(language_id, lines)
    return base and SourceTree(base.profile, lines, shifted(base.tree, base.lines, lines))


def has_shifted_tree(language_id: str, lines: Lines) -> bool:
    """Return whether `shifted_tree` has a tree."""
    return _base_version(language_id, lines) is not None


def _base_version(language_id: str, lines: Lines) -> SourceTree | None:
    if not can_be_parsed(language_id, lines):
        return None
    base, n_changed = _nearest(_kept.of(language_id, lines), lines)
    return base if n_changed <= QUICK_BYTES else None


def parse_fully(language_id: str, lines: Sequence[str], *, is_fresh: bool = False) -> SourceTree | None:
    """Parse a document of any allowed size, in a thread, within ``PARSE_LIMIT_S``.

    With ``is_fresh`` no earlier tree is used, because the tree of broken code may depend on it.
    Cost: 50 ms for 10,000 lines of Python, or 3 ms after a change of a line.
    """
    return _parse(language_id, lines, is_patient=True, is_fresh=is_fresh)


def being_parsed(lines: Lines) -> AbstractContextManager[None]:
    """Record that a thread parses these lines, so that `parse` does not do the same work."""
    return _kept.parsing(lines)


def forget_closed(lines: Lines) -> None:
    """Drop the trees of a closed document, except the newest of the last few such documents."""
    _kept.close(lines)


def can_be_parsed(language_id: str, lines: Sequence[str]) -> bool:
    """Return whether there is a grammar and the document is within the limits."""
    if profile_for(language_id) is None:
        return False
    own = _as_lines(language_id, lines)
    return own.longest <= MAX_LINE_LENGTH and own.n_bytes <= MAX_DOCUMENT_BYTES


def is_tree_ready(language_id: str, lines: Lines) -> bool:
    """Return whether `parse` needs no thread: the tree is cached, quick to make, or impossible."""
    if not can_be_parsed(language_id, lines) or lines.n_bytes <= QUICK_BYTES or _kept.is_too_slow(lines):
        return True
    return any(source.lines is lines for source in _kept.of(language_id, lines))


def _parse(
    language_id: str, lines: Sequence[str], *, is_patient: bool, is_fresh: bool = False
) -> SourceTree | None:
    lines = _as_lines(language_id, lines)
    profile = profile_for(language_id)
    if profile is None or not can_be_parsed(language_id, lines):
        return None
    if not is_fresh and (source := _kept.find(profile.language_id, lines)):
        return source
    if _kept.is_too_slow(lines):
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
        # A thread has a higher limit, and an earlier tree may make a slow parse quick.
        if not is_fresh and (is_patient or lines.n_bytes <= QUICK_BYTES):
            _kept.mark_too_slow(lines)
        return None
    source = SourceTree(profile, lines, tree)
    if not is_fresh:
        _kept.keep(source)
    return source


def _nearest(kept: Sequence[SourceTree], lines: Lines) -> tuple[SourceTree | None, int]:
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


def _as_lines(language_id: str, lines: Sequence[str]) -> Lines:
    if isinstance(lines, Lines):
        return lines
    plain = tuple(lines)
    equal = _kept.equal_to(language_id, plain)
    return equal.lines if equal else Lines.of(plain)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")


FoundT = TypeVar("FoundT")


class RecentResults(Generic[FoundT]):
    """The last ``n`` results about documents, shared by threads."""

    def __init__(self, n: int) -> None:
        self._found: deque[tuple[Lines, tuple[int, ...], FoundT]] = deque(maxlen=n)

    def get(self, lines: Lines, *place: int) -> FoundT | None:
        """Return the result for a document or a place in it. Lines are compared by identity."""
        return next((found for known, at, found in list(self._found) if known is lines and at == place), None)

    def keep(self, found: FoundT, lines: Lines, *place: int) -> FoundT:
        """Store a result and return it."""
        self._found.append((lines, place, found))
        return found
