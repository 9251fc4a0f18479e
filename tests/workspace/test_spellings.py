"""A file that the editor and the disk spell differently is one file, where the file system says so."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twospeed.syntax import ChangedSignature
from twospeed.text.globs import folded
from twospeed.text.line_blocks import Lines
from twospeed.workspace import call_search, spellings
from twospeed.workspace.call_search import CallSearch, OpenCode
from twospeed.workspace.files import WorkspaceFiles
from twospeed.workspace.index import OpenText, WorkspaceIndex
from twospeed.workspace.spellings import Spellings

WAIT_S = 20
NAMES = st.text(st.characters(categories=["L", "M", "N"]), min_size=1, max_size=10)


@given(NAMES, st.sampled_from(["NFC", "NFD"]), st.sampled_from([str.upper, str.lower, str.swapcase, str]))
def test_names_that_differ_by_case_or_normal_form_are_one_on_macos_and_windows(
    name: str, form: Literal["NFC", "NFD"], spelled: Callable[[str], str]
) -> None:
    other = spelled(unicodedata.normalize(form, name))
    assert Spellings([name], folds_names=True).of(other) == (name if folded(other) == folded(name) else other)


@given(NAMES, NAMES)
def test_other_systems_take_each_name_as_it_is(name: str, other: str) -> None:
    assert Spellings([name], folds_names=False).of(other) == other


def test_the_known_spelling_is_returned() -> None:
    known = Spellings(["src/Caf\u00e9.py"], folds_names=True)
    for other in ("src/caf\u00e9.py", "SRC/CAFE\u0301.PY", "src/Caf\u00e9.py"):
        assert known.of(other) == "src/Caf\u00e9.py"


def test_a_name_that_is_not_known_stays_as_it_is() -> None:
    assert Spellings(["a.py"], folds_names=True).of("B.py") == "B.py"


class FoldingFiles(WorkspaceFiles):
    """Files of a disk that opens one by any spelling, as that of macOS does."""

    def read(self, path: Path) -> str | None:
        found = {folded(str(each)): each for each in self.paths()}
        return super().read(found.get(folded(str(path)), path))


@pytest.fixture
def _folding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spellings, "FOLDS_NAMES", True)
    monkeypatch.setattr(call_search, "WorkspaceFiles", FoldingFiles)


def open_text(text: str) -> OpenText:
    return OpenText(Lines.of([text]), lambda: text)


def made(root: Path) -> WorkspaceIndex:
    return WorkspaceIndex(FoldingFiles(root, ()), pause=lambda: None)


def where(index: WorkspaceIndex, word: str) -> list[str]:
    assert index.wait(WAIT_S)
    return [place.path for place in index.definitions_of(word)]


@pytest.mark.usefixtures("_folding")
def test_an_open_file_replaces_the_one_on_disk_in_the_index(tmp_path: Path) -> None:
    (tmp_path / "caf\u00e9.py").write_text("def total():\n    return 0\n")
    index = made(tmp_path)
    index.wake({"CAFE\u0301.py": open_text("def total_price():\n    return 0\n")})
    assert (where(index, "total"), where(index, "total_price")) == ([], ["CAFE\u0301.py"])
    index.note_changed(["caf\u00e9.py"])
    assert (where(index, "total"), where(index, "total_price")) == ([], ["CAFE\u0301.py"])


@pytest.mark.usefixtures("_folding")
def test_a_change_on_disk_is_that_of_the_known_file(tmp_path: Path) -> None:
    (tmp_path / "Shop.py").write_text("def total():\n    return 0\n")
    index = made(tmp_path)
    index.wake()
    assert where(index, "total") == ["Shop.py"]
    (tmp_path / "Shop.py").write_text("def total_price():\n    return 0\n")
    index.note_changed(["shop.py"])
    assert (where(index, "total"), where(index, "total_price")) == ([], ["Shop.py"])


RENAMED = ChangedSignature(
    "function",
    "total",
    "total_price",
    (),
    (),
    "def total()",
    "def total_price()",
    (),
    True,
    False,
    False,
    0,
    4,
)


@pytest.mark.usefixtures("_folding")
@pytest.mark.parametrize("name", ["main.py", "Main.py"])
def test_calls_in_an_open_file_are_found_once(tmp_path: Path, name: str) -> None:
    calls = ["import shop\n", "shop.total()\n"]
    (tmp_path / "Main.py").write_text("".join(calls))
    (tmp_path / "shop.py").write_text("def total_price(): ...\n")
    texts = {"shop.py": OpenCode(["def total_price(): ...\n"], "python"), name: OpenCode(calls, "python")}
    found = CallSearch(tmp_path, (), texts).run([RENAMED], "shop.py", {})
    assert [each.path for each in found] == [name]
