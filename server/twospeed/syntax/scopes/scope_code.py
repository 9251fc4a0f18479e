"""Split a scope into code, strings and comments, and list its definitions.

Grammars name similar nodes alike, so the name of a node type shows its role, also in a new grammar.
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

    Without a tree, and above `MAX_NODES_AT_ONCE` nodes, each line that is no comment is both code and string.
    Cost: 2 ms for 300 lines with a tree, at most 25 ms. Recent results are cached.
    """
    return _scope_code(lines, language_id, start, end, MAX_NODES_AT_ONCE)


def scope_code_fully(lines: Sequence[str], language_id: str, start: int, end: int) -> ScopeCode:
    """Like `scope_code` for up to `MAX_NODES_IN_THREAD` nodes. `scope_code` then returns the result."""
    return _scope_code(lines, language_id, start, end, MAX_NODES_IN_THREAD)


MAX_NODES_AT_ONCE = 12_000
"""Limit on the event loop, 25 ms. 500 lines of ordinary code have about 6,000 nodes."""

MAX_LINES_AT_ONCE = 5_000
MAX_NODES_IN_THREAD = 200_000
"""Limit in a thread, 0.2 s. 10,000 lines of ordinary code have about 120,000 nodes."""

_kept = RecentResults[ScopeCode](4)
_kept_by_lines = RecentResults[ScopeCode](4)
"""Separate, because a later parse may give a better result."""


def _scope_code(lines: Sequence[str], language_id: str, start: int, end: int, max_nodes: int) -> ScopeCode:
    source = parse(language_id, lines)
    if source is None or isinstance(source.profile, FormatProfile):
        return _kept_or_by_lines(lines, language_id, start, end)
    if known := _kept.get(source.lines, start, end):
        return known
    if max_nodes == MAX_NODES_AT_ONCE:
        known = _kept_by_lines.get(source.lines, start, end)
        if known or end - start > MAX_LINES_AT_ONCE:
            return known or _kept_or_by_lines(source.lines, language_id, start, end)
    found = _Reader(source, start, end).read(max_nodes)
    if found is None:
        return _kept_or_by_lines(source.lines, language_id, start, end)
    return _kept.keep(found, source.lines, start, end)


def _kept_or_by_lines(lines: Sequence[str], language_id: str, start: int, end: int) -> ScopeCode:
    if not isinstance(lines, Lines):
        return _by_lines(lines, language_id, start, end)
    known = _kept_by_lines.get(lines, start, end)
    return known or _kept_by_lines.keep(_by_lines(lines, language_id, start, end), lines, start, end)


def import_statements(lines: Sequence[str], language_id: str) -> tuple[str, ...]:
    """Return the imports outside functions and classes, as written."""
    source = parse(language_id, lines)
    if source is None or isinstance(source.profile, FormatProfile):
        return ()
    return tuple(_imports_in(source))


def _imports_in(source: SourceTree) -> Iterator[str]:
    binds = any("require" in text for text in map("".join, source.lines.blocks))
    for node in named_children_of(source.root):
        kind = node.type
        if _is_import(kind):
            yield source.text_of(node)
        elif binds and kind in _BINDINGS and node.end_byte - node.start_byte < _MAX_BINDING_BYTES:
            text = source.text_of(node)
            if "require" in text:
                yield text


@cache
def _is_import(kind: str) -> bool:
    return _IMPORT.search(kind) is not None


_IMPORT = re.compile(r"import|use_declaration|using_directive|include")
_MAX_BINDING_BYTES = 1000
_BINDINGS = frozenset({"lexical_declaration", "variable_declaration", "call", "expression_statement"})


class _Role(Enum):
    CODE = auto()
    COMMENT = auto()
    TEXT = auto()
    PART = auto()  # of a string


_AROUND_TEXT = re.compile(r"redirect|concatenated|chained|statement|^key|array|interpolation|reference")
_COMMENT = re.compile(r"(^|_)comment$")
_TEXT = re.compile(r"string|heredoc|nowdoc|(^|_)char(acter)?(_|$)|quoted_attribute")
_PART = re.compile(r"content|fragment|escape|format|_start$|_end$|delimiter|quote|brace|conversion|encoding")


@cache
def _role(kind: str) -> _Role:
    if _COMMENT.search(kind):
        return _Role.COMMENT
    if _TEXT.search(kind) and not _AROUND_TEXT.search(kind):
        return _Role.PART if _PART.search(kind) else _Role.TEXT
    return _Role.PART if _PART.search(kind) else _Role.CODE


def is_text_or_comment(node: Node) -> bool:
    """Return whether a node is a string of any kind or a comment."""
    return node.is_named and _role(node.type) in {_Role.TEXT, _Role.COMMENT}


@dataclass(slots=True)
class _Found:
    """A named definition, with its outermost declaration and the enclosing definitions, outermost first."""

    kind: Literal["function", "class"]
    name: str
    node: Node
    outer: Node
    around: tuple[_Found, ...]


