"""Parameters of functions and arguments of calls, and whether a call means the same for two lists of parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from twospeed.syntax.trees.trees import SourceTree
from twospeed.syntax.trees.walks import children_of, named_children_of
from twospeed.text.code import javascript

if TYPE_CHECKING:  # see trees
    from tree_sitter import Node

ParameterKind = Literal["positional", "either", "keyword", "rest", "keywords"]
"""How an argument names its parameter: by position, by position or name, or by name; the last two take all others."""

_PYTHON_LISTS: Mapping[str, ParameterKind] = {
    "list_splat_pattern": "rest",
    "dictionary_splat_pattern": "keywords",
}
_MODIFIERS = frozenset({"accessibility_modifier", "readonly", "override_modifier"})
_SPREADS = frozenset({"list_splat", "dictionary_splat", "spread_element", "variadic_argument"})


@dataclass(frozen=True, slots=True)
class CallParameter:
    """One parameter.

    Attributes:
        text: As written, on one line.
        type: Its type where a call must match it, as in Go; else empty.
    """

    name: str
    kind: ParameterKind
    has_default: bool
    text: str
    type: str = ""


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of one call. ``is_open``: a list is unpacked, so their number is unknown."""

    n_positional: int = 0
    keywords: tuple[str, ...] = ()
    is_open: bool = False


def parameters_of(source: SourceTree, function: Node) -> tuple[CallParameter, ...]:
    """Return the parameters of a function's node, without Go's receiver and TypeScript's ``this``."""
    listed = function.child_by_field_name("parameters")
    single = function.child_by_field_name("parameter")  # ``x => x``
    if listed is None:
        return (
            (CallParameter(source.text_of(single), "positional", False, source.text_of(single)),)
            if single
            else ()
        )
    language_id = source.profile.language_id
    if language_id == "python":
        return tuple(_python(source, listed))
    if language_id in javascript.LANGUAGE_IDS:
        return tuple(_script(source, listed))
    return tuple(_go(source, listed))


def _python(source: SourceTree, listed: Node) -> Iterator[CallParameter]:
    found: list[CallParameter] = []
    is_keyword = False
    for node in named_children_of(listed):
        text = _one_line(source, node)
        inner = next(named_children_of(node), node) if node.type == "typed_parameter" else node
        if node.type == "positional_separator":
            found = [CallParameter(p.name, "positional", p.has_default, p.text) for p in found]
        elif node.type == "keyword_separator":
            is_keyword = True
        elif inner.type in _PYTHON_LISTS:
            kind = _PYTHON_LISTS[inner.type]
            found.append(CallParameter(source.text_of(inner).lstrip("* "), kind, True, text))
            is_keyword = True
        elif node.type != "comment":
            name = node.child_by_field_name("name") or inner
            has_default = node.child_by_field_name("value") is not None
            kind = "keyword" if is_keyword else "either"
            found.append(CallParameter(source.text_of(name), kind, has_default, text))
    yield from found


def _script(source: SourceTree, listed: Node) -> Iterator[CallParameter]:
    for node in named_children_of(listed):
        pattern = node.child_by_field_name("pattern") or node.child_by_field_name("left") or node
        if pattern.type == "this" or "comment" in node.type:
            continue
        has_default = node.type in {"optional_parameter", "assignment_pattern"} or (
            node.child_by_field_name("value") is not None
        )
        is_rest = pattern.type == "rest_pattern"
        name = _one_line(source, pattern).lstrip(".")
        kind: ParameterKind = "rest" if is_rest else "positional"
        modifiers = [source.text_of(each) for each in named_children_of(node) if each.type in _MODIFIERS]
        text = _one_line(source, node)
        for modifier in modifiers:
            text = text.removeprefix(modifier).lstrip()
        yield CallParameter(name, kind, has_default or is_rest, text)


def _go(source: SourceTree, listed: Node) -> Iterator[CallParameter]:
    for node in named_children_of(listed):
        written = node.child_by_field_name("type")
        if written is None:
            continue
        type_ = _one_line(source, written)
        is_rest = node.type == "variadic_parameter_declaration"
        shown = f"...{type_}" if is_rest else type_
        kind: ParameterKind = "rest" if is_rest else "positional"
        names = [source.text_of(each) for each in node.children_by_field_name("name")] or [""]
        for name in names:
            yield CallParameter(name, kind, is_rest, f"{name} {shown}".strip(), shown)


def _one_line(source: SourceTree, node: Node) -> str:
    return " ".join(source.text_of(node).split())


