"""Nothing in a workspace is executed, although it is the working folder of the server."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from tests.security.server_process import server_process

pytestmark = [pytest.mark.security("R2.4"), pytest.mark.process]

SCRIPT = Path(sys.executable).with_name("twospeed")
COMMANDS = {
    "command": [str(SCRIPT)] if SCRIPT.exists() else [sys.executable, "-P", "-m", "twospeed"],
    "safe module": [sys.executable, "-P", "-m", "twospeed"],
    "isolated module": [sys.executable, "-I", "-m", "twospeed"],
    "module": [sys.executable, "-m", "twospeed"],
}
POISONED = (
    "_json",
    "aiohttp",
    "argparse",
    "asyncio",
    "attrs",
    "cattrs",
    "email",
    "encodings",
    "gc",
    "json",
    "keyring",
    "keyring_backend",
    "logging",
    "lsprotocol",
    "multidict",
    "orjson",
    "platformdirs",
    "pydantic",
    "pydantic_core",
    "pygls",
    "pkgutil",
    "queue",
    "random",
    "runpy",
    "secretstorage",
    "sitecustomize",
    "socket",
    "ssl",
    "tomllib",
    "tree_sitter",
    "tree_sitter_python",
    "twospeed_protocol",
    "usercustomize",
    "websockets",
    "yarl",
)
BEFORE_US = ("twospeed", "types", "warnings")
"""Modules that ``python -m twospeed`` searches in the working folder before any code of ours runs."""


def poison(workspace: Path, names: Iterable[str]) -> Path:
    """Fill a workspace with modules that leave a trace when they run."""
    trace = workspace.parent / "executed"
    code = f"open({str(trace)!r}, 'a').write(__name__ + '\\n')\n"
    for name in names:
        (workspace / f"{name}.py").write_text(code)
    (workspace / "evil_backend.py").write_text(code)
    (workspace / "evil.pth").write_text(f"import evil_backend; {code}")
    entries = workspace / "evil-1.0.dist-info"
    entries.mkdir()
    (entries / "METADATA").write_text("Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n")
    (entries / "entry_points.txt").write_text("[keyring.backends]\nevil = evil_backend\n")
    for name in ("keyringrc.cfg", "python_keyring/keyringrc.cfg", ".config/python_keyring/keyringrc.cfg"):
        (workspace / name).parent.mkdir(parents=True, exist_ok=True)
        (workspace / name).write_text("[backend]\ndefault-keyring=evil_backend.Keyring\nkeyring-path=.\n")
    for name in ("pyproject.toml", "setup.py", "conftest.py", "tox.ini", ".git/config", ".pythonrc"):
        (workspace / name).parent.mkdir(exist_ok=True)
        (workspace / name).write_text(code)
    return trace


@pytest.mark.parametrize("name", COMMANDS)
async def test_no_module_of_the_working_folder_runs(tmp_path: Path, name: str) -> None:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    is_safe = name != "module"
    trace = poison(workspace, [*POISONED, *(BEFORE_US if is_safe else ())])
    environ = {key: value for key, value in os.environ.items() if key != "PYTHON_KEYRING_BACKEND"}
    document = (workspace / "a.py").as_uri()
    async with server_process(environ, command=COMMANDS[name], cwd=workspace) as server:
        await server.initialize(workspace)
        server.open(document)
        await server.request("twospeed/status", {})  # models are discovered and the keyring is read
        assert (await server.edit(document, "Add type hints."))["result"]["provider"] == "builtin"
    assert server.errors == b""
    assert not trace.exists(), trace.read_text()
