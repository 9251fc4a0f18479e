"""Find errors of an edit that grammars accept, with the language's own parser or our rules."""

from __future__ import annotations

from collections.abc import Callable

from twospeed.aio import in_thread
from twospeed.text.code.scope import SyntaxErrorAt
from twospeed.text.line_blocks import Lines

from .compiler_faults import LANGUAGES as WITH_COMPILER
from .compiler_faults import new_compiler_fault
from .early_errors import LANGUAGES as WITH_EARLY_ERRORS
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
    """Return the first new error of an edit that the grammar accepts. A long document is checked in a thread.

    Args:
        before: Lines of the document, with line ends.
        after: Lines with the edit.
        language_id: LSP language id.
        path: URI or path of the document.
        scope: First line of the scope, and the line after its last before and after the edit.

    Returns:
        ``None`` if there is none, if the document had one before, or if the language is not supported.
    """
    look: Callable[[], SyntaxErrorAt | None]
    if language_id == "python":
        look = lambda: new_python_fault(before, after, scope, path)  # noqa: E731
    elif language_id in WITH_LIBRARY:
        look = lambda: new_library_fault(before, after, language_id, path, scope)  # noqa: E731
    elif language_id in WITH_EARLY_ERRORS:
        look = lambda: (  # noqa: E731
            new_early_error(before, after, language_id, scope)
            or new_compiler_fault(before, after, language_id, scope)
        )
    elif language_id in WITH_COMPILER:
        look = lambda: new_compiler_fault(before, after, language_id, scope)  # noqa: E731
    else:
        return None
    is_long = max(before.n_bytes, after.n_bytes) > MAX_BYTES_AT_ONCE
    return await in_thread(look) if is_long else look()
