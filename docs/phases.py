"""Draw the phases of an edit from their table: ``python docs/phases.py`` writes ``docs/phases.md``."""  # noqa: INP001

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from twospeed.edits.phases import STATE_OF, TRANSITIONS, Phase

PAGE = Path(__file__).with_suffix(".md")

HEAD = """# The phases of an edit

Drawn by `docs/phases.py` from `server/twospeed/edits/phases.py`. The boxes are the states that clients see.

"""


def diagram() -> str:
    """Return the table as a state diagram of Mermaid."""
    lines = ["stateDiagram-v2", f"    [*] --> {Phase.PLACING.value}"]
    for state, phases in groupby(Phase, key=STATE_OF.__getitem__):
        lines += [f"    state {state.value}_ {{", *(f"        {phase.value}" for phase in phases), "    }"]
    for phase in Phase:
        lines += [
            f"    {phase.value} --> {following.value}"
            for following in Phase
            if following in TRANSITIONS[phase]
        ]
    lines.append(f"    {Phase.ENDED.value} --> [*]")
    return "\n".join(lines)


def page() -> str:
    """Return the whole page."""
    return f"{HEAD}```mermaid\n{diagram()}\n```\n"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
