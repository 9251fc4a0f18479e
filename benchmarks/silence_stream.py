"""Hostile scopes, answers and typing for all entry points of ``stream``, for ``bench_silence``.

They are run as in `edits`: answers by `edits.writing.answer_reading`, batches by
`delivery.building`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from random import Random

from benchmarks.silence import Rows, Step, loop_steps, step_ms
from tests.stream.hostile_shapes import ANSWERS, CHANGES, Shape, block, calls, fenced, words

from twospeed.delivery import building
from twospeed.edits.prompting.prompt_context import PromptContext, PromptDelimiters
from twospeed.edits.prompting.retrying_request import pieces_of
from twospeed.edits.values import EditRequest
from twospeed.edits.writing.answer_reading import AnswerReading
from twospeed.stream import LiveScope, ScopeBatch
from twospeed.stream.ops import Op
from twospeed.text.code.scope import Scope
from twospeed.text.document import Document, Splice

SIZES = (500, 2000, 8000)
SHARE = 3
"""Each scope gets one of this many changes, in turn; random cases combine the others."""


_KINDS = ["", "    x()", "}", "# a word of it", '"""', "def f():", "\treturn (1)", "name = value", "    ..."]

SCOPES: dict[str, Callable[[Random], Sequence[str]]] = {
    "5,000 calls": lambda _: calls(5_000),
    "20,000 equal lines": lambda _: ["x = 1"] * 20_000,
    "20,000 assignments": lambda _: [f"a_{k} = {k}" for k in range(20_000)],
    "20,000 blank lines": lambda _: ["def f():", *[""] * 19_998, "    return 1"],
    "1 MB in one line": lambda _: ["def f():", "    x = '" + "first (value) " * 70_000 + "'", "    return x"],
    "open brackets": lambda _: ["("] * 20_000,
    "nested blocks": lambda _: [" " * depth + "if x:" for depth in range(1_200)] + [" " * 1_200 + "pass"],
    "few words": lambda _: block(8_000, words),
    "lines of many kinds": lambda chance: chance.choices(_KINDS, k=8_000),
    "hidden characters": lambda _: ["name = 'a\u200d\u2067b\U000e0041'"] * 5_000,
}

