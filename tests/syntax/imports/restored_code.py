"""Remove one import from real files and add it back: ``python -m tests.syntax.imports.restored_code LANGUAGE FOLDER``.

For JavaScript, TypeScript, Go, Rust, Java, C and C++. Prints how many files are restored exactly, are equivalent,
get no answer, or are wrong: with a new syntax error, other code, or other words in the imports. Nothing may be wrong.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import thread_time

from twospeed.syntax.imports.add_imports import add_imports
from twospeed.syntax.trees.trees import parse_fully
from twospeed.text.line_blocks import Lines
from twospeed.text.lines import split_lines

SCRIPT = re.compile(
    r"""^(?:import\b.*\bfrom\s*['"].*|(?:const|let|var)\b.*=\s*require\(['"][^'"]*['"]\);?)$"""
)
LISTED = re.compile(r"\{(.*,.*)\}")
LANGUAGES = {
    "javascript": ("js", "mjs", "cjs"),
    "javascriptreact": ("jsx",),
    "typescript": ("ts", "mts"),
    "typescriptreact": ("tsx",),
    "go": ("go",),
    "rust": ("rs",),
    "java": ("java",),
    "c": ("c", "h"),
    "cpp": ("cc", "cpp", "hpp", "hh"),
}
IMPORTS = {
    "go": re.compile(r'^\t(?:\w+ )?"[^"]+"$|^import (?:\w+ )?"[^"]+"$'),
    "rust": re.compile(r"^use [^;]*;$"),
    "java": re.compile(r"^import [^;]*[^*];$"),
    "c": re.compile(r'^#\s*include [<"][^<">]*[">]$'),
    "cpp": re.compile(r'^#\s*include [<"][^<">]*[">]$'),
}
WORD = re.compile(r"[\w$@./:<>-]+")


def cases(lines: Sequence[str], language_id: str, chance: random.Random) -> Iterator[tuple[list[str], str]]:
    pattern = IMPORTS.get(language_id, SCRIPT)
    rows = [row for row, line in enumerate(lines[:200]) if pattern.match(line) and lines.count(line) == 1]
    if not rows:
        return
    row = chance.choice(rows)
    statement = lines[row] if language_id != "go" else f"import {lines[row].removeprefix('import ').strip()}"
    yield [*lines[:row], *lines[row + 1 :]], statement
    listed = [each for each in rows if (found := LISTED.search(lines[each])) and "{" not in found[1]]
    if listed:
        row = chance.choice(listed)
        found = LISTED.search(lines[row])
        assert found
        names = [each.strip() for each in found[1].split(",") if each.strip()]
        name = chance.choice(names)
        names.remove(name)
        if not names or f"{{{found[1].strip()}}}" == found[0] != f"{{{found[1]}}}":
            return
        space = found[1][: len(found[1]) - len(found[1].lstrip())]
        head, tail = lines[row][: found.start(1)] + space, space + lines[row][found.end(1) :]
        yield [*lines[:row], head + ", ".join(names) + tail, *lines[row + 1 :]], head + name + tail


def words(lines: Sequence[str]) -> set[str]:
    return {word for line in lines for word in WORD.findall(line.replace(";", " ").replace("node:", ""))}


def verdict(text: str, rest: Sequence[str], statement: str, language_id: str) -> tuple[str, str]:
    lines = Lines.of(split_lines("\n".join(rest)))
    tree = parse_fully(language_id, lines)
    start = thread_time()
    added = add_imports(lines, language_id, [statement])
    TIMES.append(thread_time() - start)
    if added is None or tree is None:
        return "none", ""
    result = "".join([*lines[: added.start], *added.lines, *lines[added.end :]])
    if result == text:
        return "exact", result
    new = result.split("\n")
    after = parse_fully(language_id, split_lines(result), is_fresh=True)
    whole = parse_fully(language_id, split_lines(text), is_fresh=True)
    assert after is not None
    assert whole is not None
    if after.root.has_error and not whole.root.has_error:
        return "wrong", result
    remaining = iter(new)
    n_lost = sum(line not in remaining for line in rest if line.strip() and line in new)
    changed = [line for line in rest if line.strip() and line not in new]
    is_same = words(new) >= words(text.split("\n"))
    if n_lost or len(changed) > 1 or not is_same or not added.statements:
        return "wrong", result
    return "equivalent", result


TIMES: list[float] = []


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("language", choices=LANGUAGES)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--show", choices=("exact", "equivalent", "none", "wrong"), default="wrong")
    parser.add_argument("--n-shown", type=int, default=10)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    endings = LANGUAGES[options.language]
    paths = sorted(path for folder in options.folders for end in endings for path in folder.rglob(f"*.{end}"))
    counts = Counter[str]()
    n_shown = 0
    for path in chance.sample(paths, min(options.files, len(paths))):
        try:
            text = path.read_bytes().decode()
        except (ValueError, OSError):
            continue
        if "\r" in text or len(text) > 300_000:
            continue
        for rest, statement in cases(text.split("\n"), options.language, chance):
            found, result = verdict(text, rest, statement, options.language)
            counts[found] += 1
            if found == options.show and n_shown < options.n_shown:
                n_shown += 1
                print(f"== {found}: {path}\n{statement}")
                wanted, got = text.split("\n"), result.split("\n")
                if result:
                    pairs = enumerate(zip(wanted, got, strict=False))
                    at = next((row for row, pair in pairs if pair[0] != pair[1]), 0)
                    print("\n".join(wanted[max(0, at - 6) : at + 8]), "\n   ----")
                    print("\n".join(got[max(0, at - 6) : at + 8]))
    middle = sorted(TIMES)[len(TIMES) // 2] * 1000 if TIMES else 0
    print(
        options.language, dict(counts), f"median {middle:.2f} ms, max {max(TIMES, default=0) * 1000:.2f} ms"
    )


if __name__ == "__main__":
    main()
