"""Answers to one scope in a real document, read and judged as by the server."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cached_property

from twospeed import syntax
from twospeed.stream import EditStream, LiveScope, Surroundings
from twospeed.stream.ops import Change, Insert
from twospeed.text.document import Document
from twospeed.text.edits import LineEdit
from twospeed.text.lines import body_of, split_lines


def lines_of(text: str) -> list[str]:
    lines = split_lines(text)
    return lines if lines[-1] else lines[:-1]


@dataclass
class Place:
    """A scope and the document around it; ``new`` is what the scope should become."""

    language_id: str
    above: str
    old: str
    below: str
    new: str = ""

    @cached_property
    def document(self) -> Document:
        text = self.above + self.old + self.below
        return Document.opened("file:///a", 1, self.language_id, text, "utf-16")

    @cached_property
    def surroundings(self) -> Surroundings:
        tells = syntax.distinguishes_code_from_prose(self.document.lines, self.language_id)
        return Surroundings(
            comment_markers=syntax.comment_markers(self.language_id),
            above=[body_of(line) for line in lines_of(self.above)],
            below=[body_of(line) for line in lines_of(self.below)],
            parses=self.parses if tells else None,
        )

    def parses(self, text: str) -> bool:
        edit = LineEdit(len(lines_of(self.above)), len(lines_of(self.old)), tuple(lines_of(text)))
        before = syntax.count_errors(self.document.lines, self.language_id)
        after = syntax.count_errors(self.document.with_edits([edit]).lines, self.language_id)
        return before is None or (after is not None and after <= before)

    def stream(self) -> EditStream:
        return EditStream([body_of(line) for line in lines_of(self.old)], self.surroundings)

    def answered(self, text: str, *, seed: int | None = None) -> str:
        """Return the scope's text at the end, or ``refused:`` and the code of the engine or the gate."""
        start, old = len(lines_of(self.above)), lines_of(self.old)
        stream, scope, document = self.stream(), LiveScope(old, start), self.document
        for piece in pieces(text, seed):
            scope.receive_ops(stream.receive_text(piece))
        scope.receive_ops(stream.finish("stop"))
        if stream.refusal:
            return f"refused:{stream.refusal.code}"
        if batch := scope.next_batch():
            document = document.with_edits(batch.edits)
            scope.commit(batch)
        result = "".join(document.lines[scope.start : scope.end])
        return result if self.surroundings.parses is None or self.parses(result) else "refused:syntax"

    def shown(self, text: str) -> list[str]:
        """Return the new lines that are applied after a piece of an answer."""
        ops = self.stream().receive_text(text)
        return [op.line for op in ops if isinstance(op, Change | Insert)]


def pieces(text: str, seed: int | None) -> list[str]:
    if seed is None:
        return [text]
    sizes = random.Random(seed)
    cut, at = [], 0
    while at < len(text):
        size = sizes.choice([1, 1, 2, 3, 5, 8, 40])
        cut.append(text[at : at + size])
        at += size
    return cut


PYTHON = Place(
    "python",
    above="import shop\n\n\nclass Basket:\n    def __init__(self, items):\n        self.items = items\n\n",
    old="""\
    def total(self):
        result = 0
        for item in self.items:
            result += item.price
        return result
""",
    below='\n    def clear(self):\n        self.items = []\n        shop.log("cleared")\n\n\nBASKET = Basket([])\n',
    new="""\
    def total(self):
        result = 0
        for item in self.items:
            result += item.price * item.count
        return result
""",
)

TSX = Place(
    "typescriptreact",
    above='import React from "react";\n\ninterface Props {\n  names: string[];\n}\n\n',
    old="""\
export function List({ names }: Props) {
  return (
    <ul>
      {names.map((name) => (
        <li>{name}</li>
      ))}
    </ul>
  );
}
""",
    below="\nexport function Empty() {\n  return <p>Nothing here</p>;\n}\n",
    new="""\
export function List({ names }: Props) {
  return (
    <ul className="list">
      {names.map((name) => (
        <li key={name}>{name}</li>
      ))}
    </ul>
  );
}
""",
)

GO = Place(
    "go",
    above='package shop\n\nimport "fmt"\n\nfunc Open() {\n\tfmt.Println("open")\n}\n\n',
    old="""\
func Total(items []Item) int {
	sum := 0
	for _, item := range items {
		sum += item.Price
	}
	return sum
}
""",
    below="\nfunc Close() {\n\tfmt.Println(total)\n}\n",
    new="""\
func Total(items []Item) int {
	sum := 0
	for _, item := range items {
		sum += item.Price * item.Count
	}
	return sum
}
""",
)

MARKDOWN = Place(
    "markdown",
    above="# Basket\n\nCounts what you buy.\n\n",
    old="""\
## Install

You need Python 3.9 or newer.

```sh
pip install basket
```

Then run it once.
""",
    below="\n## Use\n\nAdd things to it.\n",
    new="""\
## Install

You need Python 3.11 or newer.

```sh
pip install --upgrade basket
```

Then run it once.
""",
)

PLACES = [PYTHON, TSX, GO, MARKDOWN]
