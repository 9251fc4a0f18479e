"""Other ways to apply a streamed answer to old text, for comparison.

* ``LineScan``: search each new line in the remaining old lines; delete the lines before it, insert a line
  that is not found. The simplest method, used by several editors.
* ``DiffEachLine``: for each new line, compare all received lines with the old text by ``difflib`` and write
  the whole region again. The next method if the first deletes too much.
* ``CharacterColumns``: an alignment of characters, one column of scores over all old characters for each new
  one, with the idea and weights of Zed's ``StreamingDiff``. It is in Python, so its growth is comparable, not
  its factor.

Each accepts the new text in any pieces, ends with exactly that text, and counts its changes of the document.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Protocol


class Rival(Protocol):
    """The measurements of each.

    Attributes:
        text: The text of the document.
        n_edits: Edits made.
        n_characters: Characters deleted and inserted by them.
    """

    n_edits: int
    n_characters: int

    @property
    def text(self) -> str: ...

    def receive_text(self, text: str) -> None: ...

    def finish(self) -> None: ...


class _ByLine:
    """Splits text into lines, and counts changes of the old ones."""

    def __init__(self, old: Sequence[str]) -> None:
        self.old = list(old)
        self.new: list[str] = []
        self.deleted, self.inserted = Counter[str](), Counter[str]()
        self.n_edits = self.n_characters = self.n_kept = 0
        self._partial = ""

    def receive_text(self, text: str) -> None:
        self._partial += text
        if "\n" in text:
            *lines, self._partial = self._partial.split("\n")
            for line in lines:
                self._receive_line(line)

    def _receive_line(self, line: str) -> None:
        raise NotImplementedError

    def _edit(self, deleted: Sequence[str], inserted: Sequence[str]) -> None:
        if deleted or inserted:
            self.deleted.update(deleted)
            self.inserted.update(inserted)
            self.n_edits += 1
            self.n_characters += len("\n".join([*deleted, ""])) + len("\n".join([*inserted, ""]))


class LineScan(_ByLine):
    """Keeps the first equal old line."""

    _i = 0

    @property
    def text(self) -> str:
        return "\n".join([*self.new, *self.old[self._i :], ""])

    def _receive_line(self, line: str) -> None:
        try:
            place = self.old.index(line, self._i)
        except ValueError:
            self._edit((), [line])
        else:
            self._edit(self.old[self._i : place], ())
            self._i = place + 1
            self.n_kept += 1
        self.new.append(line)

    def finish(self) -> None:
        self._edit(self.old[self._i :], ())
        self._i = len(self.old)


class DiffEachLine(_ByLine):
    """Compares everything again; lines after the last matched old line are still to come."""

    def __init__(self, old: Sequence[str]) -> None:
        super().__init__(old)
        self._shown = self.old

    @property
    def text(self) -> str:
        return "\n".join([*self._shown, ""])

    def _receive_line(self, line: str) -> None:
        self.new.append(line)
        blocks = SequenceMatcher(None, self.old, self.new, autojunk=False).get_matching_blocks()
        behind = max((block.a + block.size for block in blocks[:-1]), default=0)
        self._show([*self.new, *self.old[behind:]])

    def finish(self) -> None:
        self._show(self.new)

    def _show(self, lines: list[str]) -> None:
        if lines != self._shown:
            self._edit(self._shown, lines)
            self._shown = list(lines)


class CharacterColumns:
    """Decides after each piece which old characters stay."""

    INSERTED, DELETED = -1.0, -20.0
    EQUAL = tuple(1.8 ** min(run // 4, 16) for run in range(69))
    """A character kept, by the length of the run it ends: long runs are worth far more than scattered characters."""

    def __init__(self, old: Sequence[str]) -> None:
        self._old = "\n".join([*old, ""])
        self._i = 0
        self._written: list[str] = []
        self._scores = [self.DELETED * i for i in range(len(self._old) + 1)]
        self._runs = [0] * (len(self._old) + 1)
        self.n_edits = self.n_characters = 0

    @property
    def text(self) -> str:
        return "".join(self._written) + self._old[self._i :]

    def receive_text(self, text: str) -> None:
        columns = [self._scores]
        for character in text:
            self._add_column(character)
            columns.append(self._scores)
        best = max(range(self._i, len(self._old) + 1), key=self._scores.__getitem__)
        self._count(self._steps(text, columns, best))
        self._written.append(text)
        self._i = best

    def finish(self) -> None:
        self._count("-" * (len(self._old) - self._i))
        self._i = len(self._old)

    def _add_column(self, character: str) -> None:
        before, runs_before = self._scores, self._runs
        score = before[0] + self.INSERTED
        scores, runs = [score], [0]
        for i, old in enumerate(self._old):
            score += self.DELETED
            inserted = before[i + 1] + self.INSERTED
            score = max(score, inserted)
            run = 0
            if old == character:
                run = runs_before[i] + 1
                score = max(score, before[i] + self.EQUAL[min(run, 68)])
            scores.append(score)
            runs.append(run)
        self._scores, self._runs = scores, runs

    def _steps(self, text: str, columns: Sequence[Sequence[float]], i: int) -> str:
        """Trace back to the last decision: ``=`` kept, ``+`` inserted, ``-`` deleted."""
        steps: list[str] = []
        j = len(text)
        while i > self._i or j > 0:
            ways: list[tuple[float, str]] = []
            if j > 0:
                ways.append((columns[j - 1][i], "+"))
            if i > self._i:
                ways.append((columns[j][i - 1], "-"))
            if j > 0 and i > self._i and self._old[i - 1] == text[j - 1]:
                ways.append((columns[j - 1][i - 1], "="))
            step = max(ways)[1]
            steps.append(step)
            i, j = i - (step != "+"), j - (step != "-")
        return "".join(reversed(steps))

    def _count(self, steps: str) -> None:
        self.n_characters += len(steps) - steps.count("=")
        self.n_edits += sum(map(bool, steps.split("=")))
