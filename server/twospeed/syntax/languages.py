"""What is known of each language: node types that matter, and how comments are written. Data only.

A ``LanguageProfile`` says which tree-sitter grammar reads an LSP language id and which of its node types are
functions, classes, and the declarations around them. ``tags.scm`` of the grammars is not used: it knows
signatures without bodies, misses constructors and class field arrows, and never includes decorators.
Comment marks are known for many more languages, so that instruction comments work without a grammar.
Language ids: LSP 3.17, "Text Document Language Identifiers", and the ids VS Code registers beyond those.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class LanguageProfile:
    """How to find definitions in one language's trees.

    Attributes:
        language_id: LSP language id.
        module: Python module of the grammar.
        accessor: Function of that module which returns the grammar.
        functions: Node types of functions and methods, named or not.
        classes: Node types of classes and their like.
        wrappers: Node types around a definition that belong to it: decorators, ``export``, ``const f =``, ``f:``.
        steps: Fields that lead from a wrapper down to the definition it wraps.
        binders: Wrappers that give the wrapped definition its name, each with the field the name stands in.
        leading: Node types that belong to the definition on the line below: doc comments, decorators.
        is_indented: Whether a body ends where the indentation does, so that a blank line may belong to it.
    """

    language_id: str
    module: str
    accessor: str
    functions: frozenset[str]
    classes: frozenset[str]
    wrappers: frozenset[str]
    steps: tuple[str, ...]
    binders: Mapping[str, str] = field(default_factory=dict)
    leading: frozenset[str] = frozenset({"comment"})
    is_indented: bool = False


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

PROFILES: Mapping[str, LanguageProfile] = {
    profile.language_id: profile
    for profile in (
        _PYTHON,
        _JAVASCRIPT,
        replace(_JAVASCRIPT, language_id="javascriptreact"),
        _TYPESCRIPT,
        replace(_TYPESCRIPT, language_id="typescriptreact", accessor="language_tsx"),
    )
}
"""By LSP language id."""


def profile_for(language_id: str) -> LanguageProfile | None:
    """Return what is known of a language's trees, ``None`` where there is no grammar for it."""
    return PROFILES.get(language_id)


def has_grammar(language_id: str) -> bool:
    """Whether documents of this language are parsed at all."""
    return language_id in PROFILES


@dataclass(frozen=True, slots=True)
class CommentMarks:
    """How a language writes comments.

    Attributes:
        line: What opens a comment that ends with its line.
        block: Opening and closing marks of comments that end where they say.
    """

    line: tuple[str, ...] = ()
    block: tuple[tuple[str, str], ...] = ()


_C_BLOCK = ("/*", "*/")
_MARKUP_BLOCK = ("<!--", "-->")
_HASH = CommentMarks(("#",))
_SLASHES = CommentMarks(("//",), (_C_BLOCK,))
_JSX = CommentMarks(("//",), (_C_BLOCK, ("{/*", "*/}")))
_MARKUP = CommentMarks((), (_MARKUP_BLOCK,))
_COMPONENT = CommentMarks(("//",), (_MARKUP_BLOCK, _C_BLOCK))
_STYLE = CommentMarks((), (_C_BLOCK,))
_SEMICOLONS = CommentMarks((";",))
_PERCENT = CommentMarks(("%",))

_FAMILIES: tuple[tuple[CommentMarks, str], ...] = (
    (
        _HASH,
        "python shellscript ruby perl perl6 raku r yaml dockerfile makefile cmake elixir julia nim crystal toml",
    ),
    (
        _HASH,
        "properties ignore dotenv fish gdscript graphql git-commit git-rebase coffeescript tcl starlark bazel",
    ),
    (
        _SLASHES,
        "javascript typescript go rust java c cpp cuda-cpp csharp objective-c objective-cpp swift kotlin",
    ),
    (_SLASHES, "scala dart groovy jsonc json5 zig proto proto3 solidity d pug glsl wgsl hlsl odin v"),
    (_SLASHES, "scss sass less stylus"),
    (_JSX, "javascriptreact typescriptreact"),
    (_MARKUP, "html xml xsl svg markdown mdx"),
    (_COMPONENT, "vue svelte astro"),
    (_STYLE, "css"),
    (_SEMICOLONS, "clojure lisp commonlisp elisp emacs-lisp scheme racket fennel asm"),
    (_PERCENT, "tex latex bibtex erlang prolog matlab octave"),
    (CommentMarks(("//", "#"), (_C_BLOCK,)), "php terraform hcl"),
    (CommentMarks(("#",), (_C_BLOCK,)), "nix jq"),
    (CommentMarks(("#",), (("<#", "#>"),)), "powershell"),
    (CommentMarks(("--",), (_C_BLOCK,)), "sql plsql"),
    (CommentMarks(("--",), (("--[[", "]]"),)), "lua"),
    (CommentMarks(("--",), (("{-", "-}"),)), "haskell elm purescript"),
    (CommentMarks(("--",)), "ada vhdl"),
    (CommentMarks(("//",), (("(*", "*)"),)), "fsharp"),
    (CommentMarks((), (("(*", "*)"),)), "ocaml"),
    (CommentMarks(("//",), (("{", "}"), ("(*", "*)"))), "pascal"),
    (CommentMarks(('"',)), "vim viml"),
    (CommentMarks((";", "#")), "ini"),
    (CommentMarks(("'",)), "vb"),
    (CommentMarks(("!",)), "fortran fortran-modern"),
    (CommentMarks(("rem ", "::")), "bat"),
)

_MARKS: Mapping[str, CommentMarks] = {
    language_id: marks for marks, language_ids in _FAMILIES for language_id in language_ids.split()
}


def comment_marks(language_id: str) -> CommentMarks:
    """Return how a language writes comments; no marks at all for a language that is not known."""
    return _MARKS.get(language_id, CommentMarks())


def comment_markers(language_id: str) -> tuple[str, ...]:
    """Return what opens a line comment in a language, such as ``#``; empty where nothing does."""
    return comment_marks(language_id).line
