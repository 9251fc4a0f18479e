"""Laws of imports that are separated from an answer: the rest gives the same ops, and no import is lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.stream.answers.separating import answered

from twospeed.stream import EditStream, Surroundings
from twospeed.text.code.import_statements import ImportMarks

PYTHON = ImportMarks.of("python")
HEAD = ["def total(items):"]
ABOVE = ['"""Sells things."""', "", "import os", "", "LIMIT = 5", "", ""]
BELOW = ["", "", "def clear(basket):", "    basket.items = []", "    basket.log('cleared')"]
BODY = st.lists(
    st.sampled_from(["    a = 1", "    b = a", "", "    import re", "    return b", "    # why", "    c()"]),
    max_size=8,
)
STATEMENT = st.sampled_from(
    [
        ("import math",),
        ("from a import b, c",),
        ("from x import (", "    y,", "", "    z,", ")"),
        ("import u, \\", "    v"),
    ]
)
IMPORTS = st.lists(STATEMENT, min_size=1, max_size=4, unique=True)
FILLER = st.lists(st.sampled_from(["", "# needed", "import os"]), max_size=2)


def stream_for(old: list[str]) -> EditStream:
    return EditStream(old, Surroundings(("#",), ABOVE, BELOW, imports=PYTHON))


@given(BODY, BODY, IMPORTS, FILLER, st.booleans(), st.booleans(), st.integers(0, 99))
def test_an_answer_with_imports_gives_the_ops_of_the_answer_without(
    old, new, imports, filler, is_fenced, is_apart, seed
) -> None:
    old, new = [*HEAD, *old, "    return 0"], [*HEAD, *new, "    return 0"]
    fences = (["```python"], ["```"]) if is_fenced else ([], [])
    lines = [line for statement in imports for line in (*filler, *statement)]
    apart = [*fences[1], "", *fences[0]] if is_apart else []
    written = [*fences[0], *lines, *apart, *new, *fences[1], ""]
    alone, stream = stream_for(old), stream_for(old)
    ops = answered(alone, "\n".join([*fences[0], *new, *fences[1], ""]), seed)
    assert answered(stream, "\n".join(written), seed + 1) == ops
    assert stream.refusal == alone.refusal
    assert list(stream.answer) == list(alone.answer) or stream.refusal
    assert list(stream.imports) == [line for statement in imports for line in statement]


CODE = ["import os", "import math", "from x import (", "    y,", ")", "", "# c", "x = 1", "    return 0"]
MARKS = [
    "```",
    "```python",
    "<think>",
    "</think>",
    "<<<<<<< SEARCH",
    "=======",
    ">>>>>>> REPLACE",
    "--- a/x",
    "@@ @@",
]
LINES = st.lists(st.sampled_from([*CODE, *MARKS, *ABOVE, *HEAD, *BELOW]), max_size=20)


@given(LINES, st.integers(0, 99))
def test_the_ops_and_imports_of_any_answer_do_not_depend_on_its_pieces(lines, seed) -> None:
    old = [*HEAD, "    return 0"]
    whole, pieces = stream_for(old), stream_for(old)
    ops = answered(whole, "\n".join(lines))
    again = answered(pieces, "\n".join(lines), seed)
    assert whole.refusal == pieces.refusal
    assert list(whole.imports) == list(pieces.imports)
    if not whole.refusal:
        assert ops == again


@given(LINES)
def test_an_answer_without_new_imports_is_read_as_without_marks(lines) -> None:
    old = [*HEAD, "    return 0"]
    marked, plain = stream_for(old), EditStream(old, Surroundings(("#",), ABOVE, BELOW))
    lines = [line for line in lines if not line.startswith(("import", "from"))]
    assert answered(marked, "\n".join(lines)) == answered(plain, "\n".join(lines))
    assert marked.refusal == plain.refusal
    assert marked.imports == []
