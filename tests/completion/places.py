"""Places in documents that a test writes with a bar for the cursor."""

from __future__ import annotations

from twospeed.completion.place import Place
from twospeed.text.document import Document


def at(text: str, language_id: str = "python") -> Place:
    """Return the place of the first ``|`` in a text."""
    before, _, behind = text.partition("|")
    document = Document.opened("file:///project/a", 1, language_id, before + behind, "utf-16")
    return Place(document, before.count("\n"), len(before.rpartition("\n")[2]))


def inserted(place: Place, text: str) -> str:
    """Return the text of the document with a text at the cursor."""
    lines = ["".join(place.document.lines[: place.line]), place.before, text, place.rest]
    below = "".join(place.document.lines[place.line :])[len(place.before) + len(place.rest) :]
    return "".join((*lines, below))
