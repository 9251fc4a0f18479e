"""Measure how often unknown names are detected: functions of the standard library as if new.

Each function of a module counts as new code of an answer. In an unchanged module every report is wrong.
Without the imports of modules by name, those functions should be reported; the correct set is not known, so
only its size is given.
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


def check_functions(text: str) -> Iterator[tuple[bool, float]]:
    """Check each function of a module as new code; yield whether it has unknown names, and the time in ms."""
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
    """Check all functions of some modules."""
    checked = [each for text in texts for each in check_functions(text)]
    return {
        "modules": name,
        "functions": len(checked),
        "with unknown names": sum(has_unknown for has_unknown, _ in checked),
        **spread("check ms", [ms for _, ms in checked]),
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
