"""Count how often each line of the answer reader runs: ``python -m tests.everyday.rules MODULE [ARGUMENT …]``.

It runs a module (``tests.everyday``, ``tests.replay.real_answers``, ``pytest``) with its arguments, and adds its counts to
a file (``RULES``, by default ``.rules.json``). Without a module it prints the lines that return or refuse with their
counts, and marks those that never ran. A rule that never runs can be deleted.
"""

from __future__ import annotations

import ast
import json
import os
import runpy
import sys
from collections import Counter
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Self

import twospeed.stream

from . import table

FOLDER = Path(twospeed.stream.__file__).parent
MODULES = (*sorted((FOLDER / "answers").rglob("*.py")), FOLDER / "answer_lines.py")
KEPT = Path(os.environ.get("RULES", ".rules.json"))


class LineCounts:
    """Traces the modules of the answer reader only."""

    def __init__(self) -> None:
        self._names = {str(path): path.name for path in MODULES}
        self._counted: dict[CodeType, str | None] = {}
        self.counts: Counter[tuple[str, int]] = Counter()

    def trace(self, frame: FrameType, event: str, argument: object) -> Any:
        """Trace the lines of a called function of the answer reader; see `sys.settrace`."""
        code = frame.f_code
        if code not in self._counted:
            self._counted[code] = self._names.get(code.co_filename)
        return self._trace_lines if self._counted[code] else None

    def _trace_lines(self, frame: FrameType, event: str, argument: object) -> Any:
        if event == "line":
            self.counts[(self._counted[frame.f_code] or "", frame.f_lineno)] += 1
        return self._trace_lines


class InThisProcess:
    """A `concurrent.futures.ProcessPoolExecutor` that runs everything in this process, where it is traced."""

    map = staticmethod(map)

    def __init__(self, *arguments: object, **settings: object) -> None:
        pass

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        pass


def decisions(path: Path) -> list[tuple[int, str, str]]:
    """Return number, function and text of each ``return``, ``raise``, ``yield`` and call in a module."""
    text = path.read_text("utf-8")
    lines = text.splitlines()
    found: list[tuple[int, str, str]] = []

    def visit(node: ast.AST, name: str) -> None:
        for child in ast.iter_child_nodes(node):
            inner = name
            if isinstance(child, ast.FunctionDef | ast.ClassDef):
                inner = f"{name}.{child.name}".lstrip(".")
            if isinstance(child, ast.Return | ast.Raise | ast.Expr) and not (
                isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
            ):
                found.append((child.lineno, name, lines[child.lineno - 1].strip()))
            visit(child, inner)

    visit(ast.parse(text), "")
    return found


def main(arguments: list[str]) -> None:
    """Count a run, or print the counts."""
    kept: dict[str, int] = json.loads(KEPT.read_text("utf-8")) if KEPT.exists() else {}
    if not arguments:
        for path in MODULES:
            for line, name, text in decisions(path):
                count = kept.get(f"{path.name}:{line}", 0)
                print(f"{count or '-':>10}  {path.name}:{line} {name}: {text}")
        return
    counting = LineCounts()
    setattr(table, "ProcessPoolExecutor", InThisProcess)  # noqa: B010  # it is imported there, and not exported
    sys.argv = arguments
    sys.settrace(counting.trace)
    try:
        runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
    finally:
        sys.settrace(None)
        for (name, line), count in counting.counts.items():
            kept[f"{name}:{line}"] = kept.get(f"{name}:{line}", 0) + count
        KEPT.write_text(json.dumps(kept), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
