"""Language ids and keywords of JavaScript and TypeScript."""

from __future__ import annotations

LANGUAGE_IDS = frozenset({"javascript", "javascriptreact", "typescript", "typescriptreact"})
"""LSP language ids whose files can import one another."""

_KEYWORDS = """
async await break case catch class const continue debugger default delete do else export extends false finally for
function if import in instanceof let new null return static super switch this throw true try typeof undefined var void
while with yield
"""

KEYWORDS = frozenset(_KEYWORDS.split())
"""Keywords and reserved words of ECMA-262, and ``undefined``. No import or definition brings them."""
