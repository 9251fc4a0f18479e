"""Print measurements: a table, or JSON with every figure."""

from __future__ import annotations

import argparse
import json
import os
import platform
from collections.abc import Mapping, Sequence
from statistics import median

Row = Mapping[str, str | int | float]


def p95(values: Sequence[float]) -> float:
    """Return the value that 95 of 100 do not exceed."""
    return sorted(values)[min(len(values) - 1, int(0.95 * len(values)))]


def p99(values: Sequence[float]) -> float:
    """Return the value that 99 of 100 do not exceed."""
    return sorted(values)[min(len(values) - 1, int(0.99 * len(values)))]


def spread(name: str, values: Sequence[float]) -> dict[str, float]:
    """Return the median and the 95th percentile of a figure with names."""
    return {name: median(values), f"{name} p95": p95(values)}


def machine() -> str:
    """Describe the machine in general words."""
    return f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"


def wants_json(description: str | None) -> bool:
    """Parse the command line; return whether to print JSON."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--json", action="store_true", help="print JSON with unrounded figures")
    return bool(parser.parse_args().json)


def print_tables(tables: Mapping[str, Sequence[Row]], *, as_json: bool) -> None:
    """Print named tables, with the machine."""
    if as_json:
        print(json.dumps({"machine": machine(), **tables}, indent=2, ensure_ascii=False))
        return
    print(machine())
    for name, rows in tables.items():
        print(f"\n{name}\n")
        cells = [list(rows[0]), *([_shown(value) for value in row.values()] for row in rows)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        cells.insert(1, ["-" * width for width in widths])
        for line in cells:
            print(
                "| " + " | ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) + " |"
            )


def _shown(value: str | float) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)
