"""Facts of JavaScript and TypeScript that several rooms need."""

from __future__ import annotations

LANGUAGE_IDS = frozenset({"javascript", "javascriptreact", "typescript", "typescriptreact"})
"""Of LSP: code of one of them can use that of another."""

KEYWORDS = frozenset(
    [
        "async",
        "await",
        "break",
        "case",
        "catch",
        "class",
        "const",
        "continue",
        "debugger",
        "default",
        "delete",
        "do",
        "else",
        "export",
        "extends",
        "false",
        "finally",
        "for",
        "function",
        "if",
        "import",
        "in",
        "instanceof",
        "let",
        "new",
        "null",
        "return",
        "static",
        "super",
        "switch",
        "this",
        "throw",
        "true",
        "try",
        "typeof",
        "undefined",
        "var",
        "void",
        "while",
        "with",
        "yield",
    ]
)
"""ECMA-262, "Keywords and Reserved Words", and ``undefined``: what code always has, and nothing brings."""