class _Reader:
    """One walk over the part of a tree inside a scope. It is a loop, because a tree may be deep."""

    def __init__(self, source: SourceTree, start: int, end: int) -> None:
        self._source = source
        self._start, self._end = start, end
        self._lines = [body_of(line) for line in source.lines[start:end]]
        self._code = self._lines
        self._characters: dict[int, list[str]] = {}  # the code of lines with strings or comments
        self._path: list[Node] = []
        self._texts: list[int] = []  # depths of the entered strings in the path
        self._literals: list[TextLiteral] = []
        self._found: list[_Found] = []
        self._around: list[tuple[int, _Found]] = []

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
        path, texts, around, place = self._path, self._texts, self._around, (self._start, 0)
        inside_from: int | None = None  # depth of the outermost node inside the scope
        plain: set[str] = set()  # irrelevant node types outside strings
        for _ in range(max_nodes):
            node = cursor.node
            assert node
            kind = node.type
            if kind in plain and inside_from is not None and not texts:
                enters = cursor.goto_first_child()
                if not enters and cursor.goto_next_sibling():
                    continue
                path.append(node)
            else:
                path.append(node)
                enters = begins_inside = True
                if inside_from is None:
                    row = node.start_point.row
                    if row >= self._end:
                        return True  # nodes come in the order of their starts
                    begins_inside = self._start <= row
                    if begins_inside and node.end_point.row < self._end:
                        inside_from = len(path)
                if enters:
                    role = _role(kind)
                    if role is not _Role.CODE and role is not _Role.PART and node.is_named:
                        enters = self._enter(node, role)
                    elif texts and texts[-1] == len(path) - 1 and role is _Role.CODE and node.is_named:
                        self._restore_code(node)
                    elif begins_inside and kind in defining:
                        self._record_definition()
                    elif kind not in defining and role in (_Role.CODE, _Role.PART):
                        plain.add(kind)
                    if enters:
                        if begins_inside:
                            enters = cursor.goto_first_child()
                        else:
                            enters = cursor.goto_first_child_for_point(place) is not None
            while not enters:
                depth = len(path)
                if inside_from == depth:
                    inside_from = None
                if texts and texts[-1] == depth:
                    texts.pop()
                if around and around[-1][0] == depth:
                    around.pop()
                path.pop()
                enters = cursor.goto_next_sibling()
                if not enters and not cursor.goto_parent():
                    return True
        return False

    def _enter(self, node: Node, role: _Role) -> bool:
        if role is _Role.COMMENT or self._is_string_statement():
            for line, first, last in self._spans(node):
                self._blank(line, first, last)
            return False
        for line, first, last in self._spans(node):
            text = self._lines[line][first:last]
            if literal := _PREFIX.sub("", text).strip(_QUOTES):
                self._literals.append(TextLiteral(self._start + line, literal))
            self._blank(line, first + text.startswith(_MARKS), last - text.endswith(_MARKS))
        self._texts.append(len(self._path))
        return True

    def _is_string_statement(self) -> bool:
        above = self._path[-2] if len(self._path) > 1 else None
        return above is not None and above.type == "expression_statement" and above.named_child_count == 1

    def _restore_code(self, node: Node) -> None:
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
        if kind is None or len(self._around) > _MAX_DEPTH:
            return
        wrappers = self._wrappers_of_last()
        outer = wrappers[0] if wrappers else node
        name = name_of(self._source, node, wrappers)
        if name and outer.start_point.row >= self._start:
            found = _Found(kind, name, node, outer, tuple(each for _, each in self._around))
            self._found.append(found)
            self._around.append((len(self._path), found))

    def _wrappers_of_last(self) -> Sequence[Node]:
        *around, node = self._path
        first = len(around)
        while first > max(0, len(around) - _MAX_DEPTH) and is_wrapper(self._source, around[first - 1]):
            first -= 1
        for depth in range(first, len(around)):
            wrapped = wrapped_by(self._source, around[depth], self._path[depth + 1 :])
            if wrapped and wrapped[0].id == node.id:
                return wrapped[1]
        return ()

    def _defined(self, found: _Found) -> Definition:
        first, last = found.outer.start_point.row, found.outer.end_point
        return Definition(
            found.kind,
            found.name,
            first,
            max(first, last.row if last.column else last.row - 1),
            within=tuple(each.name for each in found.around),
            is_local=any(each.kind == "function" for each in found.around),
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
        return (
            _EMPTY_BODY.fullmatch("\n".join(self._code[line][a:b] for line, a, b in self._spans(body)))
            is not None
        )


_MAX_DEPTH = 32
"""Nesting depth of functions, and of declarations around one, that is checked."""

_QUOTES = "\"'`"
_MARKS = tuple(_QUOTES)
_PREFIX = re.compile(r"^[A-Za-z@$]{1,3}(?=[\"'`])")
_MAX_EMPTY_LINES = 100
"""A body without an effect may be a long comment. A longer one is not checked."""

_BODY = re.compile(r"body|block|statements")
_EMPTY_BODY = re.compile(
    r"""(?x) [\s{};]*+ (?: (?: pass | \.\.\. | \?\?\? | begin | end | do | return | Ellipsis
    | raise \s+ NotImplementedError (?: \s* (?> \( [^\n]* \) ) )?
    | throw \s+ new \s+ (?:NotImplementedException|UnsupportedOperationException) \s* (?> \( [^\n]* \) )
    | (?: todo | unimplemented ) ! \s* (?> \( [^\n]* \) )
    | TODO \s* (?> \( [^\n]* \) ) ) [\s{};]*+ )* """
)


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
