"""Measure the gate's time for a complete answer: from its last line to the verdict.

A scope of 300 lines of real code in a file of 1,500 lines, whose tree is ready, as after waiting for a model.
The answer changes one line, every third line, or all lines. The floor is tree-sitter's incremental parse of
the file with the answer, and its count of errors, which every check of code needs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from time import perf_counter

from benchmarks.sources import python_lines
from benchmarks.table import Row, print_tables, spread, wants_json

from twospeed import syntax
from twospeed.edits.prompting.sensitivity import sensitivity_of
from twospeed.edits.values import EditRequest
from twospeed.edits.writing.validation import ReadAnswer, validate
from twospeed.gate import GateSettings
from twospeed.text.code.scope import Scope
from twospeed.text.document import Document
from twospeed.text.edits import LineEdit

FILE_LINES = 1_500
SCOPE = Scope("class", None, 600, 900)
RUNS = 60

SETTINGS = {
    "An answer of 300 lines, judged": GateSettings(),
    "The same, without the checks for repeated code and unknown names": GateSettings(
        duplicate="off", names="off"
    ),
}

CHANGES: dict[str, Callable[[int], bool]] = {
    "one line": lambda index: index == SCOPE.end - SCOPE.start - 2,
    "each third line": lambda index: index % 3 == 0,
    "every line": lambda _: True,
}


def answers(lines: Sequence[str], is_changed: Callable[[int], bool]) -> list[list[str]]:
    """Return answers that differ, so that no cached tree fits."""
    return [
        [f"{line.rstrip()}  # {run}\n" if is_changed(index) else line for index, line in enumerate(lines)]
        for run in range(RUNS)
    ]


async def measure(name: str, is_changed: Callable[[int], bool], settings: GateSettings) -> Row:
    """Check answers one after the other, each together with its floor."""
    lines = "".join(python_lines(FILE_LINES))
    document = Document.opened("file:///sample.py", 1, "python", lines, "utf-16")
    request = EditRequest(document, ((SCOPE.start, 0), (SCOPE.end, 0)), "change it", "lightning")
    await syntax.wait_for_tree("python", document.lines)
    care = sensitivity_of(document, SCOPE)
    took_ms, floor_ms, before_ms = [], [], []
    for number, answer in enumerate(answers(document.lines[SCOPE.start : SCOPE.end], is_changed)):
        edit = LineEdit(SCOPE.start, SCOPE.end - SCOPE.start, tuple(answer))
        started = perf_counter()
        await validate(request, SCOPE, ReadAnswer(answer), settings, sensitivity=care)
        took_ms.append((perf_counter() - started) * 1e3)
        other = [
            f"{line.rstrip()} #{number}\n" if is_changed(index) else line for index, line in enumerate(answer)
        ]
        started = perf_counter()
        result = document.with_edits([LineEdit(edit.start, edit.count, tuple(other))])
        syntax.count_errors(result.lines, "python")
        floor_ms.append((perf_counter() - started) * 1e3)
        started = perf_counter()
        sensitivity_of(document, SCOPE)
        before_ms.append((perf_counter() - started) * 1e3)
    return {
        "answer changes": name,
        **spread("judged, ms", took_ms),
        **spread("floor, ms", floor_ms),
        "looked at before, ms": sorted(before_ms)[RUNS // 2],
    }


async def _main() -> None:
    as_json = wants_json(__doc__)
    tables = {
        title: [await measure(name, is_changed, settings) for name, is_changed in CHANGES.items()]
        for title, settings in SETTINGS.items()
    }
    print_tables(tables, as_json=as_json)


if __name__ == "__main__":
    asyncio.run(_main())
