"""Parse source code into scopes, syntax errors, definitions and names.

The only room with tree-sitter, which the first parse loads. All functions take the lines of a document as
``text.lines.split_lines`` returns them, and its LSP language id. Places are lines and columns in code
points. No function changes text or does I/O; only the last few trees are kept.
"""

from twospeed.syntax.duplicates.duplicate_functions import fingerprint_of

from .background import start_parsing, wait_for_names, wait_for_scope_code, wait_for_symbols, wait_for_tree
from .callers import (
    Callee,
    CallSite,
    CallSites,
    ChangedSignature,
    call_sites,
    changed_signatures,
    go_package,
    is_same_family,
)
from .definitions.symbols import is_imported_by_name, names_used, symbols_of
from .duplicates.duplicate_functions import DuplicateFunction, find_duplicates, new_functions
from .faults.language_faults import find_new_fault
from .faults.library_parsers import count_errors_by_library
from .faults.same_blocks import keeps_blocks
from .faults.syntax_errors import (
    count_errors,
    count_errors_of_fresh_tree,
    distinguishes_code_from_prose,
    find_errors,
)
from .imports import AddedImports, UnusedImport, add_imports, removed_names, unused_imports
from .instruction_comments import comment_text, find_instruction_comment
from .languages import comment_markers, has_grammar, profile_for
from .part_places import PlacedPart, place_parts
from .scopes.scope import enclosing_scopes, find_scope
from .scopes.scope_code import import_statements, scope_code
from .trees.trees import forget_closed, is_tree_ready
from .unresolved.missing_imports import import_for
from .unresolved.unresolved_names import UndefinedName, unknown_names

__all__ = [
    "AddedImports",
    "CallSite",
    "CallSites",
    "Callee",
    "ChangedSignature",
    "DuplicateFunction",
    "PlacedPart",
    "UndefinedName",
    "UnusedImport",
    "add_imports",
    "call_sites",
    "changed_signatures",
    "comment_markers",
    "comment_text",
    "count_errors",
    "count_errors_by_library",
    "count_errors_of_fresh_tree",
    "distinguishes_code_from_prose",
    "enclosing_scopes",
    "find_duplicates",
    "find_errors",
    "find_instruction_comment",
    "find_new_fault",
    "find_scope",
    "fingerprint_of",
    "forget_closed",
    "go_package",
    "has_grammar",
    "import_for",
    "import_statements",
    "is_imported_by_name",
    "is_same_family",
    "is_tree_ready",
    "keeps_blocks",
    "names_used",
    "new_functions",
    "place_parts",
    "profile_for",
    "removed_names",
    "scope_code",
    "start_parsing",
    "symbols_of",
    "unknown_names",
    "unused_imports",
    "wait_for_names",
    "wait_for_scope_code",
    "wait_for_symbols",
    "wait_for_tree",
]
