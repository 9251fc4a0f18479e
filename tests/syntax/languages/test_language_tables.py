"""The tables name no unknown node type, so a misspelt name fails."""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib import import_module

import pytest

from twospeed.rules.facts import python_facts
from twospeed.syntax.duplicates import function_parts
from twospeed.syntax.identifiers import grammars, roles, scoped_walk
from twospeed.syntax.identifiers.grammars import Grammar
from twospeed.syntax.languages import PROFILES
from twospeed.syntax.languages.formats import FORMAT_PROFILES
from twospeed.syntax.languages.profile import unknown_steps
from twospeed.syntax.languages.symbol_tables import SYMBOL_TABLES
from twospeed.syntax.scopes.scope_code import _REQUIRING
from twospeed.syntax.trees.parsing import grammar_of
from twospeed.syntax.unresolved.library_modules import GO_MODULES, GO_PACKAGES, NODE_MODULES, PYTHON_NAMES

EVERY = tuple(PROFILES)
SCRIPTS = ("javascript", "javascriptreact", "typescript", "typescriptreact")


def unknown(names: Iterable[str], language_ids: Iterable[str]) -> set[str]:
    """Return the names that are node types of none of some languages."""
    grammars_of = [grammar for each in language_ids if (grammar := grammar_of(each))]
    return {name for name in names if all(each.id_for_node_kind(name, True) is None for each in grammars_of)}


def unknown_fields(names: Iterable[str], language_ids: Iterable[str]) -> set[str]:
    grammars_of = [grammar for each in language_ids if (grammar := grammar_of(each))]
    return {name for name in names if all(each.field_id_for_name(name) is None for each in grammars_of)}


def types_in(grammar: Grammar) -> set[str]:
    return {
        *(grammar.functions | grammar.classes | grammar.binding_types | grammar.patterns | grammar.hoisting),
        *grammar.scopes,
        *(kind for kind, _ in grammar.binding_fields | grammar.outside_fields | grammar.parameter_fields),
    }


def fields_in(grammar: Grammar) -> set[str]:
    pairs = grammar.binding_fields | grammar.outside_fields | grammar.parameter_fields
    return {*(field for _, field in pairs), *grammar.unbound_fields}


@pytest.mark.parametrize(
    ("grammar", "language_ids"), [(grammars.PYTHON, ("python",)), (grammars.JAVASCRIPT, SCRIPTS)]
)
def test_node_types_that_bind_names_are_in_the_grammar(
    grammar: Grammar, language_ids: tuple[str, ...]
) -> None:
    assert unknown(types_in(grammar), language_ids) == set()
    assert unknown_fields(fields_in(grammar), language_ids) == set()


@pytest.mark.parametrize(
    "names",
    [
        function_parts.NAMES | function_parts.STRINGS,
        function_parts._IGNORED,
        function_parts._CONSTRUCTIONS | function_parts._NUMBERS | function_parts._VALUES_IN_STRINGS,
        function_parts._BINDING_TYPES | function_parts._PATTERNS | set(function_parts._ONE_TYPE),
        {kind for kind, _ in function_parts._BINDING_FIELDS},
        function_parts.ATTRIBUTES
        | function_parts.SUBSCRIPTS
        | function_parts.COMPREHENSIONS
        | function_parts.FUNCTIONS,
        function_parts.LOOPS
        | function_parts.WHILES
        | function_parts.CONDITIONALS
        | set(function_parts.BINARY),
        function_parts.ASSIGNMENTS | function_parts.CALLS | function_parts._AROUND_ONE,
        _REQUIRING,
    ],
)
def test_node_types_of_function_parts_are_in_some_grammar(names: frozenset[str]) -> None:
    assert unknown(names, EVERY) == set()


def test_names_imports_and_values_are_in_their_grammar() -> None:
    assert SYMBOL_TABLES.keys() == PROFILES.keys()
    for language_id, table in SYMBOL_TABLES.items():
        kinds = {*table.names, *table.imports, *table.values}
        assert unknown(kinds, [language_id]) == set(), language_id
        grammar = grammar_of(language_id)
        assert grammar
        assert unknown_steps(table.values.values(), grammar) == set(), language_id


def test_elements_of_formats_are_in_their_grammar() -> None:
    for profile in FORMAT_PROFILES:
        kinds = {*profile.elements, *profile.parents, *profile.bodies}.union(*profile.parents.values())
        assert unknown(kinds, [profile.language_id]) == set(), profile.language_id
        grammar = grammar_of(profile.language_id)
        assert grammar
        ways = (way for each in profile.elements.values() for way in each)
        assert unknown_steps(ways, grammar) == set(), profile.language_id


def test_fields_of_a_functions_parts_are_in_some_grammar() -> None:
    fields = {field for _, field in function_parts._BINDING_FIELDS}
    fields |= function_parts._IGNORED_FIELDS | function_parts._UNBOUND_FIELDS
    assert unknown_fields(fields, EVERY) == set()


def test_node_types_of_code_facts_are_in_the_grammar() -> None:
    of_python = {
        *python_facts._PLAIN_INDICES,
        *roles._IMPORTS,
        *python_facts._NUMBERS,
        *python_facts._STUBS,
    }
    assert unknown(of_python, ["python"]) == set()
    assert unknown(scoped_walk._HANDLERS, ["python", "javascript"]) == set()
    of_scripts = {*roles._JSX_TAGS, *roles._JAVASCRIPT_NAMES}
    of_scripts |= roles._PROPERTY_MODIFIERS - {"readonly"} | roles._PROPERTY_OWNERS  # a keyword
    assert unknown(of_scripts, SCRIPTS) == set()


def test_a_name_of_pythons_library_is_in_the_module_that_is_reported() -> None:
    for name, module in PYTHON_NAMES.items():
        assert hasattr(import_module(module), name), f"{module} has no {name}"


def test_a_package_is_named_by_the_last_part_of_its_path() -> None:
    assert set(GO_MODULES) == GO_PACKAGES
    assert all(re.fullmatch(rf"([a-z]+/)?{name}", path) for name, path in GO_MODULES.items())
    assert all(re.fullmatch("[a-z][a-z0-9]*", name) for name in GO_PACKAGES)
    assert all(re.fullmatch("[a-z][a-z0-9_]*", name) for name in NODE_MODULES)
