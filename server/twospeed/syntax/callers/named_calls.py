"""Find the calls of a definition in a Python, JavaScript or TypeScript file, by the scopes of its names."""

from __future__ import annotations

import re
from itertools import takewhile
from typing import TYPE_CHECKING

from twospeed.syntax.identifiers.scoped_walk import Frame
from twospeed.syntax.trees.trees import SourceTree

from .imported_names import ImportedNames
from .occurrences import BINDING, Occurrence, occurrence_at, occurrences
from .places import Callee, CallSites, needs_update, nodes_around, site_at

if TYPE_CHECKING:  # see trees
    from tree_sitter import Node

_CALLS = frozenset({"call", "call_expression", "new_expression"})
_FUNCTIONS = frozenset(
    {
        "function_definition",
        "lambda",
        "function_declaration",
        "function_expression",
        "generator_function",
        "generator_function_declaration",
        "method_definition",
        "class_static_block",
    }
)
"""Functions with an object of their own: JavaScript's arrow functions have that of the code around them."""

_CLASSES = frozenset({"class_definition", "class_declaration", "class", "abstract_class_declaration"})
_WILDCARD = re.compile(r"^[ \t]*+from[ \t]++([.\w]++)[ \t]++import[ \t]*+(?:\([ \t]*+)?\*", re.MULTILINE)


