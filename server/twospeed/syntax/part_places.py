"""Find which definitions of a scope a partial answer replaces.

The answer is parsed in the place of a definition that has one of its names. There it must consist of complete
definitions of the same level and kind. An omitted modifier, decorator, comment or docstring makes the place
uncertain. So does a name that the scope defines twice, and so do other parameters in languages with overloads.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile

from twospeed.text.code.scope import Definition, Scope
from twospeed.text.line_blocks import Lines
from twospeed.text.lines import body_of, eol_of, indent_of, indent_width

from .definitions.definitions import clauses_of, definitions_at, end_of, first_line_of, name_of
from .faults.syntax_errors import count_errors, find_errors
from .languages import FormatProfile
from .reindent import are_indented_alike, reindent, reindent_as, trimmed
from .scopes.scope_code import scope_code_fully
from .trees.trees import SourceTree, parse

MAX_LEVELS = 4
"""Classes of the scope in which a part is tried. Each needs one parse."""

_WORD = re.compile(r"\w+")
_DECORATION = ("@", "#[", "[")
"""Prefixes of decorator and attribute lines."""

_OTHER_MEMBER = frozenset({"static", "get", "set"})
"""Words of a header that distinguish two members of one name."""

_WITHOUT_OVERLOADS = frozenset(
    {
        *(
            "python",
            "javascript",
            "javascriptreact",
            "typescript",
            "typescriptreact",
            "go",
            "rust",
            "ruby",
            "php",
        ),
        *("c", "lua", "shellscript"),
    }
)
"""LSP language ids in which one name means one function of a scope, whatever its parameters."""

_DOC_MARKS = ("/**", "///", "##")
_QUOTES = ('"""', "'''", 'r"""', '"', "'")
_MIN_WORD = 4
"""Shortest word by which a comment can refer to a definition, in letters."""


@dataclass(frozen=True, slots=True)
class PlacedPart:
    """A definition of an answer and the lines of the document that it replaces.

    Attributes:
        lines: Its lines, with the comments directly above it and without line ends.
    """

    kind: str
    name: str
    lines: tuple[str, ...]
    start: int
    end: int


def place_parts(lines: Lines, language_id: str, scope: Scope, part: Sequence[str]) -> tuple[PlacedPart, ...]:
    """Return the definitions of an answer and the lines that each replaces. Empty if a place is uncertain.

    Cost: `MAX_LEVELS` parses and walks of the scope.
    """
    source = parse(language_id, lines)
    if source is None or isinstance(source.profile, FormatProfile) or source.profile.is_partial:
        return ()
    if find_errors(lines, language_id, scope.start, scope.end):
        return ()
    return _PartPlacer(source, scope).placed(trimmed(part))


class _Text:
    """The definitions of a scope in one version of its document."""

    def __init__(self, source: SourceTree, start: int, end: int) -> None:
        self.source = source
        code = scope_code_fully(source.lines, source.profile.language_id, start, end)
        self._start, self._code = start, code.code
        self.definitions = code.definitions or ()
        self.members = [each for each in self.definitions if not each.is_local]

    def code_of(self, row: int) -> str:
        """Return the code of a line of the scope, without comments."""
        return self._code[row - self._start].strip()

    def raw(self, row: int) -> str:
        """Return a line as written, stripped."""
        return self.source.lines[row].strip()

    def extent(self, definition: Definition) -> _Extent | None:
        """Return the lines of a definition. ``None`` if it shares a line with other code."""
        lines, row = self.source.lines, definition.first_line
        for each in definitions_at(self.source, row, indent_width(lines[row])):
            if (
                each.outer.start_point.row != row
                or name_of(self.source, each.node, each.wrappers) != definition.name
            ):
                continue
            first, last = clauses_of(self.source, each)
            before = lines[row][: self.source.column(first.start_point)]
            end_row, end_column = self.source.place(last.end_point)
            behind = body_of(lines[end_row])[end_column:] if end_row < len(lines) and end_column else ""
            if first.start_point.row != row or before.strip() or behind.strip(" \t;,"):
                return None
            start, end = first_line_of(self.source, each), end_of(self.source, last)
            return _Extent(self, definition, max(start, self._start), row, end)
        return None


