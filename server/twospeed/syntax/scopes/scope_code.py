"""Split a scope into code, strings and comments, and list its definitions.

Grammars name similar nodes alike, so the role of a node follows from the name of its type, without a table by language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache
from typing import TYPE_CHECKING, Literal

from twospeed.syntax.definitions.definitions import is_wrapper, kind_of, name_of, wrapped_by
from twospeed.syntax.languages import FormatProfile, comment_marks
from twospeed.syntax.trees.trees import RecentResults, SourceTree, column_at, parse
from twospeed.syntax.trees.walks import named_children_of
from twospeed.text.code.scope import Definition, ScopeCode, TextLiteral
from twospeed.text.line_blocks import Lines
from twospeed.text.lines import body_of

if TYPE_CHECKING:  # see trees
    from tree_sitter import Node, TreeCursor


def scope_code(lines: Sequence[str], language_id: str, start: int, end: int) -> ScopeCode:
    """Return the code, strings and definitions of some lines of a document.

    Without a tree, and above `MAX_NODES_AT_ONCE` nodes, each line that is no comment counts as code and as a string.
    Cost: 2 ms for 300 lines with a tree, at most 25 ms. Recent results are cached.
    """
    return _scope_code(lines, language_id, start, end, MAX_NODES_AT_ONCE)


def scope_code_fully(lines: Sequence[str], language_id: str, start: int, end: int) -> ScopeCode:
    """Like `scope_code` for up to `MAX_NODES_IN_THREAD` nodes. Later calls of `scope_code` return the same result."""
    return _scope_code(lines, language_id, start, end, MAX_NODES_IN_THREAD)


MAX_NODES_AT_ONCE = 12_000
"""Limit on the event loop, 25 ms. 500 lines of ordinary code have about 6,000 nodes."""

MAX_LINES_AT_ONCE = 5_000
MAX_NODES_IN_THREAD = 200_000
"""Limit in a thread, 0.2 s. 10,000 lines of ordinary code have about 120,000 nodes."""

_from_trees = RecentResults[ScopeCode](4)
_from_lines = RecentResults[ScopeCode](4)  # apart: `scope_code_fully` replaces these by results from trees


def _scope_code(lines: Sequence[str], language_id: str, start: int, end: int, max_nodes: int) -> ScopeCode:
    source = parse(language_id, lines)
    if source is None or isinstance(source.profile, FormatProfile):
        return _without_tree(lines, language_id, start, end)
    if known := _from_trees.get(source.lines, start, end):
        return known
    if (
        max_nodes == MAX_NODES_AT_ONCE
    ):  # a result from lines is used again: the walk may exceed the limit each time
        known = _from_lines.get(source.lines, start, end)
        if known or end - start > MAX_LINES_AT_ONCE:
            return known or _without_tree(source.lines, language_id, start, end)
    found = _ScopeReader(source, start, end).read(max_nodes)
    if found is None:
        return _without_tree(source.lines, language_id, start, end)
    return _from_trees.keep(found, source.lines, start, end)


def _without_tree(lines: Sequence[str], language_id: str, start: int, end: int) -> ScopeCode:
    if not isinstance(lines, Lines):
        return _by_lines(lines, language_id, start, end)
    known = _from_lines.get(lines, start, end)
    return known or _from_lines.keep(_by_lines(lines, language_id, start, end), lines, start, end)


def _by_lines(lines: Sequence[str], language_id: str, start: int, end: int) -> ScopeCode:
    marks = comment_marks(language_id)
    openings = (*marks.line, *(opening for opening, _ in marks.block))
    code: list[str] = []
    literals: list[TextLiteral] = []
    for number, line in enumerate(lines[start:end], start):
        text = line.strip()
        is_comment = bool(openings) and text.startswith(openings)
        code.append("" if is_comment else body_of(line))
        if text and not is_comment:
            literals.append(TextLiteral(number, code[-1]))
    return ScopeCode(start, tuple(code), tuple(literals))


def import_statements(lines: Sequence[str], language_id: str) -> tuple[str, ...]:
    """Return the imports outside functions and classes, as written."""
    source = parse(language_id, lines)
    if source is None or isinstance(source.profile, FormatProfile):
        return ()
    return tuple(_imports_in(source))


def _imports_in(source: SourceTree) -> Iterator[str]:
    has_require = any("require" in text for text in map("".join, source.lines.blocks))
    for node in named_children_of(source.root):
        kind = node.type
        if _is_import(kind):
            yield source.text_of(node)
        elif has_require and kind in _REQUIRING and node.end_byte - node.start_byte < _MAX_REQUIRING_BYTES:
            text = source.text_of(node)
            if "require" in text:
                yield text


@cache
def _is_import(kind: str) -> bool:
    return _IMPORT.search(kind) is not None


_IMPORT = re.compile(r"import|use_declaration|using_directive|include")
_REQUIRING = frozenset({"lexical_declaration", "variable_declaration", "call", "expression_statement"})
"""Types of statements that import if they contain ``require``, in JavaScript, Lua or Ruby."""

_MAX_REQUIRING_BYTES = 1000


class _Role(Enum):
    CODE = auto()
    COMMENT = auto()
    STRING = auto()
    PART = auto()  # of a string: its quotes, content and escapes


_AROUND_STRING = re.compile(r"redirect|concatenated|chained|statement|^key|array|interpolation|reference")
_COMMENT = re.compile(r"(^|_)comment$")
_STRING = re.compile(r"string|heredoc|nowdoc|(^|_)char(acter)?(_|$)|quoted_attribute")
_PART = re.compile(r"content|fragment|escape|format|_start$|_end$|delimiter|quote|brace|conversion|encoding")


@cache
def _role(kind: str) -> _Role:
    if _COMMENT.search(kind):
        return _Role.COMMENT
    if _PART.search(kind):
        return _Role.PART
    return _Role.STRING if _STRING.search(kind) and not _AROUND_STRING.search(kind) else _Role.CODE


def is_text_or_comment(node: Node) -> bool:
    """Return whether a node is a string of any kind or a comment."""
    return node.is_named and _role(node.type) in {_Role.STRING, _Role.COMMENT}


@dataclass(slots=True)
class _NamedDefinition:
    kind: Literal["function", "class"]
    name: str
    node: Node
    outer: Node  # the outermost declaration around the node, such as an export
    enclosing: tuple[_NamedDefinition, ...]  # outermost first


class _ScopeReader:
    """One walk over the part of a tree inside a scope. It is a loop, because a tree may be deep."""

    def __init__(self, source: SourceTree, start: int, end: int) -> None:
        self._source = source
        self._start, self._end = start, end
        self._lines = [body_of(line) for line in source.lines[start:end]]
        self._code = self._lines
        self._characters: dict[int, list[str]] = {}  # the code of lines with strings or comments
        self._path: list[Node] = []  # from the root to the current node
        self._strings: list[int] = []  # depths of the strings in the path
        self._enclosing: list[tuple[int, _NamedDefinition]] = []  # definitions in the path, with their depths
        self._literals: list[TextLiteral] = []
        self._found: list[_NamedDefinition] = []

    def read(self, max_nodes: int) -> ScopeCode | None:
        """Return the content of the scope, or ``None`` if it has more than ``max_nodes`` nodes."""
        if not self._walk(self._source.tree.walk(), max_nodes):
            return None
        self._code = list(self._lines)
        for line, characters in self._characters.items():
            self._code[line] = "".join(characters)
        definitions = tuple(map(self._defined, self._found))
        return ScopeCode(self._start, tuple(self._code), tuple(self._literals), definitions)

    def _walk(self, cursor: TreeCursor, max_nodes: int) -> bool:  # noqa: C901, PLR0912  # fast, see below
        """Visit each node that reaches into the scope. Return False if the limit is exceeded.

        A scope of 300 lines has 4,000 nodes. The first branch skips irrelevant ones, which saves a quarter of the time.
        """
        defining = self._source.profile.functions | self._source.profile.classes
        path, strings, enclosing = self._path, self._strings, self._enclosing
        scope_start = (self._start, 0)
        inside_from: int | None = None  # depth of the outermost node inside the scope
        irrelevant: set[str] = set()  # types of nodes that may be skipped outside strings
        for _ in range(max_nodes):
            node = cursor.node
            assert node
            kind = node.type
            if kind in irrelevant and inside_from is not None and not strings:
                has_moved = cursor.goto_first_child()
                if not has_moved and cursor.goto_next_sibling():
                    continue
                path.append(node)
            else:
                path.append(node)
                begins_inside = enters = True
                if inside_from is None:
                    row = node.start_point.row
                    if row >= self._end:
                        return True  # nodes come in the order of their starts
                    begins_inside = self._start <= row
                    if begins_inside and node.end_point.row < self._end:
                        inside_from = len(path)
                role = _role(kind)
                if role is not _Role.CODE and role is not _Role.PART and node.is_named:
                    enters = self._read_text(node, role)
                elif strings and strings[-1] == len(path) - 1 and role is _Role.CODE and node.is_named:
                    self._restore_interpolation(node)
                elif begins_inside and kind in defining:
                    self._record_definition()
                elif kind not in defining and role in (_Role.CODE, _Role.PART):
                    irrelevant.add(kind)
                if begins_inside:
                    has_moved = enters and cursor.goto_first_child()
                else:
                    has_moved = enters and cursor.goto_first_child_for_point(scope_start) is not None
            while not has_moved:
                depth = len(path)
                if inside_from == depth:
                    inside_from = None
                if strings and strings[-1] == depth:
                    strings.pop()
                if enclosing and enclosing[-1][0] == depth:
                    enclosing.pop()
                path.pop()
                has_moved = cursor.goto_next_sibling()
                if not has_moved and not cursor.goto_parent():
                    return True
        return False

    def _read_text(self, node: Node, role: _Role) -> bool:
        """Remove a comment or string from the code; return whether the walk enters it, for interpolations."""
        if role is _Role.COMMENT or self._is_string_statement():
            for line, first, last in self._spans(node):
                self._blank(line, first, last)
            return False
        for line, first, last in self._spans(node):
            text = self._lines[line][first:last]
            if literal := _PREFIX.sub("", text).strip(_QUOTES):
                self._literals.append(TextLiteral(self._start + line, literal))
            # The quotes remain in the code.
            self._blank(line, first + text.startswith(_ANY_QUOTE), last - text.endswith(_ANY_QUOTE))
        self._strings.append(len(self._path))
        return True

    def _is_string_statement(self) -> bool:
        # A docstring, or another string without an effect.
        above = self._path[-2] if len(self._path) > 1 else None
        return above is not None and above.type == "expression_statement" and above.named_child_count == 1

    def _restore_interpolation(self, node: Node) -> None:
        for line, first, last in self._spans(node):
            self._write(line, first, self._lines[line][first:last])

    def _blank(self, line: int, first: int, last: int) -> None:
        self._write(line, first, " " * (last - first))

    def _write(self, line: int, first: int, text: str) -> None:
        if line not in self._characters:
            self._characters[line] = list(self._lines[line])
        self._characters[line][first : first + len(text)] = text

    def _spans(self, node: Node) -> Iterator[tuple[int, int, int]]:
        (first, start), (last, end) = node.start_point, node.end_point
        if first == last and self._start <= first < self._end:  # the usual case
            text = self._lines[first - self._start]
            yield first - self._start, column_at(text, start), column_at(text, end)
            return
        for row in range(max(first, self._start), min(last + 1, self._end)):
            text = self._lines[row - self._start]
            begin = column_at(text, start) if row == first else 0
            yield row - self._start, begin, column_at(text, end) if row == last else len(text)

    def _record_definition(self) -> None:
        node = self._path[-1]
        kind = kind_of(self._source, node)
        if kind is None or len(self._enclosing) > _MAX_DEPTH:
            return
        wrappers = self._wrappers_of_last()
        outer = wrappers[0] if wrappers else node
        name = name_of(self._source, node, wrappers)
        if name and outer.start_point.row >= self._start:
            found = _NamedDefinition(kind, name, node, outer, tuple(each for _, each in self._enclosing))
            self._found.append(found)
            self._enclosing.append((len(self._path), found))

    def _wrappers_of_last(self) -> Sequence[Node]:
        *above, node = self._path
        first = len(above)
        while first > max(0, len(above) - _MAX_DEPTH) and is_wrapper(self._source, above[first - 1]):
            first -= 1
        for depth in range(first, len(above)):
            wrapped = wrapped_by(self._source, above[depth], self._path[depth + 1 :])
            if wrapped and wrapped[0].id == node.id:
                return wrapped[1]
        return ()

    def _defined(self, found: _NamedDefinition) -> Definition:
        first, end = found.outer.start_point.row, found.outer.end_point
        return Definition(
            found.kind,
            found.name,
            first,
            max(first, end.row if end.column else end.row - 1),  # column 0 is the end of the line above
            within=tuple(each.name for each in found.enclosing),
            is_local=any(each.kind == "function" for each in found.enclosing),
            is_empty=found.kind == "function" and self._does_nothing(found.node),
        )

    def _does_nothing(self, function: Node) -> bool:
        body = function.child_by_field_name("body")
        if body is None:
            children = list(named_children_of(function))
            body = next((child for child in reversed(children) if _BODY.search(child.type)), None)
        if body is None:
            return True
        if body.end_point.row - body.start_point.row > _MAX_EMPTY_LINES:
            return False
        code = "\n".join(self._code[line][first:last] for line, first, last in self._spans(body))
        return _EMPTY_BODY.fullmatch(code) is not None


_MAX_DEPTH = 32
"""Deepest nesting of definitions, and of declarations around one, that is recorded."""

_QUOTES = "\"'`"
_ANY_QUOTE = tuple(_QUOTES)
_PREFIX = re.compile(r"^[A-Za-z@$]{1,3}(?=[\"'`])")
_MAX_EMPTY_LINES = 100
"""A longer body counts as not empty, though it may be only a comment."""

_BODY = re.compile(r"body|block|statements")
_EMPTY_BODY = re.compile(
    r"""(?x) [\s{};]*+ (?: (?: pass | \.\.\. | \?\?\? | begin | end | do | return | Ellipsis
    | raise \s+ NotImplementedError (?: \s* (?> \( [^\n]* \) ) )?
    | throw \s+ new \s+ (?:NotImplementedException|UnsupportedOperationException) \s* (?> \( [^\n]* \) )
    | (?: todo | unimplemented ) ! \s* (?> \( [^\n]* \) )
    | TODO \s* (?> \( [^\n]* \) ) ) [\s{};]*+ )* """
)
