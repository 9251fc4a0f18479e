"""Every error has a code in the contract, a JSON-RPC code and a place in the documented tree."""

from __future__ import annotations

import asyncio
import inspect
import re
from collections.abc import Coroutine, Iterator
from typing import get_args

import pytest

from twospeed import errors
from twospeed.edits.phases import EditState
from twospeed.edits.reasons import reason_of
from twospeed.edits.values import Ending, Reason
from twospeed.edits.writing.endings import (
    BOUNDARY,
    CANCELLED,
    CLOSED,
    NOT_REVERTED,
    SHUT_DOWN,
    UNDONE,
    ending_of,
)
from twospeed.edits.writing.repair import Repair
from twospeed.lsp.wire.error_codes import INTERNAL_ERROR, rpc_error
from twospeed_protocol.words import Outcome, ReasonCode, State


def subclasses(root: type[BaseException]) -> Iterator[type[BaseException]]:
    for kind in root.__subclasses__():
        yield kind
        yield from subclasses(kind)


def made(kind: type[BaseException]) -> BaseException:
    """Return an error of any type, with the arguments of its signature."""
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
def test_every_failure_of_a_model_or_an_editor_has_its_own_code(kind: type[BaseException]) -> None:
    if kind.__subclasses__():
        return
    assert reason_of(made(kind)).code != "internal"


def test_details_of_an_unexpected_error_are_only_in_the_log() -> None:
    secret = KeyError("sk-secret")
    assert "secret" not in reason_of(secret).message
    assert "secret" not in rpc_error(secret).message


def test_the_documented_tree_of_errors_is_current() -> None:
    drawn = re.findall(
        r"^[│├└─ ]*([A-Z]\w+)", (errors.__doc__ or "").partition("\n\n")[2], flags=re.MULTILINE
    )
    ours = {kind.__name__ for kind in subclasses(errors.TwospeedError) if kind.__module__ == errors.__name__}
    assert set(drawn) >= ours | {"TwospeedError"}


def test_states_are_the_words_of_the_contract() -> None:
    assert {state.value for state in EditState} == set(get_args(State))
    assert "applied" in get_args(Outcome)


def test_a_reason_contains_no_key_even_if_the_error_quotes_one() -> None:
    error = errors.ModelProtocolError(
        "the answer was sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789", provider="lab", model="m"
    )
    assert reason_of(error).message == "the answer was ***"


def test_an_error_has_the_code_of_its_own_kind() -> None:
    codes = {
        errors.ModelUnavailable: "model-unavailable",
        errors.ModelTimeout: "model-timeout",
        errors.RateLimited: "rate-limited",
        errors.QuotaExhausted: "quota",
        errors.InvalidKey: "invalid-key",
        errors.ContextTooLong: "context-too-long",
        errors.ModelProtocolError: "model-protocol",
        errors.BudgetSpent: "budget",
        errors.OwnKeyInPrompt: "secret",
        errors.UnsafeEndpoint: "unsafe-endpoint",
        errors.EditUnconfirmed: "unconfirmed",
        errors.ClientRefused: "client-refused",
        errors.SettingsError: "settings",
        errors.InvalidRequest: "internal",
    }
    assert {kind: reason_of(made(kind)).code for kind in codes} == codes
    assert reason_of(KeyError("x")) == Reason("internal", "twospeed failed; the log has the details")


async def ended(work: Coroutine[None, None, Ending]) -> Ending | Repair:
    task: asyncio.Task[Ending | Repair] = asyncio.ensure_future(work)
    await asyncio.wait([task])
    return ending_of(task)


async def raises(error: BaseException) -> Ending:
    raise error


async def returns(ending: Ending) -> Ending:
    return ending


async def test_the_end_of_the_writing_task_determines_the_outcome(caplog: pytest.LogCaptureFixture) -> None:
    assert await ended(raises(asyncio.CancelledError())) is CANCELLED
    assert await ended(returns(BOUNDARY)) is BOUNDARY
    unconfirmed, own_key = errors.EditUnconfirmed("no word"), errors.OwnKeyInPrompt("OPENAI_API_KEY")
    assert await ended(raises(unconfirmed)) == Ending("conflict", Reason("unconfirmed", "no word"))
    assert await ended(raises(own_key)) == Ending("refused", reason_of(own_key))
    refused = errors.ClientRefused("read-only")
    assert await ended(raises(refused)) == Ending("failed", Reason("client-refused", "read-only"))
    assert caplog.records == []
    assert await ended(raises(KeyError("x"))) == Ending("failed", reason_of(KeyError("x")))
    assert [record.getMessage() for record in caplog.records] == ["an edit failed"]


def test_each_ending_has_its_outcome_and_code() -> None:
    endings = [CANCELLED, UNDONE, CLOSED, SHUT_DOWN, NOT_REVERTED, BOUNDARY]
    assert [(each.outcome, each.reason and each.reason.code) for each in endings] == [
        ("cancelled", "cancelled"),
        ("cancelled", "cancelled"),
        ("cancelled", "closed"),
        ("cancelled", "shutdown"),
        ("conflict", "unconfirmed"),
        ("conflict", "boundary"),
    ]
