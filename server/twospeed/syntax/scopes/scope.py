"""Find the lines that an edit may change: a selection, or the function, class or block around a cursor.

The contract defines the order of scopes (``auto``). A scope is whole lines, without the empty line after the
last line end. Without a tree (no grammar, or a large document) it is the block of non-blank lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, takewhile

from twospeed.errors import InvalidRequest
from twospeed.syntax.definitions.definitions import (
    DefinitionNode,
    clauses_of,
    definitions_at,
    end_of,
    first_line_of,
    name_of,
)
from twospeed.syntax.definitions.leading import is_comment
from twospeed.syntax.languages import FormatProfile, has_grammar
from twospeed.syntax.trees.trees import SourceTree, parse, shifted_tree
from twospeed.text.code.scope import Scope, ScopeChoice, ScopeKind
from twospeed.text.line_blocks import Lines
from twospeed.text.lines import body_of, indent_width

from .elements import elements_at
from .indentation import (
    TextRegions,
    end_beyond_closer,
    end_by_closer,
    end_by_indentation,
    lines_above,
    lines_below,
    scopes_by_indentation,
)

_MAX_SCOPES = 32
"""Innermost functions and classes that are checked. Descending the tree takes 20 ms for 50,000 levels."""

MAX_BLOCK_LINES = 100_000
"""Longest search for a block above and below a cursor: 10 ms."""

Place = tuple[int, int]
"""A 0-based line and a column in code points. Places past the end are clamped."""


def find_scope(
    lines: Sequence[str], language_id: str, selection: tuple[Place, Place], choice: ScopeChoice = "auto"
) -> Scope:
    """Return the whole lines that an edit may change, or an insertion at the cursor's line.

    ``auto`` uses a selection of more than one character, else the smallest named function around the cursor, else
    the class, else the block. Raises `InvalidRequest` if no ``function`` or ``class`` encloses the selection.
    """
    start, end = sorted((_clamped(lines, selection[0]), _clamped(lines, selection[1])))
    if choice == "file":
        return _scope(lines, "file", 0, len(lines))
    if choice == "selection" or (choice == "auto" and _selects_text(lines, start, end)):
        last = end[0] if end[1] > 0 or end[0] == start[0] else end[0] - 1
        return _scope(lines, "selection", start[0], last + 1)
    is_place = choice == "auto" and not lines[start[0]].strip()
    scopes = _defined(lines, language_id, start, with_modules=not is_place)
    if choice == "auto":
        return _smallest(scopes) or _block(lines, start[0])
    for scope in scopes:
        if scope.kind == choice and scope.end > end[0]:
            return scope
    raise InvalidRequest(_why_none(lines, language_id, choice), field="scope")


def enclosing_scopes(lines: Sequence[str], language_id: str, line: int, column: int) -> list[Scope]:
    """Return the possible scopes at a place, innermost first: functions and classes, or a block; the file."""
    place = _clamped(lines, (line, column))
    scopes = list(_defined(lines, language_id, place))
    if not scopes and lines[place[0]].strip():
        scopes = [_block(lines, place[0])]
    return [*scopes, _scope(lines, "file", 0, len(lines))]


def _why_none(lines: Sequence[str], language_id: str, choice: ScopeChoice) -> str:
    if not has_grammar(language_id):
        return f"a {choice} cannot be found in a {language_id or 'plain'} document; ask for auto, selection or file"
    if parse(language_id, lines) is None:
        return f"the document is too large to find a {choice} in it; ask for auto, selection or file"
    return f"there is no {choice} around the selection; ask for auto, selection or file"


def _scope(lines: Sequence[str], kind: ScopeKind, start: int, end: int, name: str | None = None) -> Scope:
    end = min(end, len(lines) if lines[-1] else len(lines) - 1)
    return Scope(kind, name, start, end) if start < end else Scope("insertion", None, start, start)


def _clamped(lines: Sequence[str], place: Place) -> Place:
    line = min(max(place[0], 0), len(lines) - 1)
    if line < place[0]:
        return line, len(lines[line])
    return line, min(max(place[1], 0), len(body_of(lines[line])))


def _selects_text(lines: Sequence[str], start: Place, end: Place) -> bool:
    if start[0] == end[0]:
        return end[1] - start[1] > 1  # a block cursor selects one character
    is_line_end = end == (start[0] + 1, 0) and start[1] == len(body_of(lines[start[0]]))
    return not is_line_end


def _block(lines: Sequence[str], line: int) -> Scope:
    if not lines[line].strip():
        return _scope(lines, "block", line, line)
    above = islice(lines_above(lines, line), MAX_BLOCK_LINES)
    below = islice(lines_below(lines, line), MAX_BLOCK_LINES)
    start = line - sum(1 for _ in takewhile(str.strip, above))
    end = line + sum(1 for _ in takewhile(str.strip, below))
    return _scope(lines, "block", start, end)


def _smallest(scopes: Iterable[Scope]) -> Scope | None:
    first = None
    for scope in scopes:
        if scope.kind != "class":
            return scope
        first = first or scope
    return first


def _defined(
    lines: Sequence[str], language_id: str, place: Place, *, with_modules: bool = True
) -> Iterator[Scope]:
    """Yield the named functions and all classes around a place, or the elements of a format, innermost first.

    If the innermost one contains the place only because a bracket is missing, indentation or the block replaces it.
    """
    source = parse(language_id, lines) or _shifted_tree(language_id, lines)
    if source is None:
        return
    line = place[0]
    column = _text_column(body_of(lines[line]), place[1]) if lines[line].strip() else None
    if isinstance(source.profile, FormatProfile):
        yield from elements_at(source, source.profile, line, column or 0)
        return
    found = list(
        _definitions_around_blank(source, line) if column is None else definitions_at(source, line, column)
    )
    if not with_modules:
        found = [each for each in found if each.node.type not in source.profile.modules]
    if not found and source.profile.is_indented and source.root.has_error:
        yield from scopes_by_indentation(lines, line, TextRegions(source))
        return
    named = ((other, name_of(source, other.node, other.wrappers)) for other in reversed(found))
    shown = ((other, name) for other, name in named if other.kind == "class" or name is not None)
    if column is not None:
        # The parser may attach comments of the next definition to the previous one.
        shown = ((other, name) for other, name in shown if _end_of(source, other) > line)
    regions = TextRegions(source)
    inner = None
    for number, (definition, name) in enumerate(islice(shown, _MAX_SCOPES)):
        scope = _scope_of(source, definition, name, line, regions)
        if scope is None and number == 0:
            if source.profile.is_indented:
                yield from scopes_by_indentation(lines, line, regions)
                return
            scope = _block(lines, line)
        # A reader does not see a definition that ends inside another one.
        if scope and (inner is None or (scope.start <= inner.start and inner.end <= scope.end)):
            inner = scope
            yield scope


def _shifted_tree(language_id: str, lines: Sequence[str]) -> SourceTree | None:
    return shifted_tree(language_id, lines) if isinstance(lines, Lines) else None


def _scope_of(
    source: SourceTree, definition: DefinitionNode, name: str | None, line: int, regions: TextRegions
) -> Scope | None:
    outer = definition.outer
    end = _end_of(source, definition)
    if source.root.has_error:  # a missing bracket inside may move the end
        end = _extended_end(source, definition, end, regions)
    if outer.has_error:
        end = min(end, _visible_end(source, definition, end, regions))
        if any(source.lines[number].strip() for number in range(end, line + 1)):
            return None  # only an open bracket makes the definition contain the line
    # A trailing blank line of an indented body is after the node's end.
    start = first_line_of(source, replace(definition, outer=clauses_of(source, definition)[0]))
    return _scope(source.lines, definition.kind, start, max(end, line + 1), name)


def _extended_end(source: SourceTree, definition: DefinitionNode, end: int, regions: TextRegions) -> int:
    profile, header = source.profile, definition.outer.start_point.row
    if profile.closers:
        return end_beyond_closer(source.lines, header, end, profile.closers, regions)
    below = next((line for line in lines_below(source.lines, end) if line.strip()), "")
    is_further_in = indent_width(below) > indent_width(source.lines[header]) and not is_comment(source, below)
    if not is_further_in or definition.kind == "class":
        return end
    return end_by_indentation(source.lines, definition.node.start_point.row, regions)


def _visible_end(source: SourceTree, definition: DefinitionNode, end: int, regions: TextRegions) -> int:
    profile, node = source.profile, definition.node
    if profile.is_indented:
        return end_by_indentation(source.lines, node.start_point.row, regions)
    if not profile.closers:
        return end
    body = node.child_by_field_name("body") or node
    header, inner = definition.outer.start_point.row, body.start_point.row + 1
    return end_by_closer(source.lines, header, inner, end, profile.closers, regions)


def _end_of(source: SourceTree, definition: DefinitionNode) -> int:
    return end_of(source, clauses_of(source, definition)[1])


def _text_column(body: str, column: int) -> int:
    """Return the column of the character at the cursor, else before it, else the first of the line.

    The ``;`` of ``};`` after a class field is outside its node, so it is skipped.
    """
    if column < len(body) and not body[column].isspace():
        before = body[: column + 1]
    else:
        before = body[:column].rstrip()
    before = before.rstrip(",; \t") or before
    return len(before) - 1 if before.strip() else indent_width(body)


def _definitions_around_blank(source: SourceTree, line: int) -> Iterator[DefinitionNode]:
    blank = islice(lines_above(source.lines, line), MAX_BLOCK_LINES)
    above = line - 1 - sum(1 for _ in takewhile(lambda text: not text.strip(), blank))
    if not source.profile.is_indented or above < 0 or not source.lines[above].strip():
        yield from definitions_at(source, line, 0)
        return
    indent = len(body_of(source.lines[line]))
    body = body_of(source.lines[above])
    for definition in definitions_at(source, above, len(body.rstrip()) - 1):
        if _end_of(source, definition) > line or definition.outer.start_point.column < indent:
            yield definition
