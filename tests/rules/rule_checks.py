"""Run the built-in engine as an edit does: on a document with a cursor ``¦``, or on all of it without one."""

from __future__ import annotations

from twospeed import syntax
from twospeed.models.base import EditTask
from twospeed.rules.facts.gather import gather_facts
from twospeed.rules.outcome import RuleRefusal
from twospeed.rules.rules_model import answer, whole_file, with_advice
from twospeed.syntax.trees.trees import parse_fully
from twospeed.text.code.scope import Scope, ScopeChoice
from twospeed.text.line_blocks import Lines
from twospeed.text.lines import split_lines

CURSOR = "¦"


def task_for(
    instruction: str, text: str, language_id: str = "python", scope: Scope | None = None
) -> tuple[EditTask, str, str]:
    """Build a task, with the document's text above and below the scope."""
    before = text.partition(CURSOR)[0]
    line = len(split_lines(before)) - 1
    place = (line, len(split_lines(before)[line]))
    lines = Lines.of(split_lines(text.replace(CURSOR, "")))
    if scope is None:
        choice: ScopeChoice = "auto" if CURSOR in text else "file"
        scope = syntax.find_scope(lines, language_id, (place, place), choice)
    above, inside, below = (
        "".join(part) for part in (lines[: scope.start], lines[scope.start : scope.end], lines[scope.end :])
    )

    def parses(answer: str) -> bool:
        old, new = (
            syntax.count_errors(split_lines(all_), language_id) for all_ in (text, above + answer + below)
        )
        return old is None or new is None or new <= old

    parse_fully(language_id, lines)  # however large
    gather_facts(lines, language_id, scope)  # however long
    return EditTask(instruction, language_id, inside, parses, lines=lines, scope=scope), above, below


def ask(instruction: str, text: str, language_id: str = "python") -> str | RuleRefusal:
    """Return the document after the edit, or the refusal."""
    task, above, below = task_for(instruction, text, language_id)
    outcome = answer(task)
    if isinstance(outcome, RuleRefusal):
        whole = whole_file(task)
        gather_facts(whole.lines, language_id, whole.scope)
        return with_advice(task, outcome) if outcome.is_for_lack_of_lines else outcome
    return above + outcome + below


def check(instruction: str, text: str, expected: str, language_id: str = "python") -> None:
    """The edit turns one document into the other."""
    assert ask(instruction, text, language_id) == expected


def check_refused(instruction: str, text: str, words: str, language_id: str = "python") -> None:
    """The edit is refused in a message with these words."""
    outcome = ask(instruction, text, language_id)
    assert isinstance(outcome, RuleRefusal), outcome
    assert words in outcome.message
