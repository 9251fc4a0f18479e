"""Paths of a repository that are no regular files: links to anywhere, devices, blocking pipes."""

from __future__ import annotations

import os
from pathlib import Path


def set_traps(root: Path) -> None:
    """Create one of each in a workspace with a folder ``sub``, next to which there is an ``outside.py``."""
    links = {
        "link.py": "../outside.py",
        "absolute.py": str(root.parent / "outside.py"),
        "chain1": "chain2",
        "chain2": "chain3",
        "chain3": "../outside.py",
        "up": "..",
        "loop1": "loop2",
        "loop2": "loop1",
        "self": "self/self",
        "zero": "/dev/zero",
        "random": "/dev/urandom",
        "terminal": "/dev/tty",
        "environ": "/proc/self/environ",
        "memory": "/proc/self/mem",
        "descriptor": "/proc/self/fd/0",
        "dangling": "nowhere",
    }
    for name, target in links.items():
        (root / name).symlink_to(target)
    os.mkfifo(root / "fifo")
    os.mkfifo(root / "sub" / "fifo.py")