class NamedCalls:
    """The search in one file."""

    def __init__(self, source: SourceTree, callee: Callee, path: str) -> None:
        self._source = source
        self._callee = callee
        self._change = callee.change
        self._is_home = path == callee.path
        self._is_python = source.profile.language_id == "python"
        self._found = CallSites()
        self._imported = ImportedNames(source, callee, path)
        self._occurrences: dict[str, list[Occurrence]] = {}

    def find(self) -> CallSites:
        """Return the places of the file."""
        if self._change.kind == "method":
            self._find_methods()
            return self._found
        own: dict[str, set[int]] = {}
        possible: dict[str, set[int]] = {}
        definition = self._definition() if self._is_home else None
        if definition is not None:
            own[self._change.old_name] = {definition.scope}
        if not self._is_home:
            for each in self._imported.names(self._of(self._change.old_name)):
                (own if each.is_certain else possible).setdefault(each.bound, set()).add(each.scope)
                self._note_import(each.occurrence, is_certain=each.is_certain and not each.is_exported)
        for name in dict.fromkeys((*own, *possible)):
            self._find_uses(name, own.get(name, set()), possible.get(name, set()), definition)
        self._find_members()
        if own or self._is_home:
            self._find_texts()
        if not own and not self._is_home and self._is_python:
            self._find_wildcard_uses()
        return self._found

    def _of(self, name: str) -> list[Occurrence]:
        if name not in self._occurrences:
            self._occurrences[name] = occurrences(self._source, name) or []
        return self._occurrences[name]

    def _definition(self) -> Occurrence | None:
        line, column = self._change.line, self._change.column
        if not self._source.lines[line : line + 1]:
            return None
        found = occurrence_at(self._source, line, column, self._change.new_name)
        return found if found.role in ("definition", "member") else None

    # Functions and classes

    def _find_uses(self, name: str, own: set[int], possible: set[int], definition: Occurrence | None) -> None:
        bindings: dict[int, list[Occurrence]] = {}
        is_certain_file = not self._has_other_wildcard()
        for each in self._of(name):
            if each.role in BINDING:
                bindings.setdefault(each.scope, []).append(each)
            is_certain_file = is_certain_file and each.role != "global"
        taken: set[int] = set()  # scopes in which the new name already has another meaning
        if definition is not None and self._change.is_renamed:
            others = [each for each in self._of(self._change.new_name) if each.role in BINDING]
            taken = {each.scope for each in others if not _is_at(each, definition)}
        for each in self._of(name):
            if each.identifier is None or each.role not in ("reference", "component", "export"):
                continue
            scope = next(
                (scope for scope in each.scopes if scope in bindings or scope in own or scope in possible),
                None,
            )
            if scope is None or (scope not in own and scope not in possible):
                continue
            is_certain = scope in own and is_certain_file and not taken.intersection(each.scopes)
            is_certain = is_certain and all(
                self._is_own_binding(other, definition) for other in bindings.get(scope, ())
            )
            self._note_use(each, name, is_certain=is_certain, is_bound_once=len(bindings.get(scope, ())) <= 1)

    def _is_own_binding(self, binding: Occurrence, definition: Occurrence | None) -> bool:
        if definition is not None:
            return _is_at(binding, definition)
        return self._imported.is_own(binding)

    def _note_use(self, use: Occurrence, name: str, *, is_certain: bool, is_bound_once: bool = True) -> None:
        call = _call_of(use.frame)
        if call is None:
            if use.role != "export" or self._change.is_renamed:
                self._note(use, is_certain=False)
        elif needs_update(self._source, call, self._change, name):
            self._note_call(use, is_certain=is_certain, is_bound_once=is_bound_once)

    def _find_members(self) -> None:
        """Find ``module.name(…)``."""
        if self._is_home:
            return
        prefixes = self._imported.modules(self._of)
        for each in self._of(self._change.old_name) if prefixes else ():
            if each.role != "attribute":
                continue
            owner = _object_text(self._source, each.frame)
            prefix = next((prefix for prefix in prefixes if prefix.text == owner), None)
            if prefix is None:
                continue
            first = owner.partition(".")[0]
            bindings: dict[int, list[Occurrence]] = {}
            for other in self._of(first):
                if other.role in BINDING:
                    bindings.setdefault(other.scope, []).append(other)
            scope = next((scope for scope in each.scopes if scope in bindings), None)
            is_certain = (
                prefix.is_certain
                and scope == prefix.scope
                and not any(other.role == "global" for other in self._of(first))
                and all(self._imported.is_module_binding(other) for other in bindings.get(prefix.scope, ()))
            )
            if scope is not None and scope != prefix.scope:
                continue
            self._note_use(each, self._change.old_name, is_certain=is_certain)

    def _has_other_wildcard(self) -> bool:
        return self._is_python and "*" in "".join(self._source.lines) and bool(self._wildcards())

    def _wildcards(self) -> list[str]:
        return _WILDCARD.findall("".join(self._source.lines))

    def _find_wildcard_uses(self) -> None:
        if not any(self._imported.match(module) != "none" for module in self._wildcards()):
            return
        bound = {each.scope for each in self._of(self._change.old_name) if each.role in BINDING}
        for each in self._of(self._change.old_name):
            if each.role == "reference" and not bound.intersection(each.scopes):
                self._note_use(each, self._change.old_name, is_certain=False)

    # Methods

    def _find_methods(self) -> None:
        name = self._change.old_name
        definition = self._definition() if self._is_home else None
        owner = _class_of(definition.frame) if definition else None
        for each in self._of(name):
            if each.role != "attribute":
                continue
            call = _call_of(each.frame)
            is_own = owner is not None and self._is_own_object(each.frame, owner)
            if call is None:
                if is_own:
                    self._note(each, is_certain=False)
            elif needs_update(self._source, call, self._change, name):
                self._note_call(each, is_certain=is_own)
        if self._is_home:
            self._find_texts()

    def _is_own_object(self, frame: Frame, owner: Frame) -> bool:
        """Return whether a member is one of the object itself, in a method of a class."""
        named = frame.parent.node.child_by_field_name("object") if frame.parent else None
        text = self._source.text_of(named) if named else ""
        if named is None or (above := _class_of(frame)) is None or above.node.id != owner.node.id:
            return False
        inside = takewhile(lambda each: each is not above, frame.around())
        functions = [each for each in inside if each.type in _FUNCTIONS]
        if not self._is_python:
            is_field = not functions and text == "this"
            return text == "this" and (
                is_field or (len(functions) == 1 and functions[0].type == "method_definition")
            )
        return bool(functions) and self._is_first_parameter(text, functions)

    def _is_first_parameter(self, text: str, functions: list[Frame]) -> bool:
        method = functions[-1]
        listed = method.node.child_by_field_name("parameters")
        first = listed.named_child(0) if listed is not None and listed.named_child_count else None
        if first is None or self._source.text_of(first) != text or method.type == "lambda":
            return False
        around = method.parent
        above = self._source.text_of(around.node)[:200] if around is not None else ""
        if above.startswith("@") and "staticmethod" in above.partition("def ")[0]:
            return False
        for each in self._of(text):
            is_first = each.frame.node.id == first.id
            is_bound = each.role in ("definition", "import") and not is_first
            if is_bound and any(each.scope == function.node.id for function in functions):
                return False  # the name has another value
        return True

    # Other uses

    def _find_texts(self) -> None:
        """Find strings and comments that name the definition: only these can be calls or need the new name."""
        name = self._change.old_name
        for each in self._of(name):
            if each.identifier is not None or (
                "string" not in each.frame.type and "comment" not in each.frame.type
            ):
                continue
            line = self._source.lines[each.line]
            before, after = line[: each.column], line[each.column + len(name) :]
            is_whole = before[-1:] in ("'", '"', "`") and after[:1] == before[-1:]
            if after.startswith("(") or is_whole:
                self._note(each, is_certain=False)

    def _note_import(self, use: Occurrence, *, is_certain: bool) -> None:
        if self._change.is_renamed and use.identifier and use.identifier.name == self._change.old_name:
            self._note(use, is_certain=is_certain)

    def _note_call(self, use: Occurrence, *, is_certain: bool, is_bound_once: bool = True) -> None:
        if _is_in_decorator(use.frame):
            self._note(use, is_certain=False)
        else:
            self._note(use, is_certain=is_certain, is_call=is_bound_once)

    def _note(self, use: Occurrence, *, is_certain: bool, is_call: bool = False) -> None:
        column = use.column if is_call else None
        site = site_at(self._source, use.line, nodes_around(use.frame), call_column=column)
        (self._found.certain if is_certain else self._found.uncertain).append(site)


def _is_at(one: Occurrence, other: Occurrence) -> bool:
    return (one.line, one.column) == (other.line, other.column)


def _call_of(frame: Frame) -> Node | None:
    """Return the call whose function a name or the last name of a member is."""
    above = frame.parent
    if (
        above is not None
        and above.type in ("attribute", "member_expression")
        and frame.field in ("attribute", "property")
    ):
        frame, above = above, above.parent
    if above is None or above.type not in _CALLS or frame.field not in ("function", "constructor"):
        return None
    return above.node


def _is_in_decorator(frame: Frame) -> bool:
    return any(each.type == "decorator" for each in frame.around())


def _class_of(frame: Frame) -> Frame | None:
    return next((each for each in frame.around() if each.type in _CLASSES), None)


def _object_text(source: SourceTree, frame: Frame) -> str:
    named = frame.parent.node.child_by_field_name("object") if frame.parent else None
    return source.text_of(named) if named is not None else ""
