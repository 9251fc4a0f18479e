"""Measure the start of a server: time to answer ``initialize`` and memory after it, compared with a bare pygls server.

Both start in turn. The memory is the resident one, with shared libraries, once the session is open.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Mapping
from pathlib import Path
from statistics import median

from benchmarks.client import BARE_PYGLS, TWOSPEED, Client
from benchmarks.table import Row, print_tables, spread, wants_json

RUNS = 15
BARE, CONFIGURED = "bare pygls", "twospeed with a config"
COMMANDS = {"twospeed": TWOSPEED, CONFIGURED: TWOSPEED, BARE: BARE_PYGLS}


async def measure(folder: Path) -> list[Row]:
    """Start all in turn; the first start of each only warms up."""
    homes = {name: folder / name for name in COMMANDS}
    for home in homes.values():
        home.mkdir()
    (homes[CONFIGURED] / "config.toml").write_text('mode = "deep"\n')
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    sizes: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for run in range(RUNS + 1):
        for name, command in COMMANDS.items():
            async with Client.started(command, home=homes[name]) as client:
                if run:
                    times[name].append(client.start_s * 1e3)
                    await client.ping()  # all that is loaded behind the answer is there now
                    sizes[name].append(client.resident_mb() or 0.0)
    rows: dict[str, dict[str, str | int | float]] = {
        name: {
            "server": name,
            "n": RUNS,
            **spread("start ms", times[name]),
            "resident MB": median(sizes[name]),
        }
        for name in COMMANDS
    }
    bare = rows.pop(BARE)
    return [bare, *(row for name in rows for row in (rows[name], ratio(rows[name], bare)))]


def ratio(ours: Mapping[str, str | float], floor: Mapping[str, str | float]) -> Row:
    """Divide what can be divided."""
    row: dict[str, str | float] = {"server": "ratio to bare pygls", "n": ""}
    for name, value in ours.items():
        below = floor[name]
        if isinstance(value, float) and isinstance(below, float):
            row[name] = value / below if below else "unknown"
    return row


async def main() -> None:
    """Measure and print everything."""
    as_json = wants_json(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        rows = await measure(Path(folder))
    print_tables({"Start to the answer to initialize": rows}, as_json=as_json)


if __name__ == "__main__":
    asyncio.run(main())
