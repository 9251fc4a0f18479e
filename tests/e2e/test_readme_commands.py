"""Every command in the README and the pages for users runs; CI runs `make demo` itself."""

from __future__ import annotations

import asyncio
import re
import shlex
import shutil
import signal
import sys
import tomllib
from asyncio.subprocess import PIPE
from pathlib import Path

import pytest
from tests.e2e.server_process import said
from tests.e2e.shell import BUILTIN, Shell, run_of

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[2]
COMMAND = re.compile(r"(?<![\w/.])\.venv/bin/([a-z]+ [^`\n]*)")
INSTALLED = re.compile(r"^(twospeed (?:edit|doctor) ?[^`\n]*)$", re.MULTILINE)
"""A command in README.md, which says how to install the program."""

PAGES = ("README.md", "CONFIG.md", "docs/editing.md", "docs/models.md")
COMMANDS = sorted(
    {command.strip() for name in PAGES for command in COMMAND.findall((ROOT / name).read_text("utf-8"))}
    | set(INSTALLED.findall((ROOT / "README.md").read_text("utf-8")))
)
SERVES = {"twospeed serve": None, "twospeed web": "twospeed: open "}
"""What goes on until it is stopped, and how it says on stderr that it serves."""


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A shell in a folder that holds what the checkout's examples are."""
    shell = Shell(tmp_path)
    shutil.copytree(ROOT / "examples", shell.folder / "examples")
    shell.configure(BUILTIN)
    shell.environment["PYTHON_KEYRING_BACKEND"] = (
        "tests.models.keyring_backend.Kept"  # not the keys of the user
    )
    shell.environment["PYTHONPATH"] = str(ROOT)
    return shell


@pytest.mark.parametrize("command", COMMANDS)
async def test_a_documented_command_works(command: str, shell: Shell) -> None:
    program, *arguments = shlex.split(command)
    begins = " ".join([program, *arguments[:1]])
    if program == "pip":
        assert set(_extras(command)) <= set(_declared_extras())
        return
    if begins == "twospeed config":
        del shell.environment["TWOSPEED_CONFIG"]  # init keeps an existing file
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", program, *arguments, cwd=shell.folder, env=shell.environment,
        stdin=PIPE, stdout=PIPE, stderr=PIPE,
    )  # fmt: skip
    if begins not in SERVES:
        assert process.stdin
        process.stdin.write(b"sk-not-a-key\n")  # to who asks for one
        process.stdin.close()
        run = await run_of(process)
        assert (run.status, bool(run.out.strip())) == (0, True), run
        return
    if words := SERVES[begins]:
        assert await said(process, words)
        process.send_signal(signal.SIGINT)
    else:
        assert process.stdin
        process.stdin.close()  # an editor that goes away
    async with asyncio.timeout(20):
        await process.communicate()


def _extras(command: str) -> list[str]:
    return re.findall(r"\[([\w-]+)\]", command)


def _declared_extras() -> dict[str, object]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras: dict[str, object] = project["optional-dependencies"]
    return extras
