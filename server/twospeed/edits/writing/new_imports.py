"""The imports that an answer brings for the file: where they go in the document of this moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from twospeed import syntax
from twospeed.edits.values import EditRequest
from twospeed.gate import Finding, Fix
from twospeed.syntax import AddedImports
from twospeed.text.code.scope import Scope
from twospeed.text.document import Document


@dataclass(frozen=True, slots=True)
class NewImports:
    """Imports that an edit adds to its document.

    Attributes:
        document: The document of the request.
        added: Its import block with them.
        n_above: The number of lines at the top of the document on which their place depends.
    """

    document: Document
    added: AddedImports
    n_above: int

    @property
    def old_lines(self) -> Sequence[str]:
        """The import block without them."""
        return self.document.lines[self.added.start : self.added.end]

    def against(self, document: Document) -> AddedImports | None:
        """Return the import block of a later document with the imports; ``None`` if their place is uncertain there."""
        if document.lines[: self.n_above] == self.document.lines[: self.n_above]:
            return self.added
        return syntax.add_imports(document.lines, document.language_id, self.added.statements)

    def applied_to(self, scope: Scope) -> tuple[Document, Scope]:
        """Return the document of the request with the imports, and the scope in it."""
        n_lines = self.growth_above(scope)
        moved = replace(scope, start=scope.start + n_lines, end=scope.end + n_lines)
        return self.document.with_edits([self.added.edit_of(self.document.lines)]), moved

    def growth_above(self, scope: Scope) -> int:
        """Return by how many lines the imports move a scope down."""
        added = self.added
        return len(added.lines) - (added.end - added.start) if added.end <= scope.start else 0


def plan_imports(
    request: EditRequest, scope: Scope, statements: Sequence[str]
) -> tuple[NewImports | None, tuple[Finding, ...]]:
    """Decide what happens to the import lines of an answer.

    Returns:
        The imports that the edit adds, and the findings about those that it does not add.
    """
    if not statements:
        return None, ()
    document = request.document
    added = syntax.add_imports(document.lines, document.language_id, statements)
    if added is None or (added.start < scope.end and scope.start < added.end):
        return None, (not_added(scope, statements),)
    if not added.statements:
        return None, ()
    if request.imports == "offer":
        return None, (_offered(scope, document, added),)
    return NewImports(document, added, max(scope.start, added.end + 1)), ()


def not_added(scope: Scope, statements: Sequence[str]) -> Finding:
    """Return the finding about imports whose place in the file is not certain."""
    text = "; ".join(stripped for line in statements if (stripped := line.strip()))
    message = f"not added, because their place in the file is not certain: {text}"
    return Finding("import-not-added", 2, message, scope.start, scope.start)


def _offered(scope: Scope, document: Document, added: AddedImports) -> Finding:
    text = "; ".join(added.statements)
    fix = Fix(f"Add {text}", added.statements, (added.edit_of(document.lines),))
    return Finding(
        "import-not-added", 3, f"the answer needs an import: {text}", scope.start, scope.start, fix
    )
