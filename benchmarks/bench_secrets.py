"""Looking for secrets: milliseconds for 100 KB of what a prompt holds, and how often ordinary source is taken for one.

The floor is encoding the same text, which sending it costs in any case. Ordinary source is the standard library's,
without its tests, in which no secret stands: each line with a find is a false one.
"""

from __future__ import annotations

import sysconfig
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.table import Row, print_tables, spread, wants_json

from twospeed.text.placeholders import Placeholders
from twospeed.text.secret_shapes import find_secrets, mask_secrets

CHARS = 100_000
SECRETS = """\
API_KEY = "sk-proj-Zq7Xw2Rt9Yk4Lm8Np3Vb6Hd1Sc5Gf0JaEuOiTxKz"
DATABASE_URL=postgres://shop:Tr0ub4dor-and-3@db.example/shop
token: ghp_Zq7Xw2Rt9Yk4Lm8Np3Vb6Hd1Sc5Gf0JaEuOi
"""
RUNS = 7


def source() -> list[str]:
    """Read the modules that come with Python, one text each."""
    folder = Path(sysconfig.get_path("stdlib"))
    paths = [path for path in sorted(folder.rglob("*.py")) if not {"test", "site-packages"} & set(path.parts)]
    return [path.read_text("utf-8", "replace") for path in paths]


def timed(work: Callable[[str], object], text: str) -> float:
    """Return the milliseconds of the quickest of some runs."""
    times = []
    for _ in range(RUNS):
        started = time.perf_counter()
        work(text)
        times.append((time.perf_counter() - started) * 1e3)
    return min(times)


def speed(text: str) -> list[Row]:
    """Time each way to look through pieces of a long text."""
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
    """Do what is done with a scope: find its secrets, then put placeholders."""
    return Placeholders.of(text, word="3fa09c17").hide_in_scope(text)


def false_finds(texts: list[str]) -> list[Row]:
    """Count lines that are taken for a secret."""
    n_lines = sum(text.count("\n") for text in texts)
    lines = sum(len({text.count("\n", 0, found.start) for found in find_secrets(text)}) for text in texts)
    n_mb = sum(map(len, texts)) / 1e6
    return [{"source MB": n_mb, "lines": n_lines, "false": lines, "of 1,000 lines": 1000 * lines / n_lines}]


def main() -> None:
    """Measure everything, print it."""
    as_json = wants_json(__doc__)
    texts = source()
    print_tables(
        {"Looking for secrets": speed("".join(texts)), "Ordinary source": false_finds(texts)}, as_json=as_json
    )


if __name__ == "__main__":
    main()
