"""Compare the blocks of two forms of one text, of which only some lines are formatted.

If blocks end by indentation, a line with the indentation of a formatter next to lines without it may be in another block.
"""

from __future__ import annotations

import io
import tokenize

MAX_CHARS = 400_000
"""Longest Python text that is compared; tokens take 1 s for a megabyte."""

_BY_INDENTATION = frozenset(
    {
        "bazel",
        "coffeescript",
        "elm",
        "fsharp",
        "gdscript",
        "haml",
        "haskell",
        "markdown",
        "nim",
        "ocaml",
        "pug",
        "purescript",
        "restructuredtext",
        "sass",
        "scala",
        "slim",
        "starlark",
        "stylus",
        "yaml",
    }
)
"""Languages other than Python whose blocks depend on indentation."""

_NO_STATEMENT = frozenset({tokenize.COMMENT, tokenize.NL, tokenize.ENCODING, tokenize.ENDMARKER})


def keeps_blocks(before: str, after: str, language_id: str) -> bool:
    """Return whether each statement of a text is certainly in the same block in another form of the text."""
    if language_id != "python":
        return language_id not in _BY_INDENTATION
    if max(len(before), len(after)) > MAX_CHARS:
        return False
    blocks = _python_blocks(before)
    return blocks is not None and blocks == _python_blocks(after)


def _python_blocks(text: str) -> list[tuple[int, str]] | None:
    """Return the depth and the first token of each statement; ``None`` if the text has no tokens of Python."""
    found: list[tuple[int, str]] = []
    depth, is_new = 0, True
    try:
        for token in tokenize.generate_tokens(io.StringIO(text.removeprefix("\ufeff")).readline):
            if token.type == tokenize.INDENT:
                depth += 1
            elif token.type == tokenize.DEDENT:
                depth -= 1
            elif token.type == tokenize.NEWLINE:
                is_new = True
            elif is_new and token.type not in _NO_STATEMENT:
                first = "" if token.type == tokenize.STRING else token.string
                found.append((depth, first))
                is_new = False
    except (tokenize.TokenError, SyntaxError):
        return None
    return found
