"""The import statements of the document above the scope, and those that an answer has for the file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from twospeed.stream.answers.evidence import Surroundings
from twospeed.text.code.import_statements import ImportLines, ImportMarks, split_imports


class FileImports:
    """The lines above the scope, with imports and other lines apart. They are split at first use."""

    def __init__(self, around: Surroundings, marks: ImportMarks) -> None:
        self.lines = around.above
        self.marks = marks
        self.name = around.file_name
        self._below = around.below

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
    def statements(self) -> frozenset[ImportLines]:
        """The import statements."""
        return frozenset(map(self._code_of, self._split[0]))

    def new_among(self, statements: Iterable[ImportLines]) -> list[ImportLines]:
        """Return each statement once that the document does not have above the scope, whatever its comments."""
        found = {code: each for each in statements if (code := self._code_of(each)) not in self.statements}
        return list(found.values())

    def has_any(self, statements: Iterable[ImportLines]) -> bool:
        """Whether the document has one of these statements above the scope."""
        return not self.statements.isdisjoint(map(self._code_of, statements))

    def may_be_whole_file(self, statements: Iterable[ImportLines]) -> bool:
        """Whether an answer with these imports may repeat the whole file: none of the document's is missing."""
        has_below = any(line.strip() for line in self._below)
        return (
            has_below and bool(self.statements) and self.statements.issubset(map(self._code_of, statements))
        )

    def _code_of(self, statement: ImportLines) -> ImportLines:
        """Return a statement without comments and layout."""
        return tuple(code for line in statement if (code := self.marks.code_of(line).strip()))

    @cached_property
    def _split(self) -> tuple[list[ImportLines], list[str], int]:
        return split_imports(self.lines, self.marks)
