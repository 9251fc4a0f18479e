"""Languages whose grammars come with twospeed: node types of functions, classes and their declarations."""

from __future__ import annotations

from dataclasses import replace

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

_MEMBERS = FieldCondition("body", frozenset({"field_declaration_list"}))
_VALUES = FieldCondition("body", frozenset({"enumerator_list"}))

_AROUND_NAMES = frozenset(
    {
        "function_declarator",
        "pointer_declarator",
        "array_declarator",
        "parenthesized_declarator",
        "attributed_declarator",
    }
)

# Names of C and C++ are inside declarators: ``*f(int a)`` declares ``f``.
_C = LanguageProfile(
    language_id="c",
    module="tree_sitter_c",
    accessor="language",
    functions=frozenset({"function_definition", "preproc_function_def"}),
    classes=frozenset({"struct_specifier", "union_specifier", "enum_specifier"}),
    # Without a body they only name a type: ``struct node *next``.
    conditions={"struct_specifier": _MEMBERS, "union_specifier": _MEMBERS, "enum_specifier": _VALUES},
    wrappers=frozenset({"type_definition", "declaration", "field_declaration", "linkage_specification"}),
    steps=("type", "body"),
    binders={
        "function_definition": "declarator",
        "type_definition": "declarator",
        "declaration": "declarator",
        "field_declaration": "declarator",
    },
    around_names=_AROUND_NAMES | {"init_declarator"},
)

_REFERENCES = frozenset({"reference_declarator"})
_DECLARATORS_OF_FUNCTIONS = _AROUND_NAMES | _REFERENCES | {"operator_cast", "qualified_identifier"}

_CPP = replace(
    _C,
    language_id="cpp",
    module="tree_sitter_cpp",
    functions=_C.functions | {"lambda_expression"},
    # ``class EXPORT A { … };``: the grammar parses the macro as the class, and the rest as a function.
    classes=_C.classes | {"class_specifier", "function_definition"},
    conditions={
        **_C.conditions,
        "class_specifier": _MEMBERS,
        "function_definition": FieldCondition("declarator", _DECLARATORS_OF_FUNCTIONS),
    },
    wrappers=_C.wrappers
    | {
        "template_declaration",
        "friend_declaration",
        "init_declarator",
        "expression_statement",
        "assignment_expression",
    },
    steps=("type", "declarator", "value", "default_value", "right", "body"),
    binders={**_C.binders, "init_declarator": "declarator", "assignment_expression": "left"},
    around_names=_C.around_names
    | _REFERENCES
    | {"abstract_pointer_declarator", "abstract_reference_declarator"},
    cut_names={"operator_cast": "declarator"},
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
    _C,
    _CPP,
)
