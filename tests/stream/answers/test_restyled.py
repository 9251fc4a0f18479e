"""An answer that changes only the indentation unit is an edit; with other changes the document's unit is
kept.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import pytest
from tests.stream.answering import Place

from twospeed.stream import Surroundings

TABS = "class A {\n\tint b;\n\n\tint c() {\n\t\treturn b\n\t\t\t+ 1;\n\t}\n}\n"
FOUR = TABS.replace("\t", "    ")
TWO = TABS.replace("\t", "  ")
ALIGNED = "void f(int a,\n       int b)\n{\n    if (a)\n        g(b);\n}\n"
ALIGNED_TWO = "void f(int a,\n       int b)\n{\n  if (a)\n    g(b);\n}\n"
INNER = "\tint c() {\n\t\treturn b;\n\t}\n"


def answered(old: str, new: str, above: str = "", below: str = "") -> str:
    return Place("java", above, old, below).answered(f"```\n{new}```\n")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (TABS, FOUR),
        (TABS, TWO),
        (FOUR, TABS),
        (FOUR, TWO),
        (TWO, FOUR),
        (TWO, TABS),
        (ALIGNED, ALIGNED_TWO),
        (ALIGNED_TWO, ALIGNED),
        (INNER, INNER.replace("\t", "  ")),
    ],
)
def test_another_indentation_unit_for_every_line_is_applied(old: str, new: str) -> None:
    assert answered(old, new) == new


@pytest.mark.parametrize(
    "new",
    [
        FOUR.replace("return b", "return c"),
        FOUR.removesuffix("}\n"),
    ],
    ids=["a word changes too", "a line is missing"],
)
def test_another_unit_in_addition_to_a_change_is_reverted(new: str) -> None:
    assert "    " not in answered(TABS, new)


def test_lost_indentation_is_not_another_unit() -> None:
    flat = "int c() {\n\treturn b;\n}\n"
    assert answered(INNER, flat, "class A {\n", "}\n") == INNER


@dataclass
class RequestInfo(Place):
    """A place with an instruction."""

    instruction: str = ""

    @cached_property
    def surroundings(self) -> Surroundings:
        return replace(super().surroundings, instruction=self.instruction)


PYTHON = "def f(rows):\n\tfor row in rows:\n\t\tif row:\n\t\t\tyield row\n\tprint(rows)\n"
GO = "func f() {\n    x := call(a,\n              b)\n    if x {\n        use(x)\n    }\n}\n"
SCRIPT = "function f(rows) {\n  for (const row of rows) {\n    use(row)\n  }\n  return rows\n}\n"
YAML = "jobs:\n    build:\n        steps:\n            - run: make\n            - run: make test\n"
C = "int f(int a)\n{\n    if (a)\n        return g(a);\n    h(a);\n    return a;\n}\n"
CSS = ".a {\n\tcolor: red;\n\tmargin: 0;\n}\n.b {\n\tcolor: blue;\n}\n"
MIXED = TABS.replace("\n\t", "\n    ")
INNER_PYTHON = "\tdef f(self):\n\t\tif self.a:\n\t\t\treturn 1\n\t\treturn 2\n"


def test_another_unit_that_the_instruction_names_is_applied_with_a_change() -> None:
    cases = [
        ("a word", "java", TABS, FOUR.replace("return b", "return c"), "indent with 4 spaces and return c"),
        ("two spaces", "java", TABS, TWO.replace("return b", "return c"), "use 2 spaces; return c"),
        (
            "a new line",
            "python",
            PYTHON,
            PYTHON.replace("\t", "    ").replace("    print", "    rows = sorted(rows)\n    print"),
            "convert the tabs to spaces and sort the rows",
        ),
        (
            "tabs and an aligned line",
            "go",
            GO,
            GO.replace("    ", "\t").replace("\t\t\t  b", "\t          b").replace("use(x)", "use(x, y)"),
            "convert to tabs, and give y to use",
        ),
        (
            "a deeper unit and a new block",
            "javascript",
            SCRIPT,
            SCRIPT.replace("  ", "    ").replace("    return", "    if (log) {\n        log(rows)\n    }\n    return"),
            "Reindent with four spaces, log the rows",
        ),
        (
            "two spaces and another step",
            "yaml",
            YAML,
            YAML.replace("    ", "  ") + "      - run: make check\n",
            "indent by 2, run make check at the end",
        ),
        ("a line less", "c", C, C.replace("    ", "\t").replace("\th(a);\n", ""), "use tabs, drop the call of h"),
        ("a declaration", "css", CSS, CSS.replace("\t", "  ").replace("0;", "0 auto;"), "2 spaces; center it"),
        (
            "inside a class",
            "python",
            INNER_PYTHON,
            INNER_PYTHON.replace("\t", "    ").replace("return 2", "return 3"),
            "spaces instead of tabs here, and return 3",
        ),
    ]  # fmt: skip
    for name, language_id, old, new, instruction in cases:
        above = "class A:\n" if old is INNER_PYTHON else ""
        place = RequestInfo(language_id, above, old, "", instruction=instruction)
        assert place.answered(f"```\n{new}```\n") == new, name


def test_another_unit_with_a_change_is_not_applied_if_it_is_doubtful() -> None:
    changed = FOUR.replace("return b", "return c")
    mixed = changed.replace("    int c", "\tint c")
    cases = [
        ("another unit is named", TABS, changed, "add a tab for the settings"),
        ("nothing is named", TABS, changed, "return c"),
        ("an old line has the old unit", TABS, mixed, "indent with 4 spaces and return c"),
        ("an old line lost a level", FOUR, TWO.replace("    return b", "  return b"), "indent with 2 spaces"),
        ("the named unit is to go", MIXED, TABS.replace("return b", "return c"), "remove the tabs, return c"),
        ("two lines are gone", FOUR, TWO.replace("    return b\n      + 1;\n", ""), "indent with 2 spaces"),
        ("hardly a line is old", TABS, "class A {\n    int x;\n    int y;\n    int z;\n}\n", "4 spaces"),
        ("a new line has the old unit", TABS, FOUR.replace("    int b;\n", "    int b;\n\tint d;\n"), "4 spaces"),
    ]  # fmt: skip
    for name, old, new, instruction in cases:
        place = RequestInfo("java", "", old, "", instruction=instruction)
        assert place.answered(f"```\n{new}```\n") != new, name


def test_an_answer_in_the_documents_unit_is_not_held_whatever_the_instruction_names() -> None:
    new = FOUR.replace("return b", "return c")
    place = RequestInfo("java", "", FOUR, "", instruction="add a settings tab")
    at = new.index("            + 1;")
    assert place.shown(f"```\n{new[:at]}") == ["        return c"]
    assert place.answered(f"```\n{new}```\n") == new
