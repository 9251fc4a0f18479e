"""Gather the content of a prompt for one edit, and build the model's request.

The edit consumes an instruction comment: the model never sees it, and the answer deletes it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from twospeed import syntax
from twospeed.aio import in_thread
from twospeed.edits.values import EditRequest
from twospeed.errors import OwnKeyInPrompt
from twospeed.models.base import EditTask, ModelRequest
from twospeed.prompt import PromptFacts, TokenLimits, build_prompt, initial_token_limits
from twospeed.prompt.answer_form import answer_fence_for, answer_form_for, is_prose
from twospeed.prompt.definitions import ScopeNames
from twospeed.prompt.texts import describe_selection
from twospeed.routing import LaneEntry
from twospeed.routing.lanes import BUILTIN_PROVIDER
from twospeed.secrets.placeholders import Placeholders, placeholder_word
from twospeed.stream import EditStream, Surroundings
from twospeed.text.code.scope import Scope
from twospeed.text.document import Document
from twospeed.text.edits import LineEdit
from twospeed.text.lines import bodies_of, split_lines

from .scope_imports import import_marks_for

_NEAR_LINES, _NEAR_CHARS = 400, 20_000
"""Part of the file on either side of a scope whose secrets are hidden everywhere; a search takes 0.4 ms."""

MAX_BYTES_AT_ONCE = 6_000
"""Bytes of a document searched for secrets on the event loop: 0.5 ms, at worst 40 ms."""


class PromptDelimiters:
    """The random word for each document that separates its text from the prompt.

    A document keeps its word, because providers cache prompts by their beginning. If a model writes the word into the
    document, it gets another one.
    """

    def __init__(self) -> None:
        self._words: dict[str, str] = {}

    def of(self, uri: str) -> str:
        """Return the word of a document."""
        return self._words.get(uri) or self.renew(uri)

    def renew(self, uri: str) -> str:
        """Replace the word of a document, and return it."""
        self._words[uri] = os.urandom(8).hex()
        return self._words[uri]

    def forget(self, uri: str) -> None:
        """Remove the word of a document."""
        self._words.pop(uri, None)


@dataclass(frozen=True)
class PromptContext:
    """The facts of one edit."""

    request: EditRequest
    delimiters: PromptDelimiters
    scope: Scope  # in the document of the request
    seen: Document  # the document as the model sees it, without the instruction comment
    seen_scope: Scope  # the scope in ``seen``
    notes: str = ""  # the project's notes for models, with the user's consent
    is_review: bool = False  # findings are requested, and no code

    @classmethod
    def about(cls, request: EditRequest, scope: Scope, delimiters: PromptDelimiters) -> PromptContext:
        """Return the facts that are known at once."""
        line = request.comment_line
        if line is None:
            return cls(request, delimiters, scope, request.document, scope)
        seen = request.document.with_edits([LineEdit(line, 1)])
        return cls(request, delimiters, scope, seen, replace(scope, end=scope.end - 1))

    @classmethod
    async def gather(
        cls, request: EditRequest, scope: Scope, delimiters: PromptDelimiters, *, for_model: bool = True
    ) -> PromptContext:
        """Return all facts after waiting for symbols and notes, which the built-in engine does not need (``for_model``)."""
        if not for_model:
            return cls.about(request, scope, delimiters)
        context = replace(cls.about(request, scope, delimiters), notes=await request.notes())
        await request.wait_until_indexed()
        seen, place = context.seen, (context.seen_scope.start, context.seen_scope.end)
        await syntax.wait_for_symbols(seen.language_id, seen.lines)
        await syntax.wait_for_names(seen.lines, seen.language_id, *place)
        if seen.lines.n_bytes > MAX_BYTES_AT_ONCE:
            await in_thread(lambda: context.secrets)  # a cached property
        return context

    @cached_property
    def secrets(self) -> Placeholders:
        """Placeholders for the secrets that the model may need in its answer.

        Their word derives from the delimiter, so prompts of a document begin alike.
        """
        scope_text, instruction, draft = self._scope_text, _all_instructions(self.request), self.request.draft
        word = placeholder_word(self.delimiters.of(self.request.document.uri))
        while any(word in text for text in (scope_text, instruction, draft)):
            word = placeholder_word(self.delimiters.renew(self.request.document.uri))
        cells, before = self.request.cells_above, self.seen.lines[: self.seen_scope.start]
        before = (*cells, *before) if cells else before
        after = self.seen.lines[self.seen_scope.end :]
        near = ("".join(before[-_NEAR_LINES:])[-_NEAR_CHARS:], "".join(after[:_NEAR_LINES])[:_NEAR_CHARS])
        return Placeholders.of(
            scope_text,
            draft,
            word=word,
            before=before,
            prose=(instruction,),
            around=(*near, *self.request.diagnostics),
        )

    @property
    def old_lines(self) -> tuple[str, ...]:
        """The scope's lines with the instruction comment: the answer is aligned with them."""
        return self.request.document.lines[self.scope.start : self.scope.end]

    @property
    def surroundings(self) -> Surroundings:
        """The facts that distinguish an answer from prose and from lines outside the scope."""
        lines, scope = self.request.document.lines, self.scope
        can_tell = syntax.distinguishes_code_from_prose(self.seen.lines, self.seen.language_id)
        are_blocks_requested = answer_form_for(self._scope_text) == "blocks"
        return Surroundings(
            comment_markers=syntax.comment_markers(self.request.document.language_id),
            above=bodies_of(lines[: scope.start]),
            below=bodies_of(lines[scope.end :]),
            parses=self.parses if can_tell else None,
            prompt_lines=None if self.request.comment_line is None else bodies_of(self._shown),
            delimiter=self.delimiters.of(self.request.document.uri),
            file_name=self.request.file_name,
            are_blocks_requested=are_blocks_requested,
            fence="" if are_blocks_requested else answer_fence_for(self._scope_text, self.seen.language_id),
            is_prose=is_prose(self.seen.language_id),
            language_id=self.seen.language_id,
            instruction="\n".join((*self.request.earlier, self.request.instruction)),
            imports=import_marks_for(
                self.request.imports, self.seen.lines, self.seen.language_id, self.seen_scope
            ),
        )

    def stream(self, placeholders: Placeholders | None) -> EditStream:
        """Return the stream that reads an answer."""
        return EditStream(bodies_of(self.old_lines), self.surroundings, placeholders)

    @property
    def _shown(self) -> tuple[str, ...]:
        return self.seen.lines[self.seen_scope.start : self.seen_scope.end]

    @property
    def _scope_text(self) -> str:
        return "".join(self._shown)

    @property
    def _selected(self) -> tuple[str, ...]:
        if (
            self.request.comment_line is not None
        ):  # the selection is in the comment, which the model does not see
            return ()
        (first, left), (last, right) = self.request.selection
        top = self.scope.start
        return describe_selection(bodies_of(self._shown), (first - top, left), (last - top, right))

    def parses(self, text: str) -> bool:
        """Return whether a text in place of the scope adds no syntax error to the document."""
        language_id = self.seen.language_id
        before = syntax.count_errors(self.seen.lines, language_id)
        n_lines = self.seen_scope.end - self.seen_scope.start
        result = self.seen.with_edits(
            [LineEdit(self.seen_scope.start, n_lines, tuple(line for line in split_lines(text) if line))]
        )
        after = syntax.count_errors(result.lines, language_id)
        return before is None or (after is not None and after <= before)

    def placeholders_for(self, entry: LaneEntry) -> Placeholders | None:
        """Return the placeholders in requests to a lane entry; ``None`` if secrets are not hidden from it."""
        return self.secrets if entry.hides_secrets else None

    def request_for(
        self,
        entry: LaneEntry,
        *,
        limits: TokenLimits | None = None,
        own_key_in: Callable[[str], str | None] = lambda _text: None,
    ) -> ModelRequest:
        """Build the request for a lane entry, within ``limits`` after a longer prompt was refused.

        Raises:
            OwnKeyInPrompt: The document contains the user's API key, even if secrets are hidden: the user must know.
        """
        request, lines, scope = self.request, self.seen.lines, self.seen_scope
        is_builtin = entry.provider == BUILTIN_PROVIDER
        scope_text = self._scope_text
        facts = PromptFacts(
            language_id=request.document.language_id,
            file_name=request.file_name,
            instruction=_all_instructions(request),
            scope_kind=scope.kind,
            scope_name=scope.name,
            scope_text=scope_text,
            delimiter=self.delimiters.of(request.document.uri),
            selected=self._selected,
            cells=request.cells_above or (),
            before=lines[: scope.start],
            after=lines[scope.end :],
            diagnostics=request.diagnostics,
            draft=request.draft,
            fault=request.fault,
            previous_edit=request.follows.changes if request.follows else "",
            form="findings" if self.is_review else answer_form_for(scope_text),
            notes=self.notes,
            secrets=self.placeholders_for(entry),
            moves_imports=import_marks_for(request.imports, lines, request.document.language_id, scope)
            is not None,
        )
        if not is_builtin:
            facts = self._with_symbols(facts)
        task = EditTask(
            instruction=request.instruction,
            language_id=request.document.language_id,
            scope_text=scope_text,
            lines=lines,
            scope=scope,
            parses=self.parses,
            sent_text=facts.secrets.hide_in_scope(scope_text) if facts.secrets else scope_text,
        )
        first = initial_token_limits(entry.limits, entry.window_tokens)
        budget_tokens, max_output_tokens = first.budget_tokens, first.max_output_tokens
        if limits:
            budget_tokens = min(budget_tokens, limits.budget_tokens)
            max_output_tokens = min(max_output_tokens, limits.max_output_tokens)
        if facts.secrets and not is_builtin and own_key_in(facts.all_text()):
            unhidden = build_prompt(
                replace(facts, secrets=None, delimiter=os.urandom(8).hex()), budget_tokens=budget_tokens
            )
            if name := own_key_in("\n".join(message.content for message in unhidden)):
                raise OwnKeyInPrompt(name)
        try:
            messages = build_prompt(facts, budget_tokens=budget_tokens)
        except ValueError:  # the text contains the delimiter
            facts = replace(facts, delimiter=self.delimiters.renew(request.document.uri))
            messages = build_prompt(facts, budget_tokens=budget_tokens)
        return ModelRequest(
            messages,
            task,
            max_output_tokens,
            entry.effort,
            is_effort_default=entry.origin != "config",
            repeats_scope=facts.form == "whole",
        )

    def _with_symbols(self, facts: PromptFacts) -> PromptFacts:
        lines, language_id, scope = self.seen.lines, self.seen.language_id, self.seen_scope
        file = syntax.symbols_of(lines, language_id)
        if file is None:  # there is no tree
            return facts
        names = ScopeNames(
            path=self.request.path,
            file=file,
            start=scope.start,
            end=scope.end,
            names=syntax.names_used(lines, language_id, scope.start, scope.end),
            is_imported_by_name=syntax.is_imported_by_name(language_id),
            lookup=self.request.definitions_of,
        )
        return replace(facts, file=file, definitions=names.definitions())


def _all_instructions(request: EditRequest) -> str:
    words: list[str] = []
    if previous_edit := request.follows:
        what = (
            "was carried out, and its result rejected"
            if previous_edit.is_rejected
            else "is carried out already"
        )
        words += [
            f"(An earlier instruction {what}: {instruction})" for instruction in previous_edit.instructions
        ]
    words += [f"(First asked, and stopped: {earlier})" for earlier in request.earlier]
    # The newest instruction is last and prevails.
    return "\n\n".join([*words, request.instruction])
