"""Good answers are never refused: laws that an over-strict reader breaks."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.stream.answering import GO, PYTHON, TSX, Place, lines_of

NAMES = ("total", "rows", "first", "seen", "limit", "cache", "result", "value")

statements = st.sampled_from(
    [
        "{0} = {1}",
        "{0} = {1} + 1",
        "{0}.append({1})",
        "print({0})",
        "{0} = [each for each in {1}]",
        'raise ValueError("{0}")',
        "assert {0} is not None",
        "del {0}",
        "return {0}",
        "pass",
    ]
)
heads = st.sampled_from(["if {0}:", "for {0} in {1}:", "while {0}:", "with {0} as {1}:", "try:"])


@st.composite
def functions(draw: st.DrawFn) -> str:
    """Draw a function in Python of a few statements, in blocks up to two levels deep."""
    lines = [f"def {draw(st.sampled_from(NAMES))}_{draw(st.integers(0, 9))}(a, b):"]
    for _ in range(draw(st.integers(1, 6))):
        names = draw(st.tuples(*[st.sampled_from(NAMES)] * 2))
        depth = draw(st.integers(0, 2))
        for level in range(depth):
            head = draw(heads) if level < depth - 1 or draw(st.booleans()) else "if {0}:"
            lines.append("    " * (level + 1) + head.replace("try:", "if {1}:").format(*names))
        lines.append("    " * (depth + 1) + draw(statements).format(*names))
    return "\n".join(lines) + "\n"


@given(
    functions(),
    functions(),
    st.sampled_from(["```python\n{}```\n", "```\n{}```", "Here it is:\n\n```py\n{}```\n"]),
)
def test_a_whole_function_in_a_fence_is_never_refused(old: str, new: str, shape: str) -> None:
    place = Place("python", "import os\n\n\n", old, "\n\nLAST = 1\n")
    assert place.answered(shape.format(new)) == new


@given(functions(), st.data())
def test_a_function_with_its_first_line_and_one_statement_changed_is_never_refused(
    old: str, data: st.DataObject
) -> None:
    lines = lines_of(old)
    at = data.draw(st.integers(1, len(lines) - 1))
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    end = ":\n" if lines[at].endswith(":\n") else "\n"
    lines[at] = f"{indent}if changed:\n" if end == ":\n" else f"{indent}changed = 1\n"
    new = "".join(lines)
    place = Place("python", "import os\n\n\n", old, "\n\nLAST = 1\n")
    assert place.answered(new) == new


@pytest.mark.parametrize("place", [PYTHON, TSX, GO], ids=lambda place: place.language_id)
@given(data=st.data())
def test_the_new_text_with_other_names_is_never_refused_in_a_fence(place: Place, data: st.DataObject) -> None:
    names = data.draw(st.lists(st.sampled_from(["item", "name", "sum", "result", "items"]), max_size=2))
    new = place.new
    for name in names:
        new = new.replace(name, f"{name}_again")
    assert replace(place, new=new).answered(f"```\n{new}```\n") == new
