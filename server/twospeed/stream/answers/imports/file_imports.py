"""The import statements of the document above the scope, and those that an answer has for the file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from twospeed.text.code.import_statements import ImportMarks, ImportStatement, split_imports


class FileImports:
    """The lines above the scope, with imports and other lines apart. They are split at first use."""

    def __init__(self, above: Sequence[str], marks: ImportMarks, name: str = "") -> None:
        self.lines = above
        self.marks = marks
        self.name = name

    @cached_property
    def first(self) -> str:
        """The first line that is not blank."""
        return next((text for line in self.lines if (text := line.rstrip())), "")

    @cached_property
    def known(self) -> frozenset[str]:
        """All lines without white space at their ends."""
        return frozenset(line.rstrip() for line in self.lines)

    @cached_property
    def others(self) -> Sequence[str]:
        """The lines that are no imports; see `split_imports`."""
        return self._split[1]

    @property
    def n_above(self) -> int:
        """How many of `others` are above the first import."""
        return self._split[2]

    @cached_property
    def statements(self) -> frozenset[ImportStatement]:
        """The import statements."""
        return frozenset(map(_bare, self._split[0]))

    def new_among(self, statements: Iterable[ImportStatement]) -> list[ImportStatement]:
        """Return each statement once that the document does not have above the scope."""
        found = {bare: each for each in statements if (bare := _bare(each)) not in self.statements}
        return list(found.values())

    def has_any(self, statements: Iterable[ImportStatement]) -> bool:
        """Whether the document has one of these statements above the scope."""
        return not self.statements.isdisjoint(map(_bare, statements))

    def all_among(self, statements: Iterable[ImportStatement]) -> bool:
        """Whether the document has imports, and all are among these statements."""
        return bool(self.statements) and self.statements.issubset(map(_bare, statements))

    @cached_property
    def _split(self) -> tuple[list[ImportStatement], list[str], int]:
        return split_imports(self.lines, self.marks)


def _bare(statement: ImportStatement) -> ImportStatement:
    return tuple(line.rstrip() for line in statement)
