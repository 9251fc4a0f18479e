"""The labelled samples: places in code, and the scope that a cursor or a selection there selects.

``samples/go.txt`` is code in which ``«label»`` marks a place; labels are not part of the text.
``samples/go.scopes`` has a line for each place: a label, or two for the selection between them, and kind, name
and lines of the scope, counted as in an editor. ``#`` starts a heading.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from twospeed.syntax.scopes.scope import Place
from twospeed.text.code.scope import Scope
from twospeed.text.lines import split_lines

SAMPLES = Path(__file__).parent / "samples"
LINE_ENDS = ("\n", "\r\n", "\r")
LABEL = re.compile("«([^»]*)»")


@dataclass(frozen=True, slots=True)
class Case:
    """The expected scope of a place, or of the selection from one place to another.

    Attributes:
        language_id: LSP language id, and the name of the sample.
        start: Label of the cursor, or of the start of the selection.
        end: Label of its end; the same for a cursor.
        expected: As `shown` formats it.
    """

    language_id: str
    start: str
    end: str
    expected: str

    def __str__(self) -> str:
        return f"{self.language_id}-{self.start}" + (f"-to-{self.end}" if self.end != self.start else "")


LANGUAGES = sorted(path.stem for path in SAMPLES.glob("*.scopes"))


def cases(language_id: str) -> list[Case]:
    """Read the expected scopes of a sample."""
    lines = (SAMPLES / f"{language_id}.scopes").read_text("utf-8").splitlines()
    found = []
    for line in lines:
        if line and not line.startswith("#"):
            place, expected = re.split(" {2,}", line)
            start, _, end = place.partition("..")
            found.append(Case(language_id, start, end or start, expected))
    return found


def sample(language_id: str, eol: str = "\n") -> tuple[list[str], dict[str, Place]]:
    """Read a sample: its lines without labels, and the place of each label."""
    text = (SAMPLES / f"{language_id}.txt").read_text("utf-8").replace("\n", eol)
    places: dict[str, Place] = {}
    lines: list[str] = []
    for line in split_lines(text):
        while match := LABEL.search(line):
            assert match[1] not in places, f"two places are called {match[1]}"
            places[match[1]] = (len(lines), match.start())
            line = line[: match.start()] + line[match.end() :]  # noqa: PLW2901  # the label is not text
        lines.append(line)
    return lines, places


def shown(scope: Scope) -> str:
    """Format a scope: ``"function total 12-20"``, with lines as an editor counts them."""
    lines = f"{scope.start + 1}" if scope.kind == "insertion" else f"{scope.start + 1}-{scope.end}"
    return " ".join(filter(None, [scope.kind, scope.name, lines]))
