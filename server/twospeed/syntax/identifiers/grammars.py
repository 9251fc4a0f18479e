"""Node types that bind names, group them and belong to functions, for each family of languages. Data only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .identifier import (
    NameScopeKind,
)


@dataclass(frozen=True, slots=True)
class Grammar:
    """Node types that determine what the walk inherits.

    Attributes:
        functions: Function-like nodes, which own a ``return``.
        binding_fields: Types and fields in which a name is bound.
        binding_types: Types whose children are all bound names.
        patterns: Types that pass the binding on to their children, except in ``unbound_fields``.
        scopes: Types with a scope of names.
        outside_fields: Fields of a scope's node that are visible outside it.
        parameter_fields: Fields of a parameter list that are evaluated outside the function.
        hoisting: Types whose names are bound in the function instead of the block.
    """

    functions: frozenset[str]
    classes: frozenset[str]
    binding_fields: frozenset[tuple[str, str]]
    binding_types: frozenset[str]
    patterns: frozenset[str]
    unbound_fields: frozenset[str]
    scopes: Mapping[str, NameScopeKind]
    outside_fields: frozenset[tuple[str, str]]
    parameter_fields: frozenset[tuple[str, str]]
    hoisting: frozenset[str]


PYTHON = Grammar(
    functions=frozenset({"function_definition", "lambda"}),
    classes=frozenset({"class_definition"}),
    binding_fields=frozenset(
        {
            ("function_definition", "name"),
            ("class_definition", "name"),
            ("assignment", "left"),
            ("augmented_assignment", "left"),
            ("for_statement", "left"),
            ("for_in_clause", "left"),
            ("named_expression", "name"),
            ("aliased_import", "alias"),
            ("default_parameter", "name"),
            ("typed_default_parameter", "name"),
        }
    ),
    binding_types=frozenset({"parameters", "lambda_parameters", "as_pattern_target", "splat_pattern"}),
    patterns=frozenset(
        {
            "pattern_list",
            "tuple_pattern",
            "list_pattern",
            "list_splat_pattern",
            "dictionary_splat_pattern",
            "typed_parameter",
            "tuple",
            "list",
        }
    ),
    unbound_fields=frozenset({"type"}),
    scopes={
        "function_definition": "function",
        "lambda": "function",
        "class_definition": "class",
        "list_comprehension": "block",
        "set_comprehension": "block",
        "dictionary_comprehension": "block",
        "generator_expression": "block",
    },
    outside_fields=frozenset(
        {
            ("function_definition", "name"),
            ("function_definition", "return_type"),
            ("class_definition", "name"),
            ("class_definition", "superclasses"),
        }
    ),
    parameter_fields=frozenset(
        {
            ("default_parameter", "value"),
            ("typed_default_parameter", "value"),
            ("typed_default_parameter", "type"),
            ("typed_parameter", "type"),
        }
    ),
    hoisting=frozenset({"named_expression"}),
)

JAVASCRIPT = Grammar(
    functions=frozenset(
        {
            "function_declaration",
            "function_expression",
            "generator_function",
            "generator_function_declaration",
            "arrow_function",
            "method_definition",
            "class_static_block",
        }
    ),
    classes=frozenset({"class_declaration", "class", "abstract_class_declaration"}),
    binding_fields=frozenset(
        {
            ("function_declaration", "name"),
            ("function_expression", "name"),
            ("generator_function", "name"),
            ("generator_function_declaration", "name"),
            ("function_signature", "name"),
            ("class_declaration", "name"),
            ("class", "name"),
            ("abstract_class_declaration", "name"),
            ("interface_declaration", "name"),
            ("type_alias_declaration", "name"),
            ("enum_declaration", "name"),
            ("internal_module", "name"),
            ("type_parameter", "name"),
            ("variable_declarator", "name"),
            ("required_parameter", "pattern"),
            ("optional_parameter", "pattern"),
            ("arrow_function", "parameter"),
            ("catch_clause", "parameter"),
            ("import_specifier", "alias"),
            ("for_in_statement", "left"),
        }
    ),
    binding_types=frozenset({"formal_parameters", "import_clause", "namespace_import"}),
    patterns=frozenset(
        {
            "object_pattern",
            "array_pattern",
            "pair_pattern",
            "assignment_pattern",
            "object_assignment_pattern",
            "rest_pattern",
        }
    ),
    unbound_fields=frozenset({"key", "right"}),
    scopes={
        "function_declaration": "function",
        "function_expression": "function",
        "generator_function": "function",
        "generator_function_declaration": "function",
        "arrow_function": "function",
        "method_definition": "function",
        "class_static_block": "function",
        "function_signature": "function",
        "abstract_method_signature": "function",
        "method_signature": "function",
        "function_type": "function",
        "class_declaration": "block",
        "abstract_class_declaration": "block",
        "class": "block",
        "interface_declaration": "block",
        "type_alias_declaration": "block",
        "statement_block": "block",
        "for_statement": "block",
        "for_in_statement": "block",
        "catch_clause": "block",
        "switch_body": "block",
    },
    outside_fields=frozenset(
        {
            ("function_declaration", "name"),
            ("generator_function_declaration", "name"),
            ("function_signature", "name"),
            ("class_declaration", "name"),
            ("abstract_class_declaration", "name"),
            ("interface_declaration", "name"),
            ("type_alias_declaration", "name"),
            ("for_in_statement", "right"),
        }
    ),
    parameter_fields=frozenset(),
    hoisting=frozenset({"variable_declaration"}),
)
