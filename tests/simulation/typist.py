"""A person who types near edits and elsewhere, deletes lines, and undoes changes.

Each key on a letter inserts a character that occurs nowhere else, so that it can be found again.
"""

from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import Iterator

from .editor import Editor
from .import_blocks import head_end
from .ledger import Ledger
from .watch import Watch
from .watched import Watched

KEY_S = (0.03, 0.25)
"""Seconds between two keys of a fast and a slow typist."""

INDENT = "    "

P_HEAD = 0.3
"""Probability of typing in the import block rather than near the scope of an edit."""


def _runes() -> Iterator[str]:
    """Yield letters that occur nowhere else; every third one has two UTF-16 units."""
    for number in itertools.count():
        yield chr(0x20000 + number) if number % 3 == 2 else chr(0x4E00 + number)


class Typist:
    """Types in an editor.

    Args:
        editor: The editor.
        rng: Decides what they do.
        watch: Knows where the edits are, as the person sees it.
        sees_imports: Whether they type in import blocks.
    """

    def __init__(
        self, editor: Editor, rng: random.Random, watch: Watch, *, sees_imports: bool = False
    ) -> None:
        self._editor, self._rng, self._watch = editor, rng, watch
        self._sees_imports = sees_imports
        self._keys = _runes()

    def _ledger(self) -> Ledger:
        return self._rng.choice(list(self._editor.documents.values()))

    def _live(self) -> list[Watched]:
        return [
            each
            for each in self._watch.edits.values()
            if each.outcome is None and each.old is not None and each.ledger.is_open and not each.is_preview
        ]

    def _begun(self) -> list[Watched]:
        """Return the edits that have written a part."""
        return [each for each in self._live() if not each.own.isdisjoint(each.ledger.now.ids)]

    def _in_review(self) -> list[Watched]:
        edits = self._watch.edits.values()
        applied = [each for each in edits if each.outcome == "applied" and not each.is_preview]
        return [each for each in applied if not each.verdict and each.ledger.is_open]

    # Typing

    async def _type(self) -> None:
        """Type some keys near an edit or elsewhere."""
        near = self._live() + self._in_review()
        if near and self._rng.random() < 0.85:
            watched = self._rng.choice(near)
            ledger, line = watched.ledger, self._line_near(watched)
        else:
            ledger = self._ledger()
            line = self._rng.randrange(len(ledger.places.starts))
        start, end = ledger.places.span_of(line)
        indent = INDENT if ledger.text[start:end].startswith(INDENT) else ""
        eol = ledger.eol
        match self._rng.randrange(5):
            case 0 | 1:  # a line below
                at, first = end, f"{eol}{indent}"
            case 2:  # a line above: the end first, then the letters before it
                (change,) = self._editor.type(ledger, [(start, start, eol)])
                await self._press(ledger, change.new.ids[0], indent + next(self._keys), before=True)
                return
            case 3 if ledger.text[start:end].strip():  # at the end of the line
                at, first = end, f"  # {next(self._keys)}"
            case _ if ledger.text[start:end].strip():  # in it
                at, first = self._rng.randint(start + len(indent), end), next(self._keys)
            case _:
                at, first = end, next(self._keys)
        (change,) = self._editor.type(ledger, [(at, at, first)])
        await self._press(ledger, change.new.ids[-1], "", before=False)

    async def _press(self, ledger: Ledger, last_id: str, first: str, *, before: bool) -> None:
        """Press keys after a character, or before it the first time, at its current place."""
        pause_s = self._rng.uniform(*KEY_S)
        n_keys = self._rng.choice((0, 1, 2, 3, 6, 12))
        for number in range(n_keys + bool(first)):
            await asyncio.sleep(self._rng.expovariate(1 / pause_s))
            is_first = before and number == 0
            # Both characters of a line end may be the same one.
            at = ledger.now.ids.find(last_id) if is_first else ledger.now.ids.rfind(last_id)
            if at < 0 or not ledger.is_open:
                return
            if number and self._rng.random() < 0.12 and ledger.text[at] >= "\u4e00":
                self._editor.type(ledger, [(at, at + 1, "")], goes_on=True)  # backspace
                return
            at += not is_first
            keys = first if number == 0 and first else next(self._keys)
            (change,) = self._editor.type(ledger, [(at, at, keys)], goes_on=bool(number))
            last_id = change.new.ids[-1]
            self._watch.counts["typed"] += len(keys.strip())

    def _line_near(self, watched: Watched) -> int:
        """Choose a line above, below, inside or at the edge of the lines of an edit; near its place if it has none."""
        places = watched.ledger.places
        if self._sees_imports and self._rng.random() < P_HEAD:
            last = places.line_of(head_end(watched.ledger.text))
            return self._rng.randint(0, min(last, len(places.starts) - 1))
        reach = watched.reach(watched.ledger.now)
        if reach is None:
            beside = [at for at in map(watched.ledger.now.ids.find, watched.around) if at >= 0]
            return (
                places.line_of(self._rng.choice(beside))
                if beside
                else self._rng.randrange(len(places.starts))
            )
        first, last = places.line_of(reach[0]), places.line_of(max(reach[0], reach[1] - 1))
        own = [at for at, char in enumerate(watched.ledger.now.ids) if char in watched.own]
        if own and self._rng.random() < 0.3:
            return places.line_of(self._rng.choice(own))
        n_lines = len(places.starts)
        choices = (
            self._rng.randint(0, first),
            max(0, first - 1),
            first,
            self._rng.randint(first, last),
            self._rng.randint(first, last),
            last,
            min(last + 1, n_lines - 1),
            self._rng.randint(last, n_lines - 1),
        )
        return self._rng.choice(choices)

    def _delete_lines(self) -> None:
        live = self._live()
        if live and self._rng.random() < 0.5:
            watched = self._rng.choice(live)
            ledger, line = watched.ledger, self._line_near(watched)
        else:
            ledger = self._ledger()
            line = self._rng.randrange(len(ledger.places.starts))
        starts = [*ledger.places.starts, len(ledger.text)]
        last = min(line + self._rng.choice((1, 1, 2, 3)), len(starts) - 1)
        if starts[line] < starts[last]:
            self._editor.type(ledger, [(starts[line], starts[last], "")])

    def _undo_what_is_written(self) -> None:
        """Undo the newest step in a document in which a model has written a part."""
        if begun := self._begun():
            self._editor.undo(self._rng.choice(begun).ledger)

    def _undo(self) -> None:
        ledger = self._ledger()
        for _ in range(self._rng.choice((1, 1, 2, 4))):
            self._editor.undo(ledger)
        if self._rng.random() < 0.3:
            self._editor.redo(ledger)
