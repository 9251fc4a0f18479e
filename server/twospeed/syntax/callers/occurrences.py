"""The occurrences of a word in a file, each with its role and the scopes around it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from twospeed.syntax.identifiers.grammars import JAVASCRIPT, PYTHON
from twospeed.syntax.identifiers.identifier import Identifier, NameScope
from twospeed.syntax.identifiers.roles import javascript_identifier, python_identifier
from twospeed.syntax.identifiers.scoped_walk import Frame, ScopedSource, path_to
from twospeed.syntax.identifiers.words import WordSearch
from twospeed.syntax.trees.trees import SourceTree

MAX_OCCURRENCES = 2_000
"""Occurrences of one word in a file, each looked up in 30 us."""

BINDING = frozenset({"definition", "import", "global", "member"})


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One occurrence of a word.

    Attributes:
        identifier: ``None`` in a string or a comment.
        scopes: Ids of the scopes in which it is looked up, innermost first; Python's classes only for their own code.
        scope: Id of the scope in which it is bound or used.
    """

    line: int
    column: int
    frame: Frame
    identifier: Identifier | None
    scopes: tuple[int, ...]
    scope: int

    @property
    def role(self) -> str:
        """Its role; empty in a string or a comment."""
        return self.identifier.role if self.identifier else ""

    def is_field(self, field: str, *types: str) -> bool:
        """Return whether its node is a field of a parent of some type."""
        parent = self.frame.parent
        return parent is not None and parent.type in types and self.frame.field == field


def occurrences(source: SourceTree, word: str) -> list[Occurrence] | None:
    """Return the occurrences of a word in a Python, JavaScript or TypeScript file; ``None`` for too many."""
    found: list[Occurrence] = []
    for line, column in WordSearch(0, source.lines).places(word):
        if len(found) >= MAX_OCCURRENCES:
            return None
        found.append(occurrence_at(source, line, column, word))
    return found


def occurrence_at(source: SourceTree, line: int, column: int, word: str) -> Occurrence:
    """Return the occurrence of a word at a place."""
    is_python = source.profile.language_id == "python"
    grammar, describe = (PYTHON, python_identifier) if is_python else (JAVASCRIPT, javascript_identifier)
    scoped = ScopedSource(source, 0, len(source.lines))
    scopes: list[NameScope] = []
    frame = path_to(scoped, grammar, scopes, source.point(line, column))
    identifier = describe(scoped, frame, scopes)
    if identifier is not None and identifier.name != word:
        identifier = None
    ids = {0: 0} | {
        each.inner_scope: each.node.id for each in (frame, *frame.around()) if each.type in grammar.scopes
    }
    number = identifier.scope if identifier else frame.scope
    return Occurrence(line, column, frame, identifier, tuple(_lookup(number, scopes, ids)), ids[number])


def _lookup(number: int, scopes: Sequence[NameScope], ids: Mapping[int, int]) -> Iterator[int]:
    at: int | None = number
    while at is not None:
        if at == number or scopes[at].kind != "class":
            yield ids[at]
        at = scopes[at].parent
