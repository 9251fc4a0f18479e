"""The laws of a whole answer: the exact new text, or a refusal and the old text.

The answer is fenced or plain, and indented as the document or not. Whole answers of plain code are applied
exactly; all others are exact or refused.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from hypothesis import given
from hypothesis import strategies as st
from tests.stream.live_edit import LiveEdit
from tests.stream.texts import BRACES, PYTHON, Case, Pace, Style, cases, functions, line_ends, paces

from twospeed.stream import EditStream, Surroundings


@lru_cache(4096)
def compiles(text: str) -> bool:
    try:
        compile(text, "x", "exec")
    except (SyntaxError, ValueError):
        return False
    return True


@st.composite
def function_cases(draw: st.DrawFn, style: Style) -> Case:
    """Draw a function in a document, and an edited version of it."""
    old, new = draw(functions(style))
    above = draw(st.sampled_from([(), ("",), (f"{style.comment} above", "")]))
    below = draw(st.sampled_from([(), ("",), ("", f"{style.comment} below")]))
    eols = draw(line_ends([*above, *old, *below][1:]))
    return Case(above, tuple(old), below, tuple(new), eols)


def surroundings(case: Case, style: Style) -> Surroundings:
    parses = compiles if style is PYTHON else None
    return Surroundings((style.comment,), case.above, case.below, parses)


@dataclass
class Ended:
    """The result of an answer: the edit as the client has it, and the refusal, if any."""

    edit: LiveEdit
    refused: str | None = None
    dropped: Collection[str] = ()


def streamed(
    case: Case, text: str, pace: Pace, around: Surroundings, n_pieces: int | None = None, reason: str = ""
) -> Ended:
    """Stream an answer; stop after a number of pieces, as a cancel does, or end with a reason."""
    edit = LiveEdit(case)
    stream = EditStream(case.old, around)
    for number, (piece, is_shown) in enumerate(pace.pieces(text)):
        if number == n_pieces and reason:
            assert stream.finish(reason) == []  # type: ignore[arg-type]
            return taken_back(edit, stream.refusal.code if stream.refusal else "")
        if number == n_pieces:
            return taken_back(edit, "cancelled")
        ops = stream.receive_text(piece)
        if stream.refusal:
            assert ops == []
            return taken_back(edit, stream.refusal.code)
        edit.receive_ops(ops)
        if is_shown:
            edit.show()
    ops = stream.finish("stop")
    if stream.refusal:
        assert ops == []
        return taken_back(edit, stream.refusal.code)
    edit.receive_ops(ops)
    edit.show()
    return Ended(edit, dropped=stream.dropped)


def taken_back(edit: LiveEdit, why: str) -> Ended:
    edit.send(edit.scope.revert_all())
    assert edit.scope.hunks() == []
    return Ended(edit, why)


def check_is_new(ended: Ended, case: Case) -> None:
    assert ended.refused is None
    edit = ended.edit
    assert edit.client.lines == case.lines_with(case.new)
    if case.has_one_eol and case.eols:
        assert edit.client.text == case.eols[0].join(case.lines_with(case.new))


def check_is_old(ended: Ended, case: Case) -> None:
    edit = ended.edit
    assert edit.client.lines == list(case.lines)
    if case.has_one_eol:
        assert edit.client.text == case.text


def fenced(lines: Sequence[str], pace: Pace, fence: str = "`````") -> str:
    return pace.text([f"{fence}python", *lines, fence])


@given(function_cases(PYTHON), paces)
def test_inv1_a_plain_answer_of_code_is_used_exactly(case: Case, pace: Pace) -> None:
    ended = streamed(case, pace.text(case.new), pace, surroundings(case, PYTHON))
    check_is_new(ended, case)


@given(function_cases(BRACES), paces)
def test_inv1_a_plain_answer_without_a_grammar_is_used_exactly(case: Case, pace: Pace) -> None:
    ended = streamed(case, pace.text(case.new), pace, surroundings(case, BRACES))
    check_is_new(ended, case)


@given(function_cases(PYTHON), paces)
def test_inv1_a_fenced_answer_of_code_is_used_exactly(case: Case, pace: Pace) -> None:
    ended = streamed(case, fenced(case.new, pace), pace, surroundings(case, PYTHON))
    check_is_new(ended, case)


blank_lines = st.lists(st.sampled_from(["", "  "]), max_size=2)


@given(
    function_cases(PYTHON), paces, st.tuples(blank_lines, blank_lines), st.tuples(blank_lines, blank_lines)
)
def test_inv1_blank_lines_at_the_ends_follow_the_old_text(
    case: Case, pace: Pace, old_ends: tuple[list[str], list[str]], new_ends: tuple[list[str], list[str]]
) -> None:
    padded = Case(
        (), (*old_ends[0], *case.old, *old_ends[1]), (), (*old_ends[0], *case.new, *old_ends[1]), ()
    )
    padded = replace(padded, eols=("\n",) * (len(padded.old) - 1))
    answer = fenced([*new_ends[0], *case.new, *new_ends[1]], pace)
    check_is_new(streamed(padded, answer, pace, surroundings(padded, PYTHON)), padded)


@given(cases(), paces)
def test_inv1_a_fenced_answer_of_anything_is_exact_or_refused(case: Case, pace: Pace) -> None:
    """Exact except for blank lines at the ends, which follow the old text, indentation and hidden characters."""
    ended = streamed(case, fenced(case.new, pace), pace, Surroundings(("#",)))
    if ended.refused:
        check_is_old(ended, case)
        return
    lines = ended.edit.client.lines
    scope = lines[len(case.above) : len(lines) - len(case.below)]
    assert lines == case.lines_with(scope)
    inner, wanted = stripped(scope), stripped([line.translate(removed(ended.dropped)) for line in case.new])
    assert [line.strip() for line in inner] == [line.strip() for line in wanted]


def removed(characters: Iterable[str]) -> dict[int, None]:
    return {ord(character): None for character in characters}


def stripped(lines: Sequence[str]) -> list[str]:
    """Remove the blank lines at both ends."""
    told = [index for index, line in enumerate(lines) if line.strip()]
    return list(lines[told[0] : told[-1] + 1]) if told else []


@given(function_cases(PYTHON), paces)
def test_an_answer_that_equals_the_old_function_gives_no_edit(case: Case, pace: Pace) -> None:
    ended = streamed(case, fenced(case.old, pace), pace, surroundings(case, PYTHON))
    check_is_new(ended, replace(case, new=case.old))
    assert ended.edit.client.batches == []


@given(function_cases(PYTHON), paces, st.integers(0, 1_000))
def test_inv6_a_cancel_after_any_chunk_restores_the_old_text(case: Case, pace: Pace, place: int) -> None:
    text = pace.text(case.new)
    n_pieces = place % len(list(pace.pieces(text)))
    ended = streamed(case, text, pace, surroundings(case, PYTHON), n_pieces)
    assert ended.refused == "cancelled"
    check_is_old(ended, case)


reasons = st.sampled_from(["length", "content_filter", "refusal"])


@given(function_cases(PYTHON), paces, st.integers(0, 1_000), reasons)
def test_inv2_an_answer_that_ends_early_restores_the_old_text(
    case: Case, pace: Pace, place: int, reason: str
) -> None:
    text = pace.text(case.new)
    n_pieces = place % len(list(pace.pieces(text)))
    ended = streamed(case, text, pace, surroundings(case, PYTHON), n_pieces, reason)
    assert ended.refused == ("truncated" if reason == "length" else "declined")
    check_is_old(ended, case)


@given(
    function_cases(PYTHON), paces, st.integers(0, 12), st.sampled_from(["```", "# ... rest ...", "\t\tx = 1"])
)
def test_inv2_a_refusal_restores_the_old_text_in_one_batch(
    case: Case, pace: Pace, at: int, line: str
) -> None:
    answer = [*case.new[:at], line, *case.new[at:]]
    ended = streamed(case, pace.text(answer), pace, surroundings(case, PYTHON))
    if ended.refused:
        check_is_old(ended, case)


@given(
    function_cases(PYTHON),
    paces,
    paces,
    st.integers(0, 12),
    st.sampled_from(["", "```", "# ...", "prose here"]),
)
def test_the_pace_makes_no_difference_to_an_answer(
    case: Case, one: Pace, other: Pace, at: int, line: str
) -> None:
    text = "\n".join([*case.new[:at], line, *case.new[at:]]) + "\n"
    first, second = (streamed(case, text, pace, surroundings(case, PYTHON)) for pace in (one, other))
    assert first.edit.client.lines == second.edit.client.lines
    if case.has_one_eol:  # with mixed line ends, the end of a new line may depend on the lines around it
        assert first.edit.client.text == second.edit.client.text
    assert (first.refused, first.dropped) == (second.refused, second.dropped)


def test_blank_lines_at_the_end_keep_their_order() -> None:
    old = ("x = 1", "", "  ")
    case = Case((), old, (), old, ("\n",) * 2)
    ended = streamed(case, "x = 1\n", Pace(), surroundings(case, PYTHON))
    check_is_new(ended, case)
    assert ended.edit.client.batches == []
