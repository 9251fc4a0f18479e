"""Source code → scopes, syntax errors, facts. The only room that knows tree-sitter, which the first parse loads.

``find_scope``, ``enclosing_scopes``   the lines an edit may change
``count_errors``                       what the parser could not read
``code_facts``                         what an engine may know of a scope without parsing it
``wait_for_tree``                      have a large document parsed before asking any of these
``find_instruction_comment``           ``# ai: …``
``comment_markers``, ``has_grammar``   what is known of a language

Everything takes a document's lines as ``text.lines.split_lines`` gives them, and its LSP language id; places are
lines and columns in code points. Nothing here changes text, does I/O or keeps state beyond the last few trees.
"""

from .background import start_parsing, wait_for_tree
from .comments import find_instruction_comment
from .facts import code_facts
from .health import count_errors, count_errors_afresh, tells_code_from_talk
from .languages import comment_markers, has_grammar, profile_for
from .scope import enclosing_scopes, find_scope
from .trees import is_at_hand

__all__ = [
    "code_facts",
    "comment_markers",
    "count_errors",
    "count_errors_afresh",
    "enclosing_scopes",
    "find_instruction_comment",
    "find_scope",
    "has_grammar",
    "is_at_hand",
    "profile_for",
    "start_parsing",
    "tells_code_from_talk",
    "wait_for_tree",
]
