"""Laws of reading an answer: it does not depend on chunks, is exact or refused, and costs linear time."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.stream.answering import GO, MARKDOWN, PLACES, PYTHON, TSX, Place, lines_of, pieces

from twospeed.stream import EditStream, Surroundings
from twospeed.stream.ops import Change, Delete, Insert, Keep

places = st.sampled_from([*PLACES, replace(PYTHON, old=""), Place("python", "", PYTHON.old, "")])
odd_lines = st.sampled_from(
    [
        "",
        "```",
        "````python",
        "~~~",
        "<think>",
        "</think>",
        "Listo.",
        "OK",
        "}",
        "    }",
        "# ...",
        "x = 1",
        "<<<<<<< SEARCH",
    ]
)


@st.composite
def answers(draw: st.DrawFn) -> tuple[Place, str]:
    """Draw lines of the document, of the new scope and of neither, in runs in order or out of order."""
    place = draw(places)
    sources = [place.above, place.old, place.new, place.new, place.below]
    text: list[str] = []
    for _ in range(draw(st.integers(1, 5))):
        if draw(st.booleans()):
            text += [draw(odd_lines) + "\n"]
        lines = lines_of(draw(st.sampled_from(sources)))
        start, end = sorted(draw(st.tuples(*[st.integers(0, len(lines))] * 2)))
        text += lines if draw(st.booleans()) else lines[start:end]
    return place, "".join(text)


@given(answers(), st.integers(0, 10))
def test_ops_do_not_depend_on_the_chunks(case: tuple[Place, str], seed: int) -> None:
    place, text = case
    assert place.answered(text, seed=seed) == place.answered(text)


@given(answers(), st.integers(0, 3))
def test_a_refused_answer_gives_no_more_ops_and_others_give_the_whole_text(
    case: tuple[Place, str], seed: int
) -> None:
    place, text = case
    stream, old = place.stream(), lines_of(place.old)
    written: list[str] = []
    at = 0
    is_refused = False
    for piece in pieces(text, seed):
        ops = stream.receive_text(piece)
        assert not (is_refused and ops)
        is_refused = stream.refusal is not None
        for op in ops:
            match op:
                case Keep(until):
                    written += [line.rstrip("\n") for line in old[at:until]]
                    at = until
                case Delete(until):
                    at = until
                case Insert(line):
                    written.append(line)
                case Change(index, line):
                    assert index == at
                    written.append(line)
                    at += 1
    if not is_refused and stream.finish("stop"):
        # Every written line is in the answer, and none is written twice.
        given_lines = [line.strip() for line in text.splitlines()]
        assert all(line.strip() in given_lines for line in written)


@given(answers())
def test_applied_lines_are_the_answers_lines_in_order(case: tuple[Place, str]) -> None:
    place, text = case
    result = place.answered(text)
    if result.startswith("refused") or "<<<<" in text:
        return
    rest = iter(line.strip() for line in text.splitlines())
    assert all(line.strip() in rest for line in result.splitlines() if line.strip())


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.language_id)
@pytest.mark.parametrize("eol", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("shape", ["{}", "\n\n{}\n\n\n", "```` x\n{}````"])
def test_line_ends_and_blank_lines_around_follow_the_old_text(place: Place, eol: str, shape: str) -> None:
    padded = replace(place, old="\n" + place.old + "\n\n")
    answer = shape.format(place.new).replace("\n", eol)
    assert padded.answered(answer) == "\n" + place.new + "\n\n"
    document = replace(
        place, **{name: getattr(place, name).replace("\n", eol) for name in ("above", "old", "below")}
    )
    assert document.answered(answer) == place.new.replace("\n", eol)


LINE = {
    "old lines": "    result = 0\n",
    "new lines": "    x = call(a, b)\n",
    "talk": "Und noch ein Satz.\n",
    "fences": "```\n",
    "tagged fences": "```python\n",
    "inner fences": "        ```\n",
    "tags": "<b>\n",
    "closing tags": "</b>\n",
    "brackets": "}\n",
    "blank lines": "\n",
    "first lines": "    def total(self):\n",
}


@pytest.mark.parametrize("place", [PYTHON, GO, TSX, MARKDOWN], ids=lambda place: place.language_id)
@pytest.mark.parametrize("kind", LINE)
@pytest.mark.parametrize("head", ["", "````\n", "first {}\n"])
def test_an_answer_is_parsed_a_few_times_at_most(place: Place, kind: str, head: str) -> None:
    n_asked = 0

    def parses(text: str) -> bool:
        nonlocal n_asked
        n_asked += 1
        return False

    around = Surroundings(("#",), place.surroundings.above, place.surroundings.below, parses)
    stream = EditStream([line.rstrip("\n") for line in lines_of(place.old)], around)
    stream.receive_text(head.format(place.old) + LINE[kind] * 300)
    stream.finish("stop")
    assert n_asked < 40
