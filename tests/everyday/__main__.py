"""Run everyday edits through the engine: ``make everyday``, or ``python -m tests.everyday``.

    python -m tests.everyday [--language NAME] [--form NAME] [--show VERDICT] [--base]

Prints the verdicts by language and by form of answers. ``--show`` prints the answers with a verdict, and the difference
between the document and the expected one. ``--base`` hides the grammars of the extra ``all-languages``, and runs only the
languages of these grammars.
Without a language or form the exit status is 1 if more answers go wrong than `known.toml` allows. A message is printed if
fewer than 99 % of the answers in the requested form are applied exactly.
"""

from __future__ import annotations

import argparse
import sys
import time
import tomllib
from pathlib import Path

from .cases import cases_of, languages
from .forms import ASKED, Form
from .languages import EXTRA
from .table import ALL_FORMS, VERDICTS, Tally, run

KNOWN = Path(__file__).parent / "known.toml"
MIN_ASKED = 0.99


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.everyday")
    parser.add_argument("--language", choices=languages())
    parser.add_argument("--form", choices=[form.name for form in ALL_FORMS])
    parser.add_argument("--show", default="", help="exact, near, refused, found, wrong or no scope")
    parser.add_argument("--base", action="store_true", help="without the grammars of the extra")
    wanted = parser.parse_args()
    started = time.monotonic()
    chosen = [wanted.language] if wanted.language else EXTRA if wanted.base else languages()
    forms = [wanted.form] if wanted.form else [form.name for form in ALL_FORMS]
    tally = run(chosen, forms, is_base=wanted.base)
    for each in tally.shown:
        if each.result.verdict == wanted.show:
            print(f"{each.case}: {each.form}: {each.result.verdict}: {each.result.why}")
            print(each.difference if wanted.show != "refused" else "", end="\n" * (wanted.show != "refused"))
    for bad in () if wanted.base else tally.bad:  # other scopes are found without a grammar
        print(bad, file=sys.stderr)
    n_cases = sum(len(cases_of(language)) for language in chosen)
    grammars = "of the base install" if wanted.base else "that are installed"
    seconds = time.monotonic() - started
    print(f"{tally.rows(by_form=False)}\n\n{tally.rows(by_form=True)}\n")
    print(
        f"{n_cases} cases, {tally.counts.total():,} answers, with the grammars {grammars}, in {seconds:.0f} s"
    )
    n_asked = sum(n for (_, form, _), n in tally.counts.items() if form == ASKED.name)
    if tally.count("exact", form=ASKED.name) < MIN_ASKED * n_asked:
        print(f"fewer than {MIN_ASKED:.0%} of the answers in the requested form are applied exactly")
    if wanted.language or wanted.form:
        return 0
    faults = faults_of(tally, tomllib.loads(KNOWN.read_text())["base" if wanted.base else "all"])
    print("\n".join(faults), file=sys.stderr)
    return 1 if faults else 0


def faults_of(tally: Tally, known: dict[str, dict[str, int]]) -> list[str]:
    """Return a message for each form in which more answers go wrong than `known.toml` allows."""
    faults = []
    for form in ALL_FORMS:
        for name, n in figures(tally, form).items():
            limit = known.get(form.name, {}).get(name, 0)
            if n > limit:
                faults.append(f"{form.name}: {n} {name}, and at most {limit} are known")
            elif n < limit:
                print(f"{form.name}: {n} {name}; lower the {limit} in {KNOWN.name}")
    return faults


def figures(tally: Tally, form: Form) -> dict[str, int]:
    """Count the answers in a form that `known.toml` limits."""
    n_wrong, n_found = tally.count("wrong", form=form.name), tally.count("found", form=form.name)
    n_missed = sum(tally.count(verdict, form=form.name) for verdict in VERDICTS if verdict != "exact")
    counts = {"wrong": n_wrong, "lossy": n_wrong + n_found}
    return counts | {"missed": n_missed} if form.wants == "exact" else counts


if __name__ == "__main__":
    sys.exit(main())
