"""Languages whose grammars come with twospeed: node types of functions, classes and their declarations."""

from __future__ import annotations

from dataclasses import replace

from .c_family import CPP, C
from .profile import FieldCondition, LanguageProfile

_PYTHON = LanguageProfile(
    language_id="python",
    module="tree_sitter_python",
    accessor="language",
    functions=frozenset({"function_definition"}),  # a lambda has no name, even if it is assigned
    classes=frozenset({"class_definition"}),
    wrappers=frozenset({"decorated_definition"}),
    closers=(),
    is_indented=True,
)

_JAVASCRIPT = LanguageProfile(
    language_id="javascript",
    module="tree_sitter_javascript",
    accessor="language",
    functions=frozenset(
        {
            "function_declaration",
            "function_expression",
            "generator_function",
            "generator_function_declaration",
            "arrow_function",
            "method_definition",
        }
    ),
    classes=frozenset({"class_declaration", "class"}),
    wrappers=frozenset(
        {
            "export_statement",
            "lexical_declaration",
            "variable_declaration",
            "variable_declarator",
            "field_definition",
            "pair",
            "expression_statement",
            "assignment_expression",
            "parenthesized_expression",
        }
    ),
    steps=("declaration", "value", "right"),
    binders={
        "variable_declarator": "name",
        "field_definition": "property",
        "pair": "key",
        "assignment_expression": "left",
    },
    leading=frozenset({"comment", "decorator"}),
)

_TYPESCRIPT = replace(
    _JAVASCRIPT,
    language_id="typescript",
    module="tree_sitter_typescript",
    accessor="language_typescript",
    functions=_JAVASCRIPT.functions | {"function_signature", "abstract_method_signature"},
    classes=_JAVASCRIPT.classes | {"abstract_class_declaration", "interface_declaration", "enum_declaration"},
    wrappers=(_JAVASCRIPT.wrappers - {"field_definition"})
    | {"public_field_definition", "ambient_declaration", "as_expression", "satisfies_expression"},
    binders={
        "variable_declarator": "name",
        "public_field_definition": "name",
        "pair": "key",
        "assignment_expression": "left",
    },
)

_GO_TYPES = FieldCondition("type", frozenset({"struct_type", "interface_type"}))

_GO = LanguageProfile(
    language_id="go",
    module="tree_sitter_go",
    accessor="language",
    functions=frozenset({"function_declaration", "method_declaration", "func_literal"}),
    classes=frozenset({"type_spec", "type_alias"}),
    conditions={"type_spec": _GO_TYPES, "type_alias": _GO_TYPES},
    wrappers=frozenset(
        {
            "type_declaration",
            "var_declaration",
            "var_spec",
            "short_var_declaration",
            "assignment_statement",
            "keyed_element",
            "literal_element",
            "expression_list",
            "parenthesized_expression",
        }
    ),
    groups=frozenset({"type_declaration"}),  # variables in parentheses have their own node
    steps=("value", "right"),
    binders={
        "var_spec": "name",
        "short_var_declaration": "left",
        "assignment_statement": "left",
        "keyed_element": "key",
    },
)

_RUST = LanguageProfile(
    language_id="rust",
    module="tree_sitter_rust",
    accessor="language",
    # A closure has no name, even if it is bound.
    functions=frozenset({"function_item", "function_signature_item", "macro_definition"}),
    classes=frozenset({"struct_item", "enum_item", "union_item", "trait_item", "impl_item", "mod_item"}),
    modules=frozenset({"mod_item"}),
    conditions={"mod_item": FieldCondition("body", frozenset({"declaration_list"}))},  # not ``mod other;``
    binders={"impl_item": "type"},
    leading=frozenset({"line_comment", "block_comment", "attribute_item"}),
    inner_comments=("//!", "/*!"),
)

_JAVA = LanguageProfile(
    language_id="java",
    module="tree_sitter_java",
    accessor="language",
    # Annotations are part of these nodes. A lambda has no name, even if it is assigned.
    functions=frozenset({"method_declaration", "constructor_declaration", "compact_constructor_declaration"}),
    classes=frozenset(
        {
            "class_declaration",
            "interface_declaration",
            "enum_declaration",
            "record_declaration",
            "annotation_type_declaration",
        }
    ),
    leading=frozenset({"line_comment", "block_comment"}),
)

CORE_PROFILES = (
    _PYTHON,
    _JAVASCRIPT,
    replace(_JAVASCRIPT, language_id="javascriptreact"),
    _TYPESCRIPT,
    replace(_TYPESCRIPT, language_id="typescriptreact", accessor="language_tsx"),
    _GO,
    _RUST,
    _JAVA,
    C,
    CPP,
)
