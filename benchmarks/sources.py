"""Real Python of any length: the modules of the standard library, always in the same order."""

from __future__ import annotations

import sysconfig
from pathlib import Path


def python_lines(n_lines: int) -> list[str]:
    """Return a number of lines with their ends.

    Form feeds are removed, because pygls counts them as line ends.
    """
    lines: list[str] = []
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py")):
        lines += path.read_text("utf-8").replace("\f", "").split("\n")
        if len(lines) >= n_lines:
            return [line + "\n" for line in lines[:n_lines]]
    raise AssertionError(f"the standard library has {len(lines)} lines here")
