"""What a bug report needs to know of this installation: versions and paths, without the name of the user's home folder."""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from twospeed import __version__
from twospeed.cli.visible import visible
from twospeed.config.paths import state_folder
from twospeed.lsp.log import log_path

_PACKAGES = ("aiohttp", "keyring", "lsprotocol", "pydantic", "pygls", "tree-sitter", "websockets")


def versions() -> Mapping[str, str]:
    """Return the versions of twospeed, Python, the system and the packages that decide most bugs."""
    return {
        "twospeed": __version__,
        "python": f"{platform.python_version()} ({sys.executable})",
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        **{name: _version_of(name) for name in _PACKAGES},
    }


def paths() -> Mapping[str, Path]:
    """Return the paths of the log, and of the folder for statistics, consent and budget."""
    return {"log": log_path(), "state": state_folder()}


def installation_lines(*, with_packages: bool) -> Iterator[str]:
    """Yield the lines of the report about this installation."""
    found = versions()
    yield f"twospeed {found['twospeed']}"
    yield f"python  {visible(found['python'])}"
    yield f"system  {visible(found['system'])}"
    if with_packages:
        yield f"with    {', '.join(f'{name} {found[name]}' for name in _PACKAGES)}"
    yield from (f"{name:<6}  {visible(str(path))}" for name, path in paths().items())


def bug_report(lines: Iterable[str]) -> str:
    """Return the lines as a block of Markdown, with ``~`` for the home folder."""
    text = "".join(f"{line}\n" for line in lines)
    own = os.path.expanduser("~")  # noqa: PTH111  # pathlib raises without a home folder
    for home in {own, os.path.realpath(own)} - {"/", "~"}:
        text = re.sub(rf"(?<![\w.-]){re.escape(home)}(?![\w.-])", "~", text)
    return f"```\n{text}```\n"


def _version_of(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "missing"
