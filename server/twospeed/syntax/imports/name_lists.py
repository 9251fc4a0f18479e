"""Insert a name into the list of an import statement, in the form and order of the list."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from .statements import ImportDialect, ImportStatement, SortKey

_NAME = re.compile(r"[^,\s]++(?:\s++[^,\s]++)*+")
_INDENT = re.compile(r"[ \t]*")


@dataclass(frozen=True, slots=True)
class _Entry:
    start: int
    end: int
    text: str


NameOrder = Callable[[str], SortKey]


def orders_of(dialect: ImportDialect, known: Sequence[ImportStatement]) -> list[NameOrder]:
    """Return the orders of names, first those in which the most lists of a block are sorted."""
    lists = [[name.text for name in each.names if name.role == "name"] for each in known]
    several = [each for each in lists if len(each) > 1]

    def n_unsorted(order: NameOrder) -> int:
        return sum(not _is_sorted([order(name) for name in names]) for names in several)

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
    entries = [
        _Entry(start + found.start(), start + found.end(), " ".join(found[0].split()))
        for found in _NAME.finditer(masked[start:end])
    ]
    if not entries:
        return None
    at = _place_of(orders, [each.text for each in entries], name)
    if "\n" not in text[start:end]:
        return _in_line(text, masked, entries, at, name, limit, end)
    rows = [text.count("\n", 0, each.start) for each in entries]
    is_vertical = len(set(rows)) == len(rows)
    opens_alone = "\n" in text[start : entries[0].start]
    if not is_vertical or (at == 0 and not opens_alone):
        return _in_line(text, masked, entries, at, name, limit, end)
    return _on_own_line(text, masked, entries, at, name, end)


def _place_of(orders: Sequence[NameOrder], names: Sequence[str], name: str) -> int:
    """Return the index of a new name in a list, which is its end if the list is not sorted."""
    for order in orders:
        keys = [order(each) for each in names]
        if _is_sorted(keys):
            return next((index for index, key in enumerate(keys) if key > order(name)), len(keys))
    return len(names)


def _is_sorted(keys: Sequence[SortKey]) -> bool:
    return all(first <= second for first, second in pairwise(keys))


def _in_line(
    text: str, masked: str, entries: Sequence[_Entry], at: int, name: str, limit: int, end: int
) -> str | None:
    if at < len(entries):
        where, new = entries[at].start, f"{name}, "
    elif "," in masked[entries[-1].end : end]:
        return None if "\n" in text[entries[-1].end : end] else _before_comma(text, entries, name, limit)
    else:
        where, new = entries[-1].end, f", {name}"
    return _if_it_fits(text[:where] + new + text[where:], where, limit)


def _before_comma(text: str, entries: Sequence[_Entry], name: str, limit: int) -> str | None:
    where = entries[-1].end
    return _if_it_fits(f"{text[:where]}, {name}{text[where:]}", where, limit)


def _if_it_fits(text: str, where: int, limit: int) -> str | None:
    start = text.rfind("\n", 0, where) + 1
    end = text.find("\n", where)
    return text if (end if end >= 0 else len(text)) - start <= limit else None


def _on_own_line(text: str, masked: str, entries: Sequence[_Entry], at: int, name: str, end: int) -> str:
    if 0 < at < len(entries):
        where = _line_end(text, entries[at - 1].end) + 1
    elif at == 0:
        where = text.rfind("\n", 0, entries[0].start) + 1
    else:
        return _at_the_end(text, masked, entries[-1], name, end)
    near = entries[min(at, len(entries) - 1)]
    return f"{text[:where]}{_indent_at(text, near.start)}{name},\n{text[where:]}"


def _at_the_end(text: str, masked: str, last: _Entry, name: str, end: int) -> str:
    indent = _indent_at(text, last.start)
    if "," in masked[last.end : end]:
        where = _line_end(text, last.end)
        return f"{text[:where]}\n{indent}{name},{text[where:]}"
    where = _line_end(text, last.end)
    if where > end:  # the closing bracket is on this line
        where = last.end
    return f"{text[: last.end]},{text[last.end : where]}\n{indent}{name}{text[where:]}"


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return end if end >= 0 else len(text)


def _indent_at(text: str, at: int) -> str:
    start = text.rfind("\n", 0, at) + 1
    before = text[start:at]
    found = _INDENT.match(before)
    assert found
    return found[0] if found.end() == len(before) else " " * len(before)
