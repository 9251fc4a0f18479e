"""The facts of a request for the prompt, compared as one value, and the surroundings of its answer."""

from __future__ import annotations

import threading
from dataclasses import fields, replace
from typing import Any

import pytest
from tests.edits.inline_edits import opened

from twospeed import syntax
from twospeed.edits.prompting import prompt_context as module
from twospeed.edits.prompting.prompt_context import PromptContext, PromptDelimiters
from twospeed.edits.prompting.scope_resolution import resolve_scope
from twospeed.edits.values import EditRequest, PreviousEdit
from twospeed.errors import OwnKeyInPrompt
from twospeed.models.base import Limits, ModelRequest
from twospeed.prompt import PromptFacts, TokenLimits, build_prompt, initial_token_limits
from twospeed.routing import LaneEntry
from twospeed.secrets.placeholders import Placeholders, placeholder_word

ENTRY = LaneEntry("lab", "m", "low", limits=Limits(), is_cloud=True, origin="config")
BUILTIN = LaneEntry("builtin", "rules", limits=Limits(), is_cloud=False, origin="builtin")
TEXT = "import os\n\n\nclass A:\n    def f(self, a):\n        return a\n\n    x = 1\n\n\ny = 2\n"
URI = "file:///a.py"


def request(text: str = TEXT, line: int = 5, **more: Any) -> EditRequest:
    return EditRequest(opened(text), ((line, 8), (line, 8)), "do it", "lightning", path="src/a.py", **more)


def context(
    one: EditRequest | None = None, delimiters: PromptDelimiters | None = None, **more: Any
) -> PromptContext:
    one = one or request(**more)
    return PromptContext.about(one, resolve_scope(one), delimiters or PromptDelimiters())


