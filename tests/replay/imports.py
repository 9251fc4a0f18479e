"""Derive edits of one function or class from real answers that also bring imports, and replay them.

    python -m tests.replay.imports FILE.jsonl.gz [--source NAME] [--seed N] [--show WORD] [--server]

Without ``--server`` an answer is read by the engine alone; with it, the whole document is judged at the end of an edit.

A record is used if its meaning is known, and all its changes are in one definition and in the file's imports. The
definition is the scope; the answer is streamed unchanged. The corpus is not part of this repository.
"""

from __future__ import annotations

import argparse
import ast
import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from pathlib import PurePath
from typing import Any

from tests.replay.real_answers import is_equivalent, pieces, records
from tests.scenarios.editor import STREAMING, Editor, place_range
from tests.stream.answering import Place

from twospeed.models.base import Finished, TextDelta
from twospeed.prompt.answer_form import answer_fence_for, answer_form_for
from twospeed.stream import EditStream
from twospeed.testing.scripted_model import ScriptedModel
from twospeed.text.code.import_statements import ImportMarks

Import = ast.Import | ast.ImportFrom
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass
class Case:
    """An edit of one definition: its place, the new lines that are meant, and the new imports as syntax trees."""

    record: dict[str, Any]
    place: Place
    new: list[str]
    imports: set[str]


def top_level_imports(tree: ast.Module) -> list[Import]:
    """Return the imports of a file in its first column."""
    return [node for node in tree.body if isinstance(node, Import)]


def lines_of_imports(tree: ast.Module) -> set[int]:
    """Return the indices of the lines of all such imports."""
    return {
        row - 1 for node in top_level_imports(tree) for row in range(node.lineno, (node.end_lineno or 0) + 1)
    }


def trees_of(imports: Sequence[Import]) -> set[str]:
    """Return what imports say, whatever their layout."""
    return {ast.dump(node) for node in imports}


def changes_of(before: Sequence[str], after: Sequence[str]) -> list[tuple[int, int, int, int]]:
    """Return the changed lines of both texts."""
    codes = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    return [(i, j, k, m) for tag, i, j, k, m in codes if tag != "equal"]


def definitions_of(tree: ast.Module) -> Iterator[tuple[int, int]]:
    """Yield the lines of all functions and classes."""
    for node in ast.walk(tree):
        if isinstance(node, Definition):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            yield first - 1, node.end_lineno or node.lineno


def whole_definitions(tree: ast.Module, first: int, last: int) -> list[tuple[int, int]]:
    """Return the lines of the definitions at the top level around some lines, if nothing else is between them."""
    spans = []
    for node in tree.body:
        decorators = node.decorator_list if isinstance(node, Definition) else []
        start = min([node.lineno, *(each.lineno for each in decorators)]) - 1
        if start < last and first < (node.end_lineno or 0):
            if not isinstance(node, Definition):
                return []
            spans.append((start, node.end_lineno or 0))
    is_around = spans and spans[0][0] <= first and last <= spans[-1][1]
    return [(spans[0][0], spans[-1][1])] if is_around else []


def case_of(record: dict[str, Any]) -> Case | None:
    """Derive an edit of one definition; ``None`` if the record has no imports, or changes anything else."""
    meant = record["intended"]
    if (
        record["lang"] != "python"
        or record.get("part")
        or meant["kind"] != "text"
        or "\r" in record["file_before"]
    ):
        return None
    i, j, new = meant["splice"]
    text = record["file_before"]
    result = text[:i] + new + text[j:]
    try:
        old_tree, new_tree = ast.parse(text), ast.parse(result)
    except (SyntaxError, ValueError):
        return None
    imports = trees_of(top_level_imports(new_tree)) - trees_of(top_level_imports(old_tree))
    if not imports:
        return None
    before, after = text.split("\n"), result.split("\n")
    old_rows, new_rows = lines_of_imports(old_tree), lines_of_imports(new_tree)
    rest = [
        (i, j, k, m)
        for i, j, k, m in changes_of(before, after)
        if any(before[row].strip() and row not in old_rows for row in range(i, j))
        or any(after[row].strip() and row not in new_rows for row in range(k, m))
    ]
    around = [
        (start, end)
        for start, end in definitions_of(old_tree)
        if all(start <= i and j <= end and i < end for i, j, _, _ in rest)
    ]
    if not rest:
        return None
    around = around or whole_definitions(
        old_tree, min(each[0] for each in rest), max(each[1] for each in rest)
    )
    if not around:
        return None
    start, end = max(around)
    changes = changes_of(before, after)
    shift = sum((m - k) - (j - i) for i, j, k, m in changes if j <= start and (i, j, k, m) not in rest)
    growth = sum(
        (m - k) - (j - i)
        for i, j, k, m in changes
        if (start <= i < end and j > start) or (i, j, k, m) in rest
    )
    above, old, below = (
        "".join(f"{line}\n" for line in part) for part in (before[:start], before[start:end], before[end:])
    )
    place = Place("python", above, old, below.removesuffix("\n"))
    rows = range(start + shift, end + shift + growth)
    return Case(record, place, [after[row] for row in rows if row not in new_rows], imports)


