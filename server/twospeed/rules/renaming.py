"""The rule for renaming: every occurrence of a variable or attribute in the scope, and no other equal word.

Imported names, names defined elsewhere and ambiguous names are refused.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from twospeed.models.base import EditTask
from twospeed.syntax.identifiers.identifier import (
    Identifier,
    NameScope,
)
from twospeed.text.code import javascript

from .facts.code_facts import (
    CodeFacts,
)
from .instruction import Rename
from .mentions import SELVES, mentions
from .outcome import Outcome, Replacement, RuleRefusal, replaced

_JAVASCRIPT_NAME = re.compile(r"[^\W\d][\w$]*|\$[\w$]*")
_JAVASCRIPT_RESERVED = javascript.KEYWORDS | {
    "Infinity",
    "NaN",
    "arguments",
    "as",
    "enum",
    "eval",
    "implements",
    "interface",
    "of",
    "package",
    "private",
    "protected",
    "public",
}
"""ECMA-262, "Keywords and Reserved Words", and names with a meaning in strict code and modules."""

_VARIABLES = {"definition", "reference", "component", "export"}
_READ_NAMES_AT_RUN_TIME = {"eval", "exec", "locals", "vars"}
"""Functions that access variables by name."""


def rename(task: EditTask, code: CodeFacts, command: Rename) -> Outcome:
    """Rename a variable, function or class, or an attribute if the user named its owner."""
    if refusal := _why_never(task, code, command):
        return refusal
    if command.old == command.new:
        return task.scope_text
    chosen = _attributes(code, command) if command.owner else _variables(code, command)
    if isinstance(chosen, RuleRefusal):
        return chosen
    if any(one.role == "component" for one in chosen) and command.new[0].islower():
        return RuleRefusal(
            f"JSX reads {command.new} as an HTML element; the name of a component must start with a capital letter"
        )
    texts = mentions(code, command, chosen)
    if isinstance(texts, RuleRefusal):
        return texts
    return replaced(task.scope_text, [*(_replacement(one, command.new) for one in chosen), *texts])


def _why_never(task: EditTask, code: CodeFacts, command: Rename) -> RuleRefusal | None:
    if not _is_name(command.new, task.language_id):
        return RuleRefusal(f"{command.new} cannot be a name in this language")
    if any(one.name in _READ_NAMES_AT_RUN_TIME and one.role == "reference" for one in code.identifiers):
        return RuleRefusal("the code uses eval, exec, locals or vars, so a rename may break it")
    return None


def _replacement(one: Identifier, new: str) -> Replacement:
    if one.is_shorthand:
        return Replacement(one.span, f"{one.name}: {new}")
    return Replacement(one.span, f"{new} as {one.name}" if one.role == "export" else new)


def _is_name(name: str, language_id: str) -> bool:
    if language_id == "python":
        return name.isidentifier() and not keyword.iskeyword(name)
    return bool(_JAVASCRIPT_NAME.fullmatch(name)) and name not in _JAVASCRIPT_RESERVED


def _variables(code: CodeFacts, command: Rename) -> Sequence[Identifier] | RuleRefusal:
    same = [one for one in code.identifiers if one.name == command.old]
    refusal = _why_not_a_variable(code, same, command) or _why_not_local(code, same, command)
    if refusal:
        return refusal
    if members := [one for one in same if one.role == "member"]:
        return members
    keywords = _keywords(code, command.old)
    if isinstance(keywords, RuleRefusal):
        return keywords
    return [*(one for one in same if one.role in _VARIABLES or one.role == "global"), *keywords]


def _why_not_a_variable(code: CodeFacts, same: Sequence[Identifier], command: Rename) -> RuleRefusal | None:
    old = command.old
    roles = {one.role for one in same}
    variables = roles & _VARIABLES
    message = None
    if "import" in roles:
        message = f"{old} is imported; renaming it would import something else"
    elif "global" in roles and code.kind != "file":
        return RuleRefusal(f"{old} is defined outside these lines", is_for_lack_of_lines=True)
    elif "member" in roles and (variables or "attribute" in roles):
        message = f"{old} is both a member and another name here{_advice(code, same, command)}"
    elif not variables and "attribute" in roles:
        message = f"{old} occurs only as an attribute in these lines{_advice(code, same, command)}"
    elif not variables and "member" not in roles:
        message = f"{old} does not occur as a name in these lines"
    return RuleRefusal(message) if message else None


def _advice(code: CodeFacts, same: Sequence[Identifier], command: Rename) -> str:
    """Return the instruction that renames the attribute instead, if the code has one owner that allows it."""
    owner = next((one.owner for one in same if one.owner in {"self", "cls", "this"}), "")
    own = replace(command, owner=owner)
    if not owner or isinstance(_attributes(code, own), RuleRefusal):
        return ""
    return f'; write "rename {owner}.{own.old} to {own.new}"'


def _why_not_local(code: CodeFacts, same: Sequence[Identifier], command: Rename) -> RuleRefusal | None:
    old, new = command.old, command.new
    binding_scopes = {one.scope for one in same if one.role in {"definition", "member"}}
    if any(
        one.role in _VARIABLES and _resolves_elsewhere(one, binding_scopes, code.name_scopes) for one in same
    ):
        if code.kind == "file":
            return RuleRefusal(f"{old} is used where this file does not define it")
        return RuleRefusal(f"{old} is defined outside these lines", is_for_lack_of_lines=True)
    name_roles = {*_VARIABLES, "member", "import", "global"}
    if any(one.name == new and one.role in name_roles for one in code.identifiers):
        return RuleRefusal(f"{new} is already used in these lines")
    return (
        None
        if all(code.name_scopes[scope].is_inside for scope in binding_scopes)
        else _why_outside(code, old, new)
    )


def _why_outside(code: CodeFacts, old: str, new: str) -> RuleRefusal | None:
    for name in (old, new):
        if name in code.words_outside:
            return RuleRefusal(f"{name} is also used outside these lines", is_for_lack_of_lines=True)
    return None


def _resolves_elsewhere(
    one: Identifier, binding_scopes: Collection[int], scopes: Sequence[NameScope]
) -> bool:
    scope: int | None = one.scope
    while scope is not None:
        if scope in binding_scopes:
            return False
        scope = scopes[scope].parent
    return True


def _keywords(code: CodeFacts, old: str) -> Sequence[Identifier] | RuleRefusal:
    """Return the keyword arguments that pass a renamed parameter to a function of the scope.

    ``f(x=1)`` names a parameter of ``f``. It is renamed only if the scope defines ``f``.
    """
    owners = {
        definition.name: definition.kind
        for definition in code.definitions
        if any(parameter.name == old for parameter in definition.parameters)
    }
    if old in code.keywords_outside and any(name in code.words_outside for name in owners):
        return RuleRefusal(f"a call outside these lines may pass {old} by name", is_for_lack_of_lines=True)
    chosen: list[Identifier] = []
    for one in code.identifiers:
        if not owners or one.name != old or one.role != "keyword":
            continue
        called = one.owner.rpartition(".")
        if _calls_owner(called, owners):
            chosen.append(one)
        elif called[2] in owners or _may_forward_arguments(called[2], code, owners):
            return RuleRefusal(
                f"{one.owner}(…) passes {old} by name, and it is not certain which function it calls"
            )
    return chosen


def _calls_owner(called: tuple[str, str, str], owners: Mapping[str, str]) -> bool:
    owner, _, name = called
    return name in owners and (owner == "" if owners[name] == "function" else owner in SELVES)


def _may_forward_arguments(name: str, code: CodeFacts, owners: Collection[str]) -> bool:
    # ``partial(f, x=1)`` calls ``f``, and a class calls its ``__init__``.
    is_class = any(definition.kind == "class" and definition.name == name for definition in code.definitions)
    return name.startswith("partial") or (is_class and "__init__" in owners) or name in {"", "super", "cls"}


def _attributes(code: CodeFacts, command: Rename) -> Sequence[Identifier] | RuleRefusal:
    old, owner = command.old, command.owner
    same = [one for one in code.identifiers if one.name == old]
    chosen = [one for one in same if one.role == "member" or (one.role == "attribute" and one.owner == owner)]
    if not chosen:
        return RuleRefusal(f"{owner}.{old} does not occur in these lines")
    others = [one for one in same if one.role == "attribute" and one.owner != owner]
    if others:
        where = f"{others[0].owner or '…'}.{old}"
        return RuleRefusal(
            f"{where} may be the same attribute as {owner}.{old}; these lines do not show whether it is"
        )
    if any(one.is_shorthand for one in same) or any(one.name == "__slots__" for one in code.identifiers):
        return RuleRefusal(
            f"{old} is also named without {owner} here, so renaming {owner}.{old} alone would break it"
        )
    is_member = any(one.role == "member" for one in chosen)
    if is_member and any(one.role in {"keyword", *_VARIABLES} for one in same):
        return RuleRefusal(
            f"{old} is also used without {owner} here, so renaming {owner}.{old} alone may break it"
        )
    if any(one.name == command.new and one.role in {"attribute", "member"} for one in code.identifiers):
        return RuleRefusal(f"{command.new} is already used in these lines")
    return _why_outside(code, old, command.new) or chosen
