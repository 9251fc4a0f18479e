"""The built-in engine as a model: understand the instruction, apply a rule, stream the new text.

It is asked like any model and answers like one, so that everything behind it is the same code: the answer is the
whole scope, in pieces, and ``Finished``. What it does not understand, or is not certain of, is a refusal.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator
from typing import assert_never

from twospeed.models.base import EditTask, Finished, ModelEvent, ModelRequest, TextDelta

from .documenting import add_docs
from .f_strings import use_f_strings
from .facts.gather import code_facts, wait_for_facts
from .facts.values import CodeFacts
from .instruction import AddDocs, AddTypeHints, Command, Rename, UseFStrings, understand
from .outcome import Outcome, RuleRefusal
from .renaming import rename
from .type_hints import add_type_hints

_PIECE = re.compile(r"\s*\S{1,8}|\s+")
"""Cuts an answer into pieces about as long as a model's tokens."""

NOT_UNDERSTOOD = (
    "the built-in engine can add doc comments, rename a name in the scope, add certain Python type hints and "
    "convert Python formatting to f-strings, and this is none of them. "
    "For anything else set up a model: set CEREBRAS_API_KEY or another provider's key, start Ollama, or name an "
    "endpoint in config.toml; twospeed doctor shows what was found"
)


class RulesModel:
    """Answer from rules: no network, no key, no guessing."""

    @property
    def provider(self) -> str:
        """Provider's name."""
        return "builtin"

    @property
    def name(self) -> str:
        """Model's name."""
        return "rules"

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Answer from the request's task; its messages are not read."""
        task = request.task
        await wait_for_facts(task.lines, task.language_id, task.scope)
        outcome = answer(task)
        if isinstance(outcome, RuleRefusal):
            yield Finished("refusal", outcome.message)
            return
        for piece in _PIECE.findall(outcome):
            yield TextDelta(piece)
            await asyncio.sleep(0)  # as a socket would, so that what was shown can be acted upon
        yield Finished("stop")

    async def warm(self, request: ModelRequest) -> None:
        """Do nothing: there is nobody to be made ready."""

    def send_ahead(self, request: ModelRequest) -> None:
        """Do nothing, likewise."""


def answer(task: EditTask) -> Outcome:
    """Carry out a task.

    Returns:
        The scope's whole new text, which parses and is right as far as the code shows, or why there is none.
    """
    command = understand(task.instruction)
    if command is None:
        return RuleRefusal(NOT_UNDERSTOOD)
    code = code_facts(task.lines, task.language_id, task.scope)
    if code is None:
        return RuleRefusal(
            "the built-in engine reads Python, JavaScript and TypeScript files of up to 2 MiB only"
        )
    if not task.scope_text.strip():
        return RuleRefusal("there is no code here; put the cursor into a function, or select some lines")
    if code.has_errors:
        return RuleRefusal("the parser stumbles over a syntax error in these lines; mend it first")
    outcome = _apply(command, task, code)
    if isinstance(outcome, str) and not task.parses(outcome):
        return RuleRefusal("the result would not parse, so the code is left as it is")
    return outcome


def _apply(command: Command, task: EditTask, code: CodeFacts) -> Outcome:
    match command:
        case AddDocs():
            return add_docs(task, code, command)
        case Rename():
            return rename(task, code, command)
        case AddTypeHints():
            return add_type_hints(task, code)
        case UseFStrings():
            return use_f_strings(task, code)
        case _:
            assert_never(command)
