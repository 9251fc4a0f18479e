"""Scopes, answers and changes that once made a step of the engine cost more than linear time, or might.

Each shape is a function of a size in lines. At thousands of lines a quadratic cost takes minutes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from twospeed.stream import EditStream, LiveScope, Surroundings
from twospeed.stream.ops import Delete, Keep
from twospeed.text.document import Splice


@dataclass(frozen=True)
class Shape:
    """One answer for one scope; ``has_grammar`` if a parser distinguishes code from prose."""

    old: Sequence[str]
    answer: Sequence[str]
    above: Sequence[str] = ()
    below: Sequence[str] = ()
    has_grammar: bool = False

    def stream(self) -> tuple[EditStream, str]:
        """Return the stream and the whole answer."""
        around = Surroundings(
            comment_markers=("#",),
            above=self.above,
            below=self.below,
            parses=_parses if self.has_grammar else None,
            file_name="shop.py",
        )
        return EditStream(self.old, around), "\n".join(self.answer) + "\n"


def _parses(text: str) -> bool:
    return "Some words" not in text


def block(n: int, line: Callable[[int], str]) -> list[str]:
    """Return a function of ``n`` lines."""
    return ["def f():", *(f"    {line(k)}" for k in range(n)), "    return 1"]


def fenced(lines: Sequence[str]) -> list[str]:
    """Put a fence around lines."""
    return ["```python", *lines, "```"]


def calls(n: int) -> list[str]:
    """Return a function of ``n`` different calls."""
    return block(n, lambda k: f"first_{k}(value)")


def flat(n: int) -> list[str]:
    """Return ``n`` different assignments."""
    return [f"total_{k} = value[{k}]" for k in range(n)]


def notes_reversed(n: int) -> Shape:
    """Reverse all lines, each below a new comment that explains nothing."""
    old = calls(n)
    new = [text for line in old[-2:0:-1] for text in ("    # a word of it", line)]
    return Shape(old, fenced([old[0], *new, old[-1]]))


def words(k: int) -> str:
    """Return a line of a few words out of ten, so that many lines share most of their words."""
    names = ("alpha", "beta", "gamma", "delta", "kappa", "sigma", "omega", "theta", "zeta", "iota")
    return " ".join(names[(k // 10**place + place) % 10] for place in range(5))


ANSWERS: dict[str, Callable[[int], Shape]] = {
    "a part of the scope, each line changed": lambda n: Shape(
        flat(n), fenced([f"total_{k} = values[{k}]" for k in range(10, n // 3 - 10)])
    ),
    "a part of the scope, each line changed, of equal heads and tails": lambda n: Shape(
        [f"total = first_of_all_values({k})  # as the others" for k in range(n)],
        fenced([f"total = first_of_all_values({k}0)  # as the others" for k in range(n, n + n // 3 - 10)]),
    ),
    "a part of the scope, each line new": lambda n: Shape(
        flat(n), fenced([f"other{k}.log()" for k in range(n // 3 - 5)])
    ),
    "lines from below the scope repeated": lambda n: Shape(
        flat(8),
        fenced([*flat(7), "total_7 = value[8]", *(f"note_{k} = {k}" for k in range(n))]),
        below=[f"note_{k} = {k}" for k in range(2 * n)],
        has_grammar=True,
    ),
    "names of the file above the code": lambda n: Shape(
        calls(8),
        fenced([*["# shop.py"] * n, *calls(8)]),
        above=[f"above_{k} = {k}" for k in range(2 * n)],
    ),
    "blank lines and names of the file": lambda n: Shape(
        calls(8), fenced([*[""] * n, *["# shop.py"] * n, *calls(8)]), above=["import os"]
    ),
    "marks of a model's format that the document holds": lambda n: Shape(
        calls(8),
        fenced([*calls(8)[:-1], *(f"    <|word{k}|>" for k in range(n)), "    return 1"]),
        above=[*(f"above_{k} = {k}" for k in range(2 * n)), "mark = '<|'"],
    ),
    "comments, talk, and the first line again and again": lambda n: Shape(
        calls(8), [*["# a remark on it"] * n, "Some words.", *["def f(): pass"] * n]
    ),
    "asides in brackets": lambda n: Shape(
        calls(n), fenced([*calls(n)[:-1], *(f"    (the rest of number{k} here)" for k in range(n))])
    ),
    "new comments in a reversed scope": notes_reversed,
    "comments in the place of lines of few words": lambda n: Shape(
        block(n, lambda k: f"{words(k).replace(' ', '_')}({k})"),
        fenced(block(n, lambda k: f"# {k}" if k % 50 == 0 else f"{words(k * 7 + 3).replace(' ', '_')}(x)")),
    ),
    "comments in the place of equal lines": lambda n: Shape(
        block(n, lambda _: "log(first, second)"),
        fenced(block(n, lambda k: f"# {k}" if k % 50 == 0 else "log(second, third)")),
    ),
    "indentations of a foreign kind": lambda n: Shape(
        calls(8),
        fenced([*calls(8)[:-1], *("\t" * (k % 40 + 1) + f"new_{k}()" for k in range(n))]),
        above=[f"above_{k} = {k}" for k in range(2 * n)],
    ),
    "fences in the answer": lambda n: Shape(calls(n), ["```python", *calls(n), *["```", "```python"] * n]),
    "bare fences, with blank lines between them": lambda n: Shape(
        calls(8), ["```", *calls(8), *["```", "", ""] * n]
    ),
    "search blocks": lambda n: Shape(
        calls(n),
        [
            text
            for k in range(n)
            for text in (
                "<<<<<<< SEARCH",
                f"    first_{k}(value)",
                "=======",
                f"    second_{k}(value)",
                ">>>>>>> REPLACE",
            )
        ],
    ),
    "search blocks for equal lines": lambda n: Shape(
        block(n, lambda k: f"x({k % 40})"),
        ["<<<<<<< SEARCH", "    x(1)", "=======", "    y()", ">>>>>>> REPLACE"] * n,
    ),
    "one search block with dividers": lambda n: Shape(
        calls(n), ["<<<<<<< SEARCH", *["======="] * n, ">>>>>>> REPLACE"]
    ),
    "hunks of a diff": lambda n: Shape(
        calls(n),
        ["--- a/shop.py", "+++ b/shop.py"]
        + [text for k in range(n) for text in ("@@", f"-    first_{k}(value)", f"+    second_{k}(value)")],
    ),
    "headers of a diff inside of one class": lambda n: Shape(
        calls(n),
        ["--- a/shop.py", "+++ b/shop.py", *["@@ def f():"] * n, "-    first_1(value)", "+    second(value)"],
    ),
    "equal lines": lambda n: Shape(block(n, lambda _: "x()"), fenced(block(n + n // 2, lambda _: "x()"))),
    "equal lines, and as many below": lambda n: Shape(["x()"] * n, fenced(["x()"] * n), below=["x()"] * n),
    "reversed lines": lambda n: Shape(calls(n), fenced([calls(n)[0], *calls(n)[-2:0:-1], calls(n)[-1]])),
    "blank lines": lambda n: Shape(
        ["def f():", *[""] * n, "    return 1"], fenced(["def f():", *[""] * (2 * n), "    return 2"])
    ),
    "white space of many kinds": lambda n: Shape(
        block(n, lambda k: " " * (k % 50) + "\t" * (k % 7) + "x()"),
        fenced(block(n, lambda k: "\t" * (k % 40) + " " * (k % 9) + "x()")),
    ),
    "the whole file": lambda n: Shape(
        calls(8),
        fenced(
            [
                *(f"above_{k} = {k}" for k in range(n)),
                *calls(9),
                *(f"below_{k} = {k}" for k in range(n)),
            ]
        ),
        above=[f"above_{k} = {k}" for k in range(n)],
        below=[f"below_{k} = {k}" for k in range(n)],
    ),
    "a numbered answer": lambda n: Shape(
        calls(n), fenced([f"{k}: {line}" for k, line in enumerate(calls(n))])
    ),
    "tags of reasoning": lambda n: Shape(
        calls(8), ["<think>", *["<think>", "</thin>"] * n, *["</think>"] * (n + 1), *fenced(calls(8))]
    ),
    "long comments without end": lambda n: Shape(
        block(n, lambda k: f"first_{k}(value)"), fenced(block(n, lambda k: '"""' if k % 2 else "/* a word"))
    ),
}
"""Answers by their content."""


