"""Turn the facts of one edit into the messages for a model.

Providers cache a prompt from its start up to where it differs from an earlier one. So what changes least comes first:
the system part, which is the same for every request, then the file's outline, where not all of the file is shown, and
the file around the scope, then definitions of what the scope uses, which a name typed may change, the scope, what is
known of it, and the instruction. How much of the file there is room for changes in steps, so that another instruction
or another scope text of about the same length leaves the start as it was. What is left out first is another order, that
of `budget`.
Everything that comes from the repository, names included, stands in one data part between marks that end with a random
word, and there is one user message only, because several chat templates of local models demand turns.
Marks and words are hygiene against injected instructions, not a defence: that is the scope, which the edit
cannot leave. No tool is ever declared.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from twospeed.models.base import Limits, Message
from twospeed.secrets.detectors.private_keys import ends_in_key
from twospeed.secrets.placeholders import Placeholders
from twospeed.text.code.scope import ScopeKind
from twospeed.text.code.symbols import FileSymbols
from twospeed.text.hidden import make_visible, make_visible_in_line, make_visible_in_prose
from twospeed.text.lines import split_lines

from . import texts
from .answer_form import AnswerForm, answer_fence_for
from .budget import CHARS_PER_TOKEN, Shares, Window, fit
from .definitions import DefinitionText
from .outline import outline_of

MAX_DIAGNOSTICS = 20
"""Problems told to the model; more of them repeat each other."""

MAX_DIAGNOSTIC_CHARS = 500

NOTES_SHARE = 3
"""Notes that would take more than a third of the prompt are left out."""

_STEP_CHARS = 2048
"""What follows the context is taken to be as long as the next multiple of this."""

_STEP_LINES = 32
"""Context above begins at a multiple of this many lines, where that costs no more than a quarter of it."""

_BYTE_ORDER_MARK = "\ufeff"

_LANGUAGE_NAME = re.compile(r"[a-z][a-z0-9+#-]{0,23}")


@dataclass(frozen=True, slots=True)
class PromptFacts:
    """What a model is told about one edit.

    Attributes:
        language_id: LSP language id of the document.
        file_name: The document's name without its path.
        instruction: The user's words.
        scope_kind: What the scope is; ``insertion`` where the answer is inserted.
        scope_name: The function's or class's name, where it has one.
        scope_text: The lines to rewrite, with their line ends; sent exactly as they are, but for their secrets.
        delimiter: A word that nobody can guess.
        selected: Where the cursor is, or what is selected in the scope, in a line each (`describe_selection`).
        before: The document's lines above the scope, with their line ends, from its first line on.
        after: The document's lines below the scope, with their line ends.
        diagnostics: What other tools say is wrong with the scope.
        draft: The scope as an answer that was stopped had begun to rewrite it; empty where there was none.
        fault: What a parser cannot read in the draft, a line each; without a draft, why an earlier answer could not be
            used. Empty where the draft is one that was stopped.
        file: What the document defines, for its outline; ``None`` where nobody knows.
        definitions: What names in the scope mean, those that are worth most first.
        previous_edit: What the instruction that this one refines has changed; empty where there is none, or nobody knows.
        form: The form the answer is asked for in.
        notes: What the project has models know, as far as the user has agreed to it.
        secrets: What stands for the secrets of scope, instruction and draft; all others are masked. ``None`` sends
            everything as it is.
    """

    language_id: str
    file_name: str
    instruction: str
    scope_kind: ScopeKind
    scope_name: str | None
    scope_text: str
    delimiter: str
    selected: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    diagnostics: tuple[str, ...] = ()
    draft: str = ""
    fault: str = ""
    file: FileSymbols | None = None
    definitions: tuple[DefinitionText, ...] = ()
    previous_edit: str = ""
    form: AnswerForm = "whole"
    notes: str = ""
    secrets: Placeholders | None = None

    def all_text(self) -> str:
        """Return everything that could be sent, whether there is room for it or not."""
        texts = (self.file_name, self.scope_name or "", self.instruction, self.scope_text, self.draft)
        definitions = (each.path + "\n" + each.text for each in self.definitions)
        around = "".join((*self.before, *self.after))
        return "\n".join(
            (
                *texts,
                around,
                self.notes,
                self.fault,
                self.previous_edit,
                *self.selected,
                *self.diagnostics,
                *definitions,
            )
        )


_Part = tuple[str, str]
"""The words of a mark, and what stands behind it."""


def build_prompt(facts: PromptFacts, *, budget_tokens: int = Limits().context_tokens) -> tuple[Message, ...]:
    """Write the messages for one answer.

    Args:
        facts: What the model is told.
        budget_tokens: Estimated tokens for the whole prompt. Lines around the scope are left out to stay below
            it; the scope and the instruction never are, so that a long scope may exceed it.

    Returns:
        A system message that is the same for every request of its kind, then one user message, whose stable part ends with the
        lines around the scope.

    Raises:
        ValueError: ``delimiter`` is empty or occurs in what is sent; take another random word.
    """
    facts = _concealed(facts)
    system = texts.REVIEW_SYSTEM if facts.form == "findings" else texts.SYSTEM
    n_chars = budget_tokens * CHARS_PER_TOKEN - len(system)
    if len(facts.notes) * NOTES_SHARE > n_chars:
        facts = replace(facts, notes="")
    n_skeleton = _length(facts, _stable(facts, "", Window((), (), len(facts.before), len(facts.after))))
    bare = replace(facts, diagnostics=(), previous_edit="", draft="")
    n_left = n_chars - n_skeleton - _length(facts, _late(bare)) - len(_request(facts))
    shares = Shares.of(n_left)
    facts = replace(
        facts,
        diagnostics=tuple(_fitting(facts.diagnostics[:MAX_DIAGNOSTICS], shares.reports)),
        previous_edit=facts.previous_edit
        if _length(facts, [(texts.FORMER, facts.previous_edit)]) <= shares.previous_edit
        else "",
        draft=facts.draft if len(facts.draft) <= n_left else "",
    )
    late = _late(facts)
    n_late = _rounded_up(_length(facts, late) + len(_request(facts)), _STEP_CHARS)
    outline, window, n_free = _context(facts, n_chars - n_skeleton - n_late, shares)
    stable = _stable(facts, outline, window)
    parts = (*stable, *_definitions(facts, window, n_free), *late)
    text = _marked(facts, parts) + _request(facts)
    if not facts.delimiter or text.count(facts.delimiter) != len(parts):
        raise ValueError("the boundary has to be a word that occurs nowhere else in the prompt")
    return Message("system", system), Message("user", text, n_stable=_length(facts, stable))


def _context(facts: PromptFacts, room: int, shares: Shares) -> tuple[str, Window, int]:
    """Choose the outline and the lines around the scope; return them, and the room that definitions may take."""
    n_lines = len(facts.before) + len(facts.after)
    # A line has a character at least, so that a million of them need not be counted.
    n_around = sum(map(len, (*facts.before, *facts.after))) if n_lines <= room else room + 1
    if n_around <= room:
        window = _window(facts, room)
        if window.n_left_out_before == window.n_left_out_after == 0:
            return "", window, min(room - n_around, shares.definitions)
    # The same whether there are definitions or not: the index may not have been read yet when the model read ahead.
    for_definitions = shares.definitions if facts.file else 0
    n_mark = len(texts.mark(texts.OUTLINE, facts.delimiter))
    n_outline = min(shares.outline, room) - n_mark
    outline = outline_of(facts.file, n_chars=n_outline, prepare=_as_context) if facts.file else ""
    if outline:
        room -= n_mark + len(outline)
    return outline, _window(facts, room - for_definitions), for_definitions


def _window(facts: PromptFacts, n_chars: int) -> Window:
    before = _without_byte_order_mark(facts.before)
    return _stepwise(fit(before, facts.after, n_chars=n_chars, prepare=_as_context))


def _stable(facts: PromptFacts, outline: str, window: Window) -> list[_Part]:
    """List what stays the same from edit to edit of the same lines: the file around them."""
    return [
        (texts.DATA, _about_file(facts)),
        *([(texts.NOTES, _as_context(facts.notes))] if facts.notes else []),
        *([(texts.OUTLINE, _masked(facts, outline))] if outline else []),
        (texts.ABOVE + texts.left_out(window.n_left_out_before), _above(facts, window)),
        (texts.BELOW + texts.left_out(window.n_left_out_after), _below(facts, window)),
    ]


def _above(facts: PromptFacts, window: Window) -> str:
    left_out = facts.before[: window.n_left_out_before]
    return _masked(facts, "".join(window.before), begins_in_key=ends_in_key(left_out))


def _below(facts: PromptFacts, window: Window) -> str:
    begins_in_key = facts.secrets is not None and facts.secrets.ends_in_key
    return _masked(facts, "".join(window.after), begins_in_key=begins_in_key)


def _late(facts: PromptFacts) -> list[_Part]:
    """List what the edit is about."""
    return [
        _scope(facts),
        *([(texts.FAULTY if facts.fault else texts.DRAFT, _as_context(facts.draft))] if facts.draft else []),
        *([(texts.FORMER, _as_context(facts.previous_edit))] if facts.previous_edit else []),
        (texts.ABOUT, _about_scope(facts)),
        (texts.END, "\n"),
    ]


def _scope(facts: PromptFacts) -> _Part:
    text = facts.scope_text
    if facts.form == "findings":  # without secrets by now, which a number before the line could hide from us
        numbered = (f"{number}| {line}" for number, line in enumerate(split_lines(text), 1) if line)
        return texts.NUMBERED_SCOPE, _whole_lines("".join(numbered))
    return (texts.SCOPE if text else texts.EMPTY_SCOPE), _whole_lines(text)


def _definitions(facts: PromptFacts, window: Window, n_chars: int) -> Iterable[_Part]:
    """Write the definitions that do not stand in the window, as many as there is room for."""
    first = window.n_left_out_before
    n_scope_lines = sum(1 for line in split_lines(facts.scope_text) if line)
    last = len(facts.before) + n_scope_lines + len(window.after)
    n_chars -= len(texts.mark(texts.DEFINITIONS, facts.delimiter))
    written: list[str] = []
    path = None
    for each in facts.definitions:
        if not each.path and first <= each.start and each.end <= last:
            continue
        name = f'"{make_visible_in_line(each.path)}"' if each.path else texts.THIS_FILE
        text = ("" if each.path == path else texts.place(name)) + _as_context(each.text)
        if len(text) > n_chars:
            break
        n_chars -= len(text)
        path = each.path
        written.append(text)
    if written:
        yield texts.DEFINITIONS, "".join(written)


def _request(facts: PromptFacts) -> str:
    """Write what follows the data."""
    form = ""
    if facts.form == "blocks":
        form = texts.BLOCKS
    elif facts.form == "whole":
        # Outside of the data part, so a language id that is no plain word is left out: a repository may set it.
        name = facts.language_id if _LANGUAGE_NAME.fullmatch(facts.language_id) else ""
        form = texts.code_block(answer_fence_for(facts.scope_text, facts.language_id), name)
    if facts.secrets and facts.secrets.values:
        form += texts.SECRETS
    return f"{form}{texts.INSTRUCTION}\n{make_visible_in_prose(facts.instruction)}"


def _concealed(facts: PromptFacts) -> PromptFacts:
    """Take the secrets out of everything but the lines around the scope and the outline, which are cut first."""
    secrets = facts.secrets
    if secrets is None:
        return facts
    return replace(
        facts,
        selected=tuple(map(secrets.hide, facts.selected)),
        file_name=secrets.mask(facts.file_name),
        language_id=secrets.mask(facts.language_id),
        instruction=secrets.hide(facts.instruction, is_prose=True),
        scope_name=secrets.mask(facts.scope_name) if facts.scope_name else None,
        scope_text=secrets.hide_in_scope(facts.scope_text),
        diagnostics=tuple(secrets.mask(each, is_prose=True) for each in facts.diagnostics),
        draft=secrets.hide(facts.draft),
        fault=secrets.mask(facts.fault, is_prose=True),
        notes=secrets.mask(facts.notes, is_prose=True),
        definitions=tuple(
            replace(each, path=secrets.mask(each.path), text=secrets.mask(each.text))
            for each in facts.definitions
        ),
        previous_edit=secrets.mask(facts.previous_edit),
    )


def _masked(facts: PromptFacts, text: str, *, begins_in_key: bool = False) -> str:
    return facts.secrets.mask(text, begins_in_key=begins_in_key) if facts.secrets else text


def _marked(facts: PromptFacts, parts: Iterable[_Part]) -> str:
    return "".join(texts.mark(words, facts.delimiter) + part for words, part in parts)


def _length(facts: PromptFacts, parts: Iterable[_Part]) -> int:
    return len(_marked(facts, parts))


def _fitting(reports: Sequence[str], n_chars: int) -> Iterable[str]:
    for report in reports:
        n_chars -= len(_reported(report))
        if n_chars < 0:
            return
        yield report


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
    about = texts.PARSER_REPORTS if facts.draft else texts.NOT_USABLE
    faults = (f"{about}: {make_visible_in_line(each)}" for each in facts.fault.splitlines())
    lines = [
        f"the scope is: {facts.scope_kind}{name}",
        *map(make_visible_in_line, facts.selected),
        *_problems(facts.diagnostics),
        *faults,
    ]
    return "".join(f"{line}\n" for line in lines)


def _problems(diagnostics: Sequence[str]) -> Iterable[str]:
    for message in diagnostics[:MAX_DIAGNOSTICS]:
        yield _reported(message)


def _reported(message: str) -> str:
    return f"a tool reports: {make_visible_in_line(message[:MAX_DIAGNOSTIC_CHARS])}"


def _as_context(line: str) -> str:
    return _whole_lines(make_visible(line))


def _whole_lines(text: str) -> str:
    r"""End a text with a line end, so that a mark starts its own line; an empty text stays empty."""
    return text if not text or text.endswith(("\n", "\r")) else text + "\n"


def _without_byte_order_mark(lines: Sequence[str]) -> Sequence[str]:
    if not lines or not lines[0].startswith(_BYTE_ORDER_MARK):
        return lines
    return [lines[0].removeprefix(_BYTE_ORDER_MARK), *lines[1:]]
