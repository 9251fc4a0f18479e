"""Search a workspace for the calls of a definition whose signature changed; in a thread, within limits."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from posixpath import dirname

from twospeed.syntax import Callee, CallSite, ChangedSignature, call_sites, go_package, is_same_family
from twospeed.text.code.language_ids import language_id_of
from twospeed.text.lines import split_lines
from twospeed.text.positions import Encoding, Position, units

from .files import WorkspaceFiles
from .index import MAX_FILES as MAX_PATHS
from .index import PAUSE_S
from .never_send import is_never_sent
from .spellings import Spellings

MAX_FILES = 500
"""Files with the word that are parsed, in about 2 s of a thread."""

MAX_SEARCH_S = 10.0
"""Limit of one search, most of it reading files."""

MAX_PLACES = 100
"""Certain places, and uncertain ones, of one search: one instruction has at most as many."""

Reference = tuple[str, Position]
"""A path as in a search, and where a name begins."""

_MODULE = re.compile(r"^module[ \t]+(\S+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class OpenCode:
    """A document that is open in the editor."""

    lines: Sequence[str]
    language_id: str


@dataclass(frozen=True, slots=True)
class Caller:
    """A place that uses a changed definition.

    Attributes:
        path: That of its file.
        calls: Positions of the names in ``site.calls``, in the search's encoding.
    """

    path: str
    change: ChangedSignature
    site: CallSite
    is_certain: bool
    calls: tuple[Position, ...] = ()


@dataclass(slots=True)
class CallSearch:
    """One search.

    Attributes:
        folder: The workspace's folder; ``None`` without a workspace.
        ignore: Patterns of files that are never sent.
        texts: The open documents by path; they replace the files on disk.
        is_over: Whether the result is not needed any more.
        encoding: That of positions in the result.
    """

    folder: Path | None
    ignore: Sequence[str]
    texts: Mapping[str, OpenCode]
    encoding: Encoding = "utf-16"
    is_over: Callable[[], bool] = lambda: False
    _found: list[Caller] = field(default_factory=list)
    _n_files: int = 0

    def run(
        self, changes: Iterable[ChangedSignature], home: str, others: Mapping[str, Collection[str]]
    ) -> tuple[Caller, ...]:
        """Return the callers of definitions in the file ``home``, in its text order and then by file.

        ``others`` are the files that define the same name, by name.
        """
        code = self.texts[home]
        files = None if self.folder is None else WorkspaceFiles(self.folder, self.ignore)
        give_up_at = time.monotonic() + MAX_SEARCH_S
        paths = self._paths(files, code.language_id, give_up_at)
        callees = [
            Callee(
                change,
                home,
                frozenset(paths),
                frozenset(others.get(change.old_name, ())),
                package=go_package(code.lines) if code.language_id == "go" else "",
                import_path=_import_path(files, home) if code.language_id == "go" else "",
            )
            for change in changes
        ]
        is_wide = any(callee.change.is_public for callee in callees)
        for path in [home, *(path for path in paths if path != home)] if is_wide else [home]:
            if self.is_over() or self._n_files >= MAX_FILES or time.monotonic() > give_up_at:
                break
            self._search(files, path, callees)
        return self._limited()

    def proven(self, references: Mapping[ChangedSignature, Collection[Reference]]) -> tuple[Caller, ...]:
        """Return the result of `run`; a place is certain too if the references of its definition name all its calls."""

        def is_proven(each: Caller) -> bool:
            known = references.get(each.change, ())
            return bool(each.calls) and all((each.path, call) in known for call in each.calls)

        self._found = [replace(each, is_certain=each.is_certain or is_proven(each)) for each in self._found]
        return self._limited()

    def _paths(self, files: WorkspaceFiles | None, language_id: str, give_up_at: float) -> list[str]:
        """Return the files that may call: open ones first."""
        found = [
            path
            for path, code in self.texts.items()
            if is_same_family(code.language_id, language_id) and self._may_read(files, path)
        ]
        known = set(found)
        spellings = Spellings(self.texts)
        for path in files.paths() if files else ():
            if self.is_over() or len(known) >= MAX_PATHS or time.monotonic() > give_up_at:
                break
            name = spellings.of(path.relative_to(files.root).as_posix()) if files else ""
            if name not in known and is_same_family(language_id_of(path.name), language_id):
                known.add(name)
                found.append(name)
        return found

    def _may_read(self, files: WorkspaceFiles | None, path: str) -> bool:
        if is_never_sent(path, self.ignore):
            return False
        return files is None or Path(path).is_absolute() or files.read(files.root / path) is not None

    def _search(self, files: WorkspaceFiles | None, path: str, callees: Sequence[Callee]) -> None:
        code = self.texts.get(path)
        if code is None and files is not None:
            text = files.read_named(files.root / path)
            if text is None or not any(_may_call(text, callee) for callee in callees):
                return
            code = OpenCode(split_lines(text), language_id_of(path.rpartition("/")[2]))
            time.sleep(PAUSE_S)
        if code is None:
            return
        self._n_files += 1
        for callee in callees:
            self._found += _callers_in(code, path, callee, self.encoding)

    def _limited(self) -> tuple[Caller, ...]:
        certain = [each for each in self._found if each.is_certain][:MAX_PLACES]
        return (*certain, *[each for each in self._found if not each.is_certain][:MAX_PLACES])


def _may_call(text: str, callee: Callee) -> bool:
    return callee.change.old_name in text or callee.change.is_default


def _callers_in(code: OpenCode, path: str, callee: Callee, encoding: Encoding) -> Iterator[Caller]:
    found = call_sites(code.lines, code.language_id, callee, path=path)
    for is_certain, sites in ((True, found.certain), (False, found.uncertain)):
        for site in sites:
            calls = tuple(
                Position(line, units(code.lines[line][:column], encoding)) for line, column in site.calls
            )
            yield Caller(path, callee.change, site, is_certain, calls)


def _import_path(files: WorkspaceFiles | None, home: str) -> str:
    """Return the import path of a Go file's package, or an empty text."""
    folder = dirname(home)
    above = folder
    while files is not None:
        text = files.read(files.root / above / "go.mod")
        if text is not None:
            module = _MODULE.search(text)
            below = folder[len(above) :].strip("/")
            return "/".join(part for part in (module[1], below) if part) if module else ""
        if not above:
            break
        above = dirname(above)
    return ""
