"""Arguments of the command line, and the exit status of a command."""

import os
import subprocess
import sys

import pytest

from twospeed import __version__
from twospeed.cli.exits import (
    EXIT_OF_OUTCOME,
    BadInput,
    RequestRefused,
    ServerStopped,
    ServerTrouble,
    exit_status,
)
from twospeed.cli.main import main
from twospeed.errors import SettingsError
from twospeed.lsp.log import log_path


@pytest.fixture(autouse=True)
def no_log(monkeypatch) -> None:
    """Leave this process its own logging and hooks, which a server takes over once it knows where its log is."""
    monkeypatch.setattr("twospeed.lsp.serve.open_log", log_path)


def check_refused(capsys, arguments: list[str], complaint: str) -> None:
    status: object
    try:
        status = main(arguments)
    except SystemExit as left:
        status = left.code
    said = capsys.readouterr()
    assert (status, said.out) == (2, "")
    assert said.err.startswith("twospeed: ")
    assert said.err.count("\n") == 1
    assert complaint in said.err


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["bogus"], "invalid choice: 'bogus'"),
        (["--bogus"], "unrecognized arguments: --bogus"),
        (["--tcp", "0.0.0.0:80"], "--tcp: expected only a port from 0 to 65535, without a host"),
        (["serve", "--ws", "localhost"], "twospeed listens on loopback only"),
        (["--pipe"], "argument --pipe: expected one argument"),
        (["serve", "--stdio", "--tcp", "1"], "not allowed with argument"),
        (["edit"], "the following arguments are required"),
        (["edit", "a.py"], "INSTRUCTION"),
        (["edit", "a.py", "x", "--mode", "warp"], "invalid choice: 'warp'"),
        (["edit", "a.py", "x", "--scope", "line"], "invalid choice: 'line'"),
        (["edit", "a.py", "x", "--writ"], "unrecognized arguments: --writ"),
        (["edit", "/nowhere/a.py:3", "x"], "/nowhere/a.py: no such file"),
        (["edit", "a.py", " \n "], "the instruction is empty"),
        (["edit", "a.py", "\udcff"], "not valid text"),
    ],
)
def test_bad_usage_is_one_line_and_status_2(capsys, arguments, complaint) -> None:
    check_refused(capsys, arguments, complaint)


@pytest.mark.parametrize("command", ["serve", "doctor", "stats"])
def test_without_a_home_folder_nothing_is_run(capsys, monkeypatch, command) -> None:
    def nobody(_: int) -> None:
        raise KeyError("uid not found")

    for name in [each for each in os.environ if each == "HOME" or each.startswith("XDG_")]:
        monkeypatch.delenv(name)
    monkeypatch.setattr("pwd.getpwuid", nobody)
    check_refused(capsys, [command], "HOME: is not set")


def test_a_scope_around_a_line_needs_the_line(capsys, tmp_path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    check_refused(
        capsys, ["edit", str(tmp_path / "a.py"), "x", "--scope", "function"], "--scope function needs a line"
    )


def test_the_version_is_printed(capsys) -> None:
    with pytest.raises(SystemExit) as left:
        main(["--version"])
    assert (left.value.code, capsys.readouterr().out) == (0, f"twospeed {__version__}\n")


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (BadInput("x"), 2),
        (SettingsError("x", source="config.toml"), 2),
        (ServerStopped(status=2, last_stderr_line="twospeed: config.toml:3: mode: no"), 2),
        (ServerStopped(status=1, last_stderr_line=""), 3),
        (ServerStopped(status=None, last_stderr_line=""), 3),
        (ServerTrouble("x"), 3),
        (RequestRefused("x", code=-32602), 2),
        (RequestRefused("x", code=-32803), 3),
    ],
)
def test_errors_have_the_status_of_the_contract(error, status) -> None:
    assert exit_status(error) == status


def test_outcomes_have_the_status_of_the_contract() -> None:
    assert EXIT_OF_OUTCOME == {
        "applied": 0, "unchanged": 0, "refused": 1, "conflict": 1, "cancelled": 130, "failed": 3,
    }  # fmt: skip


@pytest.mark.parametrize("arguments", [["--help"], ["serve", "--help"]])
def test_help_loads_nothing_heavy(arguments) -> None:
    code = (
        "import sys; from twospeed.cli.main import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "heavy = {'asyncio', 'rich', 'pydantic', 'pygls', 'lsprotocol', 'aiohttp', 'tree_sitter', 'dataclasses'}\n"
        "sys.exit(', '.join(heavy & set(sys.modules)) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_output_to_a_pipe_does_not_import_rich() -> None:
    code = "import sys, twospeed.cli.edit.command; sys.exit(', '.join({'rich', 'pydantic', 'aiohttp'} & set(sys.modules)) or 0)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_server_over_stdio_loads_nothing_of_the_other_transports() -> None:
    code = (
        "import sys, twospeed.lsp.serve, twospeed.lsp.protocol\n"
        "other = {'websockets', 'twospeed.lsp.transport.socket_server', 'twospeed.lsp.transport.auth', 'ctypes'}\n"
        "sys.exit(', '.join(other & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
