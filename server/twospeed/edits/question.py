"""What a model is asked for one edit, from the document of the request.

An instruction comment is consumed by the edit: the model never sees it, the document loses it with the answer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from twospeed import syntax
from twospeed.models.base import EditTask, ModelRequest
from twospeed.prompt import PromptFacts, Room, build_prompt
from twospeed.prompt.budget import DEEP_TOKENS, LIGHTNING_TOKENS
from twospeed.routing import LaneEntry, Mode
from twospeed.routing.lanes import BUILTIN_PROVIDER
from twospeed.stream import Surroundings
from twospeed.text.document import Document
from twospeed.text.edits import LineEdit
from twospeed.text.lines import bodies_of, split_lines
from twospeed.text.scope import Scope

from .boundaries import Boundaries
from .values import EditRequest

_BUDGETS: dict[Mode, int] = {"lightning": LIGHTNING_TOKENS, "deep": DEEP_TOKENS}


@dataclass(frozen=True, slots=True)
class Question:
    """The facts of one edit.

    Attributes:
        request: What was asked.
        boundaries: Has the word that sets the document's prompts apart from its text.
        scope: Where, in the document of the request.
        seen: The document as the model sees it: without the instruction comment.
        seen_scope: The scope in ``seen``.
    """

    request: EditRequest
    boundaries: Boundaries
    scope: Scope
    seen: Document
    seen_scope: Scope

    @classmethod
    def about(cls, request: EditRequest, scope: Scope, boundaries: Boundaries) -> Question:
        """Gather the facts of a request whose scope is known."""
        line = request.comment_line
        if line is None:
            return cls(request, boundaries, scope, request.document, scope)
        seen = request.document.with_edits([LineEdit(line, 1)])
        return cls(request, boundaries, scope, seen, replace(scope, end=scope.end - 1))

    @property
    def path(self) -> str:
        """The document's path, by which ignore patterns judge it."""
        return self.request.path

    @property
    def file_name(self) -> str:
        """The document's name without its path."""
        return self.path.rpartition("/")[2]

    @property
    def old_lines(self) -> tuple[str, ...]:
        """The scope's lines, instruction comment and all: what the answer is aligned with."""
        return self.request.document.lines[self.scope.start : self.scope.end]

    @property
    def surroundings(self) -> Surroundings:
        """What tells an answer from talk and from lines outside the scope."""
        lines, scope = self.request.document.lines, self.scope
        can_tell = syntax.tells_code_from_talk(self.seen.lines, self.seen.language_id)
        return Surroundings(
            comment_markers=syntax.comment_markers(self.request.document.language_id),
            above=bodies_of(lines[: scope.start]),
            below=bodies_of(lines[scope.end :]),
            parses=self.parses if can_tell else None,
        )

    def parses(self, text: str) -> bool:
        """Whether a text in the scope's place adds no syntax error to the document."""
        language_id = self.seen.language_id
        before = syntax.count_errors(self.seen.lines, language_id)
        n_lines = self.seen_scope.end - self.seen_scope.start
        result = self.seen.with_edits(
            [LineEdit(self.seen_scope.start, n_lines, tuple(line for line in split_lines(text) if line))]
        )
        after = syntax.count_errors(result.lines, language_id)
        return before is None or (after is not None and after <= before)

    def request_for(self, entry: LaneEntry, *, room: Room | None = None) -> ModelRequest:
        """Write the model's request.

        Args:
            entry: What serves the edit.
            room: What prompt and answer may be, where a longer prompt was refused.
        """
        request, lines, scope = self.request, self.seen.lines, self.seen_scope
        is_builtin = entry.provider == BUILTIN_PROVIDER
        scope_text = "".join(lines[scope.start : scope.end])
        facts = PromptFacts(
            language_id=request.document.language_id,
            file_name=self.file_name,
            instruction=_with_earlier(request),
            scope_kind=scope.kind,
            scope_name=scope.name,
            scope_text=scope_text,
            boundary=self.boundaries.of(request.document.uri),
            before=lines[: scope.start],
            after=lines[scope.end :],
            diagnostics=request.diagnostics,
            draft=request.draft,
        )
        task = EditTask(
            instruction=request.instruction,
            language_id=request.document.language_id,
            scope_text=scope_text,
            # Walking a scope takes its time, and a model that reads prose has no use for it.
            code=syntax.code_facts(lines, request.document.language_id, scope) if is_builtin else None,
            parses=self.parses,
        )
        budget_tokens, max_output_tokens = _BUDGETS[request.mode], entry.limits.max_output_tokens
        if room:
            budget_tokens = min(budget_tokens, room.budget_tokens)
            max_output_tokens = min(max_output_tokens, room.max_output_tokens)
        try:
            messages = build_prompt(facts, budget_tokens=budget_tokens)
        except ValueError:  # somebody has written the word down
            facts = replace(facts, boundary=self.boundaries.renew(request.document.uri))
            messages = build_prompt(facts, budget_tokens=budget_tokens)
        return ModelRequest(
            messages, task, max_output_tokens, entry.effort, is_effort_ours=entry.origin != "config"
        )


def _with_earlier(request: EditRequest) -> str:
    """Write the instruction, what it goes back to first: the newest words come last, and hold where they differ."""
    words = [f"(An earlier instruction is carried out already: {request.follows})"] if request.follows else []
    words += [f"(First asked, and stopped: {earlier})" for earlier in request.earlier]
    return "\n\n".join([*words, request.instruction])
