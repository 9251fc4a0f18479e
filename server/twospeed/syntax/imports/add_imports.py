"""Add import statements to a document: merged, without duplicates, in the style and order of its imports.

This is the only place that knows where an import goes. What is there stays, except a line that gets a name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from twospeed.syntax.languages import profile_for
from twospeed.syntax.trees.parsing import parse_lines
from twospeed.syntax.trees.trees import SourceTree, parse
from twospeed.text.line_blocks import Lines
from twospeed.text.lines import body_of, eol_of, split_lines

from .bindings import are_bound_elsewhere
from .blocks import BlockItem, ImportBlock, find_block
from .compiled_imports import GoImports, IncludeLines, JavaImports, RustImports
from .name_lists import add_name, orders_of
from .placement import insert
from .python_imports import PythonImports
from .script_imports import ScriptImports
from .statements import ImportDialect, ImportedName, ImportStatement

MAX_STATEMENTS = 40
"""Statements of one call. A model that writes more has written a file."""

MAX_STATEMENT_CHARS = 20_000
_PARSE_LIMIT_S = 0.01

_SCRIPT = ScriptImports()
_INCLUDES = IncludeLines()
_DIALECTS: Mapping[str, ImportDialect] = {
    "python": PythonImports(),
    "javascript": _SCRIPT,
    "javascriptreact": _SCRIPT,
    "typescript": _SCRIPT,
    "typescriptreact": _SCRIPT,
    "go": GoImports(),
    "rust": RustImports(),
    "java": JavaImports(),
    "c": _INCLUDES,
    "cpp": _INCLUDES,
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


def add_imports(lines: Sequence[str], language_id: str, statements: Sequence[str]) -> AddedImports | None:
    """Add statements to the import block of a document.

    ``statements`` is source text in any number of strings, with comments and blank lines. ``None`` if the
    result is not certain: for other code than imports, wildcards, names with another meaning in the file,
    imports under a condition, and syntax errors near the imports. ``statements`` of the result is empty if
    the file has all of them. Cost: below 1 ms if the tree of the document is cached.
    """
    dialect = _DIALECTS.get(language_id)
    source = parse(language_id, lines) if dialect else None
    if dialect is None or source is None:
        return None
    wanted = _read_statements(dialect, source.profile.language_id, statements)
    block = find_block(source, dialect) if wanted is not None else None
    if wanted is None or block is None:
        return None
    return _Merger(source, dialect, block).add(wanted)


def _read_statements(
    dialect: ImportDialect, language_id: str, statements: Sequence[str]
) -> list[ImportStatement] | None:
    profile = profile_for(language_id)
    text = "\n".join(body_of(each) for each in statements)
    if profile is None or len(text) > MAX_STATEMENT_CHARS:
        return None
    lines = Lines.of(split_lines(dialect.prepared(text)))
    tree = parse_lines(profile, lines, limit_s=_PARSE_LIMIT_S)
    if tree is None or tree.root_node.has_error:
        return None
    source = SourceTree(profile, lines, tree)
    wanted: list[ImportStatement] = []
    for node in dialect.written_imports(source):
        statement = dialect.read(source.text_of(node)) if dialect.is_import(source, node) else None
        parts = dialect.split(statement) if statement else None
        if parts is None:
            return None
        wanted += parts
    return wanted if len(wanted) <= MAX_STATEMENTS else None


@dataclass
class _Merger:
    """Adds statements to one block, one after the other."""

    source: SourceTree
    dialect: ImportDialect
    block: ImportBlock
    added: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.items = list(self.block.items)

    def add(self, wanted: Sequence[ImportStatement]) -> AddedImports | None:
        """Add all statements, or return ``None``."""
        known: dict[str, ImportedName] = {}
        for name in (name for each in self.block.imports for name in each.names):
            if name.key not in known or known[name.key].is_type:
                known[name.key] = name
        missing: list[ImportStatement] = []
        for statement in wanted:
            names = [each for each in statement.names if each.key not in known]
            if any(
                known[each.key].is_type and not each.is_type for each in statement.names if each.key in known
            ):
                return None  # it is imported as a type only
            known |= {each.key: each for each in names}
            if names:
                missing += self.dialect.fitted(statement.with_names(names), self.block.imports)
        if not all(self.dialect.accepts(each, self.source, self._shown()) for each in missing):
            return None
        is_first = self.block.is_at_head or not any(map(self.dialect.must_be_first, missing))
        if not is_first or self._is_in_conflict(missing):
            return None
        for statement in missing:
            self._add_statement(statement)
        return self._result()

    def _is_in_conflict(self, missing: Sequence[ImportStatement]) -> bool:
        names = [name for statement in missing for name in statement.names if name.bound]
        origins = {
            name.bound: name.origin for each in self.block.imports for name in each.names if name.bound
        }
        for name in names:
            if (
                origins.setdefault(name.bound, name.origin) != name.origin
                or name.bound in self.dialect.reserved
            ):
                return True
        if "*" in origins and names:
            return True  # a wildcard may bring the same name
        return are_bound_elsewhere(self.source, self.dialect, self.block, missing)

    # One statement

    def _add_statement(self, statement: ImportStatement) -> None:
        self.added.append(self.dialect.named(statement, self._shown()))
        indexes = [index for index, item in enumerate(self.items) if _can_join(item.statement, statement)]
        if self.dialect.has_one_name_each(
            [each for index in indexes if (each := self.items[index].statement)]
        ):
            for name in statement.names:
                self._insert(statement.with_names([name]), None)
            return
        names: Sequence[ImportedName] = statement.names
        for index in indexes:
            names = self._merged_into(index, statement.with_names(names))
        if names:
            lists = [index for index in indexes if _is_list(self.items[index].statement)]
            self._insert(statement.with_names(names), lists[-1] if lists else None)

    def _insert(self, statement: ImportStatement, related: int | None) -> None:
        """Insert a statement below a related one, or at its place in the block."""
        text = self.dialect.write(statement, self._shown(), self.block.limit)
        lines = tuple(line + self.block.eol for line in text.split("\n"))
        new = BlockItem(lines, self.dialect.read(text), is_import=True)
        if related is not None:
            self.items.insert(related + 1, new)
        elif self.items:
            self.items = insert(self.dialect, self.items, new, statement, self.block.eol)
        else:
            self.items = [new]

    def _shown(self) -> list[str]:
        return [each.text for each in self.items if each.is_import]

    def _merged_into(self, index: int, new: ImportStatement) -> Sequence[ImportedName]:
        item, dialect, limit = self.items[index], self.dialect, self.block.limit
        orders = orders_of(dialect, self.block.imports)
        rest: list[ImportedName] = []
        for name in new.names:
            current, text = item.statement, None
            if current is None:
                pass
            elif current.list_at and name.role == "name":
                text = add_name(dialect, orders, item.text, current.list_at, name.text, limit)
            elif len(item.lines) == 1:
                text = dialect.merge(item.text, current, name, limit)
            if text is None:
                rest.append(name)
            else:
                item = item.rewritten(dialect, text, self.block.eol)
        self.items[index] = item
        return rest

    # The lines

    def _result(self) -> AddedImports:
        start, end = self.block.start, self.block.end
        lines = [line for item in self.items for line in item.lines]
        if start == end and lines:
            return self._first_imports(lines)
        return AddedImports(start, end, self._with_ends(lines, end), tuple(self.added))

    def _first_imports(self, new: list[str]) -> AddedImports:
        lines, eol = self.source.lines, self.block.eol
        start = self.block.start
        above = lines[start - 1] if start else ""
        if start and start < len(lines) and not lines[start].strip() and start < len(lines) - 1:
            start += 1
        elif start and self.dialect.needs_blank_below(above):
            new.insert(0, eol)
        if start >= len(lines):  # the header ends in the last line
            return AddedImports(
                start - 1, start, (above + eol, *new[:-1], body_of(new[-1])), tuple(self.added)
            )
        below = next((row for row in range(start, len(lines)) if lines[row].strip()), None)
        if below is not None:
            missing = self.dialect.n_blank_above(lines[below]) - (below - start)
            new += [eol] * max(0, missing)
        return AddedImports(start, start, tuple(new), tuple(self.added))

    def _with_ends(self, lines: list[str], end: int) -> tuple[str, ...]:
        is_last = end == len(self.source.lines)
        ended = [line if eol_of(line) else line + self.block.eol for line in lines]
        if is_last and ended:
            ended[-1] = body_of(ended[-1])
        return tuple(ended)


def _can_join(statement: ImportStatement | None, new: ImportStatement) -> bool:
    return statement is not None and (statement.form, statement.module) == (new.form, new.module)


def _is_list(statement: ImportStatement | None) -> bool:
    return statement is not None and (statement.list_at is not None or len(statement.names) > 1)
