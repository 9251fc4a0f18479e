"""Answers in fences, with other text inside, before and after them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.stream.answering import GO, MARKDOWN, PLACES, PYTHON, TSX, Place

every_place = pytest.mark.parametrize("place", PLACES, ids=lambda place: place.language_id)

LONG_TALK = """\
Gern! Ich habe mir das angesehen, und zwar so:

1. zuerst die alten Zeilen gelesen,
2. dann mit `count` malgenommen (siehe unten).

- Nichts anderes ist betroffen
- **Kein** Test fehlt

> „Weniger ist mehr“, heißt es ja.

"""


@every_place
@pytest.mark.parametrize(
    "shape",
    [
        "````python\n{}````\n",
        "~~~~\n{}~~~~\n",
        "~~~~ts\n{}~~~~   \n",
        '````tsx title="list.tsx" {{3,5}}\n{}````\n',
        "```` go \n{}````",
        "  ````\n{}  ````\n",
        "Voilà :\n````\n{}````",
        LONG_TALK + "````\n{}````\n",
        "直しました。\n\n````\n{}````\n\n他に何かあれば言ってください。\n",
        "````\n{}````\n\n" + LONG_TALK,
        "````\n\n\n{}\n\n````\n",
        "<plan>\nfirst the loop\n</plan>\n\n````\n{}````\n",
    ],
)
def test_the_content_of_a_fence_is_applied_exactly(place: Place, shape: str) -> None:
    assert place.answered(shape.format(place.new)) == place.new
    assert place.answered(shape.format(place.new).replace("\n", "\r\n")) == place.new


@pytest.mark.parametrize("place", [PYTHON, TSX, GO], ids=lambda place: place.language_id)
@pytest.mark.parametrize("shape", ["```\n{}```\n", "Pronto:\n\n```python\n{}```\nOk?", "~~~\n{}~~~"])
def test_a_fence_without_info_delimits_code(place: Place, shape: str) -> None:
    assert place.answered(shape.format(place.new)) == place.new


def test_markdown_in_a_fence_of_the_same_length_keeps_its_own_fences() -> None:
    for shape in ("```markdown\n{}```\n", "```\n{}```\n\nDas war alles.\n", "Da:\n```md\n{}```"):
        assert MARKDOWN.answered(shape.format(MARKDOWN.new)) == MARKDOWN.new


DOCSTRING = '''\
    def total(self):
        """Sum up.

        ```
        basket.total()
        ```
        """
        return sum(item.price for item in self.items)
'''


@pytest.mark.parametrize("shape", ["{}", "```\n{}```", "```python\n{}```\nFait.\n", "Fait :\n```\n{}\n```\n"])
@pytest.mark.parametrize("old", [PYTHON.old, DOCSTRING])
def test_a_fence_in_a_docstring_does_not_end_the_block(shape: str, old: str) -> None:
    place = replace(PYTHON, old=old)
    for new in (
        DOCSTRING.replace("price", "cost"),
        DOCSTRING.replace("```\n        b", "```python\n        b"),
    ):
        assert place.answered(shape.format(new)) == new


def test_without_a_grammar_a_fence_in_a_docstring_is_recognized_by_position() -> None:
    place = replace(PYTHON, language_id="zig", old=DOCSTRING)
    new = DOCSTRING.replace("price", "cost")
    assert place.answered(f"Hecho!\n```\n{new}```\n") == new


def test_a_new_block_in_markdown_is_content() -> None:
    new = MARKDOWN.old.replace("Then run", "```sh\nbasket --init\n```\n\nThen run")
    assert MARKDOWN.answered(new) == new
    assert MARKDOWN.answered(f"```markdown\n{new}```\n") == new


def test_a_scope_that_is_itself_a_block_of_markdown_keeps_its_fences() -> None:
    place = replace(MARKDOWN, old="```sh\npip install basket\n```\n")
    new = "```sh\npip install --user basket\n```\n"
    assert place.answered(new) == new
    assert place.answered("```\npip install --user basket\n```\n") == "refused:ambiguous"


def test_tildes_under_a_title_do_not_open_a_block() -> None:
    place = Place("restructuredtext", "", "Install\n~~~~~~~\n\nOld text.\n", "")
    assert place.answered("Setting up\n~~~~~~~~~~\n\nOld text.\n").startswith("refused")
    assert place.answered("Installing\n~~~~~~~~~~\n\nOld text.\n") == "Installing\n~~~~~~~~~~\n\nOld text.\n"


@every_place
@pytest.mark.parametrize("shape", ["````\n{}", "Hier:\n\n````py\n{}\n\n"])
def test_an_unclosed_block_is_applied_if_it_ends_like_the_old_text(place: Place, shape: str) -> None:
    assert place.answered(shape.format(place.new)) == place.new
    cut = "".join(place.new.splitlines(keepends=True)[:3])
    assert place.answered(shape.format(cut)) == "refused:truncated"


@every_place
@pytest.mark.parametrize(
    "shape",
    [
        "Vorher:\n````\n{old}````\nNachher:\n````\n{new}````\n",
        "````\n{new}````\noder\n````\n{old}````\n",
        "````\n{new}````\n````\n{new}````\n",
        "````\n{new}````\n\n{new}",
    ],
)
def test_two_versions_are_refused(place: Place, shape: str) -> None:
    assert place.answered(shape.format(old=place.old, new=place.new)).startswith("refused")


@every_place
@pytest.mark.parametrize(
    "shape", ["````\n````\n", "````python\n\n   \n````", "Rien à faire.\n````\n````\nVoilà."]
)
def test_an_empty_fence_is_refused(place: Place, shape: str) -> None:
    assert place.answered(shape) == "refused:empty"


def test_an_answer_with_code_on_the_line_of_a_fence_is_refused() -> None:
    first, rest = PYTHON.new.split("\n", 1)
    assert PYTHON.answered(f"```{first.strip()}\n{rest}```\n") == "refused:ambiguous"
    assert PYTHON.answered(f"```{PYTHON.new}```\n").startswith("refused")


def test_unfenced_code_with_a_fence_in_a_docstring_is_applied() -> None:
    new = "    @cached\n" + DOCSTRING
    assert PYTHON.answered(new) == new
    assert replace(PYTHON, old=DOCSTRING).answered(new.replace("price", "cost")) == new.replace(
        "price", "cost"
    )


@every_place
def test_the_first_change_in_a_fence_is_applied_at_once(place: Place) -> None:
    lines = place.new.splitlines(keepends=True)
    changed = next(at for at, line in enumerate(lines) if line not in place.old.splitlines(keepends=True))
    head = "".join(lines[: changed + 3])
    assert lines[changed].rstrip("\n") in place.shown(f"Hier:\n````\n{head}")
    assert place.shown("Hier steht noch nichts.\n\nAber gleich:\n") == []
