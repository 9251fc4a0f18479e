"""Call `add_imports` on texts."""

from __future__ import annotations

from twospeed.syntax.imports.add_imports import add_imports
from twospeed.text.lines import split_lines

NO = "(not certain)"
SAME = "(unchanged)"


def added(language_id: str, text: str, *statements: str) -> str:
    """Return the document with the imports, `NO`, or `SAME` if it has them."""
    lines = split_lines(text)
    result = add_imports(lines, language_id, statements)
    if result is None:
        return NO
    new = "".join([*lines[: result.start], *result.lines, *lines[result.end :]])
    if not result.statements:
        assert new == text
        return SAME
    return new


def statements_added(language_id: str, text: str, *statements: str) -> tuple[str, ...] | None:
    """Return what was really added."""
    result = add_imports(split_lines(text), language_id, statements)
    return result.statements if result else None
