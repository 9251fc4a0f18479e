"""Further languages: node types of functions, classes and their declarations.

The grammars of Haskell, Kotlin, Scala and Swift, 4 MB each, come with the extra ``all-languages``.
"""

from __future__ import annotations

from .profile import FieldCondition, LanguageProfile, PathCondition

_C_SHARP = LanguageProfile(
    language_id="csharp",
    module="tree_sitter_c_sharp",
    accessor="language",
    # Attributes are part of these nodes.
    functions=frozenset(
        {
            "method_declaration",
            "constructor_declaration",
            "destructor_declaration",
            "operator_declaration",
            "conversion_operator_declaration",
            "indexer_declaration",
            "property_declaration",
            "event_declaration",
            "local_function_statement",
        }
    ),
    classes=frozenset(
        {
            "class_declaration",
            "struct_declaration",
            "record_declaration",
            "interface_declaration",
            "enum_declaration",
        }
    ),
    # ``{ get; set; }`` is a field.
    conditions={
        "property_declaration": PathCondition(
            ("arrow_expression_clause", "accessors accessor_declaration body")
        )
    },
    binders={
        "operator_declaration": "operator",
        "conversion_operator_declaration": "type",
        "indexer_declaration": "this",
    },
)

_RUBY = LanguageProfile(
    language_id="ruby",
    module="tree_sitter_ruby",
    accessor="language",
    functions=frozenset({"method", "singleton_method"}),
    classes=frozenset({"class", "module", "singleton_class"}),
    modules=frozenset({"module"}),
    wrappers=frozenset({"call", "argument_list"}),  # ``private def f``
    steps=("arguments",),
    binders={"singleton_class": "value"},
    closers=("end",),
    accepts_prose=True,
)

_PHP = LanguageProfile(
    language_id="php",
    module="tree_sitter_php",
    accessor="language_php",  # with the HTML around it
    # Attributes are part of these nodes.
    functions=frozenset({"function_definition", "method_declaration"}),
    classes=frozenset(
        {
            "class_declaration",
            "interface_declaration",
            "trait_declaration",
            "enum_declaration",
            "anonymous_class",
        }
    ),
)

_BASH = LanguageProfile(
    language_id="shellscript",
    module="tree_sitter_bash",
    accessor="language",
    functions=frozenset({"function_definition"}),
    classes=frozenset(),
    closers=("}", ")"),
    accepts_prose=True,
)

_LUA = LanguageProfile(
    language_id="lua",
    module="tree_sitter_lua",
    accessor="language",
    functions=frozenset({"function_declaration", "function_definition"}),
    classes=frozenset(),
    wrappers=frozenset({"variable_declaration", "assignment_statement", "expression_list", "field"}),
    steps=("value",),
    binders={"assignment_statement": "variable_list name", "field": "name"},
    closers=("end",),
)

_KOTLIN = LanguageProfile(
    language_id="kotlin",
    module="tree_sitter_kotlin",
    accessor="language",
    # Annotations are part of these nodes. Accessors mean their property.
    functions=frozenset({"function_declaration", "secondary_constructor", "property_declaration"}),
    classes=frozenset({"class_declaration", "object_declaration", "companion_object"}),
    conditions={"property_declaration": PathCondition(("getter function_body", "setter function_body"))},
    binders={
        "secondary_constructor": "constructor",
        "property_declaration": "variable_declaration identifier",
        "companion_object": "companion",
    },
    leading=frozenset({"line_comment", "block_comment"}),
)

_SWIFT = LanguageProfile(
    language_id="swift",
    module="tree_sitter_swift",
    accessor="language",
    # Attributes are part of these nodes. Accessors and observers mean their property.
    functions=frozenset(
        {
            "function_declaration",
            "protocol_function_declaration",
            "init_declaration",
            "deinit_declaration",
            "subscript_declaration",
            "property_declaration",
        }
    ),
    classes=frozenset({"class_declaration", "protocol_declaration"}),  # includes structs
    conditions={"property_declaration": PathCondition(("computed_property", "willset_didset_block"))},
    binders={"deinit_declaration": "deinit", "subscript_declaration": "subscript"},
    leading=frozenset({"comment", "multiline_comment"}),
)

_SCALA = LanguageProfile(
    language_id="scala",
    module="tree_sitter_scala",
    accessor="language",
    # Annotations are part of these nodes.
    functions=frozenset({"function_definition", "function_declaration"}),
    classes=frozenset(
        {
            "class_definition",
            "object_definition",
            "trait_definition",
            "enum_definition",
            "given_definition",
            "extension_definition",
            "package_object",
        }
    ),
    binders={"extension_definition": "parameters"},
    leading=frozenset({"comment", "block_comment"}),
    is_indented=True,
    accepts_prose=True,
)

_HASKELL = LanguageProfile(
    language_id="haskell",
    module="tree_sitter_haskell",
    accessor="language",
    functions=frozenset({"function", "bind", "signature"}),
    classes=frozenset({"data_type", "newtype", "class", "instance"}),
    conditions={
        "function": FieldCondition("match", frozenset({"match"}))
    },  # a type ``a -> b`` is also a ``function``
    clauses=frozenset({"function", "bind", "signature"}),
    binders={"function": "infix operator"},
    leading=frozenset({"comment", "haddock", "pragma"}),
    closers=(),
    is_indented=True,
    accepts_prose=True,
)

EXTRA_PROFILES: tuple[LanguageProfile, ...] = (
    _C_SHARP,
    _RUBY,
    _PHP,
    _BASH,
    _LUA,
    _KOTLIN,
    _SWIFT,
    _SCALA,
    _HASKELL,
)