def stream_of(case: Case) -> EditStream:
    """Return a stream as the server makes it for a function or class."""
    place = case.place
    are_blocks = answer_form_for(place.old) == "blocks"
    around = replace(
        place.surroundings,
        file_name=PurePath(case.record["path"]).name,
        are_blocks_requested=are_blocks,
        fence="" if are_blocks else answer_fence_for(place.old, "python"),
        instruction=case.record["instruction"],
        imports=ImportMarks.of("python"),
    )
    return EditStream(place.old.split("\n")[:-1], around)


def verdict_on(case: Case, seed: int) -> tuple[str, str]:
    """Stream an answer, and return the verdict and its reason."""
    stream = stream_of(case)
    for piece in pieces(case.record["answer"], seed):
        stream.receive_text(piece)
    stream.finish("stop")
    if stream.refusal:
        return "refused", f"{stream.refusal.code}: {stream.refusal.message}"
    if not is_equivalent("\n".join(stream.answer), "\n".join(case.new), "python"):
        return "WRONG", "another definition than is meant"
    found = ast.parse("\n".join(stream.imports)).body
    if trees_of([node for node in found if isinstance(node, Import)]) != case.imports or not all(
        isinstance(node, Import) for node in found
    ):
        return "WRONG", f"other imports: {list(stream.imports)}"
    return "right", ""


def imported_names(text: str) -> set[tuple[str | None, int, str, str | None]]:
    """Return what the imports at the top level bind: module, level, name and alias."""
    return {
        (getattr(node, "module", None), getattr(node, "level", 0), alias.name, alias.asname)
        for node in top_level_imports(ast.parse(text))
        for alias in node.names
    }


def code_without_imports(text: str) -> list[str]:
    """Return the statements of a file that are no imports."""
    return [ast.dump(node) for node in ast.parse(text).body if not isinstance(node, Import)]


async def verdict_on_edit(case: Case, seed: int) -> tuple[str, str]:
    """Run the edit in an open document; return the verdict on the document and its reason."""
    record, place = case.record, case.place
    i, j, new = record["intended"]["splice"]
    before = record["file_before"]
    meant = before[:i] + new + before[j:]
    deltas = [TextDelta(piece) for piece in pieces(record["answer"], seed)]
    start = place.above.count("\n")
    params = {
        "range": place_range(start, 0, start + place.old.count("\n"), 0),
        "instruction": record["instruction"] or "change this",
        "scope": "selection",
    }
    async with await Editor.started(STREAMING if seed % 2 else None) as editor:
        uri = f"file:///replay/{record['path']}"  # an answer may name the file
        buffer = editor.open(before, uri=uri)
        editor.serve(ScriptedModel([*deltas, Finished("stop")]))
        result = await editor.request("twospeed/edit", {**editor.edit_params(0, uri=uri), **params})
    if result["outcome"] != "applied":
        return "refused" if buffer.text == before else "WRONG", str(result["reason"]["code"])
    if imported_names(buffer.text) - imported_names(meant) - imported_names(before):
        return "WRONG", "an import that is not meant"
    if code_without_imports(buffer.text) != code_without_imports(meant):
        return "WRONG", "other code than is meant"
    is_reported = any(each["code"] == "import-not-added" for each in result["findings"])
    if imported_names(meant) - imported_names(buffer.text):
        return ("incomplete", "reported") if is_reported else ("WRONG", "incomplete")
    return "right", ""


def main() -> None:
    """Replay a corpus, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path")
    parser.add_argument("--source", default="")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", default="")
    parser.add_argument("--server", action="store_true")
    options = parser.parse_args()
    counts: Counter[tuple[str, str]] = Counter()
    for record in records(options.path):
        case = case_of(record) if options.source in ("", record["source"]) else None
        if case is None:
            continue
        seed = options.seed + counts.total()
        verdict, why = (
            asyncio.run(verdict_on_edit(case, seed)) if options.server else verdict_on(case, options.seed)
        )
        counts[verdict, why if verdict == "refused" or options.server else ""] += 1
        if options.show and options.show == verdict:
            print(record["id"], verdict, why)
    for (verdict, why), n in sorted(counts.items()):
        print(f"{n:5} {verdict} {why}")


if __name__ == "__main__":
    main()
