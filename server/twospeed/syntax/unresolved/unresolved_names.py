"""Find the names that an answer uses although its document neither defines nor imports them.

No scopes are resolved: a name is known if it occurs elsewhere as more than an attribute, a key or a word in a
string or comment. JavaScript and Go use names from outside the file, so only modules of the standard library
(`library_modules`) and exports of the workspace are reported. Only words on changed lines can be new.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from twospeed.syntax.faults.syntax_errors import count_errors
from twospeed.syntax.identifiers.identifier import (
    Identifier,
)
from twospeed.syntax.identifiers.roles import identifier_at
from twospeed.syntax.identifiers.words import WordSearch
from twospeed.syntax.trees.trees import SourceTree, parse
from twospeed.text.code import javascript
from twospeed.text.code.scope import ScopeCode

from .library_modules import GO_PACKAGES, LIBRARY_IMPORTS, NODE_MODULES

MAX_PLACES = 500
"""Places that are looked up in the tree, each in 20 us. The remaining names are not reported."""

_BUILTIN = frozenset(
    [*dir(builtins), *keyword.kwlist, "WindowsError", "reveal_type", "get_ipython", "display", "_"]
)
_WILDCARD = re.compile(r"^[ \t]*from\s+\S+\s+import\s*+(?:\(\s*+)?\*", re.MULTILINE)
_DYNAMIC = re.compile(r"\b(?:globals\(\)|exec\(|__builtins__\b|setattr\(builtins)")
_DYNAMIC_WORDS = ("globals()", "exec(", "__builtins__", "setattr(builtins")
"""One of these occurs in each match of the pattern above, and is found in a tenth of the time."""
_TYPE_PARAMETERS = re.compile(r"\b(?:def|class|type)\s+\w+\s*\[([^\]]*)\]")
_TYPE_ALIAS = re.compile(r"^[^\S\n]*type\s+(\w+)", re.MULTILINE)
_WORD = re.compile(r"\w+")
_NAME = re.compile(r"(?<![\w$])(?<!(?<!\.\.)\.)(?:[^\W\d]|\$)[\w$]*")
"""A name that is no attribute: one dot before it makes it an attribute, three dots do not."""
_UNBOUND = frozenset({"attribute", "keyword", "key"})
_USES = frozenset({"reference", "component"})
_OWNER = re.compile(r"(?<![\w.$])([A-Za-z_]\w*)\s*\.\s*([A-Za-z_$][\w$]*)")


_OWN_IMPORT = re.compile(r"\b(?:use|import)\s[^;]*")
_C_HEADERS = (
    "assert complex ctype errno fenv float limits locale math setjmp signal stdarg stdbool stddef stdio stdlib string "
    "time wchar wctype"
)
_OTHER_IMPORTS = {
    "rust": re.compile(r"\buse\s[^;]*\*"),
    "java": re.compile(r"\bimport\s[^;]*\*"),
    "c": re.compile(rf"#[ \t]*+include\s*+(?!<(?:{'|'.join(_C_HEADERS.split())})\.h>)"),
    "cpp": re.compile(r"#[ \t]*+include\s*+(?!<\w+>)|^[ \t]*+import\b", re.MULTILINE),
}
"""Imports that may bring any name."""


@dataclass(frozen=True, slots=True)
class UndefinedName:
    """A name that is neither defined nor imported.

    Attributes:
        line: Line of its first use, in the document with the answer.
        members: Attributes that are read from it.
        is_bare: Whether it is also used without a dot.
    """

    name: str
    line: int
    members: tuple[str, ...] = ()
    is_bare: bool = False


def unknown_names(
    before: Sequence[str],
    after: Sequence[str],
    language_id: str,
    *,
    old: ScopeCode,
    new: ScopeCode,
) -> tuple[UndefinedName, ...]:
    """Return the new names of an answer that are undefined in its document.

    Other names of JavaScript than modules are candidates: the caller decides whether a module exports them.
    Cost: 0.5 ms for 300 mostly unchanged lines, 10 ms for 300 new ones.
    """
    if parse(language_id, after) is None or count_errors(after, language_id):
        return ()
    if language_id == "python":
        return tuple(_python(before, after, old, new))
    if language_id == "go":
        return tuple(_modules(after, language_id, GO_PACKAGES, old, new))
    if language_id in javascript.LANGUAGE_IDS:
        modules = tuple(_modules(after, language_id, NODE_MODULES, old, new))
        known = javascript.KEYWORDS.union(each.name for each in modules)
        return (*modules, *_UndefinedNames(before, after, language_id, old, new).unknown(known))
    if language_id in LIBRARY_IMPORTS:
        return tuple(_library_names(after, language_id, old, new))
    return ()


def _python(
    before: Sequence[str], after: Sequence[str], old: ScopeCode, new: ScopeCode
) -> Iterator[UndefinedName]:
    names = _UndefinedNames(before, after, "python", old, new).unknown(_BUILTIN)
    text = "".join(after) if names else ""
    if not names or _binds_names_at_run_time(text):
        return
    own = {word for found in _TYPE_PARAMETERS.findall(text) for word in _WORD.findall(found)}
    own |= set(_TYPE_ALIAS.findall(text))
    for name in names:
        is_magic = name.name.startswith("__") and name.name.endswith("__")
        if name.name not in own and not is_magic:
            yield name


def _binds_names_at_run_time(text: str) -> bool:
    if any(word in text for word in _DYNAMIC_WORDS) and _DYNAMIC.search(text):
        return True
    return "*" in text and _WILDCARD.search(text) is not None


class _UndefinedNames:
    """Finds the undefined words of an answer in Python, JavaScript or TypeScript."""

    def __init__(
        self, before: Sequence[str], after: Sequence[str], language_id: str, old: ScopeCode, new: ScopeCode
    ) -> None:
        self._before, self._after = (parse(language_id, lines) for lines in (before, after))
        self._old, self._new = old, new
        end = new.first_line + len(new.code)
        self._around = [WordSearch(0, after[: new.first_line]), WordSearch(end, after[end:])]
        self._old_text, self._new_text = (WordSearch(each.first_line, each.code) for each in (old, new))
        self._n_places = 0

    def unknown(self, known: frozenset[str]) -> list[UndefinedName]:
        """Return the undefined names that are not in ``known``, in the order of their first use."""
        found: list[tuple[Identifier, UndefinedName]] = []
        if self._before is None or self._after is None:
            return []
        for word in self._changed_words():
            if word in known:
                continue
            uses = [] if self._occurs_around(word) else self._uses(self._after, self._new_text, word)
            was_unknown = bool(uses) and bool(self._uses(self._before, self._old_text, word))
            if self._n_places > MAX_PLACES:
                break
            if uses and not was_unknown:
                members = [self._member_of(each) for each in uses]
                members_used = tuple(dict.fromkeys(member for member in members if member))
                name = UndefinedName(word, uses[0].span.start[0], members_used, is_bare=None in members)
                found.append((uses[0], name))
        found.sort(key=lambda each: each[0].span.start)
        return [name for _, name in found]

    def _changed_words(self) -> Iterable[str]:
        before, after = (dict.fromkeys(map(str.strip, each.code)) for each in (self._old, self._new))
        added, removed = after.keys() - before.keys(), before.keys() - after.keys()
        changed = (line for line in (*after, *before) if line in added or line in removed)
        return dict.fromkeys(word for line in changed for word in _NAME.findall(line))

    def _occurs_around(self, word: str) -> bool:
        source = self._after
        assert source
        for text in self._around:
            for line, column in self._places(text, word):
                node = source.root.descendant_for_point_range(*[source.point(line, column)] * 2)
                if node is None or "identifier" not in node.type or node.type == "property_identifier":
                    continue
                around = node.parent or node
                is_attribute = around.type == "attribute" and around.child_by_field_name("attribute") == node
                is_keyword = around.type == "keyword_argument" and around.child_by_field_name("name") == node
                if not is_attribute and not is_keyword:
                    return True
        return False

    def _uses(self, source: SourceTree, code: WordSearch, word: str) -> list[Identifier]:
        uses: list[Identifier] = []
        for line, column in self._places(code, word):
            name = identifier_at(source, line, column)
            if name is None or name.role in _UNBOUND:
                continue
            if name.role not in _USES:
                return []  # it is bound in the scope
            uses.append(name)
        return uses

    def _places(self, text: WordSearch, word: str) -> Iterator[tuple[int, int]]:
        for place in text.places(word):
            self._n_places += 1
            if self._n_places > MAX_PLACES:
                return
            yield place

    def _member_of(self, use: Identifier) -> str | None:
        line, column = use.span.end
        assert self._after
        if not self._after.lines[line].startswith(".", column):
            return None
        member = identifier_at(self._after, line, column + 1)
        return member.name if member and member.role == "attribute" else None


def _modules(
    after: Sequence[str], language_id: str, modules: frozenset[str], old: ScopeCode, new: ScopeCode
) -> Iterator[UndefinedName]:
    """Yield modules that the answer uses as ``name.member`` and that occur only before dots."""
    used: dict[str, tuple[int, dict[str, None]]] = {}
    for number, line in enumerate(new.code, new.first_line):
        for name, member in _OWNER.findall(line):
            if name in modules and (language_id != "go" or member[:1].isupper()):
                used.setdefault(name, (number, {}))[1][member] = None
    known = {name for line in old.code for name, _ in _OWNER.findall(line)}
    text = "".join(after) if used else ""
    for name, (number, members) in used.items():
        if name not in known and not re.search(rf"(?<![\w.$]){name}(?![\w$])(?!\s*\.\s*[A-Za-z_$])", text):
            yield UndefinedName(name, number, tuple(members))


def _library_names(
    after: Sequence[str], language_id: str, old: ScopeCode, new: ScopeCode
) -> Iterator[UndefinedName]:
    """Yield names of the standard library that occur nowhere else, if no other import may bring them."""
    end = new.first_line + len(new.code)
    around = "\n".join([*after[: new.first_line], *old.code, *after[end:]])
    source = parse(language_id, after)
    if source is None or _OTHER_IMPORTS[language_id].search(around):
        return
    own = _OWN_IMPORT.findall("\n".join(new.code))
    seen = set(_WORD.findall("\n".join([around, *own])))
    for number, line in enumerate(new.code, new.first_line):
        for use in _WORD.finditer(line):
            if use[0] not in LIBRARY_IMPORTS[language_id] or use[0] in seen:
                continue
            if _is_free(line[: use.start()].rstrip(), language_id):
                seen.add(use[0])
                if _is_use(source, number, use.start()):
                    yield UndefinedName(use[0], number, is_bare=True)


def _is_free(before: str, language_id: str) -> bool:
    """Return whether a name behind some code is of the standard library, not of a module or an object."""
    if language_id == "cpp":
        return before.endswith("std::")
    return not before.endswith((".", "::", "@") if language_id == "rust" else (".", "->", "@"))


def _is_use(source: SourceTree, line: int, column: int) -> bool:
    point = source.point(line, column)
    node = source.root.descendant_for_point_range(point, point)
    if node is None or node.type not in {"identifier", "type_identifier", "primitive_type"}:
        return False
    above = node.parent
    if above is None or above.type in {"qualified_identifier", "template_type", "template_function"}:
        return True
    return all(above.child_by_field_name(field) != node for field in ("name", "declarator"))
