"""What is known of one language's trees. Data only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .ways import follow

if TYPE_CHECKING:  # tree_sitter is loaded by the first parse, not by the import of this room
    from tree_sitter import Language, Node


@dataclass(frozen=True, slots=True)
class FieldCondition:
    """A condition: a node counts only if one of its fields holds a node of a certain type.

    Attributes:
        field: Name of the field.
        types: Node types, one of which must stand in it.
    """

    field: str
    types: frozenset[str]

    def holds_for(self, node: Node) -> bool:
        """Whether a node has what is asked for."""
        child = node.child_by_field_name(self.field)
        return child is not None and child.type in self.types


@dataclass(frozen=True, slots=True)
class PathCondition:
    """A condition: a node counts only if one of these ways (see `ways.follow`) leads from it to another.

    Attributes:
        ways: Such as ``"accessors accessor_declaration body"``: a property one of whose accessors has a body.
    """

    ways: tuple[str, ...]

    def holds_for(self, node: Node) -> bool:
        """Whether a node has what is asked for."""
        return any(follow(node, way) for way in self.ways)


@dataclass(frozen=True, slots=True)
class LanguageProfile:
    """How to find definitions in one language's trees.

    Attributes:
        language_id: LSP language id.
        module: Python module of the grammar.
        accessor: Function of that module which returns the grammar.
        functions: Node types of functions and methods, named or not.
        classes: Node types of classes and their like.
        modules: Those of them that hold definitions of all kinds, as a file does: a blank line in one is no part of a class.
        conditions: Functions and classes that count only if one of their fields holds a certain type. A type that
            stands in both tables is a function where its condition holds, and a class where it does not.
        wrappers: Node types around a definition that belong to it: decorators, ``export``, ``const f =``, ``f:``.
        groups: Wrappers that may hold several definitions in parentheses, ``type ( … )``, and then wrap none.
        steps: Fields that lead from a wrapper down to the definition it wraps, tried in this order.
        binders: Way (see `ways.follow`) to the name, by type of the node that gives it, where that is not the
            field ``name``: wrappers that name what they wrap, and definitions.
        around_names: Node types between such a field and the name in it: ``*f(int a)`` around ``f``.
        cut_names: Names that have more in them than the name, with the field of what to leave out.
        clauses: Functions that are written as several neighbours of the same name: Haskell's equations.
        leading: Node types that belong to the definition on the line below: doc comments, decorators.
        inner_comments: What opens a comment that speaks of what it stands in, not of what stands below it.
        closers: What begins the line that ends a definition, at the definition's own indentation; none where
            bodies end otherwise. Only needed for code with syntax errors.
        is_indented: Whether a body ends where the indentation does, as Python's, so that a blank line may belong
            to it.
        is_partial: Whether the grammar knows only a part of the language, so that its errors say nothing: of 30
            ordinary statements in the dialects of SQL it cannot read 11.
        reads_talk: Whether most sentences are code in this language, as in HTML, or look so to the grammar, so that an
            answer that parses may still be talk.
    """

    language_id: str
    module: str
    accessor: str
    functions: frozenset[str]
    classes: frozenset[str]
    modules: frozenset[str] = frozenset()
    conditions: Mapping[str, FieldCondition | PathCondition] = field(default_factory=dict)
    wrappers: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()
    steps: tuple[str, ...] = ()
    binders: Mapping[str, str] = field(default_factory=dict)
    around_names: frozenset[str] = frozenset()
    cut_names: Mapping[str, str] = field(default_factory=dict)
    clauses: frozenset[str] = frozenset()
    leading: frozenset[str] = frozenset({"comment"})
    inner_comments: tuple[str, ...] = ()
    closers: tuple[str, ...] = ("}",)
    is_indented: bool = False
    is_partial: bool = False
    reads_talk: bool = False


def unknown_kinds(profile: LanguageProfile, language: Language) -> list[str]:
    """List what a profile speaks of and its grammar does not know.

    A grammar may rename a node type in any release. A table that is half right finds wrong scopes, so whoever
    loads a grammar goes on without it if this list is not empty.

    Args:
        profile: The tables.
        language: The grammar they are for.

    Returns:
        Node types and fields, sorted; empty if all is well.

    Cost: 30 us.
    """
    types = {name for name in _types_of(profile) if language.id_for_node_kind(name, True) is None}
    fields = {name for name in _fields_of(profile) if language.field_id_for_name(name) is None}
    return sorted(types | fields | unknown_steps(_ways_of(profile), language))


def unknown_steps(ways: Iterable[str], language: Language) -> set[str]:
    """Return the steps of ways (see `ways.follow`) that are neither fields nor node types of a grammar."""
    return {
        step
        for way in ways
        for step in way.split()
        if language.field_id_for_name(step) is None
        and language.id_for_node_kind(step, True) is None
        and language.id_for_node_kind(step, False) is None
    }


def _types_of(profile: LanguageProfile) -> Iterator[str]:
    for names in (profile.functions, profile.classes, profile.wrappers, profile.groups, profile.leading):
        yield from names
    yield from profile.modules
    yield from profile.around_names
    yield from profile.clauses
    for table in (profile.conditions, profile.binders, profile.cut_names):
        yield from table
    for condition in profile.conditions.values():
        if isinstance(condition, FieldCondition):
            yield from condition.types


def _fields_of(profile: LanguageProfile) -> Iterator[str]:
    yield from profile.steps
    yield from profile.cut_names.values()
    yield from (other.field for other in profile.conditions.values() if isinstance(other, FieldCondition))


def _ways_of(profile: LanguageProfile) -> Iterator[str]:
    yield from profile.binders.values()
    for condition in profile.conditions.values():
        if isinstance(condition, PathCondition):
            yield from condition.ways