def arguments_of(source: SourceTree, call: Node) -> Arguments | None:
    """Return the arguments of a call's node; ``None`` if it has no list of them, as a template literal."""
    listed = call.child_by_field_name("arguments")
    if listed is None:  # ``new Total``
        return Arguments() if call.type == "new_expression" else None
    if listed.type == "generator_expression":
        return Arguments(1)
    if listed.type not in {"argument_list", "arguments"}:
        return None
    n_positional, keywords, is_open = 0, [], False
    for node in named_children_of(listed):
        if node.type in _SPREADS:
            is_open = True
        elif node.type == "keyword_argument":
            name = node.child_by_field_name("name")
            keywords.append(source.text_of(name) if name else "")
        elif "comment" not in node.type:
            n_positional += 1
    is_open = is_open or any(child.type == "..." for child in children_of(listed))
    if source.profile.language_id == "go" and n_positional == 1:  # ``f(g())``: g may return all arguments
        is_open = is_open or any(child.type == "call_expression" for child in named_children_of(listed))
    return Arguments(n_positional, tuple(keywords), is_open)


def accepts_all_calls(old: Sequence[CallParameter], new: Sequence[CallParameter]) -> bool:
    """Return whether every call for the old parameters is valid for the new ones and means the same."""
    listed, new_listed = _by_position(old), _by_position(new)
    if len(new_listed) < len(listed) or not _keeps_rest(old, new, n_more=len(new_listed) - len(listed)):
        return False
    if not all(_keeps(one, other, old, new) for one, other in zip(listed, new_listed, strict=False)):
        return False
    named = {each.name: each for each in new if each.kind in ("either", "keyword")}
    keywords = {each.name: each for each in old if each.kind == "keyword"}
    are_keywords_kept = all(
        name in named and (named[name].has_default or not each.has_default) for name, each in keywords.items()
    )
    more = (*new_listed[len(listed) :], *(each for each in new if each.kind == "keyword"))
    return are_keywords_kept and all(each.has_default or each.name in keywords for each in more)


def _keeps_rest(old: Sequence[CallParameter], new: Sequence[CallParameter], *, n_more: int) -> bool:
    rest, new_rest = _takes(old, "rest"), _takes(new, "rest")
    if rest and (new_rest is None or n_more or rest.type != new_rest.type):
        return False
    return _takes(old, "keywords") is None or _takes(new, "keywords") is not None


def _keeps(
    before: CallParameter, after: CallParameter, old: Sequence[CallParameter], new: Sequence[CallParameter]
) -> bool:
    if not _is_same(before, after, old, new) or before.type != after.type:
        return False
    is_named = before.kind == "either"
    if is_named and (after.kind != "either" or after.name != before.name):
        return False
    return after.has_default or not before.has_default


def is_unaffected(arguments: Arguments, old: Sequence[CallParameter], new: Sequence[CallParameter]) -> bool:
    """Return whether a call is certainly valid for the new parameters and means the same, or is valid for them alone."""
    if arguments.is_open:
        return False
    before, after = _bound(arguments, old), _bound(arguments, new)
    if after is None:
        return False
    if before is None:
        return True  # it is updated already
    return all(
        _is_same(one, other, old, new) and one.type == other.type
        for one, other in zip(before, after, strict=True)
    )


def _bound(arguments: Arguments, parameters: Sequence[CallParameter]) -> list[CallParameter] | None:
    """Return the parameter of each argument, or ``None`` if the call is not valid."""
    listed, rest = _by_position(parameters), _takes(parameters, "rest")
    bound = list(listed[: arguments.n_positional])
    n_more = arguments.n_positional - len(bound)
    if n_more and rest is None:
        return None
    bound += [rest] * n_more if rest else []
    named = {each.name: each for each in parameters if each.kind in ("either", "keyword")}
    others = _takes(parameters, "keywords")
    for keyword in arguments.keywords:
        found = named.get(keyword, others)
        if found is None or (found in bound and found is not others):
            return None
        bound.append(found)
    is_complete = all(each in bound or each.has_default for each in parameters)
    return bound if is_complete else None


def _is_same(
    before: CallParameter, after: CallParameter, old: Sequence[CallParameter], new: Sequence[CallParameter]
) -> bool:
    """Return whether two parameters are one: of equal names, or at one place with a name that is new."""
    if before.name == after.name:
        return (before.kind == "rest") == (after.kind == "rest")
    is_renamed = all(each.name != before.name for each in new) and all(
        each.name != after.name for each in old
    )
    is_simple = before.name.isidentifier() and after.name.isidentifier()
    may_be_one = is_simple or bool(before.type)  # Go's parameters may have no name
    return is_renamed and may_be_one and _place(before, old) == _place(after, new)


def _place(parameter: CallParameter, parameters: Sequence[CallParameter]) -> tuple[ParameterKind, int]:
    return parameter.kind, [each for each in parameters if each.kind == parameter.kind].index(parameter)


def _by_position(parameters: Sequence[CallParameter]) -> list[CallParameter]:
    return [each for each in parameters if each.kind in ("positional", "either")]


def _takes(parameters: Sequence[CallParameter], kind: ParameterKind) -> CallParameter | None:
    return next((each for each in parameters if each.kind == kind), None)
