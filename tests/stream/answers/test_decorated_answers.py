"""Answers with correct code in another form: decorated, partial, or with tokens that are not code."""

from __future__ import annotations

import html
import json
from dataclasses import replace

import pytest
from tests.stream.answering import Place

from twospeed.stream import EditStream

ABOVE = "ifndef CC\nCC = cc\nendif\n"
BELOW = "\nclean:\n\trm -f *.o\n"
OLD = """\
build: main.o util.o
\t@echo "linking"
\t$(CC) -o app main.o util.o
\t@test -s app && echo ok > done
\t@cp app /tmp/app
\t@cp done /tmp/done
\t@touch stamp
"""
MAKEFILE = Place("makefile", ABOVE, OLD, BELOW, OLD.replace("-o app", "-O2 -o app"))
CODE = Place(
    "python",
    "import os\n\n\n",
    "def total(items):\n    count = 0\n    for item in items:\n        if item < 3 and count > 1:\n"
    "            count += item\n    count = count * 2\n    return count\n",
    "\n\nprint(total([]))\n",
)
CODE = replace(CODE, new=CODE.old.replace("* 2", "* 4"))
WORD = "3fa09c17be"

both = pytest.mark.parametrize("place", [MAKEFILE, CODE], ids=lambda place: place.language_id)


def fenced(text: str, info: str = "") -> str:
    return f"```{info}\n{text.rstrip()}\n```\n"


def ended(place: Place, answer: str, **known: str) -> EditStream:
    """Return the engine after an answer."""
    old = place.old.splitlines()
    stream = EditStream(old, replace(place.surroundings, **known))  # type: ignore[arg-type]  # fields that are texts
    stream.receive_text(answer)
    stream.finish("stop")
    return stream


def message_of(place: Place, answer: str, **known: str) -> str:
    refusal = ended(place, answer, **known).refusal
    return refusal.message if refusal else ""


@pytest.mark.parametrize("form", ["{}| {}", "{}: {}", "L{}: {}", "[{}] {}"])
def test_an_answer_with_a_number_before_every_line_is_refused(form: str) -> None:
    numbered = "\n".join(form.format(at, line) for at, line in enumerate(MAKEFILE.new.splitlines(), 4))
    assert message_of(MAKEFILE, fenced(numbered)) == "the answer has a number before every line"


def test_lines_changed_to_a_numbered_list_are_accepted() -> None:
    old = "apples\npears\nplums\n"
    place = Place("markdown", "# Fruit\n\n", old, "\n", "1. apples\n2. pears\n3. plums\n")
    assert place.answered(fenced(place.new)) == place.new


def test_code_escaped_as_html_is_refused_and_one_new_entity_is_accepted() -> None:
    assert message_of(MAKEFILE, fenced(html.escape(MAKEFILE.new))).startswith("the answer's code is escaped")
    new = MAKEFILE.new.replace('"linking"', '"linking &amp; more"')
    assert MAKEFILE.answered(fenced(new)) == new


def test_code_inside_a_string_is_refused() -> None:
    for text in (json.dumps({"code": MAKEFILE.new}, indent=2), json.dumps(MAKEFILE.new)):
        assert message_of(MAKEFILE, fenced(text, "json")) == "the answer's code is inside a string"


def rows(place: Place) -> str:
    """Return a diff without headers."""
    pairs = zip(place.old.splitlines(), place.new.splitlines(), strict=True)
    return "\n".join(f" {a}" if a == b else f"-{a}\n+{b}" for a, b in pairs)


@both
def test_a_diff_without_headers_is_applied_from_a_diff_fence(place: Place) -> None:
    assert place.answered(fenced(rows(place), "diff")) == place.new
    assert place.answered("Here:\n\n" + fenced(rows(place), "diff") + "\nDone.\n") == place.new


@both
def test_a_diff_without_headers_or_a_diff_fence_is_refused(place: Place) -> None:
    assert place.answered(fenced(rows(place))).startswith("refused")
    added = "\n".join("+" + line for line in MAKEFILE.new.splitlines())
    assert message_of(MAKEFILE, fenced(added)) == "the answer is a diff without a header"


def test_lines_changed_to_a_bulleted_list_are_accepted() -> None:
    place = Place("markdown", "# Fruit\n\n", "apples\npears\n", "\n", "- apples\n- pears\n")
    assert place.answered(fenced(place.new)) == place.new


