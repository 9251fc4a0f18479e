"""Remove one import from real Python files and add it back: ``python -m tests.syntax.imports.restored_python FOLDER``.

Prints how many files are restored exactly, are equivalent, get no answer, or are wrong. Nothing may be wrong.
An import is ``earlier`` if it was the only one below other code: nothing in the file shows that it belongs there.
"""

from __future__ import annotations

import argparse
import ast
import random
import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import thread_time

from twospeed.syntax.imports.add_imports import add_imports
from twospeed.syntax.trees.trees import parse_fully
from twospeed.text.line_blocks import Lines
from twospeed.text.lines import split_lines

Binding = tuple[str, int, str, str | None]


def imports_of(tree: ast.Module) -> list[ast.Import | ast.ImportFrom]:
    return [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]


def alias_of(name: ast.alias) -> str | None:
    return None if name.asname == name.name else name.asname


def bindings_of(tree: ast.Module) -> dict[Binding, int]:
    """Return the number of other statements above each import, by what it binds."""
    found: dict[Binding, int] = {}
    n_above = 0
    for node in tree.body:
        if isinstance(node, ast.Import):
            for each in node.names:
                found.setdefault(("", 0, each.name, alias_of(each)), n_above)
        elif isinstance(node, ast.ImportFrom):
            for each in node.names:
                found.setdefault((node.module or "", node.level, each.name, alias_of(each)), n_above)
        elif not is_constant(node):
            n_above += 1
    return found


def is_constant(node: ast.stmt) -> bool:
    """Return whether a statement is such as ``__all__ = [...]``, whose place has no effect on imports."""
    return (
        isinstance(node, ast.Assign)
        and ast.unparse(node.targets[0]).startswith("__")
        and not any(isinstance(each, ast.Call) for each in ast.walk(node))
    )


def code_of(tree: ast.Module) -> list[str]:
    return [ast.dump(node) for node in tree.body if not isinstance(node, ast.Import | ast.ImportFrom)]


def without_statement(lines: list[str], node: ast.stmt) -> list[str] | None:
    start, end = node.lineno - 1, node.end_lineno or node.lineno
    if lines[start][: node.col_offset].strip() or ";" in lines[end - 1]:
        return None
    if end < len(lines) and not lines[end].strip() and (not start or not lines[start - 1].strip()):
        end += 1  # the group is empty
    return [*lines[:start], *lines[end:]]


def without_name(lines: list[str], node: ast.ImportFrom, alias: ast.alias) -> list[str] | None:
    """Remove a name and a comma, and the line if it becomes empty."""
    row = alias.lineno - 1
    line = lines[row]
    if alias.end_lineno != alias.lineno or not line.isascii():
        return None
    before, after = line[: alias.col_offset], line[alias.end_col_offset :]
    if after.lstrip().startswith(","):
        after = after.lstrip()[1:].removeprefix(" ")
    elif before.rstrip().endswith(","):
        before = before.rstrip()[:-1]
    else:
        return None
    changed = before + after
    return [*lines[:row], *([changed] if changed.strip() else []), *lines[row + 1 :]]


def cases(text: str, tree: ast.Module, chance: random.Random) -> Iterator[tuple[list[str], str]]:
    lines = text.split("\n")
    nodes = imports_of(tree)
    if not nodes:
        return
    node = chance.choice(nodes)
    if (rest := without_statement(lines, node)) is not None:
        yield rest, ast.unparse(node)
    several = [each for each in nodes if isinstance(each, ast.ImportFrom) and len(each.names) > 1]
    if several:
        node = chance.choice(several)
        alias = chance.choice(node.names)
        rest = without_name(lines, node, alias)
        if rest is not None:
            node.names = [alias]
            yield rest, ast.unparse(node)


def verdict(text: str, original: ast.Module, rest: Sequence[str], statement: str) -> tuple[str, str]:
    lines = Lines.of(split_lines("\n".join(rest)))
    parse_fully("python", lines)
    start = thread_time()
    added = add_imports(lines, "python", [statement])
    seconds = thread_time() - start
    TIMES.append(seconds)
    if added is None:
        return "none", ""
    result = "".join([*lines[: added.start], *added.lines, *lines[added.end :]])
    if result == text:
        return "exact", result
    return (compared(original, result) if added.statements else "wrong"), result


def compared(original: ast.Module, result: str) -> str:
    try:
        compile(result, "result", "exec", dont_inherit=True)
        tree = ast.parse(result)
    except SyntaxError:
        return "wrong"
    before, after = bindings_of(original), bindings_of(tree)
    if code_of(original) != code_of(tree) or before.keys() != after.keys():
        return "wrong"
    for key, n_above in after.items():
        is_library = key[1] == 0 and (key[0] or key[2]).partition(".")[0] in sys.stdlib_module_names
        if n_above > before[key]:
            return "wrong"
        if n_above < before[key] and not is_library:
            return "earlier"
    return "equivalent"


TIMES: list[float] = []
SLOWEST: list[str] = []


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument(
        "--show", choices=("exact", "equivalent", "earlier", "none", "wrong"), default="wrong"
    )
    parser.add_argument("--n-shown", type=int, default=10)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    chance = random.Random(options.seed)
    paths = sorted(path for folder in options.folders for path in folder.rglob("*.py"))
    counts = Counter[str]()
    n_shown = 0
    for path in chance.sample(paths, min(options.files, len(paths))):
        try:
            text = path.read_bytes().decode().replace("\r\n", "\n")
            original = ast.parse(text)
        except (SyntaxError, ValueError):
            continue
        if "\r" in text or "\f" in text:
            continue
        for rest, statement in cases(text, ast.parse(text), chance):
            try:
                gap = bindings_of(ast.parse("\n".join(rest))).keys() == bindings_of(original).keys()
            except SyntaxError:
                continue
            if gap:
                continue  # it is imported twice
            found, result = verdict(text, original, rest, statement)
            if TIMES[-1] == max(TIMES):
                SLOWEST[:] = [str(path), statement]
            counts[found] += 1
            if found == options.show and n_shown < options.n_shown:
                n_shown += 1
                print(f"== {found}: {path}\n{statement}")
                wanted, got = text.split("\n"), result.split("\n")
                if result:
                    at = next(
                        (i for i, pair in enumerate(zip(wanted, got, strict=False)) if pair[0] != pair[1]), 0
                    )
                    print("\n".join(wanted[max(0, at - 6) : at + 8]), "\n   ----")
                    print("\n".join(got[max(0, at - 6) : at + 8]))
    print(f"slowest: {SLOWEST}")
    print(
        dict(counts), f"median {sorted(TIMES)[len(TIMES) // 2] * 1000:.2f} ms, max {max(TIMES) * 1000:.2f} ms"
    )


if __name__ == "__main__":
    main()
