"""The message of a refusal names its reason in plain words."""

from __future__ import annotations

import pytest
from tests.stream.answering import GO, MARKDOWN, PYTHON, TSX, Place

ELIDED = PYTHON.old.replace(
    "        for item in self.items:\n            result += item.price\n", "        # as before\n"
)
TABBED = GO.old.replace("\tsum := 0\n\tfor", "   sum := 0\n\t for").replace("\t\tsum +=", "\t  sum -=")
REFUSED = {
    "the answer has no code block, and it is unclear whether it is code or prose": [
        (PYTHON, "I cannot do that without the rest of the file.\n"),
        (MARKDOWN, "Sure, I will write that section.\n"),
    ],
    "the answer has no code block, and its first or last lines may be prose": [
        (PYTHON, PYTHON.new + "\nNote: done\n"),
    ],
    "the answer replaces lines of code by a comment": [
        (PYTHON, f"```\n{ELIDED}```\n"),
        (GO, "```\nfunc Total(items []Item) int {\n\t// unchanged\n}\n```\n"),
    ],
    "the answer replaces lines by an omission marker": [
        (PYTHON, PYTHON.old.replace("        result = 0\n", "        # ... existing code ...\n")),
    ],
    "the answer's code fence is never closed": [(GO, "```go\nfunc Total(items []Item) int {\n\tsum := 0\n")],
    "the answer has more than one code block": [(GO, f"```\n{GO.new}```\n\n```\n{GO.old}```\n")],
    "the model answered without any code": [(TSX, "```\n```\n"), (GO, "\n")],
    "the answer is a comment without the code it is about": [(GO, "```\n// Total adds prices.\n```\n")],
    "the answer is indented differently from the document, and the difference is unclear": [
        (GO, f"```\n{TABBED}```\n"),
    ],
    "the patch changes lines that are not in the document": [
        (PYTHON, "<<<<<<< SEARCH\n        no such line\n=======\n        pass\n>>>>>>> REPLACE\n"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("message", REFUSED)
def test_a_refusal_has_its_reason_as_message(message: str) -> None:
    for place, answer in REFUSED[message]:
        assert _message(place, answer) == message


def _message(place: Place, answer: str) -> str | None:
    stream = place.stream()
    stream.receive_text(answer)
    stream.finish("stop")
    return stream.refusal.message if stream.refusal else None
