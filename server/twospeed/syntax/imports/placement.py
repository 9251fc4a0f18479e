"""Find the place of a new statement in an import block: its group, and its place in the order of the group."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from .blocks import BlockItem
from .statements import ImportDialect, ImportStatement, Order

_FEW = 2
"""Statements that show by chance that they are sorted."""


def insert(
    dialect: ImportDialect,
    items: Sequence[BlockItem],
    new: BlockItem,
    statement: ImportStatement,
    eol: str,
) -> list[BlockItem]:
    """Return the items of a block with a new one at its place."""
    groups = _groups_of(items)
    group = _group_for(dialect, items, groups, statement)
    if group is not None:
        at = _place_in(dialect, items, groups, group, statement)
        return [*items[:at], new, *items[at:]]
    blank = BlockItem((eol,))
    rank = dialect.rank(statement)
    lower = [each for each in groups if _lowest_rank(dialect, items, each) <= rank]
    if lower:
        at = lower[-1].stop
        return [*items[:at], blank, new, *items[at:]]
    at = groups[0].start
    return [*items[:at], new, blank, *items[at:]]


def _groups_of(items: Sequence[BlockItem]) -> list[range]:
    """Return the ranges of items between blank lines that have imports."""
    groups: list[range] = []
    for is_blank, found in groupby(range(len(items)), key=lambda index: items[index].is_blank):
        indexes = list(found)
        if not is_blank and any(items[index].is_import for index in indexes):
            groups.append(range(indexes[0], indexes[-1] + 1))
    return groups


def _statements(items: Sequence[BlockItem], group: range) -> list[ImportStatement]:
    return [each for index in group if (each := items[index].statement)]


def _lowest_rank(dialect: ImportDialect, items: Sequence[BlockItem], group: range) -> int:
    return min(map(dialect.rank, _statements(items, group)), default=0)


def _group_for(
    dialect: ImportDialect, items: Sequence[BlockItem], groups: Sequence[range], new: ImportStatement
) -> range | None:
    rank, package = dialect.rank(new), dialect.package(new)
    ranked = [[dialect.rank(each) for each in _statements(items, group)] for group in groups]
    related = [
        group
        for group in groups
        if any(
            dialect.package(each) == package and dialect.rank(each) == rank
            for each in _statements(items, group)
        )
    ]
    if related:
        return related[0]
    counts = [ranks.count(rank) for ranks in ranked]
    if any(counts):
        return groups[counts.index(max(counts))]
    is_one_mixed = len(groups) == 1 and len(set(ranked[0])) > 1 and min(ranked[0]) < rank
    are_pure = len(groups) > 1 and all(len(set(ranks)) <= 1 for ranks in ranked)
    if are_pure or (dialect.keeps_groups and not is_one_mixed):
        return None
    lower = [group for group, ranks in zip(groups, ranked, strict=True) if ranks and min(ranks) <= rank]
    return lower[-1] if lower else groups[0]


def _place_in(
    dialect: ImportDialect,
    items: Sequence[BlockItem],
    groups: Sequence[range],
    group: range,
    new: ImportStatement,
) -> int:
    order = _order_of(dialect, items, groups, group)
    indexes = [index for index in group if items[index].statement]
    if not indexes:
        return group.stop
    if order is None:
        return _after_related(dialect, items, indexes, new, group)
    for index in indexes:
        statement = items[index].statement
        if statement and order(statement) > order(new):
            return _above_comments(items, index, indexes[0])
    return group.stop if items[group.stop - 1].is_import else indexes[-1] + 1


def _order_of(
    dialect: ImportDialect, items: Sequence[BlockItem], groups: Sequence[range], group: range
) -> Order | None:
    all_groups = [_statements(items, each) for each in groups]
    for order in dialect.orders:
        if all(_is_sorted(order, each) for each in all_groups) and max(map(len, all_groups)) >= _FEW:
            return order
    if max(map(len, all_groups)) < _FEW:
        return dialect.orders[0] if dialect.is_usually_sorted else None
    own = all_groups[groups.index(group)]
    if len(own) <= _FEW:
        return None
    return next((order for order in dialect.orders if _is_sorted(order, own)), None)


def _is_sorted(order: Order, statements: Sequence[ImportStatement]) -> bool:
    keys = [order(each) for each in statements]
    return keys == sorted(keys)


def _after_related(
    dialect: ImportDialect,
    items: Sequence[BlockItem],
    indexes: Sequence[int],
    new: ImportStatement,
    group: range,
) -> int:
    rank, package = dialect.rank(new), dialect.package(new)
    known = [(index, each) for index in indexes if (each := items[index].statement)]
    for related in (
        [index for index, each in known if dialect.package(each) == package and dialect.rank(each) == rank],
        [index for index, each in known if dialect.rank(each) == rank and each.form == new.form],
        [index for index, each in known if dialect.rank(each) == rank],
        [index for index, each in known if dialect.rank(each) < rank],
    ):
        if related:
            return related[-1] + 1
    return group.start


def _above_comments(items: Sequence[BlockItem], index: int, first: int) -> int:
    if index == first:
        return index  # a comment at the head of a group is its title
    while not items[index - 1].is_import and not items[index - 1].is_blank:
        index -= 1
    return index
