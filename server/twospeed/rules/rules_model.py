"""The built-in engine as a model: it parses the instruction, applies a rule and streams the new text."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import assert_never

from twospeed.models.base import EditTask, Finished, ModelEvent, ModelRequest, TextDelta
from twospeed.text.code.scope import Scope

from .doc_comments import add_docs
from .f_strings import use_f_strings
from .facts.code_facts import CodeFacts
from .facts.gather import code_facts, wait_for_facts
from .instruction import AddDocs, AddTypeHints, Command, Rename, UseFStrings, parse_instruction
from .outcome import Outcome, RuleRefusal
from .renaming import rename
from .type_hints import add_type_hints

_PIECE = re.compile(r"\s*\S{1,8}|\s+")
"""Splits an answer into pieces of about the length of a token."""

NOT_UNDERSTOOD = (
    "the built-in engine can only add doc comments, rename a name in the scope, add certain Python type hints and "
    "convert Python formatting to f-strings. "
    "For other edits, set up a model: set CEREBRAS_API_KEY or another provider's key, start Ollama, or name an "
    "endpoint in config.toml; twospeed doctor shows what was found"
)


class RulesModel:
    """A model that answers from rules. An unknown instruction or an uncertain edit is a refusal."""

    @property
    def provider(self) -> str:
        """Name of the provider."""
        return "builtin"

    @property
    def name(self) -> str:
        """Name of the model."""
        return "rules"

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Answer the task of the request. Its messages are not read."""
        task = request.task
        await wait_for_facts(task.lines, task.language_id, task.scope)
        outcome = answer(task)
        if isinstance(outcome, RuleRefusal) and outcome.is_for_lack_of_lines:
            await wait_for_facts(task.lines, task.language_id, whole_file(task).scope)
            outcome = with_advice(task, outcome)
        if isinstance(outcome, RuleRefusal):
            yield Finished("refusal", outcome.message)
            return
        for piece in _PIECE.findall(outcome):
            yield TextDelta(piece)
            await asyncio.sleep(0)  # like a socket: other tasks run between two pieces
        yield Finished("stop")

    async def warm(self, request: ModelRequest) -> None:
        """Do nothing: there is no connection to prepare."""

    def send_ahead(self, request: ModelRequest) -> None:
        """Do nothing: there is no connection to prepare."""


def answer(task: EditTask) -> Outcome:
    """Return the whole new text of the scope, which parses, or a refusal."""
    command = parse_instruction(task.instruction)
    if command is None:
        return RuleRefusal(NOT_UNDERSTOOD)
    code = code_facts(task.lines, task.language_id, task.scope)
    if code is None:
        return RuleRefusal(
            "the built-in engine edits only Python, JavaScript and TypeScript files of up to 2 MiB"
        )
    if not task.scope_text.strip():
        return RuleRefusal(
            "these lines contain no code; put the cursor into a function, or select some lines"
        )
    if code.has_errors:
        return RuleRefusal("these lines contain a syntax error; fix it first")
    outcome = _apply(command, task, code)
    if isinstance(outcome, str) and not task.parses(outcome):
        return RuleRefusal("the result would not parse, so nothing was changed")
    return outcome


def with_advice(task: EditTask, refusal: RuleRefusal) -> RuleRefusal:
    """Add to a refusal whether the instruction works with the whole file as the scope."""
    outcome = answer(whole_file(task))
    if isinstance(outcome, RuleRefusal):
        return RuleRefusal(
            f"{refusal.message}, and the whole file as the scope does not help: {outcome.message}"
        )
    return RuleRefusal(f"{refusal.message}; rename it with the whole file as the scope")


def whole_file(task: EditTask) -> EditTask:
    """Return the same task for all lines of its document."""
    scope = Scope("file", None, 0, len(task.lines))
    return replace(task, scope=scope, scope_text="".join(task.lines), parses=lambda _: True)


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
