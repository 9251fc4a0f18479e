"""``twospeed log``: the path, and the last lines without control characters."""

from __future__ import annotations

import pytest

from twospeed.cli.exits import BAD_INPUT, OK
from twospeed.cli.main import main
from twospeed.lsp.log import log_path


def write_log(data: bytes) -> None:
    log_path().parent.mkdir(parents=True)
    log_path().write_bytes(data)


def test_log_prints_the_path_and_the_last_lines(capsys: pytest.CaptureFixture[str]) -> None:
    write_log(b"".join(b"line %d\n" % number for number in range(100_000)))
    assert main(["log", "--lines", "2"]) == OK
    assert capsys.readouterr().out == f"{log_path()}\nline 99998\nline 99999\n"


def test_path_prints_only_the_path(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["log", "--path"]) == OK
    assert capsys.readouterr().out == f"{log_path()}\n"


def test_without_a_log_the_command_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["log"]) == OK
    assert capsys.readouterr().out == f"{log_path()}\nnothing is logged yet\n"


def test_control_characters_of_the_log_are_shown_as_escapes(capsys: pytest.CaptureFixture[str]) -> None:
    write_log(b"a\x1b[2Jb\xff\n")
    assert main(["log"]) == OK
    assert "a\\x1b[2Jb" in capsys.readouterr().out


@pytest.mark.parametrize("lines", ["0", "-3"])
def test_a_number_of_lines_below_one_is_bad_input(lines: str) -> None:
    assert main(["log", f"--lines={lines}"]) == BAD_INPUT


def test_a_log_that_is_a_folder_is_bad_input(capsys: pytest.CaptureFixture[str]) -> None:
    log_path().mkdir(parents=True)
    assert main(["log"]) == BAD_INPUT
    assert "cannot be read" in capsys.readouterr().err
