"""What lightning, deep or both would give, calculated from recorded scores of models; no model is asked.

    python -m benchmarks.mode_policies SCORES [--fast MODEL ...] [--deep MODEL ...]

``SCORES`` is a JSON object ``{model: {problem: share of its tests that pass}}``. An edit is right if all tests pass. With
*both*, the user chooses between the two answers: a perfect chooser takes a right one if there is one, a random chooser
takes either with the same probability.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from .table import Row, print_tables

FAST = ("gemini-2.5-flash", "gpt-4o-mini", "gpt-5-nano", "gpt-oss-20b", "grok-code-fast-1")
DEEP = ("claude-sonnet-4-20250514", "gemini-2.5-pro", "gpt-5", "gpt-o4-mini-high")

Scores = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class PairShares:
    """Shares of the problems, from 0 to 1, that the models of a pair solve."""

    fast: float
    deep: float
    only_fast: float
    only_deep: float

    @property
    def perfect(self) -> float:
        """Right with both, if the user takes a right answer wherever there is one."""
        return self.fast + self.only_deep

    @property
    def random(self) -> float:
        """Right with both, on average, if the user takes either answer by chance."""
        return (self.fast + self.deep) / 2


def shares_of(fast: Mapping[str, float], deep: Mapping[str, float], problems: Collection[str]) -> PairShares:
    """Compare two models on problems that both have a score of, at least one."""
    rights = [(fast[each] >= 1, deep[each] >= 1) for each in problems]

    def share(n: int) -> float:
        return n / len(rights)

    return PairShares(
        fast=share(sum(by_fast for by_fast, _ in rights)),
        deep=share(sum(by_deep for _, by_deep in rights)),
        only_fast=share(rights.count((True, False))),
        only_deep=share(rights.count((False, True))),
    )


def main() -> None:
    """Print one row for each pair of models."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("scores", type=Path)
    parser.add_argument("--fast", nargs="+", default=FAST, metavar="MODEL")
    parser.add_argument("--deep", nargs="+", default=DEEP, metavar="MODEL")
    options = parser.parse_args()
    scores: Scores = json.loads(options.scores.read_text(encoding="utf-8"))
    if unknown := [model for model in (*options.fast, *options.deep) if model not in scores]:
        parser.error(f"{options.scores} has no scores of {', '.join(unknown)}")
    models = [scores[model] for model in (*options.fast, *options.deep)]
    problems = set.intersection(*(set(model) for model in models))
    if not problems:
        parser.error("no problem has a score of every model")
    rows = [
        _row(fast, deep, shares_of(scores[fast], scores[deep], problems))
        for fast, deep in product(options.fast, options.deep)
    ]
    print_tables({f"{len(problems)} problems, shares in percent": rows}, as_json=False)


def _row(fast: str, deep: str, pair: PairShares) -> Row:
    shares = {
        "always fast": pair.fast,
        "always deep": pair.deep,
        "only deep right": pair.only_deep,
        "only fast right": pair.only_fast,
        "both, perfect": pair.perfect,
        "both, random": pair.random,
    }
    return {"fast": fast, "deep": deep, **{name: f"{100 * share:.0f}" for name, share in shares.items()}}


if __name__ == "__main__":
    main()
