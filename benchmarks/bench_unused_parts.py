"""Measure what parts of the server cost an edit that does not use them; the limit is 0.2 ms for each.

A function of 60 lines in a file of 1,500 lines, and an answer that changes every tenth line. Each part runs in turn with
its floor, which is the same work without the part.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from statistics import median
from time import perf_counter

from benchmarks import samples
from benchmarks.table import Row, print_tables, wants_json

from twospeed import syntax
from twospeed.aio import in_thread
from twospeed.edits.values import EditRequest
from twospeed.edits.writing.formatting import formatted_ops
from twospeed.stream import EditStream, Surroundings
from twospeed.stream.aligner import aligned
from twospeed.text.code.import_statements import ImportMarks
from twospeed.text.code.scope import Scope
from twospeed.text.document import Document
from twospeed.text.edits import LineEdit
from twospeed.text.lines import bodies_of

RUNS = 300
Step = Callable[[], Awaitable[object]]

OLD = samples.function(60)
NEW = samples.changed(OLD, 0.1)
ABOVE, BELOW = samples.surroundings(720), samples.surroundings(720)
SCOPE = Scope("function", "total_of", len(ABOVE), len(ABOVE) + len(OLD))
BEFORE = Document.opened("file:///sample.py", 1, "python", "\n".join([*ABOVE, *OLD, *BELOW, ""]), "utf-16")
AFTER = BEFORE.with_edits([LineEdit(SCOPE.start, len(OLD), tuple(f"{line}\n" for line in NEW))])
OPS = aligned(OLD, NEW)
REQUEST = EditRequest(BEFORE, ((SCOPE.start, 0), (SCOPE.start, 0)), "change it", "lightning")
NEW_LINES = AFTER.lines[SCOPE.start : SCOPE.start + len(NEW)]
LINES = BEFORE.lines[SCOPE.start : SCOPE.end]


def _read_answer(imports: ImportMarks | None = None, instruction: str = "change it") -> Step:
    around = Surroundings(
        above=bodies_of(BEFORE.lines[: SCOPE.start]),
        below=bodies_of(BEFORE.lines[SCOPE.end :]),
        language_id="python",
    )
    answer = samples.answer(NEW)

    async def read() -> None:
        stream = EditStream(OLD, replace(around, imports=imports, instruction=instruction))
        stream.receive_text(answer)
        stream.finish("stop")

    return read


async def _nothing() -> None:
    pass


async def _format() -> None:
    await formatted_ops(REQUEST, SCOPE, OPS, LINES)


async def _signatures() -> None:
    old, new = (SCOPE.start, SCOPE.end), (SCOPE.start, SCOPE.start + len(NEW))
    await in_thread(lambda: syntax.changed_signatures(BEFORE.lines, AFTER.lines, "python", old=old, new=new))


async def _unused_imports() -> None:
    def search() -> None:
        names = syntax.removed_names(BEFORE.lines, "python", SCOPE.start, SCOPE.end, NEW_LINES)
        syntax.unused_imports(AFTER.lines, "python", names)

    await in_thread(search)


async def _thread() -> None:
    await in_thread(lambda: None)


PARTS: dict[str, dict[str, tuple[Step, Step]]] = {
    "Before the outcome": {
        "imports": (_read_answer(ImportMarks.of("python")), _read_answer()),
        "form of the old lines": (_read_answer(), _read_answer(instruction="change the style")),
        "formatter": (_format, _nothing),
    },
    "After the outcome, in a thread": {
        "callers": (_signatures, _thread),
        "unused imports": (_unused_imports, _thread),
    },
}


async def _ms(step: Step) -> float:
    started = perf_counter()
    await step()
    return (perf_counter() - started) * 1e3


async def _measure(name: str, step: Step, floor: Step) -> Row:
    took: list[float] = []
    floors: list[float] = []
    for _ in range(RUNS):
        took.append(await _ms(step))
        floors.append(await _ms(floor))
    return {
        "part": name,
        "ms": median(took),
        "floor ms": median(floors),
        "difference ms": median(one - other for one, other in zip(took, floors, strict=True)),
        "of the fastest runs ms": min(took) - min(floors),
    }


async def _main() -> None:
    as_json = wants_json(__doc__)
    for document in (BEFORE, AFTER):
        await syntax.wait_for_tree("python", document.lines)
    tables = {
        title: [await _measure(name, *steps) for name, steps in parts.items()]
        for title, parts in PARTS.items()
    }
    print_tables(tables, as_json=as_json)


if __name__ == "__main__":
    asyncio.run(_main())
