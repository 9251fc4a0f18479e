"""The workspace index is read in a thread after the first edit, is current after every change, and omits private files."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

import pytest

from twospeed.text.line_blocks import Lines
from twospeed.workspace.files import WorkspaceFiles
from twospeed.workspace.index import MAX_FILES, MAX_WALK_S, RESCAN_S, OpenText, WorkspaceIndex

WAIT_S = 20


class Time:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class Watched(WorkspaceFiles):
    """Files that record which of them were read."""

    def __init__(self, root: Path, *ignore: str) -> None:
        super().__init__(root, ignore)
        self.n_walks = 0
        self.seen: list[str] = []

    def paths(self) -> Iterator[Path]:
        self.n_walks += 1
        return super().paths()

    def read(self, path: Path) -> str | None:
        self.seen.append(path.name)
        return super().read(path)

    def read_named(self, path: Path) -> str | None:
        self.seen.append(path.name)
        return super().read_named(path)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    write(root, "prices.py", "def load(path):\n    return path\n")
    write(root, "shop/cart.py", "class Cart:\n    def total(self):\n        return 0\n")
    return root


def write(root: Path, name: str, text: str) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    os.utime(path, ns=(0, crc32(text.encode())))  # the time stamp of two writes may be equal


def made(root: Path, *, time: Time | None = None, files: WorkspaceFiles | None = None) -> WorkspaceIndex:
    return WorkspaceIndex(files or WorkspaceFiles(root, ()), clock=time or Time(), pause=lambda: None)


def woken(index: WorkspaceIndex, texts: dict[str, str] | None = None) -> WorkspaceIndex:
    lines = {path: Lines.of([text]) for path, text in (texts or {}).items()}
    index.wake({path: OpenText(each, lambda each=each: "".join(each)) for path, each in lines.items()})  # type: ignore[misc]
    assert index.wait(WAIT_S)
    return index


def where(index: WorkspaceIndex, word: str) -> list[str]:
    return sorted(f"{place.path}:{place.symbol.start}" for place in index.definitions_of(word))


def test_nothing_is_read_before_the_first_edit(root: Path) -> None:
    files = Watched(root)
    index = made(root, files=files)
    index.note_changed(["prices.py"])
    assert index.wait(0)
    assert (files.n_walks, files.seen, index.definitions_of("load")) == (0, [], ())


def test_definitions_are_found_by_name_with_their_place(root: Path) -> None:
    index = woken(made(root))
    assert where(index, "load") == ["prices.py:0"]
    assert where(index, "total") == ["shop/cart.py:1"]
    assert index.definitions_of("Cart")[0].symbol.signature == "class Cart:"
    assert index.definitions_of("path") == ()


def test_waking_returns_at_once_and_reading_does_not_keep_the_process_alive(root: Path) -> None:
    may_read = threading.Event()

    class Slow(WorkspaceFiles):
        def read_named(self, path: Path) -> str | None:
            assert may_read.wait(WAIT_S)
            return super().read_named(path)

    index = made(root, files=Slow(root, ()))
    index.wake()
    assert index.definitions_of("load") == ()
    assert {thread.daemon for thread in threading.enumerate() if thread.name == "index"} == {True}
    may_read.set()
    assert index.wait(WAIT_S)
    assert where(index, "load") == ["prices.py:0"]


def test_changed_new_and_removed_files_are_updated_by_the_next_walk(root: Path) -> None:
    time = Time()
    index = woken(made(root, time=time))
    write(root, "prices.py", "X = 1\ndef fetch(path): ...\n")
    write(root, "new.py", "def fresh(): ...\n")
    (root / "shop/cart.py").unlink()
    time.now = RESCAN_S
    woken(index)
    assert [where(index, word) for word in ("load", "fetch", "fresh", "total")] == [
        [],
        ["prices.py:1"],
        ["new.py:0"],
        [],
    ]


def test_unchanged_files_are_not_read_again(root: Path) -> None:
    time, files = Time(), Watched(root)
    index = woken(made(root, time=time, files=files))
    woken(index)
    assert files.n_walks == 1
    time.now = RESCAN_S
    woken(index)
    assert files.n_walks == 2
    assert sorted(files.seen) == ["cart.py", "prices.py"]


def test_a_reported_file_is_read_without_a_walk(root: Path) -> None:
    files = Watched(root)
    index = woken(made(root, files=files))
    write(root, "prices.py", "def fetch(path): ...\n")
    index.note_changed(["prices.py", "notes.txt", "gone.py"])
    assert index.wait(WAIT_S)
    assert where(index, "fetch") == ["prices.py:0"]
    assert where(index, "load") == []
    assert files.n_walks == 1


def test_an_open_document_replaces_its_file_until_it_is_closed(root: Path) -> None:
    index = woken(made(root), {"prices.py": "\ndef unsaved(): ...\n"})
    assert where(index, "unsaved") == ["prices.py:1"]
    assert where(index, "load") == []
    index.note_changed(["prices.py"])
    woken(index, {"prices.py": "def typed(): ...\n"})
    assert where(index, "typed") == ["prices.py:0"]
    woken(index)
    assert where(index, "load") == ["prices.py:0"]
    assert where(index, "typed") == []


def test_an_unchanged_document_is_not_read_again(root: Path) -> None:
    files = Watched(root)
    index = made(root, files=files)
    text = OpenText(object(), lambda: "def unsaved(): ...\n")
    for _ in range(3):
        index.wake({"prices.py": text})
        assert index.wait(WAIT_S)
    assert files.seen.count("prices.py") == 1


@pytest.mark.security("R4.1")
def test_files_that_are_never_sent_are_not_indexed(root: Path) -> None:
    write(root, ".env.py", "def hidden(): ...\n")
    write(root, "build/made.py", "def hidden(): ...\n")
    write(root, "local/mine.py", "def hidden(): ...\n")
    write(root, ".gitignore", "build/\n")
    hidden = {".env.py", "build/made.py", "local/mine.py", "../outside.py", "/etc/other.py", "unnamed.py"}
    write(root, "../outside.py", "def hidden(): ...\n")
    index = made(root, files=WorkspaceFiles(root, ("local/",)))
    woken(index, dict.fromkeys(hidden, "def hidden(): ...\n"))
    index.note_changed(hidden)
    assert index.wait(WAIT_S)
    assert index.definitions_of("hidden") == ()
    assert where(index, "load") == ["prices.py:0"]


def test_files_of_languages_without_definitions_are_not_read(root: Path) -> None:
    files = Watched(root)
    write(root, "data.json", "{}")
    write(root, "README.md", "# load")
    woken(made(root, files=files))
    assert sorted(files.seen) == ["cart.py", "prices.py"]


def test_an_unreadable_file_does_not_hide_others(root: Path) -> None:
    (root / "binary.py").write_bytes(b"\xff\xfe\x00")
    write(root, "broken.py", "def (((\n")
    index = woken(made(root))
    assert where(index, "load") == ["prices.py:0"]


def test_dunder_names_are_not_indexed(root: Path) -> None:
    write(root, "a.py", "class A:\n    def __init__(self): ...\n")
    assert woken(made(root)).definitions_of("__init__") == ()


def test_marks_are_computed_in_the_thread_and_kept(root: Path) -> None:
    index = WorkspaceIndex(
        WorkspaceFiles(root, ()), mark=lambda source, node: len(source.text_of(node)), pause=lambda: None
    )
    woken(index)
    assert sorted((place.path, place.symbol.name, place.symbol.mark) for place in index.marked()) == [
        ("prices.py", "load", 31),
        ("shop/cart.py", "total", 33),
    ]


def test_a_failed_walk_is_repeated(root: Path) -> None:
    class Failing(Watched):
        def paths(self) -> Iterator[Path]:
            paths = super().paths()
            if self.n_walks == 1:
                raise OSError
            return paths

    time = Time()
    index = woken(made(root, time=time, files=Failing(root)))
    assert index.definitions_of("load") == ()
    time.now = RESCAN_S
    assert where(woken(index), "load") == ["prices.py:0"]


def test_a_huge_workspace_is_indexed_in_part(root: Path) -> None:
    class Endless(WorkspaceFiles):
        def paths(self) -> Iterator[Path]:
            yield self.root / "prices.py"
            yield from (self.root / f"{number}.py" for number in range(10**9))

        def read_named(self, path: Path) -> str | None:
            return "def load(): ...\n" if path.name == "prices.py" else None

    index = woken(made(root, files=Endless(root, ())))
    assert where(index, "load") == ["prices.py:0"]
    assert index.n_files <= MAX_FILES


def test_an_open_document_beyond_the_limit_is_indexed(root: Path) -> None:
    time = Time()

    class Slow(WorkspaceFiles):
        def paths(self) -> Iterator[Path]:
            for path in super().paths():
                time.now += MAX_WALK_S + 1
                yield path

    document = OpenText(object(), lambda: "def mine(): ...\n")
    index = made(root, time=time, files=Slow(root, ()))
    index.wake({"prices.py": document})
    assert index.wait(WAIT_S)
    assert where(index, "mine") == ["prices.py:0"]
    (root / ".gitignore").write_text("prices.py\n")
    index.wake({"prices.py": document})
    assert index.wait(WAIT_S)
    assert where(index, "mine") == []


def test_a_closed_index_reads_no_more(root: Path) -> None:
    files = Watched(root)
    index = made(root, files=files)
    index.close()
    woken(index)
    assert files.seen == []
