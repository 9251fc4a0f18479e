"""What is known of one language's trees. Data only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class LanguageProfile:
    """How to find definitions in one language's trees.

    Attributes:
        language_id: LSP language id.
        module: Python module of the grammar.
        accessor: Function of that module which returns the grammar.
        functions: Node types of functions and methods, named or not.
        classes: Node types of classes and their like.
        wrappers: Node types around a definition that belong to it: decorators, ``export``, ``const f =``, ``f:``.
        steps: Fields that lead from a wrapper down to the definition it wraps.
        binders: Wrappers that give the wrapped definition its name, each with the field the name stands in.
        leading: Node types that belong to the definition on the line below: doc comments, decorators.
        is_indented: Whether a body ends where the indentation does, so that a blank line may belong to it.
    """

    language_id: str
    module: str
    accessor: str
    functions: frozenset[str]
    classes: frozenset[str]
    wrappers: frozenset[str]
    steps: tuple[str, ...]
    binders: Mapping[str, str] = field(default_factory=dict)
    leading: frozenset[str] = frozenset({"comment"})
    is_indented: bool = False
