"""Find the names that an answer uses although its document has them from nowhere.

Silent on any doubt. A name counts as known if it stands anywhere else in the document as more than an attribute, a key or
a word in a text: bound there, or as unknown as before. So nothing is asked of scopes, and a name in a comment is no proof.
Nothing is said of a document that takes all names of a module, of one that makes names while it runs, and of code with
syntax errors. JavaScript and Go have names from outside of the file, so there only those are named whose module is
certain: one that comes with the language (`library_modules`), or an export of the workspace (which the caller knows).
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from twospeed.text.code_facts import Identifier
from twospeed.text.scope import Scope

from .facts import code_facts
from .health import count_errors
from .library_modules import GO_PACKAGES, NODE_MODULES
from .scope_code import scope_code
from .trees import parse

_SCRIPTS = frozenset({"javascript", "javascriptreact", "typescript", "typescriptreact"})

_BUILTIN = frozenset(dir(builtins)) | {"WindowsError", "reveal_type", "get_ipython", "display"}
_DYNAMIC = re.compile(
    r"^\s*from\s+\S+\s+import\s*\(?\s*\*|\bglobals\(\)|\bexec\(|\b__builtins__\b|\bsetattr\(builtins",
    re.MULTILINE,
)
_TYPE_PARAMETERS = re.compile(r"\b(?:def|class|type)\s+\w+\s*\[([^\]]*)\]")
_TYPE_ALIAS = re.compile(r"^\s*type\s+(\w+)", re.MULTILINE)
_WORD = re.compile(r"\w+")
_UNBOUND = frozenset({"attribute", "keyword", "key"})
_USES = frozenset({"reference", "component"})
_OWNER = re.compile(r"(?<![\w.$])([A-Za-z_]\w*)\s*\.\s*([A-Za-z_$][\w$]*)")


@dataclass(frozen=True, slots=True)
class UnknownName:
    """A name that comes from nowhere.

    Attributes:
        name: The word.
        line: Where it is first used; of the document with the answer.
        members: What is taken from it with a dot, each once.
        is_bare: Whether it is used without a dot, too.
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
    old: tuple[int, int],
    new: tuple[int, int],
) -> tuple[UnknownName, ...]:
    """List the names that came with an answer and mean nothing in its document.

    Args:
        before: The document's lines without the answer.
        after: Its lines with it.
        language_id: LSP language id.
        old: First line of the scope, and the one after its last, without the answer.
        new: The same with it.

    Returns:
        For Python all that are certain. For JavaScript, TypeScript and Go candidates: whether there is a module to take
        them from is for the caller to say; modules that come with the language are certain.
    """
    if parse(language_id, after) is None or count_errors(after, language_id):
        return ()
    if language_id == "python":
        return tuple(_python(before, after, old, new))
    if language_id == "go":
        return tuple(_modules(before, after, language_id, GO_PACKAGES, old, new))
    if language_id in _SCRIPTS:
        modules = tuple(_modules(before, after, language_id, NODE_MODULES, old, new))
        known = {each.name for each in modules}
        return (
            *modules,
            *(each for each in _exports(before, after, language_id, old, new) if each.name not in known),
        )
    return ()


def _python(
    before: Sequence[str], after: Sequence[str], old: tuple[int, int], new: tuple[int, int]
) -> Iterator[UnknownName]:
    text = "".join(after)
    if _DYNAMIC.search(text):
        return
    names = _free(after, "python", new)
    if not names:
        return
    was_unknown = {name.name for name in _free(before, "python", old)}
    own = {word for found in _TYPE_PARAMETERS.findall(text) for word in _WORD.findall(found)}
    own |= set(_TYPE_ALIAS.findall(text))
    for name in names:
        is_magic = name.name.startswith("__") and name.name.endswith("__")
        if (
            name.name in _BUILTIN
            or name.name in own
            or is_magic
            or name.name == "_"
            or name.name in was_unknown
        ):
            continue
        if not _stands_elsewhere(name.name, after, "python", new):
            yield name


def _exports(
    before: Sequence[str], after: Sequence[str], language_id: str, old: tuple[int, int], new: tuple[int, int]
) -> Iterator[UnknownName]:
    names = _free(after, language_id, new)
    if not names:
        return
    was_unknown = {name.name for name in _free(before, language_id, old)}
    for name in names:
        if name.name not in was_unknown and not _stands_elsewhere(name.name, after, language_id, new):
            yield name


def _free(lines: Sequence[str], language_id: str, where: tuple[int, int]) -> list[UnknownName]:
    """Return the names that are used in some lines and bound nowhere in them."""
    start, end = where
    facts = code_facts(lines, language_id, Scope("selection", None, start, end)) if start < end else None
    if facts is None or facts.has_errors:
        return []
    bound = {each.name for each in facts.identifiers if each.role not in _USES and each.role not in _UNBOUND}
    members: dict[str, dict[str, None]] = {}
    bare: set[str] = set()
    first: dict[str, Identifier] = {}
    behind = {each.span.start: each for each in facts.identifiers if each.role == "attribute"}
    for each in facts.identifiers:
        if each.role in _USES and each.name not in bound:
            first.setdefault(each.name, each)
            (line, column), name = each.span.end, members.setdefault(each.name, {})
            if member := behind.get((line, column + 1)):
                name[member.name] = None
            else:
                bare.add(each.name)
    return [
        UnknownName(name, start + each.span.start[0], tuple(members[name]), name in bare)
        for name, each in first.items()
    ]


def _stands_elsewhere(name: str, lines: Sequence[str], language_id: str, where: tuple[int, int]) -> bool:
    """Whether a name stands outside of some lines, other than behind a dot, as a key, or in a text."""
    word = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
    source = parse(language_id, lines)
    assert source
    start, end = where
    for number, line in enumerate(lines):
        if start <= number < end or name not in line:
            continue
        for match in word.finditer(line):
            *above, node = source.path_to(number, match.start())
            around = above[-1] if above else node
            is_name = "identifier" in node.type and node.type != "property_identifier"
            is_attribute = around.type == "attribute" and around.child_by_field_name("attribute") == node
            is_keyword = around.type == "keyword_argument" and around.child_by_field_name("name") == node
            if is_name and not is_attribute and not is_keyword:
                return True
    return False


def _modules(
    before: Sequence[str],
    after: Sequence[str],
    language_id: str,
    modules: frozenset[str],
    old: tuple[int, int],
    new: tuple[int, int],
) -> Iterator[UnknownName]:
    """Find modules that the answer uses as ``name.member``, and that stand nowhere but before dots.

    The text tells that: an import, a parameter, a variable and a comment of that name are all something else.
    """
    text = "".join(after)
    used: dict[str, tuple[int, dict[str, None]]] = {}
    for number, line in enumerate(_code(after, language_id, new), new[0]):
        for name, member in _OWNER.findall(line):
            if name in modules and (language_id != "go" or member[:1].isupper()):
                used.setdefault(name, (number, {}))[1][member] = None
    known = {name for line in _code(before, language_id, old) for name, _ in _OWNER.findall(line)}
    for name, (number, members) in used.items():
        if name not in known and not re.search(rf"(?<![\w.$]){name}(?![\w$])(?!\s*\.\s*[A-Za-z_$])", text):
            yield UnknownName(name, number, tuple(members))


def _code(lines: Sequence[str], language_id: str, where: tuple[int, int]) -> tuple[str, ...]:
    return scope_code(lines, language_id, *where).code or ()
