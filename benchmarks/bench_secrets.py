"""Measure the search for secrets: milliseconds for 100 KB of a prompt, and false finds in ordinary source.

The floor is encoding the same text, which sending requires anyway. Ordinary files are 6,000 files of this
machine, drawn with a fixed seed: the standard library and all packages of Python and Node.js, with lock
files, documentation, headers, minified scripts and tests. They contain hardly any secret, so each line with a
find counts as false.
"""

from __future__ import annotations

import random
import sysconfig
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from benchmarks.table import Row, print_tables, spread, wants_json

from twospeed.secrets import placeholders
from twospeed.secrets.placeholders import Placeholders
from twospeed.secrets.search import find_secrets, mask_secrets

CHARS = 100_000
SECRETS = """\
API_KEY = "sk-proj-Zq7Xw2Rt9Yk4Lm8Np3Vb6Hd1Sc5Gf0JaEuOiTxKz"
DATABASE_URL=postgres://shop:Tr0ub4dor-and-3@db.example/shop
token: ghp_Zq7Xw2Rt9Yk4Lm8Np3Vb6Hd1Sc5Gf0JaEuOi
"""
RUNS = 7
N_FILES = 6_000
MAX_FILE_BYTES = 400_000
FOLDERS = [
    Path(sysconfig.get_path("stdlib")),
    Path(sysconfig.get_path("purelib")),
    *map(Path, ("/usr/lib/python3", "/usr/lib/node_modules", "/usr/share", "/usr/include")),
]
SUFFIXES = frozenset(
    {
        ".c", ".cfg", ".cjs", ".cmake", ".conf", ".css", ".el", ".go", ".h", ".html", ".ini", ".java",
        ".js", ".json", ".lock", ".lua", ".map", ".md", ".mjs", ".php", ".pl", ".pm", ".properties",
        ".py", ".pyi", ".rb", ".rs", ".rst", ".scss", ".sh", ".sql", ".svg", ".tf", ".toml", ".ts",
        ".tsx", ".txt", ".vim", ".xml", ".yaml", ".yml",
    }
)  # fmt: skip


def source() -> list[str]:
    """Return the modules of Python, one text each."""
    folder = Path(sysconfig.get_path("stdlib"))
    paths = [path for path in sorted(folder.rglob("*.py")) if not {"test", "site-packages"} & set(path.parts)]
    return [path.read_text("utf-8", "replace") for path in paths]


def timed(work: Callable[[str], object], text: str) -> float:
    """Return the milliseconds of processor time of the fastest run."""
    times = []
    for _ in range(RUNS):
        started = time.process_time()
        work(text)
        times.append((time.process_time() - started) * 1e3)
    return min(times)


def speed(text: str) -> list[Row]:
    """Measure each kind of search in pieces of a long text."""
    pieces = [text[start : start + CHARS] for start in range(0, min(len(text), 30 * CHARS) - CHARS, CHARS)]
    with_secrets = [SECRETS + piece[: -len(SECRETS)] for piece in pieces]
    ways: dict[str, tuple[Callable[[str], object], list[str]]] = {
        "encoded (floor)": (str.encode, pieces),
        "scanned": (lambda piece: list(find_secrets(piece)), pieces),
        "masked, three secrets": (mask_secrets, with_secrets),
        "hidden in a scope, three secrets": (hide, with_secrets),
    }
    return [
        {"100 KB": name, "n": len(texts), **spread("ms", [timed(work, piece) for piece in texts])}
        for name, (work, texts) in ways.items()
    ]


def hide(text: str) -> str:
    """Process a scope: find its secrets, and replace them by placeholders."""
    placeholders._detected.cache_clear()  # noqa: SLF001  # otherwise only the first run searches
    return Placeholders.of(text, word="3fa09c17").hide_in_scope(text)


def ordinary_files() -> list[str]:
    """Return files of this machine, in many languages and formats, one text each."""
    paths = sorted(
        path
        for folder in FOLDERS
        for path in folder.rglob("*")
        if path.suffix in SUFFIXES and path.is_file() and path.stat().st_size < MAX_FILE_BYTES
    )
    random.Random(5).shuffle(paths)
    texts: list[str] = []
    for path in paths:
        if len(texts) == N_FILES:
            break
        try:
            texts.append(path.read_text("utf-8"))
        except (OSError, UnicodeDecodeError):
            continue
    return texts


def false_finds(texts: list[str]) -> tuple[list[Row], list[Row]]:
    """Count lines with a find, in total and by kind."""
    n_lines = sum(text.count("\n") + 1 for text in texts)
    kinds: Counter[str] = Counter()
    n_false = 0
    for text in texts:
        kind_of_line = {text.count("\n", 0, found.start): found.name for found in find_secrets(text)}
        kinds.update(kind_of_line.values())
        n_false += len(kind_of_line)
    n_mb = sum(map(len, texts)) / 1e6
    row: Row = {
        "files": len(texts),
        "MB": n_mb,
        "lines": n_lines,
        "false": n_false,
        "of 10,000 lines": 1e4 * n_false / n_lines,
    }
    return [row], [{"kind": kind, "lines": n} for kind, n in kinds.most_common()]


def main() -> None:
    """Measure and print everything."""
    as_json = wants_json(__doc__)
    in_all, by_kind = false_finds(ordinary_files())
    print_tables(
        {"Looking for secrets": speed("".join(source())), "Ordinary files": in_all, "By kind": by_kind},
        as_json=as_json,
    )


if __name__ == "__main__":
    main()
