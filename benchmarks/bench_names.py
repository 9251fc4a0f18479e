"""Whether names from nowhere are told from those that are known: functions of the standard library as if newly written.

Each function of each module is taken for what an answer has brought. As the module stands, whoever is told of an unknown
name is told so by mistake. Without the lines that import a module by its name, those functions should be told of that
name the document no longer has; there nobody knows which ones must be, so only their number is given.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from time import perf_counter

from benchmarks.bench_duplicates import library_files
from benchmarks.table import Row, print_tables, spread, wants_json

from twospeed import syntax
from twospeed.text.line_blocks import Lines
from twospeed.text.lines import split_lines

_IMPORT = re.compile(r"(?m)^import .*\n")


def told(text: str) -> Iterator[tuple[bool, float]]:
    """Take each function of a module for a new one; yield whether it has unknown names, and what asking took, in ms."""
    lines = Lines.of(split_lines(text))
    file = syntax.symbols_of(lines, "python", mark=lambda _source, _node: None)
    for each in file.symbols if file else ():
        if each.kind != "function":
            continue
        without = lines.spliced(each.start, each.end - each.start, ())
        old = syntax.scope_code(without, "python", each.start, each.start)
        new = syntax.scope_code(lines, "python", each.start, each.end)
        started = perf_counter()
        names = syntax.unknown_names(without, lines, "python", old=old, new=new)
        yield bool(names), (perf_counter() - started) * 1e3


def measure(name: str, texts: Sequence[str]) -> Row:
    """Ask about all functions of some modules."""
    asked = [each for text in texts for each in told(text)]
    return {
        "modules": name,
        "functions": len(asked),
        "with unknown names": sum(is_told for is_told, _ in asked),
        **spread("asking, ms", [ms for _, ms in asked]),
    }


def main() -> None:
    """Measure and print."""
    as_json = wants_json(__doc__)
    texts = [path.read_text("utf-8", errors="replace").replace("\f", "") for path in library_files()]
    bare = [_IMPORT.sub("", text) for text in texts]
    rows = [measure("as they are", texts), measure("without imports of modules", bare)]
    print_tables({"Functions as if newly written": rows}, as_json=as_json)


if __name__ == "__main__":
    main()
