"""Measure the index of a workspace, and the prompt of one edit.

Index: the thread of a `WorkspaceIndex` reads 2,000 files of the standard library and installed packages,
copied into a folder. The floor is reading and parsing the same files alone. Meanwhile a task on the event
loop wakes every millisecond; its delay is the stall. Then single files are changed on the disk and read
again.

Prompts: from the document's tree and definitions to the messages, for scopes all over a file of 10,000 lines.
The floor is the same prompt without outline and definitions. The definitions of a long file are listed in a
thread, once a version.
"""

from __future__ import annotations

import asyncio
import gc
import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter

import tree_sitter_python
from benchmarks.sources import python_lines
from benchmarks.table import Row, p99, print_tables, wants_json
from tree_sitter import Language, Parser

from twospeed import syntax
from twospeed.cli.main import GC_THRESHOLDS
from twospeed.edits.prompting.prompt_context import PromptContext, PromptDelimiters
from twospeed.edits.prompting.scope_resolution import resolve_scope
from twospeed.edits.values import EditRequest
from twospeed.lsp.serve import SWITCH_S
from twospeed.models.base import DEEP_LIMITS, Limits
from twospeed.routing import LaneEntry
from twospeed.syntax.definitions.symbols import read_symbols
from twospeed.syntax.duplicates.duplicate_functions import fingerprint_of
from twospeed.text.document import Document
from twospeed.workspace.files import WorkspaceFiles
from twospeed.workspace.guarded import MAX_BYTES
from twospeed.workspace.index import WorkspaceIndex

FILES = 2_000
UPDATES = 200
LINES = 10_000
EDITS = 60
BUDGETS = {"lightning": Limits(), "deep": DEEP_LIMITS, "128k": replace(DEEP_LIMITS, context_tokens=131_072)}


def copy_workspace(folder: Path) -> list[Path]:
    """Copy Python files into a folder, always the same of one environment; return the copies."""
    found = [
        (path, f"{name}/{path.relative_to(base)}")
        for name, base in (("lib", sysconfig.get_path("stdlib")), ("packages", sysconfig.get_path("purelib")))
        for path in sorted(Path(base).rglob("*.py"))
        if path.stat().st_size <= MAX_BYTES and "site-packages" not in path.relative_to(base).parts
    ]
    chosen = Random(FILES).sample(found, min(FILES, len(found)))
    copies: list[Path] = []
    for path, name in chosen:
        copy = folder / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
        copies.append(copy)
    return copies


def resident_mb() -> float:
    """Return the resident memory of this process; 0 if the system does not report it."""
    try:
        status = Path("/proc/self/status").read_text("ascii")
    except OSError:
        return 0.0
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


async def stalls(is_over: Callable[[], bool]) -> list[float]:
    """Wake every millisecond until done; return the delays in milliseconds."""
    late: list[float] = []
    while not is_over():
        started = perf_counter()
        await asyncio.sleep(0.001)
        late.append((perf_counter() - started) * 1e3 - 1)
    return late


async def measure_index(root: Path, copies: list[Path]) -> tuple[list[Row], WorkspaceIndex]:
    """Measure the index of a workspace."""
    read_symbols("import this\n", "python")  # the grammar is loaded once, by whatever needs it first
    started = perf_counter()
    parser = Parser(Language(tree_sitter_python.language()))
    for path in copies:
        parser.parse(path.read_bytes())
    parse_s = perf_counter() - started
    before = resident_mb()
    index = WorkspaceIndex(WorkspaceFiles(root, ()), mark=fingerprint_of)
    started = perf_counter()
    index.wake()
    busy = await stalls(lambda: index.wait(0))
    took_s = perf_counter() - started
    grown = resident_mb() - before
    until = perf_counter() + took_s
    idle = await stalls(lambda: perf_counter() >= until)
    rows: list[Row] = [
        {
            "files": index.n_files,
            "MB of code": sum(path.stat().st_size for path in copies) / 1e6,
            "read s": took_s,
            "parse alone s": parse_s,
            "grown MB": grown,
            "stall ms": median(busy),
            "p99": p99(busy),
            "max": max(busy),
            "idle p99": p99(idle),
        }
    ]
    return rows, index


