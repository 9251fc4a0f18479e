"""The estimated cost of a message, compared with a count over its values."""

from __future__ import annotations

import itertools
import random

import orjson
import pytest

from twospeed.lsp.wire import message_cost
from twospeed.lsp.wire.message_cost import FREE_BYTES, MAX_MULTIPLE, MessageCost, cost_of

LIST, OBJECT, STRING, NUMBER, ITEM, KEY = 64, 160, 56, 24, 8, 100
N_RANDOM = 150


def counted(value: object) -> int:
    """Add up what values take: keys beyond five of each object, texts, numbers that stand behind a comma."""
    lists = objects = keys = texts = commas = 0
    level = [value]
    while level:
        each = level.pop()
        if isinstance(each, dict):
            objects, keys = objects + 1, keys + len(each)
        lists += isinstance(each, list)
        texts += isinstance(each, str)
        if isinstance(each, (dict, list)):
            commas += max(0, len(each) - 1)
            level += each.values() if isinstance(each, dict) else each
    more_keys, numbers = max(0, keys - 5 * objects), max(0, commas - texts)
    items = max(0, commas + lists + objects - keys)
    parts = (
        (lists, LIST),
        (objects, OBJECT),
        (more_keys, KEY),
        (texts, STRING),
        (numbers, NUMBER),
        (items, ITEM),
    )
    return sum(n * size for n, size in parts)


def depth_of(value: object) -> int:
    within = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if within is None else 1 + max(map(depth_of, within), default=0)


def some_value(dice: random.Random, depth: int) -> object:
    kind = dice.randrange(6 if depth else 4)
    if kind == 4:
        return [some_value(dice, depth - 1) for _ in range(dice.randrange(5))]
    if kind == 5:
        return {f"{key}[{{": some_value(dice, depth - 1) for key in range(dice.randrange(9))}
    return (5, "a", 'a "quoted\\" [text{, \\\\', "")[kind]


def test_the_cost_and_the_depth_are_those_of_the_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(message_cost, "FREE_BYTES", 0)
    monkeypatch.setattr(message_cost, "_PIECE_BYTES", 7)
    dice = random.Random("costs")
    for _ in range(N_RANDOM):
        value = [some_value(dice, dice.randrange(9))]
        body, n_bytes, depth = orjson.dumps(value), counted(value), depth_of(value)
        is_too_large = n_bytes > MAX_MULTIPLE * len(body)
        for max_depth in (max(depth - 1, 4), max(depth, 4)):
            is_too_deep = not is_too_large and depth > max_depth
            assert cost_of(body, max_depth) == MessageCost(n_bytes, is_too_large, is_too_deep), value


def test_a_message_may_take_ten_times_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(message_cost, "FREE_BYTES", 0)
    for n_lists, n_blanks in itertools.product((1, 2, 10), range(200)):
        value: list[object] = [[]] * n_lists
        body = orjson.dumps(value) + b" " * n_blanks
        assert cost_of(body, 9).is_too_large is (counted(value) > MAX_MULTIPLE * len(body))


@pytest.mark.parametrize(
    ("part", "n_bytes"), [(b"[]", 72 + 64), (b"{}", 168 + 64), (b'"":0', 156 + 64), (b"0", 64)]
)
def test_a_message_that_cannot_take_four_megabytes_is_not_measured(part: bytes, n_bytes: int) -> None:
    """Each part comes with a comma. The most that a part may take is estimated without leaving strings out."""
    n_parts = FREE_BYTES // n_bytes
    deepest = 10**9
    within = b",".join([part] * (n_parts - 3))
    assert cost_of(b" " * 60 + within, deepest) == MessageCost(0, is_too_large=False, is_too_deep=False)
    beyond = b",".join([part] * (n_parts + 3))
    assert cost_of(beyond, deepest).n_bytes > 0
