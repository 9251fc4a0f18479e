"""Run cases on all cores and count their verdicts."""

from __future__ import annotations

import asyncio
import os
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from importlib.metadata import requires
from multiprocessing import get_context

from .applied_answers import AnswerResult, Edit
from .cases import BadCase, cases_of
from .forms import FORMS
from .losses import LOSSES

VERDICTS = ("exact", "near", "refused", "found", "wrong", "no scope")

ALL_FORMS = (*FORMS, *LOSSES)

_CASES_AT_A_TIME = 10


@dataclass(frozen=True)
class Shown:
    """The printable result of an answer.

    Attributes:
        case: The id of the case.
        form: The form of the answer.
        result: The result.
        difference: The difference between the document and the expected one.
    """

    case: str
    form: str
    result: AnswerResult
    difference: str


@dataclass
class Tally:
    """The verdicts by language and form, and the answers that were not applied exactly."""

    counts: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    shown: list[Shown] = field(default_factory=list)
    bad: list[str] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        """Add the counts of another tally."""
        self.counts.update(other.counts)
        self.shown += other.shown
        self.bad += other.bad

    def count(self, verdict: str, *, language: str = "", form: str = "") -> int:
        """Count a verdict, of one language or form if it is given."""
        return sum(
            n
            for (one, other, word), n in self.counts.items()
            if word == verdict and language in ("", one) and form in ("", other)
        )

    def rows(self, *, by_form: bool) -> str:
        """Return a table: a row for each form or language, a column for each verdict, and the share of exact ones."""
        names = dict.fromkeys(key[1 if by_form else 0] for key in self.counts)
        rows = [f"{'form' if by_form else 'language':<16}" + "".join(f"{word:>10}" for word in VERDICTS)]
        for name in (*names, ""):
            counts = [
                self.count(word, form=name) if by_form else self.count(word, language=name)
                for word in VERDICTS
            ]
            share = counts[0] / max(1, sum(counts))
            rows.append(f"{name or 'all':<16}" + "".join(f"{n:>10,}" for n in counts) + f"{share:>9.1%}")
        return "\n".join(rows)


def without_extras() -> None:
    """Hide the grammars of the extra ``all-languages`` from this process."""
    for requirement in requires("twospeed") or ():
        if "extra == 'all-languages'" in requirement:
            name = requirement.partition("<")[0].partition(">")[0].strip()
            sys.modules[name.replace("-", "_")] = None  # type: ignore[assignment]  # import then raises ModuleNotFoundError


def run(languages: Sequence[str], forms: Sequence[str], *, is_base: bool) -> Tally:
    """Run the cases of languages in forms, on all cores.

    Args:
        languages: Names of tables.
        forms: Names of forms.
        is_base: Whether only the grammars of the base installation are used.
    """
    parts = [
        (language, start, tuple(forms))
        for language in languages
        for start in range(0, len(cases_of(language)), _CASES_AT_A_TIME)
    ]
    total = Tally()
    start_up = without_extras if is_base else None
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn"), initializer=start_up) as pool:
        for part in pool.map(_run_part, parts):
            total.add(part)
    return total


def _run_part(part: tuple[str, int, tuple[str, ...]]) -> Tally:
    return asyncio.run(run_some(*part))


async def run_some(language: str, start: int, forms: Sequence[str], n_cases: int = _CASES_AT_A_TIME) -> Tally:
    """Run some cases of a language, in this process."""
    tally = Tally()
    for number, case in enumerate(cases_of(language)[start : start + n_cases], start):
        try:
            edit = Edit(case, number)
        except BadCase as bad:
            tally.bad.append(str(bad))
            tally.counts.update((language, form, "no scope") for form in forms)
            continue
        for form in ALL_FORMS:
            if form.name not in forms or (form.scope == "file" and edit.scope.kind == "file"):
                continue
            asked = edit.in_whole_file() if form.scope == "file" else edit
            answer = asked.answer(form)
            if answer is None:
                continue
            result = await asked.apply(form, answer)
            tally.counts[language, form.name, result.verdict] += 1
            if result.verdict != "exact":
                tally.shown.append(Shown(case.id, form.name, result, asked.difference(result.text)))
    return tally
