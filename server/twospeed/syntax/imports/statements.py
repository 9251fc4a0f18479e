"""Import statements as values, and what an import block needs to know about a language."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from twospeed.syntax.trees.trees import SourceTree
from twospeed.syntax.trees.walks import named_children_of

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
        written: Its text, which shows its style.
        list_at: Offsets of the inside of its list of names, if another name may be added there.
    """

    form: str
    module: str
    names: tuple[ImportedName, ...]
    list_at: tuple[int, int] | None = None
    written: str = ""

    def with_names(self, names: Sequence[ImportedName]) -> ImportStatement:
        """Return a statement for other names, without a place in a text."""
        return replace(self, names=tuple(names), list_at=None)


_COMMENT_LINE = re.compile(r"\s*(?://(?!!)|/?\*|#!/|#(?![!\[]|\s*(?:pragma|define|ifndef)))")

_NO_LIMIT = 100_000

SortKey = tuple[Any, ...]
Order = Callable[[ImportStatement], SortKey]


class ImportDialect:
    """Imports of one language. The methods are pure; `read` and `write` are exact opposites.

    Attributes:
        imports: Node types of statements that import.
        headers: Node types that are above the first import, besides comments.
        orders: Orders in which a block may be sorted, most usual first.
        name_orders: The same for the names of a list.
        reserved: Names whose meaning an import would change in the whole file.
        definition: Pattern of a definition, with ``NAME`` for its name; empty if the tree is searched.
        later: Pattern of an import on a line, with its module, if the order of imports and code has an effect.
        is_usually_sorted: Whether a block that is too short to show an order has the first one.
        keeps_groups: Whether a blank line separates groups also in a block that has one group.
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
    keeps_groups: ClassVar[bool] = False
    is_usually_sorted: ClassVar[bool] = True

    def read(self, text: str) -> ImportStatement | None:
        """Parse one statement, or return ``None`` if its names are not certain."""
        raise NotImplementedError

    def write(self, statement: ImportStatement, shown: Sequence[str], limit: int) -> str:
        r"""Write a statement in the style of others, which are ``shown``, with ``\n`` between its lines."""
        raise NotImplementedError

    def named(self, statement: ImportStatement, shown: Sequence[str]) -> str:
        """Write a statement on one line, for a person."""
        return self.write(statement, shown, _NO_LIMIT)

    def split(self, statement: ImportStatement) -> Sequence[ImportStatement] | None:
        """Split what a model wrote into statements that can be added, or return ``None`` if it is unsafe."""
        return (statement,)

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

    def is_library(self, _statement: ImportStatement) -> bool:
        """Return whether a module can be imported anywhere, because it is of the standard library."""
        return True

    def has_one_name_each(self, _same: Sequence[ImportStatement]) -> bool:
        """Return whether a file that has some statements of one module does not merge them."""
        return False

    def must_be_first(self, _statement: ImportStatement) -> bool:
        """Return whether no code may be above a statement."""
        return False

    def prepared(self, text: str) -> str:
        """Return the text of new statements as it can be parsed."""
        return text + "\n"

    def written_imports(self, source: SourceTree) -> Iterator[Node]:
        """Yield the statements of a text of new imports."""
        return (node for node in named_children_of(source.root) if "comment" not in node.type)

    def needs_blank_below(self, above: str) -> bool:
        """Return whether a blank line separates the first import from the line above it."""
        return not _COMMENT_LINE.match(above)

    def n_blank_above(self, _below: str) -> int:
        """Return the number of blank lines between the imports and the code below them."""
        return 1

    def rank(self, _statement: ImportStatement) -> int:
        """Return the number of the group that a statement belongs to."""
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
