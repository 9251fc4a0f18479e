"""The languages whose grammars come with twospeed: which node types are functions, classes and what belongs to them."""

from __future__ import annotations

from dataclasses import replace

from .profile import LanguageProfile

_PYTHON = LanguageProfile(
    language_id="python",
    module="tree_sitter_python",
    accessor="language",
    functions=frozenset({"function_definition"}),  # a lambda has no name, whatever it is assigned to
    classes=frozenset({"class_definition"}),
    wrappers=frozenset({"decorated_definition"}),
    steps=("definition",),
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

CORE_PROFILES = (
    _PYTHON,
    _JAVASCRIPT,
    replace(_JAVASCRIPT, language_id="javascriptreact"),
    _TYPESCRIPT,
    replace(_TYPESCRIPT, language_id="typescriptreact", accessor="language_tsx"),
)
