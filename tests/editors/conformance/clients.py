"""The table of clients in `editors/README.md`, and the row that a run of the scenarios gives for a client."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from tests.editors.conformance.table import Failed, Passed, Unsupported, Verdict

PAGE = Path(__file__).parents[3] / "editors" / "README.md"
NOT_TESTED = "not tested by us"
NO, YES = "\N{EN DASH}", "yes"

FEATURES: Mapping[str, tuple[str, ...]] = {
    "instruction comment": ("instruction comment",),
    "toggle": ("toggle",),
    "mode shown": ("mode and running edit are shown",),
    "cancel": ("cancel",),
    "steer, follow up": ("steer", "follow up"),
    "accept, reject": ("accept", "reject"),
    "one hunk": ("accept one hunk", "reject one hunk"),
    "imports": ("import lands with the edit",),
    "retry": ("retry in the other mode",),
    "repeat": ("repeat elsewhere",),
    "several answers": ("several answers",),
    "type meanwhile": tuple(f"type {where} while it streams" for where in ("above", "below", "inside")),
    "two at once": ("two edits at once", "deep in the background"),
    "many places": ("twenty places are one undo step", "reject of twenty places"),
    "emoji, CRLF": ("file of emoji", "file of dos lines"),
    "server killed": ("server killed while it streams",),
}
"""The columns of the table, with the names of the scenarios that each summarizes."""

HEAD = ("client", "an edit arrives", "undo steps", *FEATURES)

Verdicts = Mapping[tuple[str, str], Verdict]


def result_row(editor: str, verdicts: Verdicts) -> list[str]:
    """Return the row of an editor from the results of all scenarios.

    Args:
        editor: The title of its driver.
        verdicts: Results by scenario and editor.
    """
    seen = {scenario: verdict for (scenario, title), verdict in verdicts.items() if title == editor}
    features = [_combined([seen[name] for name in names]) for names in FEATURES.values()]
    return [editor, _arrival(seen), _undo_steps(seen), *features]


def _combined(verdicts: list[Verdict]) -> str:
    if any(isinstance(each, Failed) for each in verdicts):
        return "FAILED"
    return NO if any(isinstance(each, Unsupported) for each in verdicts) else YES


def _arrival(seen: Mapping[str, Verdict]) -> str:
    """Return how edits arrive: in a file as opened, and in a file changed by typing before, if that differs."""
    ways = dict.fromkeys(_arrival_of(seen[name]) for name in ("edit at the cursor", "undo once"))
    return ", then ".join(ways)


def _arrival_of(verdict: Verdict) -> str:
    if not isinstance(verdict, Passed):
        return str(verdict)
    return {0: "taken from the code actions", 1: "whole"}.get(verdict.n_edits, "streamed")


def _undo_steps(seen: Mapping[str, Verdict]) -> str:
    verdict = seen["undo once"]
    return str(verdict.undo_steps) if isinstance(verdict, Passed) else str(verdict)


def readme_rows() -> list[list[str]]:
    """Return the rows of the table in the README, header first, with client names without links."""
    lines = PAGE.read_text("utf-8").splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    found = [row for row in rows if len(row) == len(HEAD) and not row[0].startswith("--")]
    return [[re.sub(r"\[(.*?)\]\(.*?\)", r"\1", name), *cells] for name, *cells in found]