async def measure_updates(root: Path, copies: list[Path], index: WorkspaceIndex) -> list[Row]:
    """Change files on the disk, one at a time, and measure how long each is read again."""
    took: list[float] = []
    parses: list[float] = []
    for path in Random(UPDATES).sample(copies, UPDATES):
        text = path.read_text("utf-8", "replace") + "\n\ndef written_by_the_benchmark():\n    pass\n"
        path.write_text(text, "utf-8")
        started = perf_counter()
        read_symbols(text, "python")
        parses.append((perf_counter() - started) * 1e3)
        started = perf_counter()
        index.note_changed([path.relative_to(root).as_posix()])
        assert index.wait(10)
        took.append((perf_counter() - started) * 1e3)
    return [
        {
            "n": UPDATES,
            "update ms": median(took),
            "p99": p99(took),
            "of it parsing and listing ms": median(parses),
            "files with the new name": len(
                {place.path for place in index.definitions_of("written_by_the_benchmark")}
            ),
        }
    ]


async def measure_prompts(index: WorkspaceIndex) -> list[Row]:
    """Measure prompts for functions all over a long file."""
    document = Document.opened("file:///long.py", 1, "python", "".join(python_lines(LINES)), "utf-16")
    assert await syntax.wait_for_tree(document.language_id, document.lines, limit_s=10)
    starts = [number for number, line in enumerate(document.lines) if line.lstrip().startswith("def ")]
    rows: list[Row] = []
    for name, limits in BUDGETS.items():
        entry = LaneEntry("lab", "m", limits=limits, is_cloud=False, origin="config")
        took: list[float] = []
        plain: list[float] = []
        n_chars: list[int] = []
        definition_sizes: list[int] = []
        for line in islice(Random(EDITS).sample(starts, len(starts)), EDITS):
            request = EditRequest(
                document,
                ((line, 8), (line, 8)),
                "do it",
                "deep",
                path="lib/long.py",
                definitions_of=index.definitions_of,
            )
            question = await PromptContext.gather(request, resolve_scope(request), PromptDelimiters())
            bare = replace(question, seen=replace(question.seen, language_id="plaintext"))
            for context, times in ((bare, plain), (question, took)):
                started = perf_counter()
                messages = context.request_for(entry).messages
                times.append((perf_counter() - started) * 1e3)
            text = messages[-1].content
            n_chars.append(sum(len(message.content) for message in messages))
            definitions = text.split("=== definitions of names", 1)[1:]
            definition_sizes.append(len(definitions[0].split("\n===", 1)[0]) if definitions else 0)
        rows.append(
            {
                "budget": name,
                "lines": LINES,
                "n": EDITS,
                "prompt ms": median(took),
                "p99": p99(took),
                "without outline and definitions ms": median(plain),
                "characters": median(n_chars),
                "edits with definitions": sum(map(bool, definition_sizes)),
                "characters of these": max(definition_sizes),
            }
        )
    return rows


async def main() -> None:
    """Measure and print everything."""
    as_json = wants_json(__doc__)
    gc.set_threshold(*GC_THRESHOLDS)  # as in a server, which shares out its time so too
    gc.freeze()
    sys.setswitchinterval(SWITCH_S)
    with tempfile.TemporaryDirectory() as folder:
        copies = copy_workspace(Path(folder))
        read, index = await measure_index(Path(folder), copies)
        updates = await measure_updates(Path(folder), copies, index)
        prompts = await measure_prompts(index)
    print_tables(
        {"The index of a workspace": read, "One file read again": updates, "The prompt of an edit": prompts},
        as_json=as_json,
    )


if __name__ == "__main__":
    asyncio.run(main())