class Seen:
    """Builds prompts as usual, and records their facts."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.facts: list[PromptFacts] = []
        self.budgets: list[int] = []

        def build(facts: PromptFacts, *, budget_tokens: int) -> Any:
            messages = build_prompt(facts, budget_tokens=budget_tokens)
            self.facts.append(facts)
            self.budgets.append(budget_tokens)
            return messages

        monkeypatch.setattr(module, "build_prompt", build)


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Seen:
    return Seen(monkeypatch)


def as_dict(facts: PromptFacts) -> dict[str, Any]:
    return {each.name: getattr(facts, each.name) for each in fields(facts)}


def test_the_prompt_contains_every_fact_of_the_request(seen: Seen) -> None:
    one = request(
        diagnostics=("a is unused",),
        earlier=("first",),
        draft="def f(self, b):\n",
        fault="line 1: no",
        follows=PreviousEdit("before", "- x\n+ y\n"),
    )
    asked = replace(context(one), notes="use tabs")
    made = asked.request_for(ENTRY)
    (facts,) = seen.facts
    told = as_dict(facts)
    file = syntax.symbols_of(one.document.lines, "python")
    assert file
    assert told.pop("file") == file
    assert [each.symbol.name for each in told.pop("definitions")] == []
    assert told == {
        "language_id": "python",
        "file_name": "a.py",
        "instruction": "(An earlier instruction is carried out already: before)\n\n(First asked, and stopped: first)"
        "\n\ndo it",
        "scope_kind": "function",
        "scope_name": "f",
        "scope_text": "    def f(self, a):\n        return a\n",
        "delimiter": asked.delimiters.of(URI),
        "selected": asked._selected,
        "cells": (),
        "before": one.document.lines[:4],
        "after": one.document.lines[6:],
        "diagnostics": ("a is unused",),
        "draft": "def f(self, b):\n",
        "fault": "line 1: no",
        "previous_edit": "- x\n+ y\n",
        "form": "whole",
        "notes": "use tabs",
        "secrets": asked.secrets,
        "moves_imports": True,
    }
    assert facts.selected == ("the cursor is on line 2 of the scope, column 9: return a",)
    room = initial_token_limits(ENTRY.limits, ENTRY.window_tokens)
    assert seen.budgets == [room.budget_tokens]
    assert made == ModelRequest(
        build_prompt(facts, budget_tokens=room.budget_tokens),
        made.task,
        room.max_output_tokens,
        "low",
        is_effort_default=False,
        predicts=False,
        repeats_scope=True,
    )
    task = made.task
    assert (task.instruction, task.language_id, task.scope_text) == ("do it", "python", facts.scope_text)
    assert (task.lines, task.scope, task.sent_text) == (asked.seen.lines, asked.seen_scope, facts.scope_text)
    assert task.parses("    def f(self, a):\n        return b\n")
    assert not task.parses("    def f(self, a:\n")


def test_a_review_requests_findings_with_the_default_effort_of_a_found_model(seen: Seen) -> None:
    review = replace(context(), is_review=True)
    made = review.request_for(replace(ENTRY, origin="environment"))
    assert seen.facts[0].form == "findings"
    assert (made.repeats_scope, made.is_effort_default) == (False, True)


def test_the_built_in_engine_receives_the_lines_and_no_definitions(seen: Seen) -> None:
    one = context()
    made = one.request_for(BUILTIN)
    assert (made.task.lines, made.task.scope) == (one.request.document.lines, one.scope)
    assert (seen.facts[0].file, seen.facts[0].definitions) == (None, ())


@pytest.mark.parametrize(
    ("room", "expected"),
    [(None, (8000, 8192)), (TokenLimits(500, 300), (500, 300)), (TokenLimits(90_000, 90_000), (8000, 8192))],
)
def test_reduced_limits_bound_the_prompt_and_the_answer(
    seen: Seen, room: TokenLimits | None, expected: tuple[int, int]
) -> None:
    made = context().request_for(ENTRY, limits=room)
    assert (seen.budgets, made.max_output_tokens) == ([expected[0]], expected[1])


# Secrets and keys

KEY = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"
SECRET = TEXT.replace("return a", f'return "{KEY}"')


def test_a_probable_secret_is_hidden_unless_the_lane_entry_disables_it(seen: Seen) -> None:
    one = context(text=SECRET)
    for hides in (True, False):
        made = one.request_for(replace(ENTRY, hides_secrets=hides))
        assert (KEY in made.messages[-1].content) is not hides
        assert (KEY in made.task.sent_text) is not hides
        assert KEY in made.task.scope_text
        assert one.placeholders_for(replace(ENTRY, hides_secrets=hides)) is (one.secrets if hides else None)
        assert (seen.facts[-1].secrets is None) is not hides


def test_a_secret_near_the_scope_is_hidden_in_instruction_and_draft_too() -> None:
    odd = "hunter2hunter2"
    for place in ("import os", "y = 2"):
        text = TEXT.replace(place, f'password = "{odd}"')
        one = context(replace(request(text), instruction=f"log {odd}", draft=f"x = '{odd}'\n"))
        assert odd not in "".join(message.content for message in one.request_for(ENTRY).messages)


def test_a_key_that_begins_above_the_scope_is_hidden_in_it() -> None:
    key = "MIIEowIBAAKCAQEAr5bA0m9sQ0vJ3yT1cQ8dWmZk7xY2uR4hN6pL1aS9eB3gD5fH\n"
    text = f'key = """-----BEGIN RSA PRIVATE KEY-----\n{key * 3}-----END RSA PRIVATE KEY-----"""\n'
    one = replace(request(text, choice="selection"), selection=((2, 0), (3, 0)))
    asked = context(one)
    assert asked.old_lines == (key,)
    assert key.strip() not in asked.request_for(ENTRY).task.sent_text


@pytest.mark.parametrize(("hides", "entry"), [(True, ENTRY), (False, ENTRY), (True, BUILTIN)])
def test_a_user_key_that_would_be_sent_unhidden_stops_the_request(
    hides: bool, entry: LaneEntry, seen: Seen
) -> None:
    def own_key_in(text: str) -> str | None:
        return "LAB_KEY" if KEY in text else None

    one = context(text=SECRET)
    entry = replace(entry, hides_secrets=hides)
    if hides and entry.provider != "builtin":
        with pytest.raises(OwnKeyInPrompt, match="LAB_KEY"):
            one.request_for(entry, own_key_in=own_key_in)
    else:
        one.request_for(entry, own_key_in=own_key_in)
    context().request_for(entry, own_key_in=own_key_in)
    assert set(seen.budgets) == {initial_token_limits(entry.limits, entry.window_tokens).budget_tokens}


def test_a_user_key_outside_the_prompt_budget_does_not_stop_the_request() -> None:
    far = "".join(f"z{number} = {number}\n" for number in range(3000)) + f'k = "{KEY}"\n'
    one = context(text=TEXT + far)

    def own_key_in(text: str) -> str | None:
        return "LAB_KEY" if KEY in text else None

    one.request_for(ENTRY, own_key_in=own_key_in)


# Delimiters and placeholder words


def test_a_document_that_contains_its_delimiter_gets_another_delimiter() -> None:
    delimiters = PromptDelimiters()
    word = delimiters.of(URI)
    one = context(text=TEXT + f"# {word}\n", delimiters=delimiters)
    made = one.request_for(ENTRY)
    assert delimiters.of(URI) != word
    assert delimiters.of(URI) in made.messages[-1].content


def test_a_placeholder_word_in_scope_instruction_or_draft_is_not_used() -> None:
    for place in ("scope", "instruction", "draft"):
        delimiters = PromptDelimiters()
        word = placeholder_word(delimiters.of(URI))
        one = request(
            TEXT.replace("return a", f"return {word}" if place == "scope" else "return a"),
            draft=word if place == "draft" else "",
        )
        one = replace(one, instruction=word if place == "instruction" else "do it")
        before = delimiters.of(URI)
        asked = context(one, delimiters)
        assert asked.secrets is asked.secrets
        assert delimiters.of(URI) != before, place
    assert len(word) == len("01234567")


# Comments and surroundings


def test_the_prompt_omits_the_instruction_comment_and_the_aligner_does_not() -> None:
    text = TEXT.replace("        return a\n", "        # ai: do it\n        return a\n")
    one = context(request(text, comment_line=5))
    assert (one.scope.start, one.scope.end) == (4, 7)
    assert (one.seen_scope.start, one.seen_scope.end) == (4, 6)
    assert one.seen.text == TEXT
    assert one.old_lines == one.request.document.lines[4:7]
    assert one._selected == ()
    around = one.surroundings
    assert list(around.above) == ["import os", "", "", "class A:"]
    assert list(around.below) == ["", "    x = 1", "", "", "y = 2", ""]
    assert around.prompt_lines == ["    def f(self, a):", "        return a"]
    assert (around.file_name, around.delimiter) == ("a.py", one.delimiters.of(URI))
    assert (around.are_blocks_requested, around.fence) == (False, "```")
    assert around.comment_markers == syntax.comment_markers("python")
    assert around.parses == one.parses


def test_text_that_a_parser_cannot_distinguish_from_prose_is_not_parsed() -> None:
    plain = EditRequest(opened("a\nb\n", language_id="plaintext"), ((0, 0), (0, 0)), "do it", "lightning")
    around = context(plain).surroundings
    assert (around.parses, around.prompt_lines) == (None, None)
    assert context(plain).parses("any ((("), "without a grammar no errors are counted"


def test_an_answer_parses_if_it_adds_no_syntax_error() -> None:
    broken = context(text=TEXT.replace("y = 2", "y = ("))
    assert broken.parses("    def f(self, a):\n        return a\n")
    assert not broken.parses("    def f(self, a):\n        return (a\n")
    assert context().parses("")


async def test_context_waits_for_notes_and_index_before_a_model_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    log: list[Any] = []

    async def notes() -> str:
        log.append("notes")
        return "use tabs"

    async def settled() -> None:
        log.append("settled")

    async def symbols(*what: Any) -> None:
        log.append(("symbols", *what))

    monkeypatch.setattr(syntax, "wait_for_symbols", symbols)
    one = request(notes=notes, wait_until_indexed=settled)
    scope, lines = resolve_scope(one), one.document.lines
    asked = await PromptContext.gather(one, scope, PromptDelimiters())
    assert log == ["notes", "settled", ("symbols", "python", lines)]
    assert (asked.notes, asked.scope) == ("use tabs", scope)
    log.clear()
    asked = await PromptContext.gather(one, scope, PromptDelimiters(), for_model=False)
    assert log == []
    assert asked.notes == ""


async def test_secrets_of_a_long_document_are_searched_in_a_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    threads: list[threading.Thread] = []

    def noted(*texts: str, **more: Any) -> Placeholders:
        threads.append(threading.current_thread())
        return Placeholders(more["word"], (), frozenset())

    monkeypatch.setattr(Placeholders, "of", noted)
    for text in (TEXT, TEXT + "a\n" * module.MAX_BYTES_AT_ONCE):
        one = request(text)
        asked = await PromptContext.gather(one, resolve_scope(one), PromptDelimiters())
        assert asked.secrets is asked.secrets
    assert [each is threading.main_thread() for each in threads] == [True, False]


def test_instructions_are_included_in_order() -> None:
    rejected = PreviousEdit("second", is_rejected=True, earlier=("first",))
    one = replace(request(), earlier=("third",), follows=rejected)
    assert module._all_instructions(one) == (
        "(An earlier instruction was carried out, and its result rejected: first)\n\n"
        "(An earlier instruction was carried out, and its result rejected: second)\n\n"
        "(First asked, and stopped: third)\n\n"
        "do it"
    )
    assert module._all_instructions(request()) == "do it"
