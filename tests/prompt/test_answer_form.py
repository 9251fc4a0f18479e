"""Short scopes are requested whole, long ones as search/replace blocks, and both forms can be read."""

from __future__ import annotations

import pytest

from twospeed.prompt import texts
from twospeed.prompt.answer_form import MAX_WHOLE_CHARS, answer_form_for
from twospeed.stream.answers.evidence import Surroundings
from twospeed.stream.answers.patch.patches import patched

LINE = "    total += price_of(item)\n"
LONG = LINE * (MAX_WHOLE_CHARS // len(LINE) + 1)


def test_the_form_follows_from_the_size() -> None:
    assert answer_form_for(LONG[:MAX_WHOLE_CHARS]) == "whole"
    assert answer_form_for(LONG) == "blocks"
    assert answer_form_for("") == "whole"


@pytest.mark.parametrize(
    "line", ["=======", "<<<<<<< HEAD", ">>>>>>> theirs\r", "-------", "+++++++ REPLACE"]
)
def test_a_scope_that_holds_what_could_be_a_mark_is_asked_for_whole(line: str) -> None:
    assert answer_form_for(f"{LONG}{line}\n{LONG}") == "whole"


@pytest.mark.parametrize("line", ["a = b", "==========", "# ======= #", "====", "x <<<<<<< y"])
def test_what_cannot_be_a_mark_changes_nothing(line: str) -> None:
    assert answer_form_for(f"{LONG}{line}\n{LONG}") == "blocks"


def test_the_form_that_is_shown_is_one_that_can_be_read() -> None:
    shown = texts.BLOCKS.split("in the order of the file:\n")[1].split("The first part")[0]
    old = ["lines of the scope, exactly as they are"]
    assert patched(shown.splitlines(), old, Surroundings(are_blocks_requested=True)) == [
        "the same lines as they should read"
    ]