@dataclass(frozen=True)
class _Extent:
    """The lines of a definition.

    Attributes:
        start: First line, including comments and attributes directly above.
        row: First line without them.
        end: Line after the last.
    """

    text: _Text
    definition: Definition
    start: int
    row: int
    end: int

    @cached_property
    def comments(self) -> list[str]:
        """The comment lines above it, as written."""
        rows = range(self.start, self.row)
        return [self.text.raw(row) for row in rows if self.is_text(row)]

    @cached_property
    def start_of_code(self) -> int:
        """Its first line that is no comment: an attribute or the definition itself."""
        return next(row for row in range(self.start, self.end) if self.text.code_of(row) or row == self.row)

    @cached_property
    def decorations(self) -> list[str]:
        """Decorators and attributes on separate lines above its name, as written."""
        rows = range(self.start_of_code, self.end)
        above = takewhile(
            lambda row: self._is_decoration(row) or not self._pattern.search(self.text.code_of(row)), rows
        )
        return [self.text.raw(row) for row in above if self._is_decoration(row)]

    @cached_property
    def header(self) -> tuple[frozenset[str], list[str]] | None:
        """The words before its name, and those of its parameters. ``None`` if its name is not found."""
        rows = range(self.start_of_code, self.end)
        code = "\n".join(self.text.code_of(row) for row in rows if not self._is_decoration(row))
        match = self._pattern.search(code)
        if match is None:
            return None
        return frozenset(_WORD.findall(code[: match.start()])), _WORD.findall(
            _parameters(code[match.end() :])
        )

    def is_text(self, row: int) -> bool:
        """Return whether a line has no code: it is a comment or inside a multi-line string."""
        return bool(self.text.raw(row)) and not self.text.code_of(row)

    @cached_property
    def has_docstring(self) -> bool:
        """Whether it contains a docstring."""
        rows = range(self.row, self.end)
        return any(self.is_text(row) and self.text.raw(row).startswith(_QUOTES) for row in rows)

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        name = self.definition.name
        return re.compile(rf"(?<!\w){re.escape((_WORD.findall(name) or [name])[-1])}(?!\w)")

    def _is_decoration(self, row: int) -> bool:
        return self.text.code_of(row).startswith(_DECORATION)


