"""Properties of the trees of a language. Data only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from twospeed.syntax.trees.walks import follow

if TYPE_CHECKING:  # tree_sitter is loaded by the first parse, not by the import of this room
    from tree_sitter import Language, Node


@dataclass(frozen=True, slots=True)
class FieldCondition:
    """A node counts only if one of its fields contains a node of a certain type."""

    field: str
    types: frozenset[str]

    def holds_for(self, node: Node) -> bool:
        """Return whether a node meets the condition."""
        child = node.child_by_field_name(self.field)
        return child is not None and child.type in self.types


@dataclass(frozen=True, slots=True)
class PathCondition:
    """A node counts only if one of these paths (see `walks.follow`) leads from it to another."""

    paths: tuple[str, ...]

    def holds_for(self, node: Node) -> bool:
        """Return whether a node meets the condition."""
        return any(follow(node, path) for path in self.paths)


@dataclass(frozen=True, slots=True)
class LanguageProfile:
    """Node types and fields of the definitions of a language. Paths: see `walks.follow`.

    Attributes:
        accessor: Function of the Python module that returns the grammar.
        functions: Functions and methods, named or not.
        classes: Classes and similar definitions.
        modules: Those of the classes that contain definitions of all kinds. A blank line in one is not part of it.
        conditions: Conditions of functions and classes. A type in both tables is a function if its condition holds.
        wrappers: Declarations that belong to the definition in them: decorators, ``export``, ``const f =``.
        groups: Wrappers that wrap nothing if they contain parentheses: ``type ( … )``.
        steps: Fields from a wrapper to its definition, tried in this order.
        binders: Path to the name, by node type, if it is not the field ``name``.
        around_names: Node types between such a field and the name in it: ``*f(int a)`` around ``f``.
        cut_names: Names whose node contains more than the name, with the field of the rest.
        clauses: Functions written as several adjacent nodes of one name: Haskell's equations.
        leading: Nodes that belong to the definition below: doc comments, decorators.
        inner_comments: Marks of comments that document the code around them, not below.
        closers: Prefixes of the line that ends a definition. Needed only for syntax errors.
        is_indented: Whether a body ends by its indentation, so that a blank line may belong to it.
        is_partial: Whether the grammar covers only a part of the language, so that its errors are ignored: it
            cannot parse 11 of 30 ordinary statements in the dialects of SQL.
        accepts_prose: Whether the grammar parses most sentences without an error, as HTML does.
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
    accepts_prose: bool = False


def unknown_kinds(profile: LanguageProfile, language: Language) -> list[str]:
    """Return the node types and fields of a profile that its grammar does not have, sorted. Cost: 30 us.

    A grammar may rename a node type in any release. Outdated tables would find wrong scopes.
    """
    types = {name for name in _types_of(profile) if language.id_for_node_kind(name, True) is None}
    fields = {name for name in _fields_of(profile) if language.field_id_for_name(name) is None}
    return sorted(types | fields | unknown_steps(_paths_of(profile), language))


def unknown_steps(paths: Iterable[str], language: Language) -> set[str]:
    """Return the steps of paths (see `walks.follow`) that a grammar has neither as field nor type."""
    return {
        step
        for path in paths
        for step in path.split()
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


def _paths_of(profile: LanguageProfile) -> Iterator[str]:
    yield from profile.binders.values()
    for condition in profile.conditions.values():
        if isinstance(condition, PathCondition):
            yield from condition.paths
