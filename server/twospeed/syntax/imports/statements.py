"""Import statements as values, and what an import block needs to know about a language."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from twospeed.syntax.trees.trees import SourceTree

if TYPE_CHECKING:  # see trees
    from tree_sitter import Node


@dataclass(frozen=True, slots=True)
class ImportedName:
    """One name of an import statement.

    Attributes:
        text: The name as its list shows it, with its alias.
        bound: The name that it defines in the file; empty if it defines none.
        origin: What it refers to. Equal names with different origins are in conflict.
        key: Equal for imports of which a file needs only one.
        role: ``name`` for an item of a list.
        is_type: Whether TypeScript imports it as a type only.
    """

    text: str
    bound: str
    origin: str
    key: str
    role: Literal["name", "default", "all"] = "name"
    is_type: bool = False


@dataclass(frozen=True, slots=True)
class ImportStatement:
    """One import statement.

    Attributes:
        form: Statements of one form and module can be merged.
        module: Module or path, which determines the order.
        names: What it imports; at least one name.
        list_at: Offsets of the inside of its list of names, if another name may be added there.
        written: Its text, which shows its style.
    """

    form: str
    module: str
    names: tuple[ImportedName, ...]
    list_at: tuple[int, int] | None = None
    written: str = ""

    def with_names(self, names: Sequence[ImportedName]) -> ImportStatement:
        """Return a statement for other names, without a place in a text."""
        return replace(self, names=tuple(names), list_at=None)


SortKey = tuple[Any, ...]
Order = Callable[[ImportStatement], SortKey]

_WILDCARDS = frozenset({"*", ".", ".*"})


class ImportDialect:
    """Imports of one language. The methods are pure; `read` and `write` are exact opposites.

    Attributes:
        imports: Node types of statements that import.
        headers: Node types that are above the first import, besides comments.
        comment: Pattern of a string, as its first group, or a comment.
        orders: Orders in which a block may be sorted, most usual first.
        name_orders: The same for the names of a list.
        reserved: Names whose meaning an import would change in the whole file.
        definition: Pattern of a definition, with ``NAME`` for its name; empty if the tree is searched.
        later: Pattern of an import on a line, with its module, if the order of imports and code has an effect.
        library_rank: With `later`: the highest rank of the standard library, whose imports may be anywhere.
        first_module: Module whose import no code may be above.
        two_blank_above: Pattern of code that has two blank lines between it and the imports.
        keeps_groups: Whether a blank line separates groups also in a block that has one group.
        is_usually_sorted: Whether a block that is too short to show an order has the first one.
        may_split_lists: Whether a file may import each name of a module by its own statement.
    """

    imports: ClassVar[frozenset[str]] = frozenset()
    headers: ClassVar[frozenset[str]] = frozenset()
    comment: ClassVar[re.Pattern[str]] = re.compile(
        r"""("[^"\n]*"|'[^'\n]*'|`[^`]*`)|//[^\n]*|/\*.*?\*/""", re.DOTALL
    )
    orders: ClassVar[tuple[Order, ...]] = ()
    name_orders: ClassVar[tuple[Callable[[str], SortKey], ...]] = ()
    reserved: ClassVar[frozenset[str]] = frozenset()
    definition: ClassVar[str] = ""
    later: ClassVar[re.Pattern[str] | None] = None
    library_rank: ClassVar[int] = -1
    first_module: ClassVar[str] = ""
    two_blank_above: ClassVar[re.Pattern[str]] = re.compile("(?!)")
    keeps_groups: ClassVar[bool] = False
    is_usually_sorted: ClassVar[bool] = True
    may_split_lists: ClassVar[bool] = False

    def read(self, text: str) -> ImportStatement | None:
        """Parse one statement, or return ``None`` if its names are not certain."""
        raise NotImplementedError

    def write(self, statement: ImportStatement, shown: Sequence[str], limit: int) -> str:
        r"""Write a statement in the style of others, which are ``shown``, with ``\n`` between its lines."""
        raise NotImplementedError

    def named(self, statement: ImportStatement, shown: Sequence[str]) -> str:
        """Write a statement on one line, for a person."""
        return self.write(statement, shown, 100_000)

    def split(self, statement: ImportStatement) -> Sequence[ImportStatement] | None:
        """Split what a model wrote into statements that can be added, or return ``None`` if it is unsafe."""
        return None if any(each.text in _WILDCARDS for each in statement.names) else (statement,)

    def accepts(self, _statement: ImportStatement, _source: SourceTree, _shown: Sequence[str]) -> bool:
        """Return whether a file that shows some imports may have another one."""
        return True

    def fitted(
        self, statement: ImportStatement, _known: Sequence[ImportStatement]
    ) -> Sequence[ImportStatement]:
        """Return a statement in the form that a file with some statements uses."""
        return (statement,)

    def merge(self, _text: str, _statement: ImportStatement, _name: ImportedName, _limit: int) -> str | None:
        """Return the text of a statement of one line with a name that its list cannot have, or ``None``."""
        return None

    def rank(self, _statement: ImportStatement) -> int:
        """Return the number of the group that a statement belongs to, from 0."""
        return 0

    def package(self, statement: ImportStatement) -> str:
        """Return the part of a module that related modules share."""
        return statement.module

    def is_import(self, _source: SourceTree, node: Node) -> bool:
        """Return whether a node is one or more import statements."""
        return node.type in self.imports

    def is_header(self, _source: SourceTree, node: Node) -> bool:
        """Return whether a node must stay above the first import."""
        return node.type in self.headers

    def is_before(self, _source: SourceTree, _node: Node) -> bool:
        """Return whether a node is other code that may be above the first import."""
        return False

    def container(self, source: SourceTree) -> Node | None:
        """Return the node whose children are the imports, or ``None`` if it is not certain."""
        return source.root

    def masked(self, text: str) -> str:
        """Replace comments by spaces."""
        return self.comment.sub(lambda found: found[1] or re.sub(r"[^\n]", " ", found[0]), text)
