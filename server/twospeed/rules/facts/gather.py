"""Collect the facts of a scope in one walk over its part of the tree."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from twospeed.aio import in_thread
from twospeed.syntax.definitions.definitions import name_of
from twospeed.syntax.definitions.leading import comment_over_gap, leading_of
from twospeed.syntax.faults.syntax_errors import errors_in
from twospeed.syntax.identifiers.grammars import JAVASCRIPT, PYTHON, Grammar
from twospeed.syntax.identifiers.identifier import (
    Identifier,
    NameScope,
    Raised,
    Span,
)
from twospeed.syntax.identifiers.roles import javascript_identifier, python_identifier
from twospeed.syntax.identifiers.scoped_walk import MAX_NODES, Frame, ScopedSource, TooManyNodes, walk
from twospeed.syntax.trees.trees import QUICK_BYTES, RecentResults, SourceTree, parse
from twospeed.text.code.scope import Scope
from twospeed.text.line_blocks import Lines

from . import javascript_facts, python_facts
from .code_facts import (
    CodeFacts,
    DefinitionFacts,
    FormatExpression,
    TextFacts,
)
from .python_facts import format_expression
from .text_facts import text_facts

if TYPE_CHECKING:  # see trees
    from tree_sitter import Node


MAX_LINES_AT_ONCE = 100
"""Longest scope whose facts are collected on the event loop, in about 10 ms."""

MAX_CHARS_AT_ONCE = 16_000
MAX_NODES_AT_ONCE = 4_000
"""Limit of nodes for the event loop. 100 lines of ordinary code have about 1,200."""

_LINES_SEARCHED = 500

_WORD = re.compile(r"[^\W\d][\w$]*|\$[\w$]*")
_OF_THE_FILE = re.compile(
    r"@(?:callback|copyright|file|fileoverview|license|module|overview|packageDocumentation|typedef)\b|\bCopyright\b"
)
"""Tags of a comment that describes no code below it."""

_KEYWORD = re.compile(r"[(,]\s*(\w+)\s*=(?!=)")


def code_facts(lines: Sequence[str], language_id: str, scope: Scope) -> CodeFacts | None:
    """Return the facts of a scope, or ``None`` without a tree or if a long scope is not prepared.

    See `wait_for_facts`. Cost: 0.1 ms for a line in the scope, at most 40 ms. Recent results are cached.
    """
    source = parse(language_id, lines) if language_id in _GATHERERS else None
    if source is None:
        return None
    if known := _kept.get(source.lines, scope.start, scope.end):
        return replace(known, kind=scope.kind, name=scope.name)
    return _facts_of(source, scope, MAX_NODES_AT_ONCE) if _is_short(source.lines, scope) else None


def gather_facts(lines: Sequence[str], language_id: str, scope: Scope) -> CodeFacts | None:
    """Collect the facts of a scope of up to ``scoped_walk.MAX_NODES`` nodes in a thread, for `code_facts`."""
    source = parse(language_id, lines) if language_id in _GATHERERS else None
    return None if source is None else _facts_of(source, scope, MAX_NODES)


def are_facts_ready(lines: Lines, language_id: str, scope: Scope) -> bool:
    """Return whether `code_facts` needs no thread: scope and document are short, or there are no facts."""
    return _is_short(lines, scope) or language_id not in _GATHERERS


async def wait_for_facts(lines: Lines, language_id: str, scope: Scope) -> None:
    """Collect the facts of a long scope in a thread. `code_facts` returns them afterwards."""
    if not are_facts_ready(lines, language_id, scope):
        await in_thread(lambda: gather_facts(lines, language_id, scope))


def _is_short(lines: Lines, scope: Scope) -> bool:
    is_short = scope.end - scope.start <= MAX_LINES_AT_ONCE and lines.n_bytes <= QUICK_BYTES
    return is_short and sum(map(len, lines[scope.start : scope.end])) <= MAX_CHARS_AT_ONCE


_kept = RecentResults[CodeFacts](4)


def _facts_of(source: SourceTree, scope: Scope, max_nodes: int) -> CodeFacts | None:
    scoped = ScopedSource(source, scope.start, scope.end, max_nodes)
    try:
        gathered = _GATHERERS[source.profile.language_id](scoped)
    except TooManyNodes:
        return None
    words, keywords = _words_outside(source.lines, scope)
    found = errors_in(source.tree)
    errors = (node for node in found or () if node.start_point.row < scope.end)
    facts = CodeFacts(
        kind=scope.kind,
        name=scope.name,
        has_errors=found is None or any(node.end_point.row >= scope.start for node in errors),
        definitions=tuple(gathered.definitions),
        identifiers=tuple(gathered.identifiers),
        format_expressions=tuple(gathered.format_expressions),
        name_scopes=tuple(gathered.name_scopes),
        texts=tuple(gathered.texts),
        words_outside=words,
        keywords_outside=keywords,
    )
    return _kept.keep(facts, source.lines, scope.start, scope.end)


def _words_outside(lines: Lines, scope: Scope) -> tuple[frozenset[str], frozenset[str]]:
    words: set[str] = set()
    keywords: set[str] = set()
    for start, end in ((0, scope.start), (scope.end, len(lines))):
        for first in range(start, end, _LINES_SEARCHED):
            # One more line, for a keyword after a line end.
            text = "".join(lines[first : min(first + _LINES_SEARCHED + 1, end)])
            words.update(_WORD.findall(text))
            keywords.update(_KEYWORD.findall(text))
    return frozenset(words), frozenset(keywords)


@dataclass(slots=True)
class _Gathered:
    definitions: list[DefinitionFacts] = field(default_factory=list)
    identifiers: list[Identifier] = field(default_factory=list)
    format_expressions: list[FormatExpression] = field(default_factory=list)
    name_scopes: list[NameScope] = field(default_factory=list)
    texts: list[TextFacts] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Found:
    """A definition found on the walk, before its body is walked."""

    frame: Frame
    outer: Node
    kind: Literal["function", "method", "class"]
    name: str
    is_nested: bool


def _gather_python(scoped: ScopedSource) -> _Gathered:
    gathered = _Gathered()
    found: list[_Found] = []
    for frame in walk(scoped, PYTHON, gathered.name_scopes):
        if identifier := python_identifier(scoped, frame, gathered.name_scopes):
            if _is_inside(scoped, frame):
                gathered.identifiers.append(identifier)
        elif text := text_facts(scoped, frame):
            gathered.texts.append(text)
        elif expression := format_expression(scoped, frame):
            gathered.format_expressions.append(expression)
        else:
            found += _found(scoped, frame, PYTHON)
            python_facts.record(scoped, frame)
    gathered.definitions += [_python_definition(scoped, definition) for definition in found]
    return gathered


def _gather_javascript(scoped: ScopedSource) -> _Gathered:
    gathered = _Gathered()
    found: list[_Found] = []
    for frame in walk(scoped, JAVASCRIPT, gathered.name_scopes):
        javascript_facts.record(scoped, frame)
        if identifier := javascript_identifier(scoped, frame, gathered.name_scopes):
            if _is_inside(scoped, frame):
                gathered.identifiers.append(identifier)
        elif text := text_facts(scoped, frame):
            gathered.texts.append(text)
        else:
            found += _found(scoped, frame, JAVASCRIPT)
    gathered.definitions += [_javascript_definition(scoped, definition) for definition in found]
    return gathered


_GATHERERS: Mapping[str, Callable[[ScopedSource], _Gathered]] = {
    "python": _gather_python,
    "javascript": _gather_javascript,
    "javascriptreact": _gather_javascript,
    "typescript": _gather_javascript,
    "typescriptreact": _gather_javascript,
}
"""By LSP language id. Other languages have no facts."""


def _is_inside(scoped: ScopedSource, frame: Frame) -> bool:
    return scoped.start <= frame.node.start_point.row < scoped.end


def _found(scoped: ScopedSource, frame: Frame, grammar: Grammar) -> Iterator[_Found]:
    profile = scoped.source.profile
    is_function = frame.type in profile.functions
    if not is_function and frame.type not in profile.classes:
        return
    wrappers: list[Node] = []
    above = frame.parent
    while above and above.type in profile.wrappers:
        wrappers.append(above.node)
        above = above.parent
    wrappers.reverse()
    outer = wrappers[0] if wrappers else frame.node
    name = name_of(scoped.source, frame.node, wrappers)
    if name is None or not scoped.contains(outer):
        return
    is_member = frame.owner is not None and frame.owner.type in grammar.classes
    is_member = is_member or frame.type == "method_definition"  # in an object
    kind: Literal["function", "method", "class"] = (
        "class" if not is_function else "method" if is_member else "function"
    )
    yield _Found(frame, outer, kind, name, _is_nested(scoped, frame, grammar))


def _is_nested(scoped: ScopedSource, frame: Frame, grammar: Grammar) -> bool:
    owner = frame.owner
    while owner and scoped.contains(owner.node):
        if owner.type in grammar.functions:
            return True
        owner = owner.owner
    return False


def _python_definition(scoped: ScopedSource, found: _Found) -> DefinitionFacts:
    node = found.frame.node
    colon, body = python_facts.header_end(node), node.child_by_field_name("body")
    parameters = node.child_by_field_name("parameters")
    notes = found.frame.notes
    return DefinitionFacts(
        kind=found.kind,
        name=found.name,
        span=scoped.span(found.outer),
        is_nested=found.is_nested,
        decorators=python_facts.decorators(scoped, found.outer),
        doc=python_facts.docstring(scoped, node),
        header_end=scoped.place(colon.end_point) if colon else (0, 0),
        body_start=scoped.place(body.start_point) if body else (0, 0),
        parameters=python_facts.parameters(scoped, node),
        parameters_end=scoped.place(parameters.end_point) if parameters else (0, 0),
        annotation=scoped.text(node.child_by_field_name("return_type")) or None,
        is_async=any(child.type == "async" for child in node.children),
        is_stub=python_facts.is_stub(scoped, node),
        yields=bool(notes and notes.yields),
        returned=tuple(notes.returned) if notes else (),
        has_bare_return=bool(notes and notes.has_bare_return),
        leaving=python_facts.leaving(node),
        raises=_each_once(notes.raises) if notes else (),
    )


def _javascript_definition(scoped: ScopedSource, found: _Found) -> DefinitionFacts:
    node, notes = found.frame.node, found.frame.notes
    leading = leading_of(scoped.source, found.outer)
    start = found.outer
    for above in leading:
        if above.type != "decorator":
            break
        start = above
    top = scoped.source.place((leading[-1] if leading else found.outer).start_point)
    over_gap = comment_over_gap(scoped.source, *top)
    if over_gap and not _OF_THE_FILE.search(scoped.text(over_gap)):
        leading.append(over_gap)
    docs = [comment for comment in leading if scoped.text(comment).startswith("/**")]
    annotation = scoped.text(node.child_by_field_name("return_type"))
    return DefinitionFacts(
        kind=found.kind,
        name=found.name,
        span=Span(scoped.place(start.start_point), scoped.place(found.outer.end_point)),
        is_nested=found.is_nested,
        doc=scoped.span(docs[0]) if docs else _doc_before(scoped, start),
        parameters=javascript_facts.parameters(scoped, node),
        annotation=annotation.removeprefix(":").strip() or None,
        is_async=javascript_facts.is_async(node),
        is_stub=node.child_by_field_name("body") is None,
        yields=javascript_facts.is_generator(node),
        returned=tuple(notes.returned) if notes else (),
        has_bare_return=bool(notes and notes.has_bare_return),
        raises=_each_once(notes.raises) if notes else (),
    )


def _doc_before(scoped: ScopedSource, start: Node) -> Span | None:
    line, column = scoped.source.place(start.start_point)
    before = scoped.source.lines[line][:column]
    return Span((line - scoped.start, 0), (line - scoped.start, column)) if "/**" in before else None


def _each_once(raises: Sequence[Raised]) -> tuple[Raised, ...]:
    conditions: dict[str, str | None] = {}
    for raised in raises:
        # An error raised in several places has no single condition.
        conditions[raised.name] = None if raised.name in conditions else raised.condition
    return tuple(Raised(name, condition) for name, condition in conditions.items())
