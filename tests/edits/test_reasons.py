"""Every error of ours has a word in the contract, a code in JSON-RPC and a place in the tree that is drawn of them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import get_args

import pytest

from twospeed import errors
from twospeed.edits.reasons import reason_of
from twospeed.edits.state import TRANSITIONS, EditState, EditStateError, EditStep, next_state
from twospeed.edits.stopwatch import Stopwatch
from twospeed.edits.values import Stats
from twospeed.lsp.error_codes import INTERNAL_ERROR, rpc_error
from twospeed.models.base import Usage
from twospeed_protocol.words import Outcome, ReasonCode, State


def subclasses(root: type[BaseException]) -> Iterator[type[BaseException]]:
    for kind in root.__subclasses__():
        yield kind
        yield from subclasses(kind)


def made(kind: type[BaseException]) -> BaseException:
    """Make an error of any kind with the arguments its signature asks for."""
    parameters = list(inspect.signature(kind.__init__).parameters.values())[1:]
    values = {"asked": 1, "current": 2, "retry_after_s": None}
    named = {p.name: values.get(p.name, "x") for p in parameters if p.kind is p.KEYWORD_ONLY}
    positional = ["x" for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.VAR_POSITIONAL)]
    return kind(*positional, **named)


@pytest.mark.parametrize("kind", sorted(subclasses(errors.TwospeedError), key=str))
def test_every_error_has_a_reason_and_a_code(kind: type[BaseException]) -> None:
    error = made(kind)
    assert reason_of(error).code in get_args(ReasonCode)
    response = rpc_error(error)
    assert response.code != INTERNAL_ERROR
    assert response.message


@pytest.mark.parametrize(
    "kind",
    [
        kind
        for kind in subclasses(errors.TwospeedError)
        if issubclass(kind, (errors.ModelError, errors.DeliveryError))
    ],
)
def test_every_failure_of_a_model_or_an_editor_has_a_word_of_its_own(kind: type[BaseException]) -> None:
    if kind.__subclasses__():
        return
    assert reason_of(made(kind)).code != "internal"


def test_a_bug_of_ours_keeps_its_details_to_the_log() -> None:
    secret = KeyError("sk-secret")
    assert "secret" not in reason_of(secret).message
    assert "secret" not in rpc_error(secret).message


def test_the_tree_of_errors_is_drawn_as_it_is() -> None:
    drawn = re.findall(
        r"^[│├└─ ]*([A-Z]\w+)", (errors.__doc__ or "").partition("\n\n")[2], flags=re.MULTILINE
    )
    ours = {kind.__name__ for kind in subclasses(errors.TwospeedError) if kind.__module__ == errors.__name__}
    assert set(drawn) >= ours | {"TwospeedError"}


def test_states_are_the_wires_words() -> None:
    assert {state.value for state in EditState} == set(get_args(State))
    assert set(TRANSITIONS) == set(EditState)
    assert "applied" in get_args(Outcome)


@pytest.mark.parametrize("state", EditState)
@pytest.mark.parametrize("step", EditStep)
def test_a_step_that_is_not_in_the_table_is_a_bug(state: EditState, step: EditStep) -> None:
    if step in TRANSITIONS[state]:
        assert next_state(state, step) is TRANSITIONS[state][step]
    else:
        with pytest.raises(EditStateError):
            next_state(state, step)


def test_an_ended_edit_takes_no_step() -> None:
    assert TRANSITIONS[EditState.ENDED] == {}


def test_the_stopwatch_measures_from_the_first_text_to_the_last() -> None:
    times = iter([10.0, 10.25, 10.5, 11.25, 12.0])
    watch = Stopwatch(lambda: next(times))
    for _ in range(3):
        watch.note_text()
    watch.note_usage(Usage(input_tokens=7, output_tokens=120, reasoning_tokens=20))
    stats = watch.stopped(Stats(chars_sent=5))
    assert (stats.ttft_ms, stats.duration_ms, stats.tokens_per_second) == (250.0, 2000.0, 100.0)
    assert stats.chars_sent == 5


def test_a_steered_edit_has_the_rate_of_the_answer_that_landed() -> None:
    times = iter([0.0, 1.0, 2.0, 3.0, 10.0, 11.0, 12.0])
    watch = Stopwatch(lambda: next(times))
    watch.note_turn()
    watch.note_request()
    watch.note_text()
    watch.note_text()
    watch.note_request()
    watch.note_text()
    watch.note_text()
    watch.note_usage(Usage(output_tokens=50))
    stats = watch.stopped(Stats())
    assert (stats.queued_ms, stats.ttft_ms, stats.tokens_per_second) == (1000.0, 2000.0, 50.0)


def test_a_rate_that_cannot_be_measured_is_not_invented() -> None:
    watch = Stopwatch(lambda: 1.0)
    watch.note_text()
    watch.note_usage(Usage(output_tokens=100))
    assert watch.stopped(Stats()).tokens_per_second is None


def test_a_reason_shows_no_key_whatever_the_error_quotes() -> None:
    error = errors.ModelProtocolError(
        "the answer was sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789", provider="lab", model="m"
    )
    assert reason_of(error).message == "the answer was ***"
