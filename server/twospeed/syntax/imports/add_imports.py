"""Add import statements to a document: merged, without duplicates, in the style and order of its imports.

All lines of the document stay as they are, except that a name may be added to a line of the import block.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from twospeed.syntax.languages import profile_for
from twospeed.syntax.trees.parsing import parse_lines
from twospeed.syntax.trees.trees import SourceTree, parse
from twospeed.syntax.trees.walks import first_child, named_children_of
from twospeed.text.code import javascript
from twospeed.text.edits import LineEdit, common_ends
from twospeed.text.line_blocks import Lines
from twospeed.text.lines import body_of, eol_of, split_lines

from .bindings import are_bound_elsewhere
from .blocks import BlockItem, ImportBlock, find_block
from .compiled_imports import GO, INCLUDES, JAVA, RUST
from .name_lists import NameOrder, add_name, orders_of
from .placement import insert
from .python_imports import PYTHON
from .script_imports import SCRIPT
from .statements import ImportDialect, ImportedName, ImportStatement

if TYPE_CHECKING:  # see trees
    from tree_sitter import Node

_MARK = "\ufeff"
"""The byte order mark that a document may begin with."""

MAX_STATEMENTS = 40
"""Statements of one call. With more, the result is not certain."""

MAX_STATEMENT_CHARS = 20_000
_PARSE_LIMIT_S = 0.01
"""Limits of the text of one call: its size, and the seconds in which it is parsed."""

_COMMENT_LINE = re.compile(r"\s*(?://(?!!)|/?\*|#!/|#(?![!\[]|\s*(?:pragma|define|ifndef)))")
DIALECTS: Mapping[str, ImportDialect] = {
    "python": PYTHON,
    **dict.fromkeys(javascript.LANGUAGE_IDS, SCRIPT),
    "go": GO,
    "rust": RUST,
    "java": JAVA,
    "c": INCLUDES,
    "cpp": INCLUDES,
}


@dataclass(frozen=True, slots=True)
class AddedImports:
    """The import block of a document with more imports.

    ``[*document[:start], *lines, *document[end:]]`` are the lines of the new document.

    Attributes:
        start: First line of the block.
        end: Line below its last one; equal to ``start`` if the imports are the first of the file.
        lines: The new lines, with line ends. Without an end only if the last line of the document has none.
        statements: What was added, one statement each, on one line.
    """

    start: int
    end: int
    lines: tuple[str, ...]
    statements: tuple[str, ...]

    def edit_of(self, lines: Sequence[str]) -> LineEdit:
        """Return the edit of the document that adds the imports, without the unchanged lines around them."""
        old = lines[self.start : self.end]
        head, tail = common_ends(old, self.lines)
        new = self.lines[head : len(self.lines) - tail]
        return LineEdit(self.start + head, len(old) - head - tail, new)


def add_imports(lines: Sequence[str], language_id: str, statements: Sequence[str]) -> AddedImports | None:
    """Add statements to the import block of a document.

    ``statements`` is source text in any number of strings, with comments and blank lines. ``None`` if the
    result is not certain: for other code than imports, wildcards, names with another meaning in the file,
    imports under a condition, and syntax errors near the imports. ``statements`` of the result is empty if
    the file has all of them. Cost: below 1 ms if the tree of the document is cached.
    """
    if lines and lines[0].startswith(_MARK):
        bare = (lines[0].removeprefix(_MARK), *lines[1:])
        return _with_mark(bare, add_imports(bare, language_id, statements))
    dialect = DIALECTS.get(language_id)
    source = parse(language_id, lines) if dialect else None
    if dialect is None or source is None:
        return None
    wanted = _read_statements(dialect, source.profile.language_id, statements)
    block = find_block(source, dialect) if wanted is not None else None
    if wanted is None or block is None:
        return None
    missing = _missing_of(wanted, block, dialect)
    if missing is None or not _are_safe(missing, source, block, dialect):
        return None
    writer = _BlockWriter(source, dialect, block)
    for statement in missing:
        writer.add(statement)
    return writer.result()


def _with_mark(lines: Sequence[str], added: AddedImports | None) -> AddedImports | None:
    """Keep the byte order mark, which the lines were read without, first in the document."""
    if added is None or added.start > 0:
        return added
    end = max(added.end, 1)  # the line below loses its mark
    first, *rest = (*added.lines, *lines[added.end : end])
    return replace(added, end=end, lines=(_MARK + first, *rest))


def _read_statements(
    dialect: ImportDialect, language_id: str, statements: Sequence[str]
) -> list[ImportStatement] | None:
    profile = profile_for(language_id)
    text = "\n".join(body_of(each) for each in statements) + "\n"
    if profile is None or len(text) > MAX_STATEMENT_CHARS:
        return None
    lines = Lines.of(split_lines(text))
    tree = parse_lines(profile, lines, limit_s=_PARSE_LIMIT_S)
    if tree is None or tree.root_node.has_error:
        return None
    source = SourceTree(profile, lines, tree)
    wanted: list[ImportStatement] = []
    for node in _statements_in(source.root):
        statement = dialect.read(source.text_of(node)) if dialect.is_import(source, node) else None
        parts = dialect.split(statement) if statement else None
        if parts is None:
            return None
        wanted += parts
    return wanted if len(wanted) <= MAX_STATEMENTS else None


def _statements_in(root: Node) -> Iterator[Node]:
    for node in named_children_of(root):
        if brackets := first_child(node, ("import_spec_list",)):  # of Go
            yield from (each for each in named_children_of(brackets) if each.type == "import_spec")
        elif "comment" not in node.type:
            yield node


def _missing_of(
    wanted: Sequence[ImportStatement], block: ImportBlock, dialect: ImportDialect
) -> list[ImportStatement] | None:
    """Return the statements for names that a block does not have; ``None`` if it has one as a type only."""
    names = [name for each in block.imports for name in each.names]
    is_type = {name.key: name.is_type for name in sorted(names, key=lambda name: not name.is_type)}
    missing: list[ImportStatement] = []
    for statement in wanted:
        if any(is_type.get(each.key) and not each.is_type for each in statement.names):
            return None
        new = [each for each in statement.names if each.key not in is_type]
        is_type |= {each.key: each.is_type for each in new}
        if new:
            missing += dialect.fitted(statement.with_names(new), block.imports)
    return missing


def _are_safe(
    missing: Sequence[ImportStatement], source: SourceTree, block: ImportBlock, dialect: ImportDialect
) -> bool:
    """Return whether the file may have the statements, and none of its names gets another meaning."""
    if not all(dialect.accepts(each, source, block.shown) for each in missing):
        return False
    if not block.is_at_head and any(each.module == dialect.first_module for each in missing):
        return False
    new = [name for each in missing for name in each.names if name.bound]
    origins = {name.bound: name.origin for each in block.imports for name in each.names if name.bound}
    if "*" in origins and new:
        return False  # a wildcard may bring the same name
    for name in new:
        if name.bound in dialect.reserved or origins.setdefault(name.bound, name.origin) != name.origin:
            return False
    return not are_bound_elsewhere(source, dialect, block, missing)


class _BlockWriter:
    """Adds statements to one block, one after the other."""

    def __init__(self, source: SourceTree, dialect: ImportDialect, block: ImportBlock) -> None:
        self._source, self._dialect, self._block = source, dialect, block
        self._items = list(block.items)
        self._added: list[str] = []

    def add(self, statement: ImportStatement) -> None:
        """Merge a statement into those of its form and module, or insert it."""
        self._added.append(self._dialect.named(statement, self._shown()))
        same = [
            (index, each)
            for index, item in enumerate(self._items)
            if (each := item.statement) and (each.form, each.module) == (statement.form, statement.module)
        ]
        have_one_name_each = len(same) > 1 and all(len(each.names) == 1 for _, each in same)
        if self._dialect.may_split_lists and have_one_name_each:
            for name in statement.names:
                self._insert(statement.with_names([name]), None)
            return
        names: Sequence[ImportedName] = statement.names
        for index, _ in same:
            names = [name for name in names if not self._merge(index, name)]
        if names:
            now = [(index, self._items[index].statement) for index, _ in same]
            lists = [index for index, each in now if each and (each.list_at or len(each.names) > 1)]
            self._insert(statement.with_names(names), lists[-1] if lists else None)

    def result(self) -> AddedImports:
        """Return the lines of the block."""
        start, end, eol = self._block.start, self._block.end, self._block.eol
        lines = [line for item in self._items for line in item.lines]
        if start == end and lines:
            start, end, lines = self._first_imports(lines)
        lines = [line if eol_of(line) else line + eol for line in lines]
        if lines and end == len(self._source.lines):
            lines[-1] = body_of(lines[-1])
        return AddedImports(start, end, tuple(lines), tuple(self._added))

    @cached_property
    def _orders(self) -> Sequence[NameOrder]:
        return orders_of(self._dialect, self._block.imports)

    def _shown(self) -> list[str]:
        return [each.text for each in self._items if each.is_import]

    def _merge(self, index: int, name: ImportedName) -> bool:
        """Add a name to a statement; return whether it has room."""
        item, dialect, limit = self._items[index], self._dialect, self._block.limit
        statement, text = item.statement, None
        if statement and statement.list_at and name.role == "name":
            text = add_name(dialect, self._orders, item.text, statement.list_at, name.text, limit)
        elif statement and len(item.lines) == 1:
            text = dialect.merge(item.text, statement, name, limit)
        if text is not None:
            self._items[index] = item.rewritten(dialect, text, self._block.eol)
        return text is not None

    def _insert(self, statement: ImportStatement, related: int | None) -> None:
        """Insert a statement below a related one, or at its place in the block."""
        text = self._dialect.write(statement, self._shown(), self._block.limit)
        lines = tuple(line + self._block.eol for line in text.split("\n"))
        new = BlockItem(lines, self._dialect.read(text), is_import=True)
        if related is not None:
            self._items.insert(related + 1, new)
        elif self._items:
            self._items = insert(self._dialect, self._items, new, statement, self._block.eol)
        else:
            self._items = [new]

    def _first_imports(self, new: list[str]) -> tuple[int, int, list[str]]:
        """Return the lines of the first imports of a file, with blank lines around them, and their place."""
        lines, eol, start = self._source.lines, self._block.eol, self._block.start
        above = lines[start - 1] if start else ""
        if 0 < start < len(lines) - 1 and not lines[start].strip():
            start += 1
        elif start and not _COMMENT_LINE.match(above):
            new.insert(0, eol)
        if start >= len(lines):  # the header ends in the last line
            return start - 1, start, [above, *new]
        below = next((row for row in range(start, len(lines)) if lines[row].strip()), None)
        if below is not None:
            n_blank = 2 if self._dialect.two_blank_above.match(lines[below]) else 1
            new += [eol] * max(0, n_blank - (below - start))
        return start, start, new
