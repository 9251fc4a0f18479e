"""Find the place of a new statement in an import block: its group, and its place in the order of the group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from .blocks import BlockItem
from .statements import ImportDialect, ImportStatement, Order

_FEW = 2
"""So many statements may be sorted by chance; fewer have no order."""


@dataclass(frozen=True, slots=True)
class _Group:
    """The items ``start`` to ``stop`` of a block, which are between blank lines and have imports.

    ``indexes`` and ``ranks`` are those of its statements.
    """

    start: int
    stop: int
    indexes: Sequence[int]
    statements: Sequence[ImportStatement]
    ranks: Sequence[int]


def insert(
    dialect: ImportDialect,
    items: Sequence[BlockItem],
    new: BlockItem,
    statement: ImportStatement,
    eol: str,
) -> list[BlockItem]:
    """Return the items of a block with a new one at its place."""
    groups = _groups_of(dialect, items)
    group = _group_for(dialect, groups, statement)
    if group is not None:
        at = _place_in(dialect, items, groups, group, statement)
        return [*items[:at], new, *items[at:]]
    blank = BlockItem((eol,))
    lower = _not_above(groups, dialect.rank(statement))
    at = lower[-1].stop if lower else groups[0].start
    return [*items[:at], *((blank, new) if lower else (new, blank)), *items[at:]]


def _groups_of(dialect: ImportDialect, items: Sequence[BlockItem]) -> list[_Group]:
    groups: list[_Group] = []
    for is_blank, found in groupby(range(len(items)), key=lambda index: items[index].is_blank):
        span = list(found)
        if not is_blank and any(items[index].is_import for index in span):
            known = [(index, each) for index in span if (each := items[index].statement)]
            statements = [each for _, each in known]
            ranks = list(map(dialect.rank, statements))
            groups.append(_Group(span[0], span[-1] + 1, [at for at, _ in known], statements, ranks))
    return groups


def _not_above(groups: Sequence[_Group], rank: int) -> list[_Group]:
    return [group for group in groups if min(group.ranks, default=0) <= rank]


def _group_for(dialect: ImportDialect, groups: Sequence[_Group], new: ImportStatement) -> _Group | None:
    """Return the group that a statement belongs to; ``None`` if it needs a new one."""
    rank, package = dialect.rank(new), dialect.package(new)
    for group in groups:
        if any((dialect.rank(each), dialect.package(each)) == (rank, package) for each in group.statements):
            return group
    largest = max(groups, key=lambda group: group.ranks.count(rank))
    if rank in largest.ranks:
        return largest
    is_one_mixed = len(groups) == 1 and len(set(largest.ranks)) > 1 and min(largest.ranks) < rank
    are_pure = len(groups) > 1 and all(len(set(group.ranks)) <= 1 for group in groups)
    if are_pure or (dialect.keeps_groups and not is_one_mixed):
        return None
    return next(reversed(_not_above(groups, rank)), groups[0])


def _place_in(
    dialect: ImportDialect,
    items: Sequence[BlockItem],
    groups: Sequence[_Group],
    group: _Group,
    new: ImportStatement,
) -> int:
    if not group.statements:
        return group.stop
    order = _order_of(dialect, [each.statements for each in groups], group.statements)
    if order is None:
        return _after_related(dialect, group, new)
    for index, statement in zip(group.indexes, group.statements, strict=True):
        if order(statement) > order(new):
            return _above_comments(items, index, group.indexes[0])
    return group.stop if items[group.stop - 1].is_import else group.indexes[-1] + 1


def _order_of(
    dialect: ImportDialect, groups: Sequence[Sequence[ImportStatement]], own: Sequence[ImportStatement]
) -> Order | None:
    """Return the order of all groups, else that of the statement's own group."""
    if max(map(len, groups)) < _FEW:
        return dialect.orders[0] if dialect.is_usually_sorted else None
    for order in dialect.orders:
        if all(_is_sorted(order, each) for each in groups):
            return order
    return next((order for order in dialect.orders if len(own) > _FEW and _is_sorted(order, own)), None)


def _is_sorted(order: Order, statements: Sequence[ImportStatement]) -> bool:
    keys = [order(each) for each in statements]
    return keys == sorted(keys)


def _after_related(dialect: ImportDialect, group: _Group, new: ImportStatement) -> int:
    """Return the place below the last statement of the same package, else form, else rank, else of a lower rank."""
    rank, package = dialect.rank(new), dialect.package(new)
    known = list(zip(group.indexes, group.statements, group.ranks, strict=True))
    same = [(index, each) for index, each, its_rank in known if its_rank == rank]
    for related in (
        [index for index, each in same if dialect.package(each) == package],
        [index for index, each in same if each.form == new.form],
        [index for index, _ in same],
        [index for index, _, its_rank in known if its_rank < rank],
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
