"""Find errors that the grammars of tree-sitter accept, with the language's own parser or our rules."""

from __future__ import annotations

from twospeed.aio import in_thread
from twospeed.text.code.scope import SyntaxErrorAt
from twospeed.text.line_blocks import Lines

from .compiler_faults import LANGUAGES as WITH_COMPILER
from .compiler_faults import new_compiler_fault
from .early_errors import new_early_error
from .library_parsers import LANGUAGES as WITH_LIBRARY
from .library_parsers import new_library_fault, new_python_fault

MAX_BYTES_AT_ONCE = 10_000
"""UTF-8 bytes of a document that is checked on the event loop: 1 ms of Python, 7 ms of TypeScript."""


async def find_new_fault(
    before: Lines,
    after: Lines,
    language_id: str,
    path: str,
    scope: tuple[int, int, int],
) -> SyntaxErrorAt | None:
    """Return the first error that an edit adds and that the grammar accepts.

    ``scope`` has three lines: its first one, its end before the edit, and its end after it. Ends are exclusive.
    """
    if language_id != "python" and language_id not in WITH_LIBRARY | WITH_COMPILER:
        return None

    def check() -> SyntaxErrorAt | None:
        if language_id == "python":
            return new_python_fault(before, after, scope, path)
        if language_id in WITH_LIBRARY:
            return new_library_fault(before, after, language_id, path, scope)
        fault = new_early_error(before, after, language_id, scope)
        return fault or new_compiler_fault(before, after, language_id, scope)

    is_long = max(before.n_bytes, after.n_bytes) > MAX_BYTES_AT_ONCE
    return await in_thread(check) if is_long else check()
