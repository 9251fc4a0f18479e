"""Strings and comments that name a renamed symbol: each is changed, left because it is prose, or a refusal."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence

from twospeed.syntax.identifiers.identifier import Identifier, Place, Span

from .facts.code_facts import CodeFacts, TextFacts
from .instruction import Rename
from .outcome import Replacement, RuleRefusal

_EXAMPLE = re.compile(r"(?m)^[ \t]*(?:>>>|\.\.\.) .*$")
"""A line of code in a docstring, for the doctest module."""

SELVES = ("self", "cls", "this", "super")


def mentions(
    code: CodeFacts, command: Rename, chosen: Sequence[Identifier]
) -> Sequence[Replacement] | RuleRefusal:
    """Return the changes of strings and comments that belong to a rename, or why one of them is uncertain."""
    names = _Names(code, command, chosen)
    if names.is_global and any(one.name == "globals" and one.role == "reference" for one in code.identifiers):
        return RuleRefusal("the code uses globals, so a rename may break it")
    found: list[Replacement] = []
    for text in code.texts:
        if command.old not in text.text:
            continue
        if why := names.why_uncertain(text):
            return RuleRefusal(why)
        found += (_replacement(text, *span, command.new) for span in names.spans(text))
    return found


class _Names:
    """Finds the places of one name in texts."""

    def __init__(self, code: CodeFacts, command: Rename, chosen: Sequence[Identifier]) -> None:
        self._old = command.old
        bound = [one for one in chosen if one.role in {"definition", "member"}]
        is_member = any(one.role == "member" for one in chosen)
        self._is_attribute = bool(command.owner) or is_member
        self._is_variable = not self._is_attribute
        self.is_global = any(
            one.role == "definition" and code.name_scopes[one.scope].kind == "module" for one in bound
        )
        parameters = [each for definition in code.definitions for each in definition.parameters]
        self._is_parameter = any(
            each.name == self._old for one in parameters for each in (one, *one.properties)
        )
        n_same = sum(one.name == self._old for one in code.identifiers)
        name = re.escape(self._old)
        self._word = re.compile(rf"(?<![\w.$]){name}(?![\w$])")
        self._keyword = re.compile(rf"[(,]\s*({name})\s*=(?!=)")
        self._quoted = re.compile(rf"[rRuU]?(?P<quotes>['\"]){name}(?P=quotes)")
        self._path = re.compile(rf"[rRuU]?(?P<quotes>['\"])[\w.:]+[.:]{name}(?P=quotes)")
        self._is_shared = self._is_attribute or self.is_global
        self._clear = _clear_mentions(self._old) if n_same == len(chosen) else None
        self._in_doc = _doc_mentions(name) if self._is_parameter or self._is_attribute else None

    def why_uncertain(self, text: TextFacts) -> str:
        """Return why a text may name the symbol in a way that no rename can follow; empty if it does not."""
        if text.role == "attribute" and self._quoted.fullmatch(text.text):
            is_own = self._is_attribute and text.owner in SELVES
            if not is_own and (self._is_attribute or (self.is_global and text.owner not in SELVES)):
                return f"{text.shown} may name it; these lines do not show whether it does"
        if text.role not in {"doc", "comment"} and self._is_shared and self._path.fullmatch(text.text):
            return f"the string {text.text} may name it; these lines do not show whether it does"
        if self._is_parameter and self._word.search(text.text):
            if text.role == "decorator":
                return f"the decorator above names {self._old} in a string, which may be the parameter"
            if text.role == "keyword":
                return f"a call passes {self._old} by name in a dict, and it is not certain to which function"
        return ""

    def spans(self, text: TextFacts) -> Iterator[tuple[int, int]]:
        """Yield the offsets of the name in a text where it names the symbol."""
        match text.role:
            case "export" if self.is_global and self._quoted.fullmatch(text.text):
                yield from _spans(self._word, text.text)
            case "attribute" if self._is_attribute and self._quoted.fullmatch(text.text):
                yield from _spans(self._word, text.text)
            case "type" if self._is_variable:
                yield from _spans(self._word, text.text)
            case "doc" | "comment":
                patterns = (self._clear, self._in_doc if text.role == "doc" else None)
                spans = {span for each in patterns if each for span in _spans(each, text.text)}
                yield from sorted(spans | set(self._in_examples(text) if text.role == "doc" else ()))
            case _:
                pass

    def _in_examples(self, text: TextFacts) -> Iterator[tuple[int, int]]:
        pattern = self._word if self.is_global else self._keyword if self._is_parameter else None
        for line in _EXAMPLE.finditer(text.text) if pattern else ():
            yield from _spans(pattern, text.text, *line.span()) if pattern else ()


def _spans(
    pattern: re.Pattern[str], text: str, start: int = 0, end: int = sys.maxsize
) -> Iterator[tuple[int, int]]:
    return (match.span(match.lastindex or 0) for match in pattern.finditer(text, start, end))


def _clear_mentions(old: str) -> re.Pattern[str]:
    """Match a name marked as code; without marks, a name that is no word of a language."""
    name = re.escape(old)
    marked = rf"(?<=`){name}(?=[`(.\[])|(?<=\{{@link ){name}(?=[\s|}}])|(?<![\w.$/-]){name}(?=\(\))"
    is_distinct = "_" in old.strip("_") or not (old.islower() or old.istitle() or old.isupper())
    return re.compile(rf"{marked}|(?<![\w$/-]){name}(?![\w$/-]|\.\w)" if is_distinct else marked)


def _doc_mentions(name: str) -> re.Pattern[str]:
    """Match the name in the description of a parameter: Sphinx, Google and NumPy style, JSDoc."""
    fields = rf":(?:param|type|ivar|cvar|var|keyword)(?: [^:\n]+)? ({name})(?=:)"
    tags = rf"@(?:param|property)(?: \{{[^}}\n]*\}})? \[?({name})(?![\w$])"
    rows = rf"^[ \t]+\*{{0,2}}({name})(?=(?: ?\([^)\n]*\))? ?:(?:\s|$))"
    return re.compile(rf"(?m)(?:{fields}|{tags}|{rows})")


def _replacement(text: TextFacts, start: int, end: int, new: str) -> Replacement:
    return Replacement(Span(_place(text, start), _place(text, end)), new)


def _place(text: TextFacts, offset: int) -> Place:
    line, column = text.start
    above = text.text.count("\n", 0, offset)
    if above:
        return line + above, offset - text.text.rindex("\n", 0, offset) - 1
    return line, column + offset
