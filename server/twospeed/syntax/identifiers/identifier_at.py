"""Tell what the names at a few places stand for, without a walk over all that is around them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from twospeed.syntax.trees.trees import SourceTree

from .grammars import JAVASCRIPT, PYTHON, Grammar
from .identifiers import javascript_identifier, python_identifier
from .scoped_walk import Frame, ScopedSource, way_to
from .values import (
    Identifier,
    NameScope,
)

_Describe = Callable[[ScopedSource, Frame, Sequence[NameScope]], Identifier | None]

_LANGUAGES: Mapping[str, tuple[Grammar, _Describe]] = {
    "python": (PYTHON, python_identifier),
    "javascript": (JAVASCRIPT, javascript_identifier),
    "javascriptreact": (JAVASCRIPT, javascript_identifier),
    "typescript": (JAVASCRIPT, javascript_identifier),
    "typescriptreact": (JAVASCRIPT, javascript_identifier),
}


def identifier_at(source: SourceTree, line: int, column: int) -> Identifier | None:
    """Say what the name at a place stands for.

    Args:
        source: A document in Python, JavaScript or TypeScript.
        line: 0-based line.
        column: Code points from the line's start.

    Returns:
        What `code_facts` would say of it, except that scopes have other numbers and lines are the document's;
        ``None`` where no name stands.

    Cost: linear in the depth; 20 us where code is nested as people nest it.
    """
    grammar, describe = _LANGUAGES[source.profile.language_id]
    scoped = ScopedSource(source, 0, len(source.lines))
    scopes: list[NameScope] = []
    frame = way_to(scoped, grammar, scopes, source.point(line, column))
    return describe(scoped, frame, scopes)
