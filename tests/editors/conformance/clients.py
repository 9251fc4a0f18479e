"""The table of clients in `editors/README.md`: its form, and a client's row as a run of the journeys saw it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from tests.editors.conformance.table import Failed, Impossible, Passed, Verdict

PAGE = Path(__file__).parents[3] / "editors" / "README.md"
NOT_RUN = "not tested by us"
NO, YES = "\N{EN DASH}", "yes"

FEATURES: Mapping[str, tuple[str, ...]] = {
    "instruction comment": ("instruction comment",),
    "toggle": ("toggle",),
    "mode shown": ("mode and running edit are shown",),
    "cancel": ("cancel",),
    "steer, follow up": ("steer", "follow up"),
    "accept, reject": ("accept", "reject"),
    "one hunk": ("accept one hunk", "reject one hunk"),
    "retry": ("retry in the other mode",),
    "repeat": ("repeat elsewhere",),
    "several answers": ("several answers",),
    "type meanwhile": tuple(f"type {where} while it streams" for where in ("above", "below", "inside")),
    "two at once": ("two edits at once", "deep in the background"),
    "emoji, CRLF": ("file of emoji", "file of dos lines"),
    "server killed": ("server killed while it streams",),
}
"""Columns, and the journeys that each stands for."""

HEAD = ("client", "an edit arrives", "undo steps", *FEATURES)

Verdicts = Mapping[tuple[str, str], Verdict]


def row_of(editor: str, verdicts: Verdicts) -> list[str]:
    """Write what was seen of a client.

    Args:
        editor: Its title.
        verdicts: By journey and editor, of every journey.
    """
    seen = {journey: verdict for (journey, title), verdict in verdicts.items() if title == editor}
    features = [_together([seen[name] for name in names]) for names in FEATURES.values()]
    return [editor, _arrival(seen), _undo_steps(seen), *features]


def _together(verdicts: list[Verdict]) -> str:
    if any(isinstance(each, Failed) for each in verdicts):
        return "FAILED"
    return NO if any(isinstance(each, Impossible) for each in verdicts) else YES


def _arrival(seen: Mapping[str, Verdict]) -> str:
    """Tell it by how many edits were sent, to a file as it was opened and to one that somebody has typed in before."""
    ways = dict.fromkeys(_way(seen[name]) for name in ("edit at the cursor", "undo once"))
    return ", then ".join(ways)


def _way(verdict: Verdict) -> str:
    if not isinstance(verdict, Passed):
        return str(verdict)
    return {0: "taken from the code actions", 1: "whole"}.get(verdict.n_edits, "streamed")


def _undo_steps(seen: Mapping[str, Verdict]) -> str:
    verdict = seen["undo once"]
    return str(verdict.undo_steps) if isinstance(verdict, Passed) else str(verdict)


def rows_of_page() -> list[list[str]]:
    """Read the page's table: its head, and a row for each client, whose name is without its link."""
    lines = PAGE.read_text("utf-8").splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    found = [row for row in rows if len(row) == len(HEAD) and not row[0].startswith("--")]
    return [[re.sub(r"\[(.*?)\]\(.*?\)", r"\1", name), *cells] for name, *cells in found]
