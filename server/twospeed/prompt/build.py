"""Turn the facts of one edit into the messages for a model.

Providers cache a prompt from its start up to where it differs from an earlier one. So what changes least comes first:
the system part, which is the same for every request, then the file around the scope, then the scope, what is known of
it, and the instruction. How much of the file there is room for changes in steps, so that another instruction or another
scope text of about the same length leaves the start as it was.
Everything that comes from the repository, names included, stands in one data part between marks that end with a random
word, and there is one user message only, because several chat templates of local models demand turns.
Marks and words are hygiene against injected instructions, not a defence: that is the scope, which the edit
cannot leave. No tool is ever declared.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from twospeed.models.base import Message
from twospeed.text.hidden import make_visible, make_visible_in_line, make_visible_in_prose
from twospeed.text.scope import ScopeKind

from . import texts
from .budget import CHARS_PER_TOKEN, LIGHTNING_TOKENS, Window, fit

MAX_DIAGNOSTICS = 20
"""Problems told to the model; more of them repeat each other."""

MAX_DIAGNOSTIC_CHARS = 500

N_MARKS = 6
"""Marks of a prompt without a draft, each with the boundary once."""

_STEP_CHARS = 2048
"""What follows the context is taken to be as long as the next multiple of this."""

_STEP_LINES = 32
"""Context above begins at a multiple of this many lines, where that costs no more than a quarter of it."""

_BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class PromptFacts:
    """What a model is told about one edit.

    Attributes:
        language_id: LSP language id of the document.
        file_name: The document's name without its path.
        instruction: The user's words.
        scope_kind: What the scope is; ``insertion`` where the answer is inserted.
        scope_name: The function's or class's name, where it has one.
        scope_text: The lines to rewrite, with their line ends; sent exactly as they are.
        boundary: A word that nobody can guess.
        before: The document's lines above the scope, with their line ends, from its first line on.
        after: The document's lines below the scope, with their line ends.
        diagnostics: What other tools say is wrong with the scope.
        draft: The scope as an answer that was stopped had begun to rewrite it; empty where there was none.
    """

    language_id: str
    file_name: str
    instruction: str
    scope_kind: ScopeKind
    scope_name: str | None
    scope_text: str
    boundary: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    diagnostics: tuple[str, ...] = ()
    draft: str = ""


def build_prompt(facts: PromptFacts, *, budget_tokens: int = LIGHTNING_TOKENS) -> tuple[Message, ...]:
    """Write the messages for one answer.

    Args:
        facts: What the model is told.
        budget_tokens: Estimated tokens for the whole prompt. Lines around the scope are left out to stay below
            it; the scope and the instruction never are, so that a long scope may exceed it.

    Returns:
        A system message that is the same for every request, then one user message, whose stable part ends with the
        lines around the scope.

    Raises:
        ValueError: ``boundary`` is empty or occurs in what is sent; take another random word.
    """
    late = _late_text(facts)
    empty = Window((), (), len(facts.before), len(facts.after))
    n_used = len(texts.SYSTEM) + len(_stable_text(facts, empty)) + _rounded_up(len(late), _STEP_CHARS)
    window = _stepwise(
        fit(
            _without_byte_order_mark(facts.before),
            facts.after,
            n_chars=budget_tokens * CHARS_PER_TOKEN - n_used,
            prepare=_as_context,
        )
    )
    stable = _stable_text(facts, window)
    text = stable + late
    if not facts.boundary or text.count(facts.boundary) != N_MARKS + bool(facts.draft):
        raise ValueError("the boundary has to be a word that occurs nowhere else in the prompt")
    return Message("system", texts.SYSTEM), Message("user", text, n_stable=len(stable))


def _stable_text(facts: PromptFacts, window: Window) -> str:
    """Write what stays the same from edit to edit of the same lines: the file around them."""
    return _marked(
        facts,
        (texts.DATA, _about_file(facts)),
        (texts.ABOVE + texts.left_out(window.n_left_out_before), "".join(window.before)),
        (texts.BELOW + texts.left_out(window.n_left_out_after), "".join(window.after)),
    )


def _late_text(facts: PromptFacts) -> str:
    """Write what the edit is about, then the instruction."""
    data = _marked(
        facts,
        (texts.SCOPE if facts.scope_text else texts.EMPTY_SCOPE, _whole_lines(facts.scope_text)),
        *([(texts.DRAFT, _as_context(facts.draft))] if facts.draft else []),
        (texts.ABOUT, _about_scope(facts)),
        (texts.END, "\n"),
    )
    return f"{data}{texts.INSTRUCTION}\n{make_visible_in_prose(facts.instruction)}"


def _marked(facts: PromptFacts, *parts: tuple[str, str]) -> str:
    return "".join(texts.mark(words, facts.boundary) + part for words, part in parts)


def _stepwise(window: Window) -> Window:
    """Have the context above begin where it also began a few keys ago."""
    n_dropped = _rounded_up(window.n_left_out_before, _STEP_LINES) - window.n_left_out_before
    if n_dropped > len(window.before) // 4:
        return window
    return replace(
        window,
        before=window.before[n_dropped:],
        n_left_out_before=window.n_left_out_before + n_dropped,
    )


def _rounded_up(n: int, step: int) -> int:
    return -(-n // step) * step


def _about_file(facts: PromptFacts) -> str:
    """Write what is known of the file, a line each."""
    return (
        f'file: "{make_visible_in_line(facts.file_name)}"\n'
        f"language: {make_visible_in_line(facts.language_id)}\n"
    )


def _about_scope(facts: PromptFacts) -> str:
    """Write what is known of the scope, a line each."""
    name = f' "{make_visible_in_line(facts.scope_name)}"' if facts.scope_name else ""
    lines = [f"the scope is: {facts.scope_kind}{name}", *_problems(facts.diagnostics)]
    return "".join(f"{line}\n" for line in lines)


def _problems(diagnostics: Sequence[str]) -> Iterable[str]:
    for message in diagnostics[:MAX_DIAGNOSTICS]:
        yield f"a tool reports: {make_visible_in_line(message[:MAX_DIAGNOSTIC_CHARS])}"


def _as_context(line: str) -> str:
    return _whole_lines(make_visible(line))


def _whole_lines(text: str) -> str:
    r"""End a text with a line end, so that a mark starts its own line; an empty text stays empty."""
    return text if not text or text.endswith(("\n", "\r")) else text + "\n"


def _without_byte_order_mark(lines: Sequence[str]) -> Sequence[str]:
    if not lines or not lines[0].startswith(_BYTE_ORDER_MARK):
        return lines
    return [lines[0].removeprefix(_BYTE_ORDER_MARK), *lines[1:]]
