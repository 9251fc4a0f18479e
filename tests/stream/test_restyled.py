"""An answer that changes the unit of indentation alone is an edit; beside other changes the document's unit comes back."""

from __future__ import annotations

import pytest
from tests.stream.answering import Place

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
def test_another_unit_for_every_line_is_an_edit(old: str, new: str) -> None:
    assert answered(old, new) == new


@pytest.mark.parametrize(
    "new",
    [
        FOUR.replace("return b", "return c"),
        FOUR.removesuffix("}\n"),
    ],
    ids=["a word changes too", "a line is missing"],
)
def test_another_unit_beside_another_change_is_not_what_was_asked_for(new: str) -> None:
    assert "    " not in answered(TABS, new)


def test_a_block_that_lost_its_indentation_is_no_other_unit() -> None:
    flat = "int c() {\n\treturn b;\n}\n"
    assert answered(INNER, flat, "class A {\n", "}\n") == INNER