BECOMES: dict[str, Callable[[Sequence[str], Random], Sequence[str]]] = {
    "the same": lambda lines, _: lines,
    "reversed": lambda lines, _: lines[::-1],
    "all changed": lambda lines, _: [f"{line} + 1" for line in lines],
    "all new": lambda lines, _: [f"other_{k} = call({k})" for k in range(min(len(lines), 20_000))],
    "half deleted": lambda lines, _: lines[::2],
    "all deleted but the ends": lambda lines, _: [*lines[:1], *lines[-1:]],
    "twice": lambda lines, _: [*lines, *lines],
    "shuffled": lambda lines, chance: chance.sample(lines, len(lines)),
    "numbered": lambda lines, _: [f"{k}: {line}" for k, line in enumerate(lines, 1)],
    "indented": lambda lines, _: [f"\t{line}" for line in lines],
    "a comment between lines": lambda lines, _: [text for line in lines for text in ("# a word of it", line)],
    "an ellipsis at the end": lambda lines, _: [*lines[: len(lines) // 2], "# ..."],
    "asides": lambda lines, _: [*lines, *(f"(the rest of number{k} here)" for k in range(5_000))],
    "blank lines": lambda lines, _: [*lines[:1], *[""] * 20_000, *lines[-1:]],
    "markers of patches": lambda lines, _: [
        *lines,
        *["<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE"] * 2_000,
    ],
    "marks of a model": lambda lines, _: [*lines, *(f"<|word{k}|>" for k in range(5_000))],
    "hostile patterns": lambda lines, _: [
        *lines,
        "'\"" * 20_000,
        "((a" * 20_000,
        "<" * 50_000,
        "a1" * 50_000,
    ],
}

FORMS: dict[str, Callable[[Sequence[str], Sequence[str]], Sequence[str]]] = {
    "in a fence": lambda _, new: fenced(new),
    "bare": lambda _, new: new,
    "in two fences": lambda _, new: [*fenced(new[: len(new) // 2]), "And:", *fenced(new[len(new) // 2 :])],
    "a diff": lambda old, new: [
        "--- a/shop.py",
        "+++ b/shop.py",
        "@@",
        *(f"-{line}" for line in old),
        *(f"+{line}" for line in new),
    ],
    "one search block": lambda old, new: ["<<<<<<< SEARCH", *old, "=======", *new, ">>>>>>> REPLACE"],
    "search blocks": lambda old, new: [
        text
        for was, line in zip(old[:2_000], new, strict=False)
        for text in ("<<<<<<< SEARCH", was, "=======", line, ">>>>>>> REPLACE")
    ],
}

AROUND: tuple[Callable[[int], str], ...] = (lambda k: f"above_{k} = {k}", lambda _: "x = 1", lambda _: "")


def rows(seeds: Sequence[int]) -> Rows:
    """Measure every shape of answers and typing at every size, and random cases."""
    for name, make in ANSWERS.items():
        for n in SIZES:
            for step, ms in loop_steps(lambda make=make, n=n: reading_of(make(n))).items():  # type: ignore[misc]
                yield f"{step} of {n} lines: {name}", ms
    for name, change in CHANGES.items():
        for n in SIZES:
            yield f"typing in {n} lines: {name}", step_ms(lambda change=change, n=n: change(n))  # type: ignore[misc]
    for number, scope in enumerate(SCOPES):
        for other, become in [*enumerate(BECOMES)][number % SHARE :: SHARE]:
            form = [*FORMS][(number + other) % len(FORMS)]
            for step, ms in loop_steps(lambda: session_of(scope, [become], form, Random(number))).items():  # noqa: B023
                yield f"{step}: {scope}, {become}, {form}", ms
    for seed in seeds:
        yield from random_rows(seed)


def random_rows(seed: int) -> Rows:
    """Measure a random combination."""
    chance = Random(seed)
    scope, form = chance.choice([*SCOPES]), chance.choice([*FORMS])
    becomes = chance.sample([*BECOMES], chance.randint(1, 3))
    for step, ms in loop_steps(lambda: session_of(scope, becomes, form, Random(seed))).items():
        yield f"{step}: {scope}, {', '.join(becomes)}, {form} (seed {seed})", ms


def reading_of(shape: Shape) -> Callable[[Step], Awaitable[list[Op]]]:
    """Prepare to read an answer as an edit does."""
    make_stream = shape.stream
    lines = [*shape.above, *shape.old, *shape.below]
    document = Document.opened("file:///shop.py", 1, "plaintext", "\n".join(lines) + "\n", "utf-16")
    request = EditRequest(document, ((0, 0), (0, 0)), "do it", "lightning", path="shop.py")
    top = len(shape.above)
    question = PromptContext.about(
        request, Scope("selection", None, top, top + len(shape.old)), PromptDelimiters()
    )
    pieces = pieces_of("\n".join(shape.answer) + "\n")
    reading = AnswerReading(lambda: make_stream()[0], question)

    async def read(step: Step) -> list[Op]:
        ops: list[Op] = []
        step.name = "an answer's start"
        reading.prepare_soon()
        for piece in pieces:
            ops += await reading.receive_text(piece)
            await step.end()
            step.name = "an answer's text"
            if reading.refusal:
                return []
        await step.end()
        step.name = "an answer's end"
        ops += await reading.finish("stop")
        await step.end()
        return [] if reading.refusal else ops

    return read


def session_of(
    scope: str, becomes: Sequence[str], form: str, chance: Random
) -> Callable[[Step], Awaitable[None]]:
    """Prepare an answer, and a user who types at random in its scope."""
    old = list(SCOPES[scope](chance))
    new: Sequence[str] = old
    for become in becomes:
        new = BECOMES[become](new, chance)
    above, below = (
        [line(k) for k in range(chance.choice((0, 5, 3_000)))] for line in chance.choices(AROUND, k=2)
    )
    has_grammar = chance.random() < 0.5
    read = reading_of(Shape(old, FORMS[form](old, new), above, below, has_grammar=has_grammar))
    read_other = reading_of(Shape(old, fenced(BECOMES["half deleted"](old, chance))))

    async def session(step: Step) -> None:
        ops = await read(step)
        other = await read_other(Step())
        user = User([f"{line}\n" for line in old], chance, step)
        await user.begin()
        await user.take_steps(ops, other)

    return session


class User:
    """A user who types while an answer is applied, and reviews it.

    Args:
        lines: The scope's lines.
        chance: Decides the actions and places.
        step: The measured step.
    """

    live: LiveScope

    def __init__(self, lines: Sequence[str], chance: Random, step: Step) -> None:
        self._lines, self._chance, self._step = lines, chance, step

    async def begin(self) -> None:
        """Start an edit."""
        self.live = await self._step.take("a scope's start", lambda: LiveScope(self._lines, 10))

    async def take_steps(self, ops: Sequence[Op], other: Sequence[Op]) -> None:
        """Apply an answer, and then another one; type at random between their parts."""
        live, step = self.live, self._step
        size = len(ops) // self._chance.choice((1, 2, 3)) + 1
        for at in range(0, len(ops), size):
            await step.take("ops", lambda at=at: live.receive_ops(ops[at : at + size]))  # type: ignore[misc]
            await self._show("a batch", lambda: building.next_batch(live))
            await self._type()
        await step.take("the end of writing", live.end_writing)
        await self._look()
        await self._type()
        await self._show(
            "another answer", lambda: building.build_of_all(live, lambda each: each.other_answer(other))
        )
        await self._type()
        await step.take("accepting", lambda: live.accept(lambda number: number % 7 == 0))
        await self._show(
            "a part put back", lambda: building.build_of_all(live, lambda each: each.revert_hunks(odd))
        )
        await self._show("all put back", lambda: building.revert_all(live))
        await self._look()

    async def _look(self) -> None:
        for name, call in (
            ("hunks", self.live.hunks),
            ("clashes", self.live.clashes),
            ("answer_places", self.live.answer_places),
            ("has_hunks", lambda: self.live.has_hunks),
        ):
            await self._step.take(name, call)

    async def _show(
        self, name: str, build: Callable[[], ScopeBatch | Awaitable[ScopeBatch | None] | None]
    ) -> None:
        batch = await self._step.take(name, build)
        if isinstance(batch, Awaitable):
            self._step.name = f"{name}, in a thread"
            batch = await batch
            await self._step.end()
        if batch:
            await self._step.take("commit", lambda: self.live.commit(batch))

    async def _type(self) -> None:
        """Type, paste, delete or undo at a random place."""
        live, chance = self.live, self._chance
        for _ in range(3):
            n = live.end - live.start
            first = chance.randint(0, n)
            count = min(n - first, chance.choice((0, 1, 1, 40, 3_000, n)))
            inserted = chance.choice(
                (
                    (),
                    ("typed\n",),
                    ("\n",),
                    self._lines[first : first + count],
                    self._lines[:3_000],
                    self._lines[::-1],
                )
            )
            splice = Splice(live.start + first, count, tuple(inserted))
            await self._step.take("typing", lambda splice=splice: live.follow(splice))  # type: ignore[misc]


def odd(number: int) -> bool:
    return number % 2 == 1
