"""Find the definitions whose callers an edit concerns: those with another name, other parameters or another result."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from twospeed.syntax.trees.trees import parse_fully
from twospeed.text.code import javascript

from .definitions import CallableDefinition, DefinitionKind, definitions_in
from .parameters import CallParameter, accepts_all_calls

LANGUAGE_IDS = frozenset({"python", "go"}) | javascript.LANGUAGE_IDS

MAX_SIGNATURE_CHARS = 300
MAX_COMPARED_CHARS = 4_000
"""Characters of two bodies that are compared, in at most 50 ms."""

NEARLY_EQUAL = 0.7
"""Part of two bodies that must be equal for a new definition to be a renamed one."""


@dataclass(frozen=True, slots=True)
class ChangedSignature:
    """A definition that others must use in another way since an edit.

    Attributes:
        kind: ``class`` if the parameters are those of a constructor.
        within: Names of the enclosing classes and functions, outermost first, as they are now.
        is_public: Whether code outside its parent function can see it.
        is_result_changed: Whether its result is of another type, or must be awaited now.
        is_default: Whether it is the default export of a JavaScript module.
        line: Line of the new name.
    """

    kind: DefinitionKind
    old_name: str
    new_name: str
    old_parameters: tuple[CallParameter, ...]
    new_parameters: tuple[CallParameter, ...]
    old_signature: str
    new_signature: str
    within: tuple[str, ...]
    is_public: bool
    is_result_changed: bool
    is_default: bool
    line: int
    column: int

    @property
    def is_renamed(self) -> bool:
        """Whether callers must use another name."""
        return self.old_name != self.new_name


def changed_signatures(
    before: Sequence[str],
    after: Sequence[str],
    language_id: str,
    *,
    old: tuple[int, int],
    new: tuple[int, int],
) -> tuple[ChangedSignature, ...]:
    """Return the definitions in the lines of an edit whose callers need another call.

    The document ``before`` has the edit's lines ``old``, and the document ``after`` its lines ``new``.
    Uncertain cases are left out: names that are defined twice, and code that does not parse. Cost: two parses of the
    document, so it is called in a thread.
    """
    if language_id not in LANGUAGE_IDS:
        return ()
    trees = parse_fully(language_id, before), parse_fully(language_id, after)
    if trees[0] is None or trees[1] is None:
        return ()
    was, now = definitions_in(trees[0], *old), definitions_in(trees[1], *new)
    renamed = _renamed(was, now)
    new_paths = {each.path: renamed.get(each.path, each.path) for each in was}
    found: dict[tuple[str, ...], ChangedSignature] = {}
    once = _once(now)
    for one in _once(was).values():
        path = _path_now(one.path, new_paths)
        other = once.get(path)
        if other and other.kind == one.kind and (changed := _changed(one, other, language_id)):
            found[_target(other)] = _joined(found.get(_target(other)), changed)
    return tuple(found.values())


def _path_now(path: tuple[str, ...], new_paths: dict[tuple[str, ...], tuple[str, ...]]) -> tuple[str, ...]:
    now: tuple[str, ...] = ()
    for depth in range(1, len(path) + 1):
        now = (*now, new_paths.get(path[:depth], path[:depth])[-1])
    return now


def _once(definitions: Sequence[CallableDefinition]) -> dict[tuple[str, ...], CallableDefinition]:
    paths = [each.path for each in definitions]
    return {each.path: each for each in definitions if paths.count(each.path) == 1}


def _target(definition: CallableDefinition) -> tuple[str, ...]:
    """Return the path of what callers name: of the class for its constructor."""
    return definition.within if _is_constructor(definition) else definition.path


def _is_constructor(definition: CallableDefinition) -> bool:
    return definition.kind == "method" and definition.name in ("__init__", "constructor")


def _is_called_by_name(definition: CallableDefinition) -> bool:
    is_special = definition.name.startswith("__") and definition.name.endswith("__")
    return _is_constructor(definition) or not is_special


def _changed(old: CallableDefinition, new: CallableDefinition, language_id: str) -> ChangedSignature | None:
    if not _is_called_by_name(old) or not _is_called_by_name(new):
        return None
    if old.name.startswith("#") or new.name.startswith("#"):
        return None
    if old.name == new.name and old.is_static == new.is_static and old.head == new.head:
        return None
    has_other_result = old.result != new.result and (language_id == "go" or bool(old.result and new.result))
    has_other_result = has_other_result or old.is_async != new.is_async
    is_renamed = old.name != new.name
    if not (is_renamed or has_other_result) and accepts_all_calls(old.parameters, new.parameters):
        return None
    is_constructor = _is_constructor(new)
    named = new.owner if is_constructor and new.owner else new
    names = (old.within[-1], new.within[-1]) if is_constructor else (old.name, new.name)
    if is_constructor:
        has_other_result = False
    shown = [
        _shown(each, name, shows_result=has_other_result)
        for each, name in zip((old, new), names, strict=True)
    ]
    return ChangedSignature(
        kind="class" if is_constructor else new.kind,
        old_name=names[0],
        new_name=names[1],
        old_parameters=old.parameters,
        new_parameters=new.parameters,
        old_signature=shown[0],
        new_signature=shown[1],
        within=named.within,
        is_public=not named.is_local,
        is_result_changed=has_other_result,
        is_default=named.is_default,
        line=named.line,
        column=named.column,
    )


def _shown(definition: CallableDefinition, name: str, *, shows_result: bool) -> str:
    if definition.kind == "class":
        return name
    owner = (
        f"{definition.within[-1]}." if definition.kind == "method" and not _is_constructor(definition) else ""
    )
    listed = ", ".join(each.text for each in definition.parameters)
    result = f" -> {definition.result}" if shows_result and definition.result else ""
    is_async = "async " if shows_result and definition.is_async else ""
    text = f"{is_async}{owner}{name}({listed}){result}"
    return text if len(text) <= MAX_SIGNATURE_CHARS else text[:MAX_SIGNATURE_CHARS] + "…"


def _joined(known: ChangedSignature | None, other: ChangedSignature) -> ChangedSignature:
    """Join what changed of a class and of its constructor."""
    if known is None:
        return other
    return other if other.old_signature.endswith(")") else known


# Renamed definitions


def _renamed(
    was: Sequence[CallableDefinition], now: Sequence[CallableDefinition]
) -> dict[tuple[str, ...], tuple[str, ...]]:
    """Return the new path of each definition that was renamed in its place; classes before their members."""
    found: dict[tuple[str, ...], tuple[str, ...]] = {}
    levels = sorted({len(each.within) for each in was})
    for level in levels:
        for parent in dict.fromkeys(each.within for each in was if len(each.within) == level):
            parent_now = _path_now(parent, found)
            olds = [each for each in was if each.within == parent]
            news = [each for each in now if each.within == parent_now]
            for old, new in _renamed_siblings(olds, news):
                found[old.path] = new.path
    return found


def _renamed_siblings(
    olds: Sequence[CallableDefinition], news: Sequence[CallableDefinition]
) -> Iterator[tuple[CallableDefinition, CallableDefinition]]:
    kept = {each.name for each in olds} & {each.name for each in news}
    old_runs, new_runs = _runs(olds, kept), _runs(news, kept)
    for key, gone in old_runs.items():
        added = new_runs.get(key, [])
        if len(gone) == len(added) == 1 and _is_nearly_equal(gone[0], added[0]):
            yield gone[0], added[0]


def _runs(
    definitions: Sequence[CallableDefinition], kept: set[str]
) -> dict[tuple[str, int], list[CallableDefinition]]:
    """Group the definitions between those that were kept, by the kept one above them."""
    runs: dict[tuple[str, int], list[CallableDefinition]] = {}
    above, n_above = "", 0
    for each in definitions:
        if each.name in kept:
            above, n_above = each.name, n_above + 1
        else:
            runs.setdefault((above, n_above), []).append(each)
    return runs


def _is_nearly_equal(old: CallableDefinition, new: CallableDefinition) -> bool:
    if old.kind != new.kind or old.is_local != new.is_local:
        return False
    one = " ".join(re.sub(rf"\b{re.escape(old.name)}\b", lambda _: new.name, old.body).split())
    other = " ".join(new.body.split())
    if len(other) <= len("return None"):
        names = [[each.name for each in definition.parameters] for definition in (old, new)]
        return one == other and names[0] == names[1]
    if one == other:
        return True
    if max(len(one), len(other)) > MAX_COMPARED_CHARS:
        one, other = one[: MAX_COMPARED_CHARS // 2], other[: MAX_COMPARED_CHARS // 2]
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    return matcher.quick_ratio() >= NEARLY_EQUAL and matcher.ratio() >= NEARLY_EQUAL
