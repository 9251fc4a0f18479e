import os
import socket
from pathlib import Path

import pytest

from twospeed.workspace.guarded import MAX_BYTES, Unreadable, read_guarded

pytestmark = [
    pytest.mark.security("R9"),
    pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs links and pipes of Unix"),
]


@pytest.fixture
def root(tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "outside.txt").write_text("secret")
    (root / "a.txt").write_text("inside")
    return root


def reason(result: str | Unreadable) -> str:
    assert isinstance(result, Unreadable), result
    return result.reason


def test_a_file_of_the_workspace_is_read(root):
    assert read_guarded(root / "a.txt", root=root) == "inside"


def test_line_ends_and_byte_order_marks_are_kept(root):
    (root / "b.txt").write_bytes(b"\xef\xbb\xbfa\r\nb\r")
    assert read_guarded(root / "b.txt", root=root) == "\ufeffa\r\nb\r"


def test_a_link_within_the_workspace_is_followed(root):
    (root / "link").symlink_to("a.txt")
    assert read_guarded(root / "link", root=root) == "inside"


def test_a_linked_workspace_root_is_resolved(root, tmp_path):
    (tmp_path / "alias").symlink_to(root)
    assert read_guarded(tmp_path / "alias" / "a.txt", root=tmp_path / "alias") == "inside"


@pytest.mark.parametrize("name", ["link", "folder/outside.txt", "chain", "../outside.txt", "../root2/x"])
def test_a_path_outside_the_workspace_is_not_read(root, tmp_path, name):
    (tmp_path / "root2").mkdir()
    (tmp_path / "root2" / "x").write_text("secret")
    (root / "link").symlink_to(tmp_path / "outside.txt")
    (root / "folder").symlink_to(tmp_path)
    (root / "chain").symlink_to("link")
    assert reason(read_guarded(root / name, root=root)) == f"leads out of {root}"


def test_a_link_to_itself_is_an_error(root):
    (root / "loop").symlink_to("loop")
    assert reason(read_guarded(root / "loop", root=root)).startswith("cannot be read: ")


def test_a_missing_file_is_absent(root):
    assert read_guarded(root / "none", root=root) == Unreadable("does not exist", is_absent=True)


def test_a_folder_is_not_read(root):
    assert reason(read_guarded(root, root=root)) == "is a folder, not a file"


def test_a_pipe_does_not_block(root):
    os.mkfifo(root / "pipe")
    assert reason(read_guarded(root / "pipe", root=root)) == "is not a regular file"


def test_a_socket_is_not_opened(root, monkeypatch):
    monkeypatch.chdir(root)  # a socket's path must be short
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
        assert reason(read_guarded(root / "socket", root=root)) == "is not a regular file"


def test_a_device_is_not_opened():
    assert reason(read_guarded(Path(os.devnull), root=None)) == "is not a regular file"


def test_size_is_limited(root):
    (root / "big").write_bytes(b"a" * (MAX_BYTES + 1))
    (root / "full").write_bytes(b"a" * MAX_BYTES)
    assert reason(read_guarded(root / "big", root=root)) == "is larger than 256 KB"
    assert read_guarded(root / "full", root=root) == "a" * MAX_BYTES


def test_a_nul_in_a_name_is_reported(root):
    assert reason(read_guarded(root / "a\0b", root=root)) == "is not a valid file name"


def test_invalid_utf_8_is_reported_with_its_line(root):
    (root / "latin").write_bytes(b"a\nb\xff")
    assert read_guarded(root / "latin", root=root) == Unreadable("is not UTF-8 (byte 0xff)", line=2)


def test_a_file_replaced_while_it_is_opened_is_not_read(root, tmp_path, monkeypatch):
    """The folder is swapped between the check and the opening."""
    (root / "sub").mkdir()
    (root / "sub" / "x").write_text("inside")
    (tmp_path / "evil").mkdir()
    (tmp_path / "evil" / "x").write_text("secret")
    real_open = os.open

    def open_after_the_swap(path, flags, *args, **kwargs):
        (root / "sub").rename(root / "was")
        (root / "sub").symlink_to(tmp_path / "evil")
        return real_open(path, flags, *args, **kwargs)

    monkeypatch.setattr(os, "open", open_after_the_swap)
    assert reason(read_guarded(root / "sub" / "x", root=root)) == "was replaced while it was opened"
