"""Replay answers that real models gave, each in an open document, and judge the document at the end.

    python -m tests.replay.real_answers FILE.jsonl.gz [--source NAME] [--only TEXT] [--limit N] [--seed N] [--show WORD]

Each record holds a document, a range, an answer and what the answer means. The corpus is not part of this repository.
``--show wrong`` prints each record with that verdict and its reason.
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import gzip
import inspect
import itertools
import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

from tests.scenarios.editor import STREAMING, Editor

from twospeed.models.base import Finished, ModelEvent, TextDelta
from twospeed.testing.scripted_model import ScriptedModel

CLOSE_AFTER = 150


def records(path: str) -> Iterator[dict[str, Any]]:
    """Yield the records of a corpus."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def pieces(answer: str, seed: int) -> list[str]:
    """Cut an answer into pieces of random size."""
    rng = random.Random(seed)
    mean = 64 if len(answer) >= 20_000 else rng.choice((2, 4, 9))
    out, at = [], 0
    while at < len(answer):
        size = max(1, round(rng.expovariate(1 / mean)))
        out.append(answer[at : at + size])
        at += size
    return out


def without_final_blanks(text: str) -> str:
    """Drop blanks at line ends, and blank lines at the edges of a document."""
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")


def python_tree(text: str) -> str | None:
    """Return the syntax tree of Python with docstrings as `inspect.cleandoc` reads them; ``None`` for other text."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = inspect.cleandoc(node.value)
    return ast.dump(tree)


def is_equivalent(got: str, meant: str, language: str) -> bool:
    """Whether a document differs from the one that is meant in blanks alone, or in indentation that means nothing."""
    if without_final_blanks(got) == without_final_blanks(meant):
        return True
    lines = [line.strip() for line in without_final_blanks(got).split("\n")]
    if lines != [line.strip() for line in without_final_blanks(meant).split("\n")]:
        return False
    if language != "python":
        return True
    tree = python_tree(meant)
    return tree == python_tree(got) if tree is not None else _steps(got) == _steps(meant)


def _steps(text: str) -> list[int]:
    widths = [len(line) - len(line.lstrip()) for line in text.split("\n") if line.strip()]
    return [(b > a) - (b < a) for a, b in itertools.pairwise(widths)]


def verdict(record: dict[str, Any], result: dict[str, Any], text: str) -> str:
    """Judge the document at the end of an edit."""
    if result["outcome"] in ("applied", "unchanged"):
        return _landed(record, text)
    if text != record["file_before"]:
        return "WRONG"
    return _refused(record["intended"], (result["reason"] or {})["code"])


def _refused(intended: dict[str, Any], code: str) -> str:
    if intended["kind"] == "unknown":
        return "unknown, refused"
    if intended["kind"] == "refuse":
        return "refused rightly"
    is_unchecked = intended.get("syntax") == "unchecked" and code == "syntax"
    return "refused, allowed" if intended["refusal"] != "wrong" or is_unchecked else "refused wrongly"


def _landed(record: dict[str, Any], text: str) -> str:
    before, intended = record["file_before"], record["intended"]
    if intended["kind"] == "unknown":
        return "unknown, applied"
    if intended["kind"] == "refuse":
        has_all = intended.get("insert") and _is_subsequence(before.splitlines(), text.splitlines())
        return "refused rightly" if text == before or has_all else "WRONG"
    start, end, new = intended["splice"]
    meant = before[:start] + new + before[end:]
    if text == meant:
        return "exact"
    return "equivalent" if is_equivalent(text, meant, record["lang"]) else "WRONG"


def _is_subsequence(few: list[str], many: list[str]) -> bool:
    rest = iter(many)
    return all(any(line == other for other in rest) for line in few)


async def replayed(
    editor: Editor, record: dict[str, Any], number: int, seed: int
) -> tuple[str, dict[str, Any], str]:
    """Run one edit; return the verdict, the result and the document at the end."""
    uri = f"file:///replay/{number}/{record['path']}"
    buffer = editor.open(record["file_before"], uri=uri, language=record["lang"])
    deltas: list[ModelEvent] = [TextDelta(piece) for piece in pieces(record["answer"], seed + number)]
    finish = record["finish"]
    editor.serve(ScriptedModel([*deltas, Finished(finish)]))
    params = {
        "textDocument": {"uri": uri, "version": 1},
        "range": record["range"],
        "instruction": record["instruction"] or "change this",
        "scope": record["scope"],
    }
    async with asyncio.timeout(60):
        result = await editor.ask("twospeed/edit", params)[1]
    editor.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    return verdict(record, result, buffer.text), result, buffer.text


async def run(arguments: argparse.Namespace) -> None:
    """Replay a corpus and print the table."""
    table: dict[str, Counter[str]] = defaultdict(Counter)
    codes: dict[str, Counter[str]] = defaultdict(Counter)
    chosen = [
        record
        for record in records(arguments.file)
        if (not arguments.source or record["source"] == arguments.source) and arguments.only in record["id"]
    ][: arguments.limit]
    for start in range(0, len(chosen), CLOSE_AFTER):
        async with await Editor.started(STREAMING) as editor:
            for number, record in enumerate(chosen[start : start + CLOSE_AFTER], start):
                word, result, _ = await replayed(editor, record, number, arguments.seed)
                table[record["source"]][word] += 1
                reason = result["reason"] or {}
                if reason:
                    codes[word][reason["code"]] += 1
                if word == arguments.show:
                    print(
                        f"{record['id']}: {result['outcome']} {reason.get('code')}: {reason.get('message')}"
                    )
    for source, counts in sorted(table.items()):
        usable = counts["exact"] + counts["equivalent"] + counts["refused wrongly"]
        share = counts["refused wrongly"] / usable if usable else 0
        print(f"{source:8} {dict(counts)}; {share:.2%} of {usable} usable refused")
    for word, counter in codes.items():
        print(f"  {word}: {dict(counter)}")


def main() -> None:
    """Read the arguments and run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file")
    parser.add_argument("--source")
    parser.add_argument("--only", default="")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", default="")
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
