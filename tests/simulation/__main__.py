"""Run simulated sessions: ``make simulate``, or ``python -m tests.simulation --runs N --seed S``.

A single run prints its trace: ``make simulate RUNS=1 SEED=S`` shows a failed seed. The exit status is 1 if a promise was
broken.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback

from .many import Tally, home_of_its_own, run_on_all_cores, run_seeds
from .session import run

MAX_SHOWN = 20


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation")
    parser.add_argument("--runs", type=int, default=1, help="how many")
    parser.add_argument("--seed", type=int, default=0, help="of the first; the others follow")
    parser.add_argument(
        "--until-broken", action="store_true", help="on one core, up to the first broken promise"
    )
    wanted = parser.parse_args()
    with home_of_its_own():
        if wanted.until_broken:
            return _until_broken(wanted.seed, wanted.runs)
        return _one(wanted.seed) if wanted.runs == 1 else _many(wanted.seed, wanted.runs)


def _one(seed: int) -> int:
    done = run(seed)
    print(done.trace)
    print(f"\nseed {seed}, {done.profile}: {dict(done.counts)}")
    if done.error is None:
        return 0
    traceback.print_exception(done.error)
    return 1


def _many(first: int, n_runs: int) -> int:
    started, tally = time.monotonic(), Tally()
    for part in run_on_all_cores(first, n_runs):
        tally.add(part)
        for seed, profile, why in part.broken[:MAX_SHOWN]:
            print(f"seed {seed} ({profile}): {why}", file=sys.stderr, flush=True)
    print(tally.table())
    print(f"\nHow the oracle judged the texts:\n{tally.coverage()}")
    print("", *tally.refusals().values(), sep="\n")
    if tally.why_too_cautious:
        print(tally.why_too_cautious, file=sys.stderr)
    seconds = time.monotonic() - started
    print(f"\n{n_runs:,} runs from seed {first} in {seconds:.0f} s: {len(tally.broken)} broke a promise")
    return 1 if tally.broken or tally.why_too_cautious else 0


def _until_broken(first: int, n_runs: int) -> int:
    tally = run_seeds(range(first, first + n_runs), stops=True)
    for seed, profile, why in tally.broken:
        print(f"broken after {seed - first + 1} runs ({profile}): {why}")
    if not tally.broken and tally.why_too_cautious:
        print(f"broken after {n_runs} runs (all): {tally.why_too_cautious}")
    return 1 if tally.broken or tally.why_too_cautious else 0


if __name__ == "__main__":
    sys.exit(main())
