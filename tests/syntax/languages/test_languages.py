"""The tables name node types that the grammars have; a renamed node type fails here."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module

import pytest
from tree_sitter import Language

from twospeed.syntax import comment_markers, has_grammar
from twospeed.syntax.identifiers.grammars import JAVASCRIPT, PYTHON, Grammar
from twospeed.syntax.languages import PROFILES, LanguageProfile, comment_marks, profile_for
from twospeed.syntax.languages.profile import FieldCondition, unknown_kinds

TYPESCRIPT_ONLY = {
    *("abstract_class_declaration", "interface_declaration", "type_alias_declaration", "enum_declaration"),
    *("abstract_method_signature", "method_signature", "function_type"),
    *("internal_module", "type_parameter", "required_parameter", "optional_parameter", "function_signature"),
}


def language(profile: LanguageProfile) -> Language:
    return Language(getattr(import_module(profile.module), profile.accessor)())


@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda profile: profile.language_id)
def test_every_node_type_and_field_of_a_profile_is_in_its_grammar(profile: LanguageProfile) -> None:
    assert unknown_kinds(profile, language(profile)) == []


@pytest.mark.parametrize(
    ("table", "unknown"),
    [
        ({"functions": frozenset({"function_definition", "method"})}, ["method"]),
        ({"classes": frozenset({"klass"})}, ["klass"]),
        (
            {"conditions": {"class_definition": FieldCondition("corpus", frozenset({"block", "void"}))}},
            ["corpus", "void"],
        ),
        ({"wrappers": frozenset({"exported"})}, ["exported"]),
        ({"groups": frozenset({"several"})}, ["several"]),
        ({"steps": ("definition", "down")}, ["down"]),
        ({"binders": {"assignment": "where", "to": "left"}}, ["to", "where"]),
        ({"around_names": frozenset({"star"})}, ["star"]),
        ({"cut_names": {"attribute": "tail"}}, ["tail"]),
        ({"leading": frozenset({"comment", "remark"})}, ["remark"]),
        ({"functions": frozenset({"def"})}, ["def"]),  # a keyword is a node too, but an unnamed one
    ],
)
def test_node_types_that_a_grammar_lacks_are_named(table: dict[str, object], unknown: list[str]) -> None:
    profile = replace(PROFILES["python"], **table)  # type: ignore[arg-type]  # each table has its own type
    assert unknown_kinds(profile, language(profile)) == unknown


@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda profile: profile.language_id)
def test_tables_that_refine_another_do_not_go_beyond_it(profile: LanguageProfile) -> None:
    definitions = profile.functions | profile.classes
    assert set(profile.conditions) <= definitions
    assert set(profile.binders) <= profile.wrappers | definitions
    assert profile.groups <= profile.wrappers
    assert profile.functions & profile.classes <= set(profile.conditions)


@pytest.mark.parametrize(
    ("language_id", "table"),
    [
        ("python", PYTHON),
        ("javascript", JAVASCRIPT),
        ("typescript", JAVASCRIPT),
        ("typescriptreact", JAVASCRIPT),
    ],
)
def test_every_node_type_and_field_of_the_identifier_tables_is_in_the_grammars(
    language_id: str, table: Grammar
) -> None:
    grammar = language(PROFILES[language_id])
    kinds = table.functions | table.classes | table.binding_types | table.patterns
    places = table.binding_fields | table.outside_fields | table.parameter_fields
    kinds |= {kind for kind, _ in places} | set(table.scopes) | table.hoisting
    if language_id == "javascript":
        kinds -= TYPESCRIPT_ONLY
    assert [kind for kind in kinds if grammar.id_for_node_kind(kind, True) is None] == []
    fields = {field for _, field in places} | table.unbound_fields
    missing = {field for field in fields if grammar.field_id_for_name(field) is None}
    assert missing <= ({"pattern"} if language_id == "javascript" else set())


def test_has_grammar_and_comment_markers_of_a_language() -> None:
    assert has_grammar("typescriptreact")
    assert has_grammar("rust")
    assert not has_grammar("zig")
    assert profile_for("plaintext") is None
    assert comment_markers("python") == ("#",)
    assert comment_markers("rust") == ("//",)
    assert comment_markers("html") == ()
    assert comment_marks("nothing known").block == ()


def test_every_parsed_language_has_comments() -> None:
    assert all(comment_markers(language_id) for language_id in PROFILES)
