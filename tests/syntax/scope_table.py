"""How exact scopes are, language by language: ``python -m tests.syntax.scope_table`` prints the table of the docs."""

from __future__ import annotations

from tests.syntax.labelled import LANGUAGES, LINE_ENDS, Case, cases, sample, shown

from twospeed.syntax import find_scope


def is_exact(case: Case) -> bool:
    """Whether a place means what its sample says, with every line end, and a selection in either direction."""
    for eol in LINE_ENDS:
        lines, places = sample(case.language_id, eol)
        start, end = places[case.start], places[case.end]
        for selection in ((start, end), (end, start)):
            if shown(find_scope(lines, case.language_id, selection)) != case.expected:
                return False
    return True


def main() -> None:
    """Print the table, as Markdown."""
    print("| language | cases | exact |")
    print("| --- | ---: | ---: |")
    for language_id in LANGUAGES:
        found = cases(language_id)
        print(f"| {language_id} | {len(found)} | {sum(map(is_exact, found))} |")


if __name__ == "__main__":
    main()
