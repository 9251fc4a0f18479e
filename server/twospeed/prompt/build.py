"""Build the messages for a model from the facts of one edit.

Providers cache a prompt up to its first difference from an earlier one, so the parts are ordered by
stability, and the space for the file changes in steps. Everything from the repository, including names, is in
one data part between marks that end with a random word. There is one user message, because several chat
templates require alternating roles. The defence against injected instructions is the scope, which the edit
cannot leave. No tool is ever declared.
"""

from __future__ import annotations

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
"""Diagnostics in a prompt. Further ones repeat each other."""

MAX_DIAGNOSTIC_CHARS = 500

NOTES_SHARE = 3
"""Notes longer than a third of the prompt are left out."""

_STEP_CHARS = 2048
"""The length of all parts after the context is rounded up to a multiple of this."""

_STEP_LINES = 32
"""The context above starts at a multiple of this many lines, if that drops at most a quarter of it."""

_BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class PromptFacts:
    """The facts about one edit for a prompt. Lines have line ends.

    Attributes:
        file_name: Name of the document without its path.
        scope_text: The lines to rewrite. Sent unchanged except for secrets.
        delimiter: An unpredictable word.
        selected: Lines that describe the cursor or the selection (`describe_selection`).
        cells: All lines of the cells above, if the document is a cell of a notebook.
        before: All lines of the document above the scope.
        after: All lines of the document below the scope.
        draft: The scope as an interrupted answer had rewritten it, or empty.
        fault: Syntax errors of the draft, one in each line. Without a draft, why an earlier answer was not
            usable.
        file: Definitions of the document for its outline.
        definitions: Definitions of names in the scope, the most valuable first.
        previous_edit: Change of the edit that this one refines.
        notes: The project's notes for models, if the user consented.
        secrets: Placeholders for secrets. ``None`` sends everything unchanged.
        moves_imports: Whether imports in the answer are moved to those of the file.
    """

    language_id: str
    file_name: str
    instruction: str
    scope_kind: ScopeKind
    scope_name: str | None
    scope_text: str
    delimiter: str
    selected: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()
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
    moves_imports: bool = False

    @property
    def above(self) -> tuple[str, ...]:
        """All lines above the scope, with those of the cells above."""
        return (*self.cells, *self.before) if self.cells else self.before

    def all_text(self) -> str:
        """Return all text that could be sent, whether it fits or not."""
        texts = (self.file_name, self.scope_name or "", self.instruction, self.scope_text, self.draft)
        definitions = (each.path + "\n" + each.text for each in self.definitions)
        around = "".join((*self.above, *self.after))
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
"""The words of a mark, and the text after it."""


def build_prompt(facts: PromptFacts, *, budget_tokens: int = Limits().context_tokens) -> tuple[Message, ...]:
    """Build a system message, equal for all requests of its kind, and one user message.

    Lines around the scope are left out to stay below ``budget_tokens``; a long scope may exceed it.

    Raises:
        ValueError: The delimiter is empty or occurs in the text. Try another random word.
    """
    facts = _without_secrets(facts)
    system = texts.REVIEW_SYSTEM if facts.form == "findings" else texts.SYSTEM
    n_chars = budget_tokens * CHARS_PER_TOKEN - len(system)
    if len(facts.notes) * NOTES_SHARE > n_chars:
        facts = replace(facts, notes="")
    n_skeleton = _length(facts, _file_parts(facts, "", Window((), (), len(facts.above), len(facts.after))))
    bare = replace(facts, diagnostics=(), previous_edit="", draft="")
    n_left = n_chars - n_skeleton - _length(facts, _scope_parts(bare)) - len(_request(facts))
    shares = Shares.of(n_left)
    facts = replace(
        facts,
        diagnostics=tuple(_fitting(facts.diagnostics[:MAX_DIAGNOSTICS], shares.reports)),
        previous_edit=facts.previous_edit
        if _length(facts, [(texts.PREVIOUS_EDIT, facts.previous_edit)]) <= shares.previous_edit
        else "",
        draft=facts.draft if len(facts.draft) <= n_left else "",
    )
    scope_parts = _scope_parts(facts)
    n_scope_parts = _rounded_up(_length(facts, scope_parts) + len(_request(facts)), _STEP_CHARS)
    outline, window, n_free = _context(facts, n_chars - n_skeleton - n_scope_parts, shares)
    stable = _file_parts(facts, outline, window)
    parts = (*stable, *_definitions(facts, window, n_free), *scope_parts)
    text = _marked(facts, parts) + _request(facts)
    if not facts.delimiter or text.count(facts.delimiter) != len(parts):
        raise ValueError("the delimiter must be a word that occurs nowhere else in the prompt")
    return Message("system", system), Message("user", text, n_stable=_length(facts, stable))


