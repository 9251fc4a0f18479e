"""Where everything in a workspace is defined: read in a thread, asked by name.

Nothing is read before somebody edits. The first ``wake`` begins the walk, each later one has changed files read again;
the thread ends when there is no more to do. Nobody waits for it: ``named`` answers from what is read by then, and
touches no disk.

For whoever wants a value of each function (a fingerprint, say): hand in a hook as ``mark``. It is called in the thread,
once a function, with the file's tree and the function's node, and returns something small and frozen, or ``None``;
what it raises is logged and counts as ``None``. It stands in ``Symbol.mark`` from then on; the tree is gone. Hooks look
into trees, so they live in `syntax`::

    def fingerprint(source: SourceTree, node: Node) -> Fingerprint | None: ...

    index = WorkspaceIndex(WorkspaceFiles(root, ignore), mark=fingerprint)
    index.wake()                    # at an edit: begins, or looks for changes
    for place in index.marked():    # every function that has a mark, as far as files are read
        place.path, place.symbol.name, place.symbol.start, place.symbol.end, place.symbol.mark

Functions inside of functions are not listed: they are part of what they stand in.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from twospeed.syntax.definitions.symbols import Mark, can_have_symbols, read_symbols
from twospeed.text.code.file_languages import language_id_of
from twospeed.text.code.symbols import FileSymbols, SymbolPlace

logger = logging.getLogger(__name__)

MAX_FILES = 5000
"""Files of code that are read of one workspace: the first ones, where it has more."""

MAX_PATHS = 100_000
MAX_WALK_S = 60.0
"""Of one walk: a whole home folder that somebody opened is not a workspace."""

LOOK_AGAIN_S = 60.0
"""Between two walks, for what changed without an editor's saying so."""

PAUSE_S = 0.001
"""Between two files: whoever has typing to follow comes first."""


class FileSource(Protocol):
    """Says which files may be read; `files.WorkspaceFiles` does."""

    @property
    def root(self) -> Path:
        """The workspace's folder, with every link followed."""

    def paths(self) -> Iterator[Path]:
        """Walk the files that may be used as context."""

    def read(self, path: Path) -> str | None:
        """Read one of them; ``None`` where it may not be."""

    def read_named(self, path: Path) -> str | None:
        """Read the one that ``paths`` has just named; ``None`` where it is gone."""


@dataclass(frozen=True, slots=True)
class OpenText:
    """A document as an editor has it.

    Attributes:
        stamp: The same object for as long as the text is the same.
        read: Gives the text; called in the thread.
    """

    stamp: object
    read: Callable[[], str]


@dataclass(frozen=True, slots=True)
class _Entry:
    """One file that was read.

    Attributes:
        stamp: Time of change and size on the disk; the text's own where an editor has it open.
        file: What it defines; ``None`` where it could not be read or parsed.
    """

    stamp: object
    file: FileSymbols | None


