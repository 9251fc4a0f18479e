"""Insert a name into the list of an import statement, in the form and order of the list."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from .statements import ImportDialect, ImportStatement, SortKey

_NAME = re.compile(r"[^,\s]++(?:\s++[^,\s]++)*+")

NameOrder = Callable[[str], SortKey]


def orders_of(dialect: ImportDialect, known: Sequence[ImportStatement]) -> list[NameOrder]:
    """Return the orders of names, first those in which the most lists of a block are sorted."""
    lists = [[name.text for name in each.names if name.role == "name"] for each in known]

    def n_unsorted(order: NameOrder) -> int:
        return sum(not _is_sorted(names, order) for names in lists)

    return sorted(dialect.name_orders, key=n_unsorted)


def add_name(
    dialect: ImportDialect,
    orders: Sequence[NameOrder],
    text: str,
    list_at: tuple[int, int],
    name: str,
    limit: int,
) -> str | None:
    """Return the text of a statement with another name, or ``None`` if no line has room for it."""
    start, end = list_at
    masked = dialect.masked(text)
    entries = list(_NAME.finditer(masked, start, end))
    if not entries:
        return None
    at = _place_of(orders, [" ".join(each[0].split()) for each in entries], name)
    rows = {text.count("\n", 0, each.start()) for each in entries}
    is_vertical = "\n" in text[start:end] and len(rows) == len(entries)
    opens_alone = "\n" in text[start : entries[0].start()]
    if not is_vertical or (at == 0 and not opens_alone):
        return _on_shared_line(text, masked, entries, at, name, limit, end)
    if at == len(entries):
        return _on_last_line(text, masked, entries[-1], name, end)
    where = _line_end(text, entries[at - 1].end()) + 1 if at else text.rfind("\n", 0, entries[0].start()) + 1
    return f"{text[:where]}{_indent_of(text, entries[at])}{name},\n{text[where:]}"


def _place_of(orders: Sequence[NameOrder], names: Sequence[str], name: str) -> int:
    """Return the index of a new name in a list, which is its end if the list is not sorted."""
    for order in orders:
        if _is_sorted(names, order):
            return next((at for at, each in enumerate(names) if order(each) > order(name)), len(names))
    return len(names)


def _is_sorted(names: Sequence[str], order: NameOrder) -> bool:
    return all(order(first) <= order(second) for first, second in pairwise(names))


def _on_shared_line(
    text: str, masked: str, entries: Sequence[re.Match[str]], at: int, name: str, limit: int, end: int
) -> str | None:
    if at < len(entries):
        where, new = entries[at].start(), f"{name}, "
    else:
        where, new = entries[-1].end(), f", {name}"
        if "," in masked[where:end] and "\n" in text[where:end]:
            return None
    result = text[:where] + new + text[where:]
    first = result.rfind("\n", 0, where) + 1
    return result if _line_end(result, where) - first <= limit else None


def _on_last_line(text: str, masked: str, last: re.Match[str], name: str, end: int) -> str:
    behind_comma = masked.find(",", last.end(), end) + 1
    where = _line_end(text, last.end())
    if where > end:  # the closing bracket is on this line
        where = behind_comma or last.end()
    comma, next_comma = ("", ",") if behind_comma else (",", "")
    above = text[: last.end()] + comma + text[last.end() : where]
    return f"{above}\n{_indent_of(text, last)}{name}{next_comma}{text[where:]}"


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return end if end >= 0 else len(text)


def _indent_of(text: str, entry: re.Match[str]) -> str:
    before = text[text.rfind("\n", 0, entry.start()) + 1 : entry.start()]
    return " " * len(before) if before.strip() else before
