"""Answers in the requested fence: the content is code, the text around it is prose."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import pytest
from tests.stream.answering import GO, MARKDOWN, PLACES, PYTHON, TSX, Place

from twospeed.prompt.answer_form import answer_fence_for
from twospeed.stream import EditStream, Surroundings


class AskedPlace(Place):
    """A place whose answer was requested in a fence."""

    @cached_property
    def fence(self) -> str:
        return answer_fence_for(self.old, self.language_id)

    @cached_property
    def surroundings(self) -> Surroundings:
        plain = Place(self.language_id, self.above, self.old, self.below)
        return replace(plain.surroundings, fence=self.fence)

    def prose(self, text: str) -> list[str]:
        stream = self.stream()
        stream.receive_text(text)
        stream.finish("stop")
        return list(stream.prose)


def asked(place: Place, old: str | None = None) -> AskedPlace:
    return AskedPlace(
        place.language_id, place.above, place.old if old is None else old, place.below, place.new
    )


every_place = pytest.mark.parametrize(
    "place", [asked(place) for place in PLACES], ids=lambda place: place.language_id
)

NOT_CODE_AT_FIRST_SIGHT = {
    "import first": "import math\n\n\nvalue = math.pi\n",
    "a name alone": "setup\nvalue = 1\n",
    "a block around it": "try:\n    value = 1\nexcept OSError:\n    value = 2\n",
    "a comment first": "# Why this is so:\nvalue = 1\n",
}


@every_place
@pytest.mark.parametrize(
    "shape", ["{f}lang\n{new}{f}\n", "{f}\n{new}{f}", "Hier:\n\n{f}x\n{new}{f}\n\nAlles gut.\n"]
)
@pytest.mark.parametrize("seed", [None, 1, 2])
def test_the_requested_block_is_the_new_scope(place: AskedPlace, shape: str, seed: int | None) -> None:
    answer = shape.format(f=place.fence, new=place.new)
    assert place.answered(answer, seed=seed) == place.new


@pytest.mark.parametrize("new", NOT_CODE_AT_FIRST_SIGHT.values(), ids=NOT_CODE_AT_FIRST_SIGHT)
def test_the_first_line_in_a_requested_block_need_not_look_like_code(new: str) -> None:
    place = AskedPlace("python", "", "value = 0\n", "")
    assert place.answered(f"```python\n{new}```\n") == new


@every_place
def test_a_line_of_the_scope_in_the_prose_is_not_applied(place: AskedPlace) -> None:
    quoted = place.old.splitlines()[1]
    answer = (
        f"I change this line:\n\n> {quoted}\n\n{place.fence}\n{place.new}{place.fence}\nIt was:\n{quoted}\n"
    )
    assert place.answered(answer) == place.new


@every_place
def test_the_prose_around_the_block_is_returned_separately(place: AskedPlace) -> None:
    answer = f"I multiply.\n\n{place.fence}\n{place.new}{place.fence}\nPlease run the tests.\n"
    assert [line for line in place.prose(answer) if line] == ["I multiply.", "Please run the tests."]


@pytest.mark.parametrize("place", [asked(PYTHON), asked(GO), asked(TSX)], ids=lambda place: place.language_id)
def test_an_example_of_use_after_the_block_is_prose(place: AskedPlace) -> None:
    usage = "Use it so:\n\n```\nnew_helper(1, 2)\n```\n"
    assert place.answered(f"```\n{place.new}```\n\n{usage}") == place.new


@pytest.mark.parametrize("place", [asked(PYTHON), asked(GO), asked(TSX)], ids=lambda place: place.language_id)
def test_two_versions_are_refused(place: AskedPlace) -> None:
    for first, second in ((place.old, place.new), (place.new, place.old)):
        assert place.answered(f"```\n{first}```\n\nor\n\n```\n{second}```\n") == "refused:ambiguous"


@every_place
def test_an_unclosed_block_is_refused_unless_it_ends_like_the_old_text(place: AskedPlace) -> None:
    cut = "".join(place.new.splitlines(keepends=True)[:3])
    assert place.answered(f"{place.fence}\n{cut}") == "refused:truncated"
    assert place.answered(f"{place.fence}\n{place.new}") == place.new


@every_place
@pytest.mark.parametrize(
    "shape", ["{f}py\n{f}\n", "Gone.\n\n{f}py\n{f}", "{f}py\n\n   \n{f}\nNothing needs it.\n"]
)
def test_an_empty_block_that_names_its_language_deletes_the_scope(place: AskedPlace, shape: str) -> None:
    assert place.answered(shape.format(f=place.fence)) == ""


@every_place
@pytest.mark.parametrize(
    "shape",
    [
        "{f}\n{f}\n",
        "This is not used.\n{f}\n{f}",
        "{f}py\n",
        "`````py\n`````\n",
        "{f}py\n{f}\nUse it so:\n{f}py\nnew_helper(1, 2)\n{f}\n",
        "",
    ],
)
def test_an_empty_answer_of_another_form_is_refused(place: AskedPlace, shape: str) -> None:
    assert place.answered(shape.format(f=place.fence)) == "refused:empty"


def test_a_scope_that_is_a_block_of_markdown_is_delimited_by_a_longer_fence() -> None:
    place = asked(MARKDOWN, "```sh\npip install basket\n```\n")
    new = "```sh\npip install --user basket\n```\n"
    assert place.answered(f"````markdown\n{new}````\n") == new


def test_a_fence_inside_a_docstring_is_code() -> None:
    old = PYTHON.old.replace(
        "total(self):\n",
        'total(self):\n        """Sum.\n\n        ```\n        x()\n        ```\n        """\n',
    )
    place, new = asked(PYTHON, old), old.replace("price", "cost")
    assert place.fence == "````"
    assert place.answered(f"````python\n{new}````\n") == new


COMMENTS = {
    "python": ["# Sums the prices.\n", '"""Sum the prices."""\n'],
    "go": ["// Total sums the prices.\n", "/*\nTotal sums the prices.\n*/\n"],
    "typescriptreact": ["/**\n * Shows the names.\n */\n"],
}


@pytest.mark.parametrize("place", [PYTHON, GO, TSX], ids=lambda place: place.language_id)
@pytest.mark.parametrize("shape", ["```\n{}```\n", "````lang\n{}````\n"])
def test_an_answer_of_a_comment_without_its_code_is_refused(place: Place, shape: str) -> None:
    for comment in COMMENTS[place.language_id]:
        assert place.answered(shape.format(comment)) == "refused:extent"
        assert asked(place).answered(shape.format(comment)) == "refused:extent"


def test_commented_out_code_is_accepted() -> None:
    new = "".join(f"    # {line[4:]}\n" for line in PYTHON.old.splitlines())
    result = asked(PYTHON).answered(f"```python\n{new}```\n")
    assert [line.strip() for line in result.splitlines()] == [line.strip() for line in new.splitlines()]


def test_a_block_of_code_below_text_is_content_if_the_scope_is_prose() -> None:
    place = asked(MARKDOWN)
    is_prose = replace(place.surroundings, is_prose=True)
    text = "## Setup\n\nWrite this:\n\n```toml\nat = 7\n```\n\nThat is all.\n"
    plain = EditStream(place.old.splitlines(), is_prose)
    plain.receive_text(text)
    assert (plain.finish("stop"), plain.refusal and plain.refusal.code) == ([], "not-code")
    assert place.answered(f"Here:\n\n````markdown\n{text}````\n") == text
