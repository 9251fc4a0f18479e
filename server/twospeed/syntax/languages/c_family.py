"""C and C++, whose names are inside declarators: ``*f(int a)`` declares ``f``."""

from __future__ import annotations

from dataclasses import replace

from .profile import FieldCondition, LanguageProfile

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

C = LanguageProfile(
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

CPP = replace(
    C,
    language_id="cpp",
    module="tree_sitter_cpp",
    functions=C.functions | {"lambda_expression"},
    # ``class EXPORT A { … };``: the grammar parses the macro as the class, and the rest as a function.
    classes=C.classes | {"class_specifier", "function_definition"},
    conditions={
        **C.conditions,
        "class_specifier": _MEMBERS,
        "function_definition": FieldCondition("declarator", _DECLARATORS_OF_FUNCTIONS),
    },
    wrappers=C.wrappers
    | {
        "template_declaration",
        "friend_declaration",
        "init_declarator",
        "expression_statement",
        "assignment_expression",
    },
    steps=("type", "declarator", "value", "default_value", "right", "body"),
    binders={**C.binders, "init_declarator": "declarator", "assignment_expression": "left"},
    around_names=C.around_names
    | _REFERENCES
    | {"abstract_pointer_declarator", "abstract_reference_declarator"},
    cut_names={"operator_cast": "declarator"},
)