class _PartPlacer:
    """Finds the places of the definitions of one answer."""

    def __init__(self, source: SourceTree, scope: Scope) -> None:
        self._source, self._scope = source, scope
        self._language_id = source.profile.language_id
        self._old = _Text(source, scope.start, scope.end)
        self._times = Counter(each.name for each in self._old.definitions)
        self._n_errors = count_errors(source.lines, self._language_id)

    def placed(self, part: Sequence[str]) -> tuple[PlacedPart, ...]:
        """Return the places of all definitions of a part. Empty if one is uncertain."""
        part = self._without_repeated_head(part)
        words = {word for line in part for word in _WORD.findall(line)}
        known = [each for each in self._replaceable.values() if words.issuperset(_WORD.findall(each.name))]
        levels = list(dict.fromkeys(each.within for each in known))[:MAX_LEVELS]
        found = [
            placed
            for level in levels
            if (placed := self._placed_at(next(each for each in known if each.within == level), part))
        ]
        return found[0] if len(found) == 1 else ()

    @cached_property
    def _replaceable(self) -> Mapping[str, Definition]:
        return {
            each.name: each
            for each in self._old.members
            if self._times[each.name] == 1 and (each.within or each.name != self._scope.name)
        }

    def _without_repeated_head(self, part: Sequence[str]) -> Sequence[str]:
        """Remove leading lines that repeat lines outside the definitions, such as imports.

        Empty if the part repeats all of them: it may be a whole answer without the other definitions.
        """
        lines, scope = self._source.lines, self._scope
        inside = {row for each in self._old.members for row in range(each.first_line, each.last_line + 1)}
        own = (row for row in range(scope.start, scope.end) if row not in inside and self._old.code_of(row))
        own_lines = {lines[row].strip() for row in own}
        outside = own_lines | {line.strip() for line in lines[: scope.start] if not indent_of(line)}
        first = (at for at, line in enumerate(part) if line.strip() and line.strip() not in outside)
        head = next(first, len(part))
        if own_lines and own_lines.issubset(line.strip() for line in part[:head]):
            return ()
        return trimmed(part[head:])

    def _placed_at(self, sibling: Definition, part: Sequence[str]) -> tuple[PlacedPart, ...]:
        slot = self._old.extent(sibling)
        if slot is None or not part:
            return ()
        lines = self._source.lines
        eol = eol_of(lines[sibling.first_line]) or "\n"
        new = [line + eol for line in reindent(part, indent_of(lines[sibling.first_line]))]
        trial = parse(self._language_id, lines.spliced(slot.start, slot.end - slot.start, new))
        if trial is None or count_errors(trial.lines, self._language_id) != self._n_errors:
            return ()
        n_more = len(new) - (slot.end - slot.start)
        text = _Text(trial, self._scope.start, self._scope.end + n_more)
        rows = range(slot.start, slot.start + len(new))
        found = [each for each in text.members if each.first_line in rows and each.within == sibling.within]
        if not self._are_others_unchanged(text, rows, slot):
            return ()
        extents = [extent for each in found if (extent := text.extent(each))]
        own = {row for each in extents for row in range(each.start, each.end)}
        if len(extents) != len(found) or any(row not in own for row in rows if text.raw(row)):
            return ()
        placed = [self._placed_part(each, rows.start, part) for each in extents]
        if None in placed or len({each.definition.name for each in extents}) < len(extents):
            return ()
        return tuple(sorted((each for each in placed if each), key=lambda each: each.start))

    def _are_others_unchanged(self, text: _Text, rows: range, slot: _Extent) -> bool:
        before = [each for each in self._old.members if not slot.start <= each.first_line < slot.end]
        after = [each for each in text.members if each.first_line not in rows]
        return [(each.kind, each.name, each.within) for each in before] == [
            (each.kind, each.name, each.within) for each in after
        ]

    def _placed_part(self, new: _Extent, first: int, part: Sequence[str]) -> PlacedPart | None:
        name, kind = new.definition.name, new.definition.kind
        same = self._replaceable.get(name)
        old = self._old.extent(same) if same else None
        if old is None or (kind, new.definition.within) != (old.definition.kind, old.definition.within):
            return None
        lines = tuple(part[new.start - first : new.end - first])
        if not self._is_new_version(old, new) or not self._is_of_same_level(old, new, lines):
            return None
        start = old.start
        if not new.comments:
            start = old.start_of_code
            if any(not self._old.code_of(row) for row in range(start, old.row)):
                return None  # a comment between attributes
        old_lines = [body_of(line) for line in self._source.lines[old.row : old.end]]
        new_lines = reindent_as(lines, new.row - new.start, old_lines)
        texts = [
            new_lines[row - new.start] for row in range(new.row, new.end) if new_lines and new.is_text(row)
        ]
        if (
            not new_lines
            or not are_indented_alike(texts, old_lines)
            or self._resembles_definition_outside(new, lines, old)
        ):
            return None
        return PlacedPart(kind, name, tuple(new_lines), start, old.end)

    def _resembles_definition_outside(self, new: _Extent, lines: Sequence[str], old: _Extent) -> bool:
        document = self._source.lines
        part_lines = Counter(line.strip() for line in lines)

        def n_shared(first: int, end: int) -> int:
            return (part_lines & Counter(document[row].strip() for row in range(first, end))).total()

        own = n_shared(old.start, old.end)
        others = self._definitions_outside.get(new.definition.name, ())
        return any(n_shared(each.first_line, each.last_line + 1) > own for each in others)

    @cached_property
    def _definitions_outside(self) -> Mapping[str, Sequence[Definition]]:
        document, scope = self._source.lines, self._scope
        found: dict[str, list[Definition]] = {}
        for each in scope_code_fully(document, self._language_id, 0, len(document)).definitions or ():
            if not scope.start <= each.first_line < scope.end:
                found.setdefault(each.name, []).append(each)
        return found

    def _is_of_same_level(self, old: _Extent, new: _Extent, lines: Sequence[str]) -> bool:
        if self._scope.kind == "class" and len(old.definition.within) == 1:
            return True
        own = next(line for line in lines[new.row - new.start :] if line.strip())
        is_indented_alike = indent_of(own) == indent_of(self._source.lines[old.row])
        return is_indented_alike or own.strip() == self._old.raw(old.row)

    def _is_new_version(self, old: _Extent, new: _Extent) -> bool:
        before, after = old.header, new.header
        if before is None or after is None or not before[0] <= after[0]:
            return False
        if (after[0] - before[0]) & _OTHER_MEMBER or Counter(old.decorations) - Counter(new.decorations):
            return False
        if self._language_id not in _WITHOUT_OVERLOADS and before[1] != after[1]:
            return False
        if old.has_docstring and not new.has_docstring:
            return False
        if old.comments:
            n_lost = len(Counter(old.comments) - Counter(new.comments))
            return not new.comments or n_lost <= len(Counter(new.comments) - Counter(old.comments))
        return not new.comments or _are_about(new.comments, new.definition.name)


def _parameters(code: str) -> str:
    depth = 0
    for at, character in enumerate(code):
        depth += (character == "(") - (character == ")")
        if (character == ")" and depth <= 0) or (not depth and character in "{;="):
            return code[:at]
    return code


def _are_about(comments: Sequence[str], name: str) -> bool:
    text = " ".join(comments).casefold()
    words = (word.casefold() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name) if len(word) >= _MIN_WORD)
    return (
        comments[0].startswith(_DOC_MARKS) or name.casefold() in text or any(word in text for word in words)
    )