def emptied(lines: Sequence[str]) -> LiveScope:
    """Return a scope in which an answer has removed all lines but the first."""
    live = LiveScope(lines, 10)
    live.receive_ops([Keep(1), Delete(len(lines))])
    batch = live.next_batch()
    assert batch
    live.commit(batch)
    return live


def _come_back(
    n: int, came: Callable[[Sequence[str]], Sequence[str]], *, at: int, line: str = "a_{k}()\n"
) -> Callable[[], None]:
    lines = [line.format(k=k) for k in range(n)]
    live = emptied(lines)
    return lambda: live.follow(Splice(at, 0, tuple(came(lines))))


CHANGES: dict[str, Callable[[int], Callable[[], None]]] = {
    "removed lines come back below the scope": lambda n: _come_back(n, lambda lines: lines[1:], at=11),
    "removed lines come back below the scope in reverse": lambda n: _come_back(
        n, lambda lines: lines[::-1], at=11
    ),
    "removed lines come back above the scope in reverse": lambda n: _come_back(
        n, lambda lines: lines[::-1], at=10
    ),
    "half of the removed equal lines come back": lambda n: _come_back(
        10 * n, lambda lines: lines[: 5 * n], at=11, line="x()\n"
    ),
    "all lines are replaced": lambda n: (
        lambda: LiveScope([f"a_{k}()\n" for k in range(n)], 10).follow(
            Splice(10, n, tuple(f"b_{k}()\n" for k in range(n)))
        )
    ),
}
"""Changes typed in a scope, by their effect; the change is made when the result is called."""
