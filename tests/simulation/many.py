"""Many runs, on all cores or on one, and what they come to."""

from __future__ import annotations

import contextlib
import gc
import logging
import os
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from tests.conftest import KEY_VARIABLES

from .session import run
from .verdicts import HOW, JUDGED

RUNS_AT_A_TIME = 100

MAX_REFUSED = {"good": 0.01, "misindented": 0.2}
"""The part of the answers to which nothing happened that may be refused as unreadable, by how they are written: with
the indentation of the scope, or with another one."""

FREE_REFUSALS = 3
"""Refusals that are allowed in addition, so that a few runs do not fail by chance."""

COLUMNS = (
    "runs",
    "edits",
    "applied",
    "unchanged",
    "refused",
    "failed",
    "cancelled",
    "conflict",
    "unconfirmed",
    "misplaced",
    "turned down",
    "rebased",
    "accepted",
    "rejected",
    "typed",
)


@dataclass
class Tally:
    """The results of many runs.

    Attributes:
        counts: The counts by profile.
        broken: Seed, profile and reason of each run that broke a promise.
    """

    counts: dict[str, Counter[str]] = field(default_factory=dict)
    broken: list[tuple[int, str, str]] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        for profile, counts in other.counts.items():
            self.counts.setdefault(profile, Counter()).update(counts)
        self.broken += other.broken

    @property
    def total(self) -> Counter[str]:
        """Return the counts of all profiles together."""
        return sum(self.counts.values(), Counter[str]())

    @property
    def why_too_cautious(self) -> str | None:
        """A message if too many answers were refused as unreadable; otherwise None."""
        total = self.total
        too_many = [
            refusals
            for kind, refusals in self.refusals().items()
            if total[f"{kind} refused"] > FREE_REFUSALS + MAX_REFUSED[kind] * total[f"{kind} answers"]
        ]
        return "; ".join(too_many) or None

    def refusals(self) -> dict[str, str]:
        """Return the number of undisturbed answers that were refused as unreadable, by their indentation."""
        total = self.total
        return {
            kind: f"{total[f'{kind} refused']:,} of {total[f'{kind} answers']:,} {kind} answers were refused as unreadable"
            for kind in MAX_REFUSED
        }

    def coverage(self) -> str:
        """Return a table of how texts were judged, by outcome and for rejects, with the share of each way."""
        found = self.total
        n_all = sum(found[f"{outcome} judged {how}"] for outcome in JUDGED for how in HOW) or 1
        rows: list[tuple[str, ...]] = [("", *JUDGED, "all", "")]
        for how in HOW:
            counts = [found[f"{outcome} judged {how}"] for outcome in JUDGED]
            rows.append((how, *(f"{n:,}" for n in (*counts, sum(counts))), f"{sum(counts) / n_all:.1%}"))
        return _aligned(rows)

    def table(self) -> str:
        """Return a table of the counts by profile and in total."""
        rows: list[tuple[str, ...]] = [("", *COLUMNS)]
        for name, counts in (*self.counts.items(), ("all", self.total)):
            rows.append((name, *(f"{counts[column]:,}" for column in COLUMNS)))
        return _aligned(rows)


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    """Return rows as an aligned table: names to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if not index else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )


def run_seeds(seeds: Iterable[int], *, stops: bool = False) -> Tally:
    """Run seeds one after another.

    Args:
        seeds: The seeds.
        stops: Whether to stop at the first broken promise.
    """
    tally = Tally()
    with _without_pauses():
        for seed in seeds:
            done = run(seed)
            tally.add(Tally({done.profile: done.counts + Counter(runs=1)}))
            if done.error is not None:
                tally.broken.append((seed, done.profile, f"{type(done.error).__name__}: {done.error}"))
                if stops:
                    break
            if seed % RUNS_AT_A_TIME == 0:
                gc.collect()
    return tally


@contextlib.contextmanager
def _without_pauses() -> Iterator[None]:
    """Disable automatic garbage collection, and the log, in which the server reports planned failures."""
    was_on, level = gc.isenabled(), logging.root.manager.disable
    gc.disable()
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(level)
        if was_on:
            gc.enable()


def run_on_all_cores(first: int, n_runs: int) -> Iterator[Tally]:
    """Run many seeds; yield the results of each hundred."""
    chunks = [
        range(start, min(start + RUNS_AT_A_TIME, first + n_runs))
        for start in range(first, first + n_runs, RUNS_AT_A_TIME)
    ]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        yield from pool.map(run_seeds, chunks)


@contextlib.contextmanager
def home_of_its_own() -> Iterator[None]:
    """Read and write nothing in the home folder of the user, as `tests.conftest` does for tests."""
    with tempfile.TemporaryDirectory(prefix="twospeed-simulation-") as folder:
        saved = dict(os.environ)
        for name in KEY_VARIABLES:
            os.environ.pop(name, None)
        for name in ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"):
            os.environ[name] = str(Path(folder))
        os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.null.Keyring"
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(saved)
