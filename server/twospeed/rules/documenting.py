"""The rule for doc comments: which definitions get one, in the style of their language."""

from __future__ import annotations

from collections.abc import Sequence

from twospeed.models.base import EditTask
from twospeed.text.lines import dominant_eol, split_lines

from .docstrings import docstring_for, is_documented_elsewhere
from .facts.values import CodeFacts, DefinitionFacts
from .instruction import AddDocs
from .jsdoc import jsdoc_for
from .outcome import Outcome, Replacement, RuleRefusal, replaced


def add_docs(task: EditTask, code: CodeFacts, command: AddDocs) -> Outcome:
    """Document the function of the scope, or all undocumented definitions outside functions.

    Returns:
        The new text, unchanged if everything is documented.
    """
    is_python = task.language_id == "python"
    if command.is_jsdoc and is_python:
        return RuleRefusal("JSDoc is for JavaScript and TypeScript; ask for a docstring")
    wanted = _wanted(code, command.name)
    if not wanted:
        return RuleRefusal(_why_none(command.name))
    bare = [definition for definition in wanted if definition.doc is None]
    found = _replacements(task, bare)
    if bare and not found:
        return RuleRefusal(
            f"{bare[0].name} shares its lines with other code; put it on lines of its own first"
        )
    return replaced(task.scope_text, found)


def _why_none(name: str | None) -> str:
    if name:
        return f"these lines contain no function or class named {name}"
    return "these lines contain no complete function or class; put the cursor into one, or select all of it"


def _wanted(code: CodeFacts, name: str | None) -> list[DefinitionFacts]:
    if name is not None:
        return [definition for definition in code.definitions if definition.name == name.rpartition(".")[2]]
    outermost = [definition for definition in code.definitions if not definition.is_nested]
    if code.kind == "function":
        own = [definition for definition in outermost if definition.name == code.name]
        return (own or outermost)[:1]
    return [definition for definition in outermost if not is_documented_elsewhere(definition)]


def _replacements(task: EditTask, definitions: Sequence[DefinitionFacts]) -> list[Replacement]:
    """Return one comment for each place: ``const a = …, b = …`` is a single declaration."""
    lines = split_lines(task.scope_text)
    eol = dominant_eol(task.scope_text)
    found: dict[object, Replacement] = {}
    for definition in definitions:
        if task.language_id == "python":
            replacement = docstring_for(definition, lines, eol)
        else:
            replacement = jsdoc_for(
                definition, lines, eol, is_typed=task.language_id.startswith("typescript")
            )
        if replacement:
            found.setdefault(replacement.span, replacement)
    return list(found.values())
