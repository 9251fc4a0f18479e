"""Report names of a function that are used but no longer declared, and parameters no longer used.

The text of a function is compared before and after. Names that anything else in it could declare are left
out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from twospeed.gate.facts import GateFacts, Remark, by_unique_path
from twospeed.gate.signatures import header_of, parameters_of
from twospeed.text.code.scope import Definition, ScopeCode

MAX_LINES = 300
"""Longest function whose names are compared."""

MAX_NAMES = 100
"""Names of a function that are checked."""

MAX_WIDTH = 300
"""Longest line that is searched. A longer one may contain any declaration."""

_WORD = re.compile(r"\w+")
_BARE = re.compile(r"(?<![\w.])(?<!->)(?<!::)[A-Za-z_]\w*")
"""A name that is not a member."""

_GO_DECLARATION = re.compile(r"(?:(?:if|for|switch) )?([\w, ]+):=")
_KEYWORD = re.compile(r"(?:const|let|var|val|local|my|auto|final|static)\b([^=:;{]*)")
_DECLARING_HEAD = re.compile(
    r"(?:(?:if |while )?let|const|var|val|for|foreach|def|fn|func|function|catch|except|with|local|async)\b"
)
_ASSIGNS = re.compile(r"[\w,* $]+=(?!=)")
_ASSIGNED = re.compile(r"\$?([A-Za-z_]\w*) ?=(?![=>~])")
_TYPED = re.compile(r"[A-Za-z_][\w<>\[\]:?]*[ *&]+([A-Za-z_]\w*) ?(?:=(?!=)|;|\[)")
_ASSIGNING = frozenset({"lua", "php", "python", "ruby"})
"""Languages in which the first assignment declares a variable."""
_ARROW_OF_MEMBERS = frozenset({"c", "cpp", "php"})
_NAME_LAST = frozenset({"c", "cpp", "csharp", "java", "php"})
"""Languages whose parameters end with their name. Others begin with it."""
_NO_TYPE = frozenset(
    re.findall(
        r"\w+",
        "and as assert await break case delete do elif else elsif except from goto if import in instanceof is match new not "
        "of or package raise return switch throw throws typeof unless until using when while with yield",
    )
)
"""Words that precede a name without declaring it."""
_MODIFIERS = frozenset({"mut", "readonly"})
"""Words before the name of a parameter."""
_NOT_NAMES = frozenset({"_", "bool", "byte", "error", "func", "int", "interface", "number", "string"})
_SELF = frozenset({"self", "this", "cls"})


@dataclass(frozen=True, slots=True)
class _Function:
    """Names in a function.

    Attributes:
        first: First line below its header, in the document.
        header: Words of its header.
        is_short: Whether its body has at most one line of code.
        uses: Indexes of the body lines that use each name.
    """

    first: int
    header: Sequence[str]
    parameters: tuple[str, ...]
    body: Sequence[str]
    is_short: bool
    uses: Mapping[str, Sequence[int]]


def lost_names(facts: GateFacts) -> Iterator[Remark]:
    """Report each name once, at its first use or at the function that no longer uses it."""
    unresolved = {each.name for each in facts.unresolved}
    for old, new in _functions_before_and_after(facts):
        for name in _declared(old, new, facts.language_id):
            if name in unresolved or name not in old.uses:
                continue
            if name in new.uses and name not in new.header:
                lines = [new.body[at] for at in new.uses[name]]
                if not any(_may_declare(name, line, facts.language_id) for line in lines):
                    first = new.first + new.uses[name][0]
                    yield Remark(f'"{name}" is used here, but its declaration was removed', (first, first))
            elif name not in new.uses and _is_unused_parameter(name, old, new, facts):
                yield Remark(f'the parameter "{name}" is no longer used', (new.first - 1, new.first - 1))


def _is_unused_parameter(name: str, old: _Function, new: _Function, facts: GateFacts) -> bool:
    if name not in old.parameters or new.header.count(name) != 1 or new.is_short:
        return False
    first = new.first - facts.first_line
    lines = facts.new_lines[first : first + len(new.body)]
    return not any(name in line and name in _WORD.findall(line) for line in lines)


def _functions_before_and_after(facts: GateFacts) -> Iterator[tuple[_Function, _Function]]:
    if facts.before is None or facts.after is None or not facts.removed_at:
        return
    after = by_unique_path(facts.definitions_after or ())
    for path, each in by_unique_path(facts.definitions_before).items():
        now = after.get(path)
        if now is not None and each.kind == now.kind == "function":
            old = _function(each, facts.before, facts)
            new = _function(now, facts.after, facts)
            if old is not None and new is not None and (old.header, old.body) != (new.header, new.body):
                yield old, new


def _function(each: Definition, scope: ScopeCode, facts: GateFacts) -> _Function | None:
    first, behind = each.first_line - scope.first_line, each.last_line + 1 - scope.first_line
    if not 0 <= first < len(scope.code) or behind - first > MAX_LINES:
        return None
    header = header_of(each, scope.code, first)
    text = " ".join(header)
    found = parameters_of(text.partition(each.name)[2])
    names = [name for part in found if (name := _name_of(part, facts.language_id))]
    body = scope.code[first + len(header) : behind]
    uses: dict[str, list[int]] = {}
    for at, line in enumerate(body):
        for name in {*_BARE.findall(line)}:
            uses.setdefault(name, []).append(at)
    is_short = each.is_empty or sum(_WORD.search(line) is not None for line in body) <= 1
    return _Function(each.first_line + len(header), _WORD.findall(text), tuple(names), body, is_short, uses)


def _name_of(parameter: str, language_id: str) -> str:
    words = _WORD.findall(parameter.partition("=")[0])
    if not words or "{" in parameter or not _SELF.isdisjoint(words):
        return ""
    if language_id in _NAME_LAST:
        return str(words[-1])
    return next((str(word) for word in words if word not in _MODIFIERS), "")


def _declared(old: _Function, new: _Function, language_id: str) -> list[str]:
    names, left = list(old.parameters), {line.strip() for line in new.body}
    for line in map(str.strip, old.body):
        if line in left:
            continue
        if found := _GO_DECLARATION.match(line):
            names += _WORD.findall(found[1])
        elif found := _KEYWORD.match(line):
            names += [word for word in _WORD.findall(found[1]) if word not in _MODIFIERS][-1:]
        elif language_id in _ASSIGNING:
            names += [found[1]] if (found := _ASSIGNED.match(line)) else []
        elif (found := _TYPED.match(line)) and line.split(maxsplit=1)[0] not in _NO_TYPE:
            names.append(found[1])
    return list(dict.fromkeys(name for name in names if name not in _NOT_NAMES))[:MAX_NAMES]


def _may_declare(name: str, line: str, language_id: str) -> bool:
    if len(line) > MAX_WIDTH:
        return True
    head = line.strip().partition("=")[0]
    if _DECLARING_HEAD.match(head) and name in _WORD.findall(head):
        return True
    if language_id in _ASSIGNING and name in _WORD.findall(head) and _ASSIGNS.match(line.strip()):
        return True
    signs = (":=", "=>") if language_id in _ARROW_OF_MEMBERS else (":=", "=>", "| ", "->")
    for found in re.finditer(rf"(?<![\w.])(?<!->)(?<!::){name}(?!\w)", line):
        before = line[: found.start()].rstrip()
        is_behind_word = before[-1:].isalnum() and _WORD.findall(before)[-1] not in _NO_TYPE
        is_listed = before.endswith(",") and "(" not in before
        if is_behind_word or is_listed or before.endswith(("*", "&", ">", "]", "?")):
            return True
        if "lambda" in before or any(sign in line[found.end() :] for sign in signs):
            return True
    return False