def _context(facts: PromptFacts, room: int, shares: Shares) -> tuple[str, Window, int]:
    n_lines = len(facts.above) + len(facts.after)
    # A line has at least one character, so a million lines need not be measured.
    n_around = sum(map(len, (*facts.above, *facts.after))) if n_lines <= room else room + 1
    if n_around <= room:
        window = _window(facts, room)
        if window.n_left_out_before == window.n_left_out_after == 0:
            return "", window, min(room - n_around, shares.definitions)
    # Independent of the definitions: the index may not be complete yet when the model warms up its cache.
    for_definitions = shares.definitions if facts.file else 0
    n_mark = len(texts.mark(texts.OUTLINE, facts.delimiter))
    n_outline = min(shares.outline, room) - n_mark
    outline = outline_of(facts.file, n_chars=n_outline, prepare=_as_context) if facts.file else ""
    if outline:
        room -= n_mark + len(outline)
    return outline, _window(facts, room - for_definitions), for_definitions


def _window(facts: PromptFacts, n_chars: int) -> Window:
    before = _without_byte_order_mark(facts.above)
    return _with_aligned_start(fit(before, facts.after, n_chars=n_chars, prepare=_as_context))


def _file_parts(facts: PromptFacts, outline: str, window: Window) -> list[_Part]:
    """Return the parts that stay equal between edits of the same lines."""
    return [
        (texts.DATA, _about_file(facts)),
        *([(texts.NOTES, _as_context(facts.notes))] if facts.notes else []),
        *([(texts.OUTLINE, _masked(facts, outline))] if outline else []),
        *([_cells(facts, window)] if facts.cells else []),
        _above(facts, window),
        (texts.BELOW + texts.left_out(window.n_left_out_after), _below(facts, window)),
    ]


def _cells(facts: PromptFacts, window: Window) -> _Part:
    n_left_out = min(window.n_left_out_before, len(facts.cells))
    text = "".join(window.before[: len(facts.cells) - n_left_out])
    is_in_key = ends_in_key(facts.cells[:n_left_out])
    return texts.CELLS + texts.left_out(n_left_out), _masked(facts, text, begins_in_key=is_in_key)


def _above(facts: PromptFacts, window: Window) -> _Part:
    n_not_shown = max(window.n_left_out_before, len(facts.cells))
    text = "".join(window.before[n_not_shown - window.n_left_out_before :])
    is_in_key = ends_in_key(facts.above[:n_not_shown])
    words = texts.ABOVE + texts.left_out(n_not_shown - len(facts.cells))
    return words, _masked(facts, text, begins_in_key=is_in_key)


def _below(facts: PromptFacts, window: Window) -> str:
    begins_in_key = facts.secrets is not None and facts.secrets.ends_in_key
    return _masked(facts, "".join(window.after), begins_in_key=begins_in_key)


def _scope_parts(facts: PromptFacts) -> list[_Part]:
    return [
        _scope(facts),
        *([(texts.FAULTY if facts.fault else texts.DRAFT, _as_context(facts.draft))] if facts.draft else []),
        *([(texts.PREVIOUS_EDIT, _as_context(facts.previous_edit))] if facts.previous_edit else []),
        (texts.ABOUT, _about_scope(facts)),
        (texts.END, "\n"),
    ]


def _scope(facts: PromptFacts) -> _Part:
    text = facts.scope_text
    if facts.form == "findings":  # secrets are hidden first: a number could make one unrecognizable
        numbered = (f"{number}| {line}" for number, line in enumerate(split_lines(text), 1) if line)
        return texts.NUMBERED_SCOPE, _whole_lines("".join(numbered))
    return (texts.SCOPE if text else texts.EMPTY_SCOPE), _whole_lines(text)


def _definitions(facts: PromptFacts, window: Window, n_chars: int) -> Iterable[_Part]:
    first = window.n_left_out_before - len(facts.cells)
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
    form = ""
    if facts.form == "blocks":
        form = texts.BLOCKS + (texts.IMPORTS_IN_BLOCKS if facts.moves_imports else "")
    elif facts.form == "whole":
        # This is outside the data part. A repository may set the language id, so only a plain word is used.
        form = texts.code_block(answer_fence_for(facts.scope_text, facts.language_id), facts.language_id)
        form += texts.IMPORTS if facts.moves_imports else ""
    if facts.secrets and facts.secrets.values:
        form += texts.SECRETS
    return f"{form}{texts.INSTRUCTION}\n{make_visible_in_prose(facts.instruction)}"


def _without_secrets(facts: PromptFacts) -> PromptFacts:
    """Hide the secrets in everything but the context lines and the outline, which are cut first."""
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


def _with_aligned_start(window: Window) -> Window:
    # The start of the context stays the same while the user types, and the provider's cache stays valid.
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
    return (
        f'file: "{make_visible_in_line(facts.file_name)}"\n'
        f"language: {make_visible_in_line(facts.language_id)}\n"
    )


def _about_scope(facts: PromptFacts) -> str:
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
    return text if not text or text.endswith(("\n", "\r")) else text + "\n"


def _without_byte_order_mark(lines: Sequence[str]) -> Sequence[str]:
    if not lines or not lines[0].startswith(_BYTE_ORDER_MARK):
        return lines
    return [lines[0].removeprefix(_BYTE_ORDER_MARK), *lines[1:]]
