"""Short scopes are requested whole, long ones as search/replace blocks, and both forms can be read."""

from __future__ import annotations

import pytest

from twospeed.prompt import texts
from twospeed.prompt.answer_form import MAX_WHOLE_CHARS, answer_form_for
from twospeed.stream.answers.evidence import Surroundings
from twospeed.stream.answers.patch.patches import Patched, patched

LINE = "    total += price_of(item)\n"
LONG = LINE * (MAX_WHOLE_CHARS // len(LINE) + 1)


def test_the_answer_form_depends_on_the_size() -> None:
    assert answer_form_for(LONG[:MAX_WHOLE_CHARS]) == "whole"
    assert answer_form_for(LONG) == "blocks"
    assert answer_form_for("") == "whole"


@pytest.mark.parametrize(
    "line", ["=======", "<<<<<<< HEAD", ">>>>>>> theirs\r", "-------", "+++++++ REPLACE"]
)
def test_a_scope_with_lines_like_marks_is_requested_whole(line: str) -> None:
    assert answer_form_for(f"{LONG}{line}\n{LONG}") == "whole"


@pytest.mark.parametrize("line", ["a = b", "==========", "# ======= #", "====", "x <<<<<<< y"])
def test_lines_unlike_marks_do_not_change_the_form(line: str) -> None:
    assert answer_form_for(f"{LONG}{line}\n{LONG}") == "blocks"


def test_the_requested_block_form_can_be_parsed() -> None:
    shown = texts.BLOCKS.split("in the order of the file:\n")[1].split("The first part")[0]
    old = ["lines of the scope, exactly as they are"]
    result = patched(shown.splitlines(), old, Surroundings(are_blocks_requested=True))
    assert isinstance(result, Patched)
    assert result.lines == ["the same lines as they should read"]
