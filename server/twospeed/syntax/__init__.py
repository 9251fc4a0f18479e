"""Source code → scopes, syntax errors, facts. The only room that knows tree-sitter, which the first parse loads.

``find_scope``, ``enclosing_scopes``   the lines an edit may change
``count_errors``                       what the parser could not read
``code_facts``                         what an engine may know of a scope without parsing it
``find_instruction_comment``           ``# ai: …``
``comment_markers``, ``has_grammar``   what is known of a language

Everything takes a document's lines as ``text.lines.split_lines`` gives them, and its LSP language id; places are
lines and columns in code points. Nothing here changes text, does I/O or keeps state beyond the last few trees.
"""

from .comments import find_instruction_comment
from .facts import code_facts
from .health import count_errors
from .languages import comment_markers, has_grammar, profile_for
from .scope import enclosing_scopes, find_scope

__all__ = [
    "code_facts",
    "comment_markers",
    "count_errors",
    "enclosing_scopes",
    "find_instruction_comment",
    "find_scope",
    "has_grammar",
    "profile_for",
]