class WorkspaceIndex:
    """The definitions of one workspace.

    Args:
        files: What may be read.
        mark: Says something of each function, see above.
        clock: Monotonic seconds.
        pause: Called between two files.
    """

    def __init__(
        self,
        files: FileSource,
        *,
        mark: Mark | None = None,
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[], None] = lambda: time.sleep(PAUSE_S),
    ) -> None:
        self._files = files
        self._mark = mark
        self._clock = clock
        self._pause = pause
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._walked_at: float | None = None
        self._wants_walk = False
        self._waiting: dict[str, OpenText | None] = {}
        self._open: dict[str, object] = {}
        self._entries: dict[str, _Entry] = {}
        self._by_word: dict[str, tuple[tuple[str, int], ...]] = {}
        self._is_closed = False

    # Asked on the event loop

    def wake(self, texts: Mapping[str, OpenText] | None = None) -> None:
        """Begin to read, or look for what has changed; returns at once.

        Args:
            texts: The documents that are open, by their paths relative to the workspace. Those that are files which may
                be read count as the editor has them.
        """
        texts = {path: text for path, text in (texts or {}).items() if can_have_symbols(_language_of(path))}
        with self._lock:
            now = self._clock()
            if self._walked_at is None or now - self._walked_at >= LOOK_AGAIN_S:
                self._walked_at, self._wants_walk = now, True
            closed = [path for path in self._open if path not in texts]
            changed = {path: text for path, text in texts.items() if self._open.get(path) is not text.stamp}
            self._open = {path: text.stamp for path, text in texts.items()}
            self._waiting |= dict.fromkeys(closed) | changed
        self._begin()

    def note_changed(self, paths: Iterable[str]) -> None:
        """Have files read again, if any are read at all; paths are relative to the workspace, with slashes."""
        if self._walked_at is None:
            return
        with self._lock:
            for path in paths:
                if path not in self._open and can_have_symbols(_language_of(path)):
                    self._waiting[path] = None
        self._begin()

    def named(self, word: str) -> tuple[SymbolPlace, ...]:
        """Return every definition of a name, by its last word (`Symbol.word`), as far as files are read."""
        return tuple(
            SymbolPlace(path, entry.file, number)
            for path, number in self._by_word.get(word, ())
            if (entry := self._entries.get(path))
            and entry.file
            and number < len(entry.file.symbols)
            and entry.file.symbols[number].word == word  # the thread may be between two steps
        )

    def marked(self) -> Iterator[SymbolPlace]:
        """Yield every function that has a mark, as far as files are read."""
        for path, entry in list(self._entries.items()):
            for number, symbol in enumerate(entry.file.symbols if entry.file else ()):
                if symbol.mark is not None:
                    yield SymbolPlace(path, entry.file, number)  # type: ignore[arg-type]

    def close(self) -> None:
        """Read no more."""
        self._is_closed = True

    def wait(self, limit_s: float) -> bool:
        """Wait for the thread to end, for tests and benchmarks; return whether it has."""
        thread = self._thread
        if thread is not None:
            thread.join(limit_s)
        return thread is None or not thread.is_alive()

    @property
    def n_files(self) -> int:
        """How many files are read."""
        return len(self._entries)

    # The thread

    def _begin(self) -> None:
        with self._lock:
            is_idle = self._thread is None
            if is_idle and not self._is_closed and (self._wants_walk or self._waiting):
                self._thread = threading.Thread(target=self._run, name="index", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while self._has_more():
            try:
                self._read_waiting()
                if self._wants_walk:
                    self._wants_walk = False
                    self._walk()
            except Exception:  # it is a help; without it models are told less
                logger.exception("the workspace could not be read")

    def _has_more(self) -> bool:
        """Whether there is anything to do; if not, the thread is over, and the next `_begin` starts another."""
        with self._lock:
            if not self._is_closed and (self._wants_walk or self._waiting):
                return True
            self._thread = None
            return False

    def _walk(self) -> None:
        seen: set[str] = set()
        beyond: list[str] = []  # what was not seen, and counts all the same
        give_up_at = self._clock() + MAX_WALK_S
        for n_paths, path in enumerate(self._files.paths()):
            if self._is_closed:
                return
            self._read_waiting()
            if n_paths >= MAX_PATHS or len(seen) >= MAX_FILES or self._clock() > give_up_at:
                logger.info("the workspace is large; %d of its files are read", len(seen))
                beyond = [
                    name for name in self._open if self._files.read(self._files.root / name) is not None
                ]
                break
            name = path.relative_to(self._files.root).as_posix()
            if can_have_symbols(_language_of(name)):
                seen.add(name)
                if self._read_if_changed(name, self._files.read_named):
                    self._pause()
        for name in set(self._entries).difference(seen, beyond):
            self._put(name, None)

    def _read_waiting(self) -> None:
        while not self._is_closed:
            with self._lock:
                if not self._waiting:
                    return
                name, text = self._waiting.popitem()
            if text is None:
                self._read_if_changed(name, self._files.read)
            elif self._files.read(self._files.root / name) is None:  # as if it were not open
                self._put(name, None)
            else:
                symbols = read_symbols(text.read(), _language_of(name), mark=self._mark)
                self._put(name, _Entry(text.stamp, symbols))
            if self._waiting:
                self._pause()

    def _read_if_changed(self, name: str, read: Callable[[Path], str | None]) -> bool:
        """Read a file unless an editor has it, or it is as it was; return whether it was read."""
        known = self._entries.get(name)
        stamp = _stamp(self._files.root / name)
        if name in self._open or (known is not None and known.stamp == stamp):
            return False
        text = None if stamp is None else read(self._files.root / name)
        symbols = None if text is None else read_symbols(text, _language_of(name), mark=self._mark)
        self._put(name, None if stamp is None else _Entry(stamp, symbols))
        return True

    def _put(self, name: str, entry: _Entry | None) -> None:
        """Put a file in the place of what is known of it; what is asked meanwhile is answered from either."""
        old = self._entries.pop(name, None)
        for word in _words(old):
            left = tuple(place for place in self._by_word.get(word, ()) if place[0] != name)
            if left:
                self._by_word[word] = left
            else:
                self._by_word.pop(word, None)
        if entry is not None:
            self._entries[name] = entry
            for word, numbers in _words(entry).items():
                here = tuple((name, number) for number in numbers)
                self._by_word[word] = (*self._by_word.get(word, ()), *here)


def _words(entry: _Entry | None) -> dict[str, list[int]]:
    words: dict[str, list[int]] = {}
    for number, symbol in enumerate(entry.file.symbols if entry and entry.file else ()):
        if not symbol.word.startswith("__"):  # what every file has is nobody's definition
            words.setdefault(symbol.word, []).append(number)
    return words


def _language_of(path: str) -> str:
    return language_id_of(path.rpartition("/")[2])


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size
