"""The number of lines and definitions that make an answer partial: both sides of each limit, with exact messages."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from twospeed.gate.facts import GateFacts
from twospeed.gate.losses.partial_answer import (
    MANY,
    MAX_NAMED,
    MAX_QUOTED_CHARS,
    MAX_SHARE,
    MIN_LINES,
    MIN_REST,
    partial_answer,
)
from twospeed.text.code.scope import Definition, ScopeCode

FIRST = 10


def missing_part(facts: GateFacts) -> str | None:
    """Return what is missing from an answer, ``None`` if it is not partial."""
    found = [each.message for each in partial_answer(facts)]
    head = "the answer is only a part of the scope: "
    assert all(message.startswith(head) for message in found)
    return found[0].removeprefix(head) if found else None


def code_of(
    names: list[str], rest: list[str], body: str, head: str = ""
) -> tuple[tuple[str, ...], ScopeCode]:
    """Return definitions of two lines each, and other lines: the first of those above, the rest below."""
    lines = ([head] if head else []) + rest[:1]
    within = ("Box",) if head else ()
    definitions = [Definition("class", "Box", FIRST, FIRST + 99)] if head else []
    for name in names:
        line = FIRST + len(lines)
        definitions.append(Definition("function", name, line, line + 1, within))
        lines += [f"def {name}():", f"    {body} of {name}"]
    return (*lines, *rest[1:]), ScopeCode(FIRST, (), (), tuple(definitions))


def facts_of(n_kept: int, n_lost: int, n_new: int, n_rest: int, head: str = "", **more: Any) -> GateFacts:
    """Return the facts of an answer that keeps, loses and adds so many definitions, without other lines."""
    kept, lost = [f"k{n}" for n in range(n_kept)], [f"l{n}" for n in range(n_lost)]
    new, rest = [f"n{n}" for n in range(n_new)], [f"x{n} = 1" for n in range(n_rest)]
    old_lines, before = code_of(kept + lost, rest, "old", head)
    new_lines, after = code_of(kept + new, [], "other", head)
    values: dict[str, Any] = {"kind": "class" if head else "file", "name": "Box" if head else None, **more}
    return GateFacts(
        first_line=FIRST, old_lines=old_lines, new_lines=new_lines, before=before, after=after, **values
    )


def test_the_bounds_have_their_documented_values() -> None:
    assert (MIN_LINES, MAX_SHARE, MIN_REST, MANY, MAX_QUOTED_CHARS, MAX_NAMED) == (4, 0.5, 2, 3, 60, 3)


@pytest.mark.parametrize("head", ["", "class Box:"])
@pytest.mark.parametrize(
    ("n_kept", "n_lost", "n_new", "n_rest", "expected"),
    [
        # All definitions are kept, and the lines between them are missing.
        (1, 0, 0, 1, None),
        (1, 0, 0, 2, '"x0 = 1" and 1 more line would be removed'),
        (2, 0, 0, 4, '"x0 = 1" and 3 more lines would be removed'),
        (1, 0, 1, 2, None),
        # Some definitions are gone.
        (1, 1, 0, 0, None),
        (2, 2, 0, 0, None),
        (1, 2, 0, 0, '"l0", "l1" would be removed'),
        (1, 2, 1, 0, None),
        (1, 1, 0, 1, '"l0" would be removed'),
        (2, 1, 0, 1, '"l0" would be removed'),
        (1, 1, 1, 1, None),
        (1, 2, 1, 1, '"l0", "l1" would be removed'),
        (1, 2, 2, 1, None),
        (1, 3, 0, 0, '"l0", "l1", "l2" would be removed'),
        (1, 4, 0, 0, '"l0", "l1", "l2" and 1 more would be removed'),
        (1, 6, 0, 0, '"l0", "l1", "l2" and 3 more would be removed'),
        # All definitions are gone.
        (0, 1, 1, 0, None),
        (0, 2, 1, 3, None),
        (0, 3, 1, 0, '"l0", "l1", "l2" would be removed'),
        (0, 5, 2, 0, None),
        (0, 6, 2, 0, '"l0", "l1", "l2" and 3 more would be removed'),
    ],
)
def test_enough_missing_definitions_make_an_answer_partial(
    head: str, n_kept: int, n_lost: int, n_new: int, n_rest: int, expected: str | None
) -> None:
    assert missing_part(facts_of(n_kept, n_lost, n_new, n_rest, head)) == expected


def test_definitions_are_ignored_in_functions_and_unparsed_code() -> None:
    part = (1, 2, 0, 0)
    assert missing_part(facts_of(*part)) is not None
    assert missing_part(facts_of(*part, errors_before=0, errors_after=1)) is None
    assert missing_part(facts_of(*part, errors_before=1, errors_after=1)) is not None
    assert missing_part(facts_of(1, 0, 0, 2, errors_before=1, errors_after=1)) is None
    assert missing_part(facts_of(*part, kind="function", name="k0")) is None
    facts = facts_of(*part)
    assert missing_part(replace(facts, after=None)) is None
    assert missing_part(replace(facts, after=ScopeCode(FIRST, (), (), ()))) is None
    lines = (*facts.new_lines, "print(1)")
    assert missing_part(replace(facts, new_lines=lines)) is not None, (
        "a line outside the definition keeps nothing"
    )
    many = (*facts.new_lines, "print(1)", "print(2)")
    assert missing_part(replace(facts, new_lines=many)) is None, "half as many lines were added as removed"
    assert missing_part(replace(facts, new_lines=facts.old_lines[:2])) is None, "lines only went"


def test_a_method_in_place_of_its_class_is_partial() -> None:
    facts = facts_of(0, 2, 1, 0)
    method = Definition("function", "n0", FIRST + 1, FIRST + 1, ("l0",))
    assert facts.before
    assert facts.before.definitions
    before = ScopeCode(FIRST, (), (), (*facts.before.definitions, method))
    assert missing_part(facts) is None
    assert missing_part(replace(facts, before=before)) == '"l0", "l1" would be removed'


def test_a_quoted_line_is_cut_at_sixty_characters() -> None:
    facts = facts_of(1, 0, 0, 2)
    for n_chars in (60, 61):
        first = "x" * n_chars
        old = tuple(line.replace("x0 = 1", first) for line in facts.old_lines)
        changed = replace(facts, old_lines=old)
        assert missing_part(changed) == f'"{"x" * 60}" and 1 more line would be removed'


@pytest.mark.parametrize(
    ("kind", "name", "new", "definitions", "expected"),
    [
        ("function", "total", ["x = 1"], [], 'the function "total" is missing'),
        ("class", "total", ["x = 1"], [], 'the class "total" is missing'),
        ("block", "total", ["x = 1"], [], None),
        ("function", None, ["x = 1"], [], None),
        ("function", "total", ["x = 1"], None, None),
        ("function", "total", ["x = total"], [], None),
        ("function", "total", ["x = totals"], [], 'the function "total" is missing'),
        ("function", "total", ["x = 1"], [Definition("function", "other")], None),
        (
            "function",
            "total",
            ["x = 1"],
            [Definition("function", "o", within=("p",))],
            'the function "total" is missing',
        ),
        ("class", "total", ["x = 1"], [Definition("function", "other")], 'the class "total" is missing'),
        ("class", "total", ["x = 1"], [Definition("class", "other")], None),
    ],
)
def test_a_function_or_class_without_its_header_is_partial(
    kind: Any, name: str | None, new: list[str], definitions: list[Definition] | None, expected: str | None
) -> None:
    after = ScopeCode(FIRST, (), (), None if definitions is None else tuple(definitions))
    old = ("def total():", "    return 2")
    facts = GateFacts(
        kind, name, FIRST, old_lines=old, new_lines=tuple(new), before=ScopeCode(FIRST), after=after
    )
    assert missing_part(facts) == expected


FRAME = ("open red door {", "  one", "  two", "  three", "}")


@pytest.mark.parametrize(
    ("old", "new", "kind", "expected"),
    [
        (FRAME, ("  four",), "block", 'the line "open red door {" and 3 more are missing'),
        (FRAME, ("  four", "  five"), "file", 'the line "open red door {" and 3 more are missing'),
        (FRAME, ("  four", "  one"), "block", 'the line "open red door {" and 2 more are missing'),
        (FRAME, ("  four", "  five", "  six"), "block", None),
        (FRAME, ("  four",), "selection", None),
        (FRAME, ("  four",), "function", None),
        (FRAME[:3] + FRAME[4:], ("  four",), "block", None),  # three lines of code
        (FRAME, (FRAME[0], "  four"), "block", None),
        (FRAME, ("red door", "  four"), "block", None),  # two of three words
        (FRAME, ("red", "  four"), "block", 'the line "open red door {" and 3 more are missing'),
        (("a b", *FRAME[1:]), ("a", "  four"), "block", 'the line "a b" and 3 more are missing'),
        (("x" * 61, *FRAME[1:]), ("y",), "block", f'the line "{"x" * 60}" and 3 more are missing'),
        (FRAME[:4], ("  four",), "block", 'the line "open red door {" and 3 more are missing'),
        ((*FRAME[:4], "end"), ("  four",), "block", None),  # the last line is as deep as the first
        (("head", "  a", "b", "  c"), ("four",), "block", None),
        (("  head", "    a", "    b", "    c"), ("four",), "block", 'the line "head" and 3 more are missing'),
        (("head", "  a", "", "  b", "  c"), ("four",), "block", 'the line "head" and 3 more are missing'),
    ],
)
def test_an_answer_without_the_line_that_opens_the_block_is_partial(
    old: tuple[str, ...], new: tuple[str, ...], kind: Any, expected: str | None
) -> None:
    facts = GateFacts(kind, None, FIRST, old_lines=old, new_lines=new)
    assert missing_part(facts) == expected
    assert missing_part(replace(facts, errors_before=0, errors_after=1)) is None
    assert missing_part(replace(facts, errors_before=1, errors_after=1)) == expected
