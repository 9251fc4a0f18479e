"""The index of definitions in a workspace: read in a thread, queried by name.

The first ``wake`` starts the walk; each later one re-reads changed files. The thread ends when its work is
done. Queries never touch the disk. Nested functions are not listed.
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
from twospeed.text.code.language_ids import language_id_of
from twospeed.text.code.symbols import FileSymbols, SymbolPlace

from .spellings import Spellings

logger = logging.getLogger(__name__)

MAX_FILES = 5000
"""Limit of code files in the index."""

MAX_PATHS = 100_000
MAX_WALK_S = 60.0
"""Limit of one walk: an opened home folder is too large."""

RESCAN_S = 60.0
"""Interval of walks, for changes that the editor does not report."""

PAUSE_S = 0.001
"""Pause between two files, so that typing is not delayed."""


class FileSource(Protocol):
    """The files that may be read; implemented by `files.WorkspaceFiles`."""

    @property
    def root(self) -> Path:
        """The workspace's folder, with links resolved."""

    def paths(self) -> Iterator[Path]:
        """Yield the context files."""

    def read(self, path: Path) -> str | None:
        """Return the text of a file; ``None`` if it may not be read."""

    def read_named(self, path: Path) -> str | None:
        """Return the text of a file that ``paths`` just returned; ``None`` if it no longer exists."""


@dataclass(frozen=True, slots=True)
class OpenText:
    """A document that is open in the editor; ``stamp`` is identical as long as the text is unchanged."""

    stamp: object
    read: Callable[[], str]


@dataclass(frozen=True, slots=True)
class _Entry:
    """The definitions of a file, ``None`` if it could not be read or parsed.

    Attributes:
        stamp: Modification time and size, or the stamp of an open document.
    """

    stamp: object
    file: FileSymbols | None


class WorkspaceIndex:
    """The definitions of one workspace.

    Args:
        mark: Computes a value for each function (``Symbol.mark``), such as a fingerprint, in the thread.
            Exceptions are logged.
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
        self._is_walk_due = False
        self._waiting: dict[str, OpenText | None] = {}
        self._open: dict[str, object] = {}
        self._spellings = Spellings()
        self._entries: dict[str, _Entry] = {}
        self._by_word: dict[str, tuple[tuple[str, int], ...]] = {}
        self._is_closed = False

    # On the event loop

    def wake(self, texts: Mapping[str, OpenText] | None = None) -> None:
        """Start reading, or re-read changed files; returns at once.

        Open documents, by path relative to the workspace, replace the files on disk.
        """
        texts = {path: text for path, text in (texts or {}).items() if can_have_symbols(_language_of(path))}
        with self._lock:
            now = self._clock()
            if self._walked_at is None or now - self._walked_at >= RESCAN_S:
                self._walked_at, self._is_walk_due = now, True
            closed = [path for path in self._open if path not in texts]
            changed = {path: text for path, text in texts.items() if self._open.get(path) is not text.stamp}
            self._open = {path: text.stamp for path, text in texts.items()}
            self._spellings.prefer(texts)
            self._waiting |= dict.fromkeys(closed) | changed
        self._begin()

    def note_changed(self, paths: Iterable[str]) -> None:
        """Re-read these files, by path relative to the workspace, if the index was started."""
        if self._walked_at is None:
            return
        with self._lock:
            for path in map(self._spellings.of, paths):
                if path not in self._open and can_have_symbols(_language_of(path)):
                    self._waiting[path] = None
        self._begin()

    def definitions_of(self, word: str) -> tuple[SymbolPlace, ...]:
        """Return the known definitions of a name, by its last word (`Symbol.word`)."""
        return tuple(
            SymbolPlace(path, entry.file, number)
            for path, number in self._by_word.get(word, ())
            if (entry := self._entries.get(path))
            and entry.file
            and number < len(entry.file.symbols)
            and entry.file.symbols[number].word == word  # the thread may be updating
        )

    def marked(self) -> Iterator[SymbolPlace]:
        """Yield the known functions that have a mark."""
        for path, entry in list(self._entries.items()):
            for number, symbol in enumerate(entry.file.symbols if entry.file else ()):
                if symbol.mark is not None:
                    yield SymbolPlace(path, entry.file, number)  # type: ignore[arg-type]

    def close(self) -> None:
        """Stop reading."""
        self._is_closed = True

    def wait(self, limit_s: float) -> bool:
        """Wait for the thread (in tests and benchmarks); return whether it has ended."""
        thread = self._thread
        if thread is not None:
            thread.join(limit_s)
        return thread is None or not thread.is_alive()

    @property
    def n_files(self) -> int:
        """Number of files read."""
        return len(self._entries)

    # In the thread

    def _begin(self) -> None:
        with self._lock:
            is_idle = self._thread is None
            if is_idle and not self._is_closed and (self._is_walk_due or self._waiting):
                self._thread = threading.Thread(target=self._run, name="index", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while self._has_more():
            try:
                self._read_waiting()
                if self._is_walk_due:
                    self._is_walk_due = False
                    self._walk()
            except Exception:  # the index is optional: prompts have fewer definitions without it
                logger.exception("the workspace could not be read")

    def _has_more(self) -> bool:
        with self._lock:
            if not self._is_closed and (self._is_walk_due or self._waiting):
                return True
            self._thread = None  # so that `_begin` starts a new one
            return False

    def _walk(self) -> None:
        seen: set[str] = set()
        beyond: list[str] = []  # open documents beyond the limit stay in the index
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
            name = self._spellings.add(path.relative_to(self._files.root).as_posix())
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
            elif self._files.read(self._files.root / name) is None:  # not a context file
                self._put(name, None)
            else:
                symbols = read_symbols(text.read(), _language_of(name), mark=self._mark)
                self._put(name, _Entry(text.stamp, symbols))
            if self._waiting:
                self._pause()

    def _read_if_changed(self, name: str, read: Callable[[Path], str | None]) -> bool:
        known = self._entries.get(name)
        stamp = _stamp(self._files.root / name)
        if name in self._open or (known is not None and known.stamp == stamp):
            return False
        text = None if stamp is None else read(self._files.root / name)
        symbols = None if text is None else read_symbols(text, _language_of(name), mark=self._mark)
        self._put(name, None if stamp is None else _Entry(stamp, symbols))
        return True

    def _put(self, name: str, entry: _Entry | None) -> None:
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
        if not symbol.word.startswith("__"):  # dunder names are in every file
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