@both
def test_an_answer_with_a_prompt_delimiter_is_refused(place: Place) -> None:
    for answer in (f"=== scope === {WORD}\n{place.new}", f"{place.new}=== end of data === {WORD}\n"):
        assert (
            message_of(place, fenced(answer), delimiter=WORD)
            == "the answer contains a delimiter of the prompt"
        )


@pytest.mark.parametrize("answer", ["{}<|im_end|>", "{}\n<|endoftext|>\n", "<|channel|>final<|message|>{}"])
def test_an_answer_with_a_control_token_is_refused(answer: str) -> None:
    text = answer.format(MAKEFILE.new.rstrip())
    assert message_of(MAKEFILE, fenced(text)) == "the answer contains a control token of the model"
    known = replace(MAKEFILE, below=BELOW + '\t@echo "<|im_end|>"\n')
    assert "own format" not in message_of(known, fenced(text))


@both
def test_an_answer_of_only_the_blocks_body_is_refused(place: Place) -> None:
    body = "".join(place.new.splitlines(keepends=True)[1:])
    assert message_of(place, fenced(body)) == "the answer contains only a part of the scope"
    assert place.answered(body).startswith("refused")


def test_an_answer_of_one_changed_line_from_the_middle_is_refused() -> None:
    old = "".join(
        f"set(NAME_{word} value)\n" for word in ("one", "two", "three", "four", "five", "six", "seven")
    )
    place = Place("cmake", "project(x)\n", old, "\n")
    changed = "set(NAME_four other_value)\n"
    assert (
        message_of(place, "Change this line:\n\n" + fenced(changed))
        == "the answer contains only a part of the scope"
    )
    whole = old.replace("set(NAME_four value)\n", changed)
    assert place.answered(fenced(whole)) == whole


def test_a_line_that_only_names_the_file_is_removed() -> None:
    for label in ("# src/sums.py", "# filepath: /app/sums.py", "sums.py"):
        stream = ended(CODE, fenced(f"{label}\n{CODE.old}"), file_name="sums.py")
        assert stream.refusal is None
        assert not any("sums.py" in str(op) for op in taken(CODE, fenced(f"{label}\n{CODE.new}"), "sums.py"))
    assert any("sums" in str(op) for op in taken(CODE, fenced(f"# not in sums.py\n{CODE.new}"), "sums.py"))


def test_a_whole_file_below_its_name_is_cut_to_the_scope() -> None:
    place = replace(CODE, above="# sums.py\nimport os\nimport re\nLIMIT = 3\nSTEP = 4\n\n\n")
    ops = taken(place, place.above + place.new + place.below, "sums.py")
    assert any("* 4" in str(op) for op in ops)


def taken(place: Place, answer: str, file_name: str) -> list[object]:
    stream = EditStream(place.old.splitlines(), replace(place.surroundings, file_name=file_name))
    return [*stream.receive_text(answer), *stream.finish("stop")]


@both
def test_an_answer_with_one_fence_too_many_is_refused(place: Place) -> None:
    assert place.answered("```\n" + fenced(place.new, "text") + "```\n").startswith("refused")


def test_an_open_fence_that_ends_within_the_last_line_is_refused() -> None:
    assert MAKEFILE.answered("```\n" + MAKEFILE.new.rstrip()) == MAKEFILE.new
    assert MAKEFILE.answered("```\n" + MAKEFILE.new.rstrip()[:-2]) == "refused:truncated"


@pytest.mark.parametrize("marker", ["...existing code...", "(... rest unchanged ...)", "[... as before]"])
def test_a_bare_ellipsis_with_words_or_in_brackets_is_refused(marker: str) -> None:
    lines = MAKEFILE.new.splitlines()
    assert MAKEFILE.answered(fenced("\n".join([*lines[:2], marker, lines[-1]]))) == "refused:elided"


def test_an_answer_of_brackets_alone_is_refused() -> None:
    for text in ("{}", "[]", "```\n{}\n```"):
        assert CODE.answered(text).startswith("refused:empty")
    table = Place("json", '{"a":\n', '{\n  "b": 1\n}\n', "}\n", "{\n}\n")
    assert table.answered(table.new) == table.new


@pytest.mark.parametrize("comment", ["# Links the app.\n", "# Links the app.\n# Needs a compiler.\n"])
def test_a_comment_above_code_is_kept_without_a_parser(comment: str) -> None:
    new = comment + MAKEFILE.old
    assert MAKEFILE.answered(new) == new
    assert MAKEFILE.answered("Links the app.\n" + MAKEFILE.old).startswith("refused")
    assert MAKEFILE.answered("## Result\n" + MAKEFILE.old).startswith("refused")
