"""Files are read and written byte for byte."""

import os
import stat

import pytest

from twospeed.cli import files
from twospeed.cli.exits import BadInput
from twospeed.cli.files import read_source, require_writable, workspace_of, write_source
from twospeed.text.code.language_ids import language_id_of

BOM = b"\xef\xbb\xbf"


def names_in(folder) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name != "home")


@pytest.mark.parametrize(
    "data",
    [b"", b"a\n", b"a", b"a\r\nb\r\n", b"a\rb", BOM + b"a\r\nb", "\u2028 😀 é\f\n".encode(), BOM],
)
def test_reading_and_writing_the_same_text_gives_the_same_bytes(tmp_path, data) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(data)
    source = read_source(path)
    write_source(source, source.text)
    assert path.read_bytes() == data


def test_the_byte_order_mark_is_no_part_of_the_text_and_stays_in_the_file(tmp_path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(BOM + b"x")
    source = read_source(path)
    assert source.text == "x"
    write_source(source, "y")
    assert path.read_bytes() == BOM + b"y"


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"\x7fELF\0\1", "a binary file"),
        (b"ok\n\xff\n", r"line 2 is not UTF-8"),
        (b"\xed\xa0\x80", "not UTF-8"),
    ],
)
def test_a_file_that_is_no_utf_8_text_is_refused(tmp_path, data, complaint) -> None:
    (tmp_path / "a").write_bytes(data)
    with pytest.raises(BadInput, match=complaint):
        read_source(tmp_path / "a")


def test_a_folder_a_pipe_and_a_missing_file_are_refused(tmp_path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BadInput, match="a folder"):
        read_source(tmp_path)
    with pytest.raises(BadInput, match="not a regular file"):
        read_source(tmp_path / "pipe")
    with pytest.raises(BadInput, match="no such file"):
        read_source(tmp_path / "missing")


def test_a_huge_file_is_refused(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(files, "MAX_FILE_BYTES", 1024 * 1024)
    (tmp_path / "a").write_bytes(b"x" * (1024 * 1024))
    read_source(tmp_path / "a")
    (tmp_path / "a").write_bytes(b"x" * (1024 * 1024 + 1))
    with pytest.raises(BadInput, match="larger than 1 MiB"):
        read_source(tmp_path / "a")


def test_a_file_that_changed_meanwhile_is_left_alone(tmp_path) -> None:
    path = tmp_path / "a.py"
    path.write_text("old")
    source = read_source(path)
    path.write_text("somebody else's")
    with pytest.raises(BadInput, match="another program changed the file"):
        write_source(source, "ours")
    assert path.read_text() == "somebody else's"
    assert names_in(tmp_path) == ["a.py"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no FIFOs here")
def test_a_pipe_that_replaced_the_file_is_refused_without_waiting(tmp_path) -> None:
    path = tmp_path / "a.py"
    path.write_text("x")
    source = read_source(path)
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(BadInput, match="another program changed the file"):
        write_source(source, "ours")
    assert path.is_fifo()


def test_a_removed_file_is_not_created_again(tmp_path) -> None:
    path = tmp_path / "a.py"
    path.write_text("old")
    source = read_source(path)
    path.unlink()
    with pytest.raises(BadInput, match="cannot be written"):
        write_source(source, "ours")
    assert names_in(tmp_path) == []


def test_the_file_mode_is_kept(tmp_path) -> None:
    path = tmp_path / "run.py"
    path.write_text("old")
    path.chmod(0o751)
    write_source(read_source(path), "new")
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("new", 0o751)


def test_a_link_stays_a_link_and_its_target_is_written(tmp_path) -> None:
    (tmp_path / "real").mkdir()
    target = tmp_path / "real" / "a.py"
    target.write_text("old")
    link = tmp_path / "link.py"
    link.symlink_to(target)
    write_source(read_source(link), "new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch) -> None:
    path = tmp_path / "a.py"
    path.write_text("old")
    source = read_source(path)

    def full(_descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(BadInput, match="no space left"):
        write_source(source, "new")
    assert path.read_text() == "old"
    assert names_in(tmp_path) == ["a.py"]


def test_a_read_only_file_is_refused_even_for_a_user_who_could_write_it(tmp_path) -> None:
    path = tmp_path / "a.py"
    path.write_text("x")
    require_writable(path)
    path.chmod(0o444)
    with pytest.raises(BadInput, match="read-only, so it cannot be changed"):
        require_writable(path)


def test_the_workspace_is_the_nearest_project(tmp_path) -> None:
    (tmp_path / "project" / ".git").mkdir(parents=True)
    (tmp_path / "project" / "src").mkdir()
    file = tmp_path / "project" / "src" / "a.py"
    assert workspace_of(file) == tmp_path / "project"
    (tmp_path / "project" / "src" / ".twospeed.toml").touch()
    assert workspace_of(file) == tmp_path / "project" / "src"


@pytest.mark.parametrize(
    ("name", "language_id"),
    [
        ("a.py", "python"),
        ("b.TSX", "typescriptreact"),
        ("c.weird", "plaintext"),
        ("Makefile", "plaintext"),
        (".py", "plaintext"),
    ],
)
def test_the_language_is_derived_from_the_suffix(name, language_id) -> None:
    assert language_id_of(name) == language_id
