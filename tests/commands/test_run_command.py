"""Commands of the user: no shell, limits, and no process that is left behind."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.scenarios.user_commands import wait_for_file

from twospeed.commands.program import environment_without, find_program, program_names
from twospeed.commands.run import CommandLimits, CommandResult, run_command

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("any_process")]

LIMITS = CommandLimits(seconds=30, n_bytes=100_000)


def python(code: str, *arguments: str) -> list[str]:
    """Return the command of a small Python program."""
    return [sys.executable, "-S", "-c", code, *arguments]


async def run(
    arguments: Sequence[str],
    folder: Path,
    *,
    stdin: bytes | None = None,
    limits: CommandLimits = LIMITS,
    environ: dict[str, str] | None = None,
) -> CommandResult:
    return await run_command(
        arguments, folder=folder, environ=environ or dict(os.environ), limits=limits, stdin=stdin
    )


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


async def gone(pid: int) -> bool:
    async with asyncio.timeout(30):
        while is_alive(pid):  # noqa: ASYNC110 - a process that is no child of ours has no event
            await asyncio.sleep(0.01)
    return True


async def test_a_command_reads_its_input_and_its_output_is_returned(tmp_path: Path) -> None:
    code = "import sys; sys.stdout.write(sys.stdin.read().upper())"
    result = await run(python(code), tmp_path, stdin=b"text\n" * 50_000, limits=CommandLimits(30, 10**6))
    assert (result.has_succeeded, result.output) == (True, b"TEXT\n" * 50_000)


async def test_a_command_runs_in_its_folder(tmp_path: Path) -> None:
    result = await run(python("import os; print(os.getcwd())"), tmp_path)
    assert result.output.decode().strip() == os.path.realpath(tmp_path)  # noqa: ASYNC240


@pytest.mark.security("R2.4")
async def test_characters_of_a_shell_are_passed_as_they_are(tmp_path: Path) -> None:
    hostile = ["$(touch evil)", "; touch evil", "`touch evil`", "| touch evil", "*", "~", "a b", "\n"]
    result = await run(python("import sys; print(ascii(sys.argv[1:]))", *hostile), tmp_path)
    assert result.output.decode().strip() == ascii(hostile)
    assert os.listdir(tmp_path) == []  # noqa: PTH208 - the folder is empty


async def test_a_failing_command_has_its_exit_status(tmp_path: Path) -> None:
    result = await run(python("import sys; sys.exit(3)"), tmp_path)
    assert (result.ending, result.status, result.has_succeeded) == ("exited", 3, False)


@pytest.mark.parametrize("stdin", [b"x" * 10**6, b""])
async def test_a_command_may_leave_its_input_unread(stdin: bytes, tmp_path: Path) -> None:
    assert (await run(python("print('done')"), tmp_path, stdin=stdin)).output.split() == [b"done"]


async def test_without_input_the_errors_of_a_command_are_part_of_its_output(tmp_path: Path) -> None:
    code = "import sys; sys.stderr.write('trouble')"
    assert (await run(python(code), tmp_path)).output == b"trouble"
    assert (await run(python(code), tmp_path, stdin=b"")).output == b""


async def test_a_command_that_takes_too_long_is_killed_with_its_children(tmp_path: Path) -> None:
    child = "import time; time.sleep(600)"
    code = (
        "import subprocess, sys, time\n"
        f"child = subprocess.Popen([sys.executable, '-S', '-c', {child!r}])\n"
        "print(child.pid, flush=True)\ntime.sleep(600)"
    )
    result = await run(python(code), tmp_path, limits=CommandLimits(seconds=1.5, n_bytes=1000))
    assert result.ending == "timeout"
    assert await gone(int(result.output))


async def test_a_cancelled_caller_leaves_no_process_behind(tmp_path: Path) -> None:
    code = (
        "import os, time; open('pid', 'w').write(str(os.getpid())); os.rename('pid', 'here'); time.sleep(600)"
    )
    running = asyncio.create_task(run(python(code), tmp_path))
    await wait_for_file(tmp_path / "here")
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert await gone(int((tmp_path / "here").read_text()))


async def test_a_process_that_keeps_the_output_open_does_not_delay_the_result(tmp_path: Path) -> None:
    child = "import time; time.sleep(600)"
    code = (
        "import subprocess, sys\n"
        f"print(subprocess.Popen([sys.executable, '-S', '-c', {child!r}]).pid, flush=True)"
    )
    result = await run(python(code), tmp_path)
    assert result.ending == "exited"
    assert await gone(int(result.output))


async def test_a_command_that_prints_too_much_is_killed(tmp_path: Path) -> None:
    result = await run(python("while True: print('x' * 1000)"), tmp_path)
    assert (result.ending, len(result.output)) == ("too long", LIMITS.n_bytes)


async def test_the_end_of_a_long_output_is_kept_if_only_that_is_wanted(tmp_path: Path) -> None:
    limits = CommandLimits(seconds=30, n_bytes=1000, keeps_end=True)
    result = await run(python("print('x' * 10**6); print('the end')"), tmp_path, limits=limits)
    assert result.has_succeeded
    assert len(result.output) == 1000
    assert result.output.endswith(b"x\nthe end\n")


async def test_a_program_that_does_not_exist_is_missing(tmp_path: Path) -> None:
    assert (await run(["no-such-program-at-all"], tmp_path)).ending == "missing"
    (tmp_path / "data").write_text("no program")
    assert (await run([str(tmp_path / "data")], tmp_path)).ending == "missing"


@pytest.mark.parametrize("argument", ["null \0 character"])
async def test_an_impossible_argument_starts_nothing(argument: str, tmp_path: Path) -> None:
    assert (await run(python("", argument), tmp_path)).ending == "not started"


async def test_a_folder_that_does_not_exist_starts_nothing(tmp_path: Path) -> None:
    assert (await run(python(""), tmp_path / "gone")).ending == "not started"


@pytest.mark.security("R2.4")
def test_a_program_of_the_working_folder_is_never_found(tmp_path: Path, monkeypatch) -> None:
    program = tmp_path / "bin" / "ruff"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o700)
    monkeypatch.chdir(tmp_path)
    for path in ("bin", "./bin", "", "."):
        assert find_program("ruff", {"PATH": path}) is None
    for name in ("./bin/ruff", "bin/ruff"):
        assert find_program(name, {"PATH": str(tmp_path)}) is None
    assert find_program("ruff", {"PATH": f".:{program.parent}"}) == str(program)
    assert find_program(str(program), {}) == str(program)


@pytest.mark.security("R2.4")
@pytest.mark.parametrize(
    ("name", "on_windows"),
    [
        ("ruff", ("ruff.exe", "ruff.com")),
        ("C:\\tools\\ruff.EXE", ("C:\\tools\\ruff.EXE",)),
        ("python3.11", ("python3.11.exe", "python3.11.com")),
        ("prettier.cmd", ("prettier.cmd.exe", "prettier.cmd.com")),
        ("prettier.BAT. .", ("prettier.BAT. ..exe", "prettier.BAT. ..com")),
    ],
)
def test_a_program_of_windows_is_no_batch_file_which_a_shell_would_run(
    name: str, on_windows: tuple[str, ...]
) -> None:
    assert program_names(name, is_windows=True) == on_windows
    assert program_names(name, is_windows=False) == (name,)


@pytest.mark.security("R2.1")
def test_the_environment_of_a_command_has_no_keys() -> None:
    environ = {
        "LAB_API_KEY": "lab-secret",
        "COPY": "lab-secret ",
        "OTHER_KEY": "",
        "PATH": "/bin",
        "EMPTY": "",
    }
    assert environment_without(environ, ["LAB_API_KEY", "OTHER_KEY", "GONE"]) == {"PATH": "/bin", "EMPTY": ""}
