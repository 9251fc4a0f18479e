"""Answers with changed indentation are reindented to the document's or refused."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.stream.answering import Place

from twospeed.stream.answers.evidence import Surroundings
from twospeed.stream.answers.indent.indentation import MAX_HELD, Reindenter

OLD = """\
    def total(self, items):
        result = 0
        for item in items:
            result += item.price

        return result
""".splitlines()

NEW = """\
    def total(self, items):
        result = 0
        for item in items:
            if item.counts:
                result += item.price

        return round(result)
""".splitlines()

JAVA = """\
\t/**
\t * Adds all prices up.
\t */
\tint total(List<Item> items) {
\t\tint result = 0;
\t\tfor (Item item : items) {
\t\t\tresult += item.price();
\t\t}
\t\treturn result;
\t}
""".splitlines()


def reindented(answer: list[str], old: list[str] = OLD) -> list[str] | None:
    """Return the reindented answer; ``None`` if it is refused."""
    reindenter = Reindenter(old, Surroundings())
    lines = [line for given in answer for line in reindenter.receive_line(given)]
    lines += reindenter.finish()
    if reindenter.refusal:
        assert reindenter.refusal.code == "indentation"
        return None
    return lines


def indent_of(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def on_code(change: Callable[[str], str]) -> Callable[[list[str]], list[str]]:
    """Apply a change of a line's indentation to all lines of code."""
    return lambda lines: [change(indent_of(line)) + line.lstrip() if line.strip() else line for line in lines]


def without_base(lines: list[str]) -> list[str]:
    base = indent_of(lines[0])
    return on_code(lambda indent: indent.removeprefix(base))(lines)


def with_first_line_alone(lines: list[str]) -> list[str]:
    return [lines[0].lstrip(), *lines[1:]]


def with_first_line_further_in(lines: list[str]) -> list[str]:
    return ["    " + lines[0], *lines[1:]]


def with_all_but_the_first_line_moved(lines: list[str]) -> list[str]:
    base = indent_of(lines[0])
    return [lines[0], *on_code(lambda indent: indent.removeprefix(base))(lines[1:])]


def of_units(old: str, new: str) -> Callable[[list[str]], list[str]]:
    return on_code(lambda indent: indent.replace(old, new))


SHAPES = {
    "lost": without_base,
    "lost on the first line": with_first_line_alone,
    "more on the first line": with_first_line_further_in,
    "lost behind the first line": with_all_but_the_first_line_moved,
    "four spaces more": on_code(lambda indent: "    " + indent),
    "one space more": on_code(lambda indent: " " + indent),
    "a tab more": on_code(lambda indent: "\t" + indent),
    "doubled": on_code(lambda indent: indent.replace("\t", "\t\t") if "\t" in indent else indent * 2),
}
OF_SPACES = {
    "tabs for spaces": of_units("    ", "\t"),
    "two for four": of_units("    ", "  "),
    "three for four": of_units("    ", "   "),
    "eight for four": of_units("    ", " " * 8),
    "tabs, and lost": lambda lines: of_units("    ", "\t")(without_base(lines)),
    "two for four, and lost": lambda lines: of_units("    ", "  ")(without_base(lines)),
}
OF_TABS = {f"{size} spaces for tabs": of_units("\t", " " * size) for size in (2, 3, 4, 8)}


@pytest.mark.parametrize("shape", SHAPES | OF_SPACES)
def test_changed_indentation_is_restored(shape):
    assert reindented((SHAPES | OF_SPACES)[shape](NEW)) == NEW


@pytest.mark.parametrize("shape", SHAPES | OF_TABS)
def test_the_indentation_of_tabs_and_block_comments_is_restored(shape):
    new = [line.replace("result += item.price();", "result += item.price() * item.count();") for line in JAVA]
    assert reindented((SHAPES | OF_TABS)[shape](new), JAVA) == new


def test_no_line_is_held_if_the_answer_has_the_documents_indentation():
    reindenter = Reindenter(OLD, Surroundings())
    for line in NEW:
        assert reindenter.receive_line(line) == [line]


def test_an_answer_without_its_base_is_held_until_the_first_known_line():
    reindenter = Reindenter(OLD, Surroundings())
    lines = without_base(NEW)
    assert reindenter.receive_line(lines[0]) == NEW[:1]  # where it belongs is certain, what was lost is not
    assert reindenter.receive_line("    new()") == []
    assert reindenter.receive_line(lines[1]) == ["        new()", NEW[1]]


