"""Forms of answers that lose one element: a branch, an argument, a decorator, a `return`, an import, a test assertion.

Each writes the expected answer without an old element that must stay. The rest usually parses, so only a rule on
structure can detect the loss.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Literal

from .forms import Answered, Form

_EVERY = 3
"""One of so many cases is answered in a form, so that a run takes a few seconds."""

_WORD = re.compile(r"\w+")
_ELSE = re.compile(r"(?:\}\s*)?else\b(?!\s*if\b)(?!.*[;}]\s*$)")
_BRANCH = re.compile(r"(?:case\b.+:|when\b.+|default\s*:|[\w:(), |\"'.]+ (?:=>|->) .+)$")
_MARK = re.compile(r"@\w|#\[|\[\w[\w(), \"]*\]$")
_RETURN = re.compile(r"return\b.*\w")
_CHECK = re.compile(r"(?:assert\w*\b|(?:EXPECT|ASSERT|REQUIRE|CHECK)_?\w*\(|expect\(|Assert\.|XCTAssert)")
_IMPORT = re.compile(r"(?:import|from|use|using|require|#include|include)\b.*?(\w+)\W*$")
_ARGUMENTS = re.compile(r"(?<=\w)\(([^()]*\w[^()]*,[^()]*)\)")
_AWAIT = re.compile(r"\bawait ")
_BOUND = re.compile(
    r"(?:(?:const|let|var|val|mut|local|auto|final|int|long|double|String|my)\s+)*(?:mut\s+)?\$?(\w+)(?::\s*[\w<>\[\]]+)?\s*:?=(?![=>])"
)
_EXPORT = re.compile(
    r"(?:export default \w+|module\.exports\b.*|export \{.*\}|main\(\)|if __name__\b.*|.*\bmain\(.*\))\s*;?$"
)


def _kept(facts: Answered) -> Iterator[int]:
    """Yield the indexes of the unchanged lines in the new text, in order."""
    matcher = difflib.SequenceMatcher(None, facts.old, facts.new, autojunk=False)
    for match in matcher.get_matching_blocks():
        yield from range(match.b, match.b + match.size)


def _width(line: str) -> int:
    return len(line) - len(line.lstrip())


def _without(facts: Answered, first: int, behind: int) -> str | None:
    rest = [*facts.new[:first], *facts.new[behind:]]
    return facts.block(rest) + "\n" if any(map(str.strip, rest)) else None


def _is_statement(facts: Answered, index: int) -> bool:
    """Whether a line is a whole statement: its brackets are closed, and the next line is not indented more."""
    line = facts.new[index]
    below = next((text for text in facts.new[index + 1 :] if text.strip()), "")
    pairs = all(line.count(one) == line.count(other) for one, other in ("()", "[]", "{}"))
    return pairs and _width(below) <= _width(line) and line.rstrip()[-1:] not in "\\,.+&|="


def _first(facts: Answered, pattern: re.Pattern[str]) -> int | None:
    return next((index for index in _kept(facts) if pattern.match(facts.new[index].strip())), None)


def _else_gone(facts: Answered) -> str | None:
    if (first := _first(facts, _ELSE)) is None:
        return None
    width = _width(facts.new[first])
    behind = first + 1
    while behind < len(facts.new) and (not facts.new[behind].strip() or _width(facts.new[behind]) > width):
        behind += 1
    return _without(facts, first, behind)


def _branch_gone(facts: Answered) -> str | None:
    """Omit one of several branches, with its lines."""
    if (first := _first(facts, _BRANCH)) is None:
        return None
    width, behind = _width(facts.new[first]), first + 1
    while behind < len(facts.new) and _width(facts.new[behind]) > width:
        behind += 1
    return _without(facts, first, behind)


def _line_of(pattern: re.Pattern[str], *, is_last: bool = False) -> Callable[[Answered], str | None]:
    """Return a form that omits a statement which matches a pattern."""

    def write(facts: Answered) -> str | None:
        found = [
            index
            for index in _kept(facts)
            if pattern.match(facts.new[index].strip()) and _is_statement(facts, index)
        ]
        if not found:
            return None
        index = found[-1 if is_last else 0]
        return _without(facts, index, index + 1)

    return write


def _mark_gone(facts: Answered) -> str | None:
    index = _first(facts, _MARK)
    return None if index is None else _without(facts, index, index + 1)


def _import_gone(facts: Answered) -> str | None:
    text = "".join(facts.new)
    for index in _kept(facts):
        found = _IMPORT.match(facts.new[index].strip())
        if found and len(re.findall(rf"\b{found[1]}\b", text)) > 1 and _is_statement(facts, index):
            return _without(facts, index, index + 1)
    return None


def _variable_gone(facts: Answered) -> str | None:
    for index in _kept(facts):
        found = _BOUND.match(facts.new[index].strip())
        rest = "".join((*facts.new[:index], *facts.new[index + 1 :]))
        if found and re.search(rf"\b{found[1]}\b", rest) and _is_statement(facts, index):
            return _without(facts, index, index + 1)
    return None


def _equal_line_gone(facts: Answered) -> str | None:
    """Omit the second of two equal lines that are near each other."""
    kept = [index for index in _kept(facts) if _WORD.search(facts.new[index])]
    for one, other in pairwise(kept):
        if facts.new[one] == facts.new[other] and _is_statement(facts, other):
            return _without(facts, other, other + 1)
    texts = [facts.new[index].strip() for index in kept]
    for at, index in enumerate(kept):
        if texts[at] in texts[:at] and len(texts[at]) > 8 and _is_statement(facts, index):
            return _without(facts, index, index + 1)
    return None


def _arguments_gone(facts: Answered) -> str | None:
    for index in list(_kept(facts))[1:]:
        line = facts.new[index]
        if found := _ARGUMENTS.search(line):
            changed = f"{line[: found.start(1)]}{line[found.end(1) :]}"
            return facts.block((*facts.new[:index], changed, *facts.new[index + 1 :])) + "\n"
    return None


def _await_gone(facts: Answered) -> str | None:
    for index in _kept(facts):
        line = facts.new[index]
        if _AWAIT.search(line):
            return facts.block((*facts.new[:index], _AWAIT.sub("", line, 1), *facts.new[index + 1 :])) + "\n"
    return None


def _parameter_gone(facts: Answered) -> str | None:
    """Omit the last parameter of a function whose body uses it."""
    for index in _kept(facts):
        found = re.search(
            r"\w+\(([^()]*), ([^(),]*?(\w+)(?:\s*[:=][^(),]*)?(?:\s+\w+)?)\)[^;]*(?:\{|:)\s*$",
            facts.new[index],
        )
        if not found:
            continue
        names = _WORD.findall(found[2])
        rest = "".join(facts.new[index + 1 :])
        if any(re.search(rf"\b{name}\b", rest) for name in (names[0], names[-1])):
            line = facts.new[index]
            changed = f"{line[: found.end(1)]}{line[found.end(2) :]}"
            return facts.block((*facts.new[:index], changed, *facts.new[index + 1 :])) + "\n"
    return None


def _comment_gone(facts: Answered) -> str | None:
    """Omit the longest comment of at least two lines."""
    marks = tuple(mark for mark in (facts.comment, "#", "//", "/*", "*", "--", "///") if mark)
    kept = set(_kept(facts))
    best, first = (0, 0), None
    for index, line in enumerate((*facts.new, "")):
        text = line.strip()
        if (
            index in kept
            and text.startswith(marks)
            and not text.startswith(("#include", "#define", "#!", "#[", "#if", "#e"))
        ):
            first = index if first is None else first
        elif first is not None:
            best, first = max(best, (index - first, first)), None
    size, start = best
    return _without(facts, start, start + size) if size > 1 else None


def _body_gone(facts: Answered) -> str | None:
    """Write the first unchanged function without its body."""
    body = {"python": "pass\n", "ruby": None, "lua": None}.get(facts.language_id, "")
    lines = facts.new
    for index in _kept(facts):
        is_head = re.match(
            r"(?:async )?def \w+\(.*:$"
            if facts.language_id == "python"
            else r"[\w<>\[\] *&:]*\w+\(.*\).*\{$",
            lines[index].strip(),
        )
        if (
            body is None
            or not is_head
            or index + 2 >= len(lines)
            or re.match(r"(?:if|for|while|switch|else|\})", lines[index].strip())
        ):
            continue
        behind = index + 1
        while behind < len(lines) and (
            not lines[behind].strip() or _width(lines[behind]) > _width(lines[index])
        ):
            behind += 1
        inner = [" " * (_width(lines[index]) + 4) + body] if body else []
        return facts.block((*lines[: index + 1], *inner, *lines[behind:])) + "\n"
    return None


def _call_alone(facts: Answered) -> str | None:
    """Write a call of the function instead of the function."""
    found = re.search(r"\b(?:def|function|func|fn|fun|void|int)\s+(\w+)", "".join(facts.old))
    return facts.block((f"{found[1]}()\n",)) + "\n" if found and len(facts.old) > 3 else None


_WRITERS: dict[str, tuple[Callable[[Answered], str | None], Literal["own", "file"]]] = {
    "else-gone": (_else_gone, "own"),
    "branch-gone": (_branch_gone, "own"),
    "mark-gone": (_mark_gone, "own"),
    "return-gone": (_line_of(_RETURN, is_last=True), "own"),
    "check-gone": (_line_of(_CHECK), "own"),
    "import-gone": (_import_gone, "file"),
    "variable-gone": (_variable_gone, "own"),
    "equal-line-gone": (_equal_line_gone, "own"),
    "arguments-gone": (_arguments_gone, "own"),
    "await-gone": (_await_gone, "own"),
    "parameter-gone": (_parameter_gone, "own"),
    "comment-gone": (_comment_gone, "file"),
    "export-gone": (_line_of(_EXPORT, is_last=True), "file"),
    "body-gone": (_body_gone, "own"),
    "call-alone": (_call_alone, "own"),
}


def _of_some(writer: Callable[[Answered], str | None], turn: int) -> Callable[[Answered], str | None]:
    """Return a form that applies to one of `_EVERY` cases."""
    return lambda facts: None if (facts.number + turn) % _EVERY else writer(facts)


LOSSES = tuple(
    Form(name, _of_some(writer, turn), "refused", scope)
    for turn, (name, (writer, scope)) in enumerate(_WRITERS.items())
)
