"""Text after the end of the code is removed: chat template tokens, a closing fence on the last line."""

from __future__ import annotations

import pytest
from tests.stream.answering import GO, PLACES, PYTHON, Place
from tests.stream.answers.test_requested_fences import AskedPlace, asked

TOKENS = [
    "</s>",
    "<|im_end|>",
    "<|eot_id|>",
    "<end_of_turn>",
    "<\uff5cend\u2581of\u2581sentence\uff5c>",
    "[/INST]",
]

every_token = pytest.mark.parametrize("token", TOKENS)
every_place = pytest.mark.parametrize("place", PLACES, ids=lambda place: place.language_id)


@every_place
@every_token
@pytest.mark.parametrize("end", ["{}", "\n{}", "{}\n", "\n{}\n\n", " {}{}"])
@pytest.mark.parametrize("seed", [None, 3])
def test_an_end_token_after_the_block_or_the_code_is_removed(
    place: Place, token: str, end: str, seed: int | None
) -> None:
    behind = end.format(token, token)
    there = asked(place)
    assert there.answered(f"{there.fence}\n{place.new}{there.fence}{behind}", seed=seed) == place.new
    if place.language_id != "markdown":
        assert place.answered(place.new.rstrip("\n") + behind, seed=seed) == place.new


@every_token
def test_a_token_that_the_document_contains_is_kept(token: str) -> None:
    old = f'END = [\n    "{token}",\n]\nSTOP = "{token}"\n'
    place = AskedPlace("python", "", old, "")
    new = old.replace("STOP", "HALT")
    assert place.answered(f"```python\n{new}```\n") == new


def test_a_closing_html_tag_is_kept() -> None:
    place = AskedPlace("html", "<body>\n", "<p>one</p>\n", "</body>\n")
    assert (
        place.answered("```html\n<p><s>one</s></p>\n<s>two</s>\n```\n") == "<p><s>one</s></p>\n<s>two</s>\n"
    )


def test_a_token_in_the_middle_of_the_code_is_kept() -> None:
    place = AskedPlace("python", "", "value = 0\n", "")
    new = 'value = [\n    "a",\n    "<|im_end|>",\n    b[0]\n    ,"</s>"]\nother = 1\n'
    assert place.answered(f"```python\n{new}```\n") == new


@every_place
@pytest.mark.parametrize("end", ["", "\n", "\n\nI multiply.\n", "</s>"])
@pytest.mark.parametrize("seed", [None, 3])
def test_a_closing_fence_on_the_last_line_of_code_closes_the_block(
    place: Place, end: str, seed: int | None
) -> None:
    there = asked(place)
    answer = f"{there.fence}\n{place.new.rstrip()}{there.fence}{end}"
    if end.startswith("\n\n"):
        assert there.answered(answer, seed=seed).startswith("refused:")
    else:
        assert there.answered(answer, seed=seed) == place.new


@pytest.mark.parametrize("place", [PYTHON, GO], ids=lambda place: place.language_id)
def test_code_that_ends_with_backticks_is_kept(place: Place) -> None:
    there = AskedPlace("markdown", "", "Text.\n", "")
    assert there.answered("```markdown\nUse `x` or ``y``\n```\n") == "Use `x` or ``y``\n"
    assert there.answered("Use `x` or ``y``") is not None
    assert place.answered(place.new) == place.new


@every_place
@pytest.mark.parametrize("tag", ["code", "answer", "source", "output"])
@pytest.mark.parametrize("seed", [None, 3])
def test_a_tag_around_the_whole_answer_is_removed(place: Place, tag: str, seed: int | None) -> None:
    there = asked(place)
    assert (
        there.answered(f"<{tag}>\n{there.fence}\n{place.new}{there.fence}\n</{tag}>\n", seed=seed)
        == place.new
    )
    if place.language_id in ("python", "go"):
        assert place.answered(f"<{tag}>\n{place.new}</{tag}>", seed=seed) == place.new


@pytest.mark.parametrize("tag", ["think", "Thinking", "reasoning", "scratchpad"])
def test_an_answer_of_reasoning_alone_is_refused(tag: str) -> None:
    assert PYTHON.answered(f"<{tag}>\n{PYTHON.new}</{tag}>\n") == "refused:empty"


@pytest.mark.parametrize("name", ["code", "answer"])
def test_a_tag_that_is_open_or_followed_by_words_does_not_wrap_the_answer(name: str) -> None:
    assert PYTHON.answered(f"<{name}>\n{PYTHON.new}").startswith("refused:")
    assert PYTHON.answered(f"<{name}>\n{PYTHON.new}</{name}>\nThat is all.\n").startswith("refused:")


@every_place
def test_a_block_of_the_old_code_before_the_new_block_is_refused(place: Place) -> None:
    there = asked(place)
    old, new = (f"{there.fence}\n{text}{there.fence}\n" for text in (place.old, place.new))
    assert there.answered(f"Before:\n\n{old}\nAfter:\n\n{new}") == "refused:ambiguous"
    short = AskedPlace("python", "", "value = 0\n", "")
    assert (
        short.answered("```python\nvalue = 0\n```\nThen:\n```python\nother = 1\n```\n") == "refused:ambiguous"
    )


@every_place
def test_a_repeated_equal_block_is_accepted(place: Place) -> None:
    there = asked(place)
    block = f"{there.fence}\n{place.new}{there.fence}\n"
    assert there.answered(f"{block}\nHere is the whole of it once more:\n\n{block}") == place.new


def test_a_line_of_ten_thousand_tokens_is_cleaned_in_time() -> None:
    place = AskedPlace("python", "", "value = 0\n", "")
    lines = place.answered("```python\nvalue = 1\n```\n" + "<|im_end|>" * 10_000)
    assert lines == "value = 1\n"
    assert place.answered("value = 1" + " </s>" * 10_000) is not None