def test_an_undecided_answer_is_held_no_longer_than_the_limit():
    reindenter = Reindenter(OLD, Surroundings())
    reindenter.receive_line("def total(self, items):")
    for number in range(MAX_HELD):
        reindenter.receive_line(f"      {number} odd lines")
    assert reindenter.refusal


def test_a_wrapped_block_is_not_flattened():
    new = [OLD[0], "        if items:", *["    " + line if line else line for line in OLD[1:]]]
    assert reindented(new) == new
    assert reindented(without_base(new)) == new


def test_an_insertion_into_an_empty_scope_keeps_its_indentation():
    assert reindented(NEW, []) == NEW
    assert reindented(NEW, ["", "    "]) == NEW


def test_a_line_at_the_margin_is_not_moved():
    old = ["    int f() {", "#if DEBUG", "        log();", "#endif", "        return 1;", "    }"]
    new = [*old[:4], "        return 2;", old[5]]
    assert reindented(without_base(new), old) == new
    assert reindented(of_units("    ", "\t")(new), old) == new


@pytest.mark.parametrize(
    "answer",
    [
        ["    return b", "", "answer = f(a)"],
        ["    return b", "", "other = f(a)", "outside = 1"],
        ["    return b", "", "def g():", "    pass", "", "outside = 1"],
    ],
)
def test_a_new_line_may_be_as_far_left_as_the_end_of_a_selection(answer):
    assert reindented(answer, ["    return b", "", "outside = 1"]) == answer


def test_lines_left_of_a_trivial_first_line_may_change():
    old = [
        "    pass",
        "",
        "first = 0",
        "",
        "def f():",
        "    one()",
        "    two()",
        "",
        "def g():",
        "    three()",
    ]
    new = [*old[:2], "second = 0", *old[3:]]
    assert reindented(new, old) == new


def test_an_old_line_left_of_the_first_one_does_not_follow_the_end_of_a_selection():
    old = ["    b = a", "    return b", "}"]
    assert reindented(["    b = 2 * a", "return b", "}"], old) == ["    b = 2 * a", "    return b", "}"]


def test_aligned_lines_are_restored_to_their_old_place():
    old = ["    def f(a,", "          b):", "        return (a +", "                b)"]
    new = [*old[:2], "        check(a)", *old[2:]]
    assert reindented(without_base(new), old) == new
    assert reindented(with_first_line_alone(new), old) == new


def test_the_white_space_of_an_old_blank_line_is_restored():
    old = ["    def f():", "        a_line()", "        ", "        another_line()"]
    assert reindented(["def f():", "    a_line()", "", "    another_line()"], old) == old


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param([*NEW[:3], "\t\t\tresult += item.price", *NEW[4:]], id="a line with tabs"),
        pytest.param([*OLD[:2], *["    " + line for line in OLD[2:]]], id="half of it deeper"),
        pytest.param([*without_base(OLD)[:2], *OLD[2:]], id="half of it as it was"),
    ],
)
def test_an_answer_of_mixed_indentation_is_refused(answer):
    assert reindented(answer) is None


def test_an_answer_that_lost_half_of_its_indentation_is_refused():
    assert reindented([*JAVA[:6], *without_base(JAVA)[6:]], JAVA) is None


def test_an_answer_with_a_misaligned_block_end_is_not_reindented():
    old = ["f() {", "  one();", "  two();", "}"]
    assert reindented(["f() {", "  one();", "  new();", "    two();", "  }"], old) is None


# Laws

Node = tuple[str, list]


def a_tree(random: Random, names: list[str], depth: int = 0) -> list[Node]:
    """Return statements, with blocks that contain statements."""
    nodes: list[Node] = []
    for _ in range(random.randint(1, 4)):
        name = f"{random.choice(['sum', 'load', 'check'])}_{len(names)}"
        names.append(name)
        is_block = depth < 3 and random.random() < 0.4
        nodes.append((name, a_tree(random, names, depth + 1) if is_block else []))
    return nodes


def edited(random: Random, nodes: list[Node], names: list[str]) -> list[Node]:
    """Return the statements after some are changed, removed, added, wrapped or unwrapped."""
    result: list[Node] = []
    for name, old_inner in nodes:
        inner = edited(random, old_inner, names) if old_inner else []
        names.append("new")
        match random.randrange(12):
            case 0 if not inner:
                result.append((f"{name}_changed", inner))
            case 1 if len(nodes) > 1:
                continue
            case 2:
                result += [(f"added_{len(names)}", []), (name, inner)]
            case 3:
                result.append((f"wrapper_{len(names)}", [(name, inner)]))
            case 4 if inner:
                result += inner
            case _:
                result.append((name, inner))
    return result or [("remaining", [])]


