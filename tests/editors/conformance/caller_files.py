"""A definition in an open file, and a caller of it in a file that is not open."""

from __future__ import annotations

from pathlib import Path

from twospeed.testing.script import Script

FUNCTION = "def total(items):\n    return sum(items)\n"
CALLER = "from prices import total\n\nprint(total([3]))\n"
METHOD = "class Cart:\n    def total(self, items):\n        return sum(items)\n"
METHOD_CALLER = "def show(cart):\n    print(cart.total([3]))\n"


def updated(caller: str) -> str:
    """Return the caller with the new argument."""
    return caller.replace("[3])", "[3], 1)")


def answers(definition: str, caller: str) -> list[Script]:
    """Return the answers of a model: the definition with a new parameter, and the statement of its caller."""
    head = definition[definition.index("    def" if "class" in definition else "def") :]
    call = next(line for line in updated(caller).splitlines() if "print" in line)
    return [
        Script(f"```python\n{code}\n```\n")
        for code in (head.replace("items)", "items, tax)", 1).rstrip("\n"), call)
    ]


def project(folder: Path, caller: str) -> Path:
    """Write a project with the caller; the definition is in ``prices.py``. Return the caller's file."""
    (folder / ".git").mkdir(parents=True)
    path = folder / "till.py"
    path.write_text(caller)
    return path
