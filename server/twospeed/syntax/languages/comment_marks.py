"""Comment syntax, also of languages without a grammar, for instruction comments.

Language ids are those of LSP 3.17 and VS Code.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CommentMarks:
    """Marks of line comments, and opening and closing marks of block comments."""

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
    (CommentMarks(("//",)), "go.mod go.work"),
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
    """Return the comment syntax of a language, without marks if it is unknown."""
    return _MARKS.get(language_id, CommentMarks())


def comment_markers(language_id: str) -> tuple[str, ...]:
    """Return the marks of line comments in a language, such as ``#``."""
    return comment_marks(language_id).line