def written(nodes: list[Node], unit: str, level: int, *, braces: bool) -> list[str]:
    lines: list[str] = []
    for name, inner in nodes:
        if inner:
            lines.append(unit * level + (f"when ({name}) {{" if braces else f"when {name}:"))
            lines += written(inner, unit, level + 1, braces=braces)
            lines += [unit * level + "}"] if braces else []
        else:
            lines.append(unit * level + f"{name}()")
    return lines


@st.composite
def edits(draw, unit: str | None = None) -> tuple[list[str], list[str], str]:
    """Draw a function's old lines, its new ones, and the unit of both."""
    random = draw(st.randoms(use_true_random=False))
    unit = unit or draw(st.sampled_from(["\t", "  ", "    "]))
    level, braces = draw(st.integers(0, 2)), draw(st.booleans())
    names: list[str] = []
    body = a_tree(random, names)
    new = edited(random, body, names)
    old_lines = written([("function", body)], unit, level, braces=braces)
    return old_lines, written([("function", new)], unit, level, braces=braces), unit


@given(edits())
def test_an_answer_with_the_documents_indentation_is_unchanged(edit):
    old, new, _ = edit
    assert reindented(new, old) == new


@given(edits("    "), edits("    "), st.data())
def test_an_answer_for_lines_that_begin_inside_a_block_is_unchanged_or_refused(above, edit, data):
    whole, _, _ = above
    old, new, _ = edit
    inside = [*whole[data.draw(st.integers(1, len(whole))) :], ""]
    assert reindented([*inside, *new], [*inside, *old]) in ([*inside, *new], None)


@pytest.mark.parametrize("shape", SHAPES)
@given(edit=edits())
def test_a_distorted_indentation_is_restored_exactly_or_refused(shape, edit):
    old, new, _ = edit
    assert reindented(SHAPES[shape](new), old) in (new, None)


@pytest.mark.parametrize("shape", OF_SPACES)
@given(edit=edits("    "))
def test_another_unit_for_spaces_is_restored_exactly_or_refused(shape, edit):
    old, new, _ = edit
    assert reindented(OF_SPACES[shape](new), old) in (new, None)


@pytest.mark.parametrize("shape", OF_TABS)
@given(edit=edits("\t"))
def test_spaces_for_tabs_are_restored_exactly_or_refused(shape, edit):
    old, new, _ = edit
    assert reindented(OF_TABS[shape](new), old) in (new, None)


@pytest.mark.parametrize("shape", ["lost", "four spaces more", "a tab more", "lost on the first line"])
@given(edit=edits())
def test_common_distortions_of_an_unchanged_text_are_always_restored(shape, edit):
    old, _, _ = edit
    assert reindented(SHAPES[shape](old), old) == old


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            '    std::cout << size() << ", "\n              << total() << std::endl;\n',
            '    std::cout << name() << ": "\n              << size() << ", "\n              << total() << std::endl;\n',
        ),
        ("    call(first);\n", "    call(first,\n         second,\n         third);\n"),
        (
            "    let a = b.c();\n    done();\n",
            "    let a = b.c()\n             .d()\n             .e();\n    done();\n",
        ),
    ],
)
def test_new_lines_may_be_aligned_with_the_line_above(old: str, new: str) -> None:
    above, below = "void f() {\n    if (x) {\n        y();\n    }\n", "}\n"
    assert Place("cpp", above, old, below).answered(f"```\n{new}```\n") == new


def test_a_deeper_line_may_follow_a_line_that_opened_no_block() -> None:
    old = "SELECT name\nFROM users\nWHERE total > 100\nORDER BY total;\n"
    new = old.replace("100\n", "100\n  AND mail IS NOT NULL\n")
    above = "CREATE TABLE users (\n    name TEXT,\n    total INT\n);\n\n"
    assert Place("sql", above, old, "").answered(f"```\n{new}```\n") == new


def test_a_scope_that_ends_left_of_its_block_may_keep_that_end() -> None:
    old = "  it('adds', () => {\n    expect(1).toBe(1);\n  });\n});\n"
    new = old.replace("it(", "it.skip(")
    assert Place("javascript", "describe('a', () => {\n", old, "").answered(f"```\n{new}```\n") == new
