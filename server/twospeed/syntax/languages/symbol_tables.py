"""Node types of names, imports, and values bound outside functions, by language. Data only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class SymbolTable:
    """Node types of the names of a language. Its profile has those of functions and classes.

    Attributes:
        values: Paths (see `walks.follow`) to the name, by type of the node that binds a value or a type.
        import_calls: Functions that import a module by name.
        is_imported_by_name: Whether names of other files must be imported. In other languages all files see them.
    """

    names: frozenset[str] = frozenset({"identifier"})
    imports: frozenset[str] = frozenset()
    values: Mapping[str, str] = field(default_factory=dict)
    import_calls: frozenset[str] = frozenset()
    is_imported_by_name: bool = False


_PYTHON = SymbolTable(
    imports=frozenset({"import_statement", "import_from_statement"}),
    values={"assignment": "left", "type_alias_statement": "left type"},
    is_imported_by_name=True,
)

_JAVASCRIPT = SymbolTable(
    names=frozenset(
        {
            "identifier",
            "property_identifier",
            "private_property_identifier",
            "shorthand_property_identifier",
        }
    ),
    imports=frozenset({"import_statement"}),
    values={"variable_declarator": "name", "field_definition": "property"},
    import_calls=frozenset({"require"}),
    is_imported_by_name=True,
)

_TYPESCRIPT = replace(
    _JAVASCRIPT,
    names=_JAVASCRIPT.names | {"type_identifier"},
    values={
        "variable_declarator": "name",
        "public_field_definition": "name",
        "property_signature": "name",
        "type_alias_declaration": "name",
    },
)

_GO = SymbolTable(
    names=frozenset({"identifier", "field_identifier", "type_identifier"}),
    imports=frozenset({"import_declaration"}),
    values={
        "const_spec": "name",
        "var_spec": "name",
        "type_spec": "name",
        "type_alias": "name",
        "field_declaration": "name",
    },
)

_RUST = SymbolTable(
    names=frozenset({"identifier", "field_identifier", "type_identifier", "shorthand_field_identifier"}),
    imports=frozenset({"use_declaration"}),
    values={
        "const_item": "name",
        "static_item": "name",
        "type_item": "name",
        "field_declaration": "name",
        "enum_variant": "name",
    },
    is_imported_by_name=True,
)

_JAVA = SymbolTable(
    names=frozenset({"identifier", "type_identifier"}),
    imports=frozenset({"import_declaration"}),
    values={
        "field_declaration": "declarator name",
        "constant_declaration": "declarator name",
        "enum_constant": "name",
    },
)

_C = SymbolTable(
    names=frozenset({"identifier", "field_identifier", "type_identifier"}),
    imports=frozenset({"preproc_include"}),
    values={
        "preproc_def": "name",
        "type_definition": "declarator",
        "declaration": "declarator",
        "field_declaration": "declarator",
    },
)

_CPP = replace(
    _C,
    names=_C.names | {"namespace_identifier"},
    imports=_C.imports | {"using_declaration"},
    values={**_C.values, "alias_declaration": "name"},
)

_C_SHARP = SymbolTable(
    imports=frozenset({"using_directive"}),
    values={
        "field_declaration": "variable_declaration variable_declarator name",
        "property_declaration": "name",
        "enum_member_declaration": "name",
    },
)

_RUBY = SymbolTable(names=frozenset({"identifier", "constant"}), values={"assignment": "left"})

_PHP = SymbolTable(
    names=frozenset({"name"}),
    imports=frozenset({"namespace_use_declaration"}),
    values={"const_declaration": "const_element name", "property_declaration": "property_element name name"},
)

_BASH = SymbolTable(
    names=frozenset({"command_name", "variable_name"}), values={"variable_assignment": "name"}
)

_KOTLIN = SymbolTable(
    imports=frozenset({"import"}), values={"property_declaration": "variable_declaration identifier"}
)

_SWIFT = SymbolTable(
    names=frozenset({"simple_identifier", "type_identifier"}),
    imports=frozenset({"import_declaration"}),
    values={"property_declaration": "name bound_identifier", "typealias_declaration": "name"},
)

_SCALA = SymbolTable(
    names=frozenset({"identifier", "type_identifier"}),
    imports=frozenset({"import_declaration"}),
    values={"val_definition": "pattern", "type_definition": "name"},
)

_HASKELL = SymbolTable(
    names=frozenset({"variable", "constructor", "name"}),
    imports=frozenset({"import"}),
    is_imported_by_name=False,  # an import without a list brings all names
)

SYMBOL_TABLES: Mapping[str, SymbolTable] = {
    "python": _PYTHON,
    "javascript": _JAVASCRIPT,
    "javascriptreact": _JAVASCRIPT,
    "typescript": _TYPESCRIPT,
    "typescriptreact": _TYPESCRIPT,
    "go": _GO,
    "rust": _RUST,
    "java": _JAVA,
    "c": _C,
    "cpp": _CPP,
    "csharp": _C_SHARP,
    "ruby": _RUBY,
    "php": _PHP,
    "shellscript": _BASH,
    "lua": SymbolTable(),
    "kotlin": _KOTLIN,
    "swift": _SWIFT,
    "scala": _SCALA,
    "haskell": _HASKELL,
}
"""By LSP language id, one for each profile."""
