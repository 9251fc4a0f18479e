"""Find the calls of a definition in a Go file: of its package, of an import of it, or by a receiver."""

from __future__ import annotations

import re
from collections.abc import Sequence
from posixpath import dirname
from typing import TYPE_CHECKING

from twospeed.syntax.identifiers.words import WordSearch
from twospeed.syntax.trees.trees import SourceTree
from twospeed.syntax.trees.walks import Walk, named_children_of

from .occurrences import MAX_OCCURRENCES
from .places import Callee, CallSites, needs_update, site_at

if TYPE_CHECKING:  # see trees
    from tree_sitter import Node

_PACKAGE = re.compile(r"package[ \t]+(\w+)")
_MAX_NODES = 20_000
_TEXTS = ("comment", "string", "literal")
_BINDING_FIELDS = frozenset({"name", "left", "alias"})
_BINDERS = frozenset(
    {
        "parameter_declaration",
        "variadic_parameter_declaration",
        "var_spec",
        "const_spec",
        "type_spec",
        "type_alias",
        "type_parameter_declaration",
    }
)
_LEFT = frozenset({"short_var_declaration", "range_clause", "receive_statement"})


def go_package(lines: Sequence[str]) -> str:
    """Return the name in the package clause of a file, or an empty text."""
    return next((found[1] for line in lines if (found := _PACKAGE.match(line))), "")


def go_call_sites(source: SourceTree, callee: Callee, path: str) -> CallSites:
    """Return the places of a Go file."""
    return _GoCalls(source, callee, path).find()


class _GoCalls:
    def __init__(self, source: SourceTree, callee: Callee, path: str) -> None:
        self._source = source
        self._callee = callee
        self._change = callee.change
        is_near = dirname(path) == dirname(callee.path)
        self._is_home = is_near and go_package(source.lines) == callee.package
        self._imports = self._packages()
        self._found = CallSites()

    def find(self) -> CallSites:
        name = self._change.old_name
        for number, (line, column) in enumerate(WordSearch(0, self._source.lines).places(name)):
            if number >= MAX_OCCURRENCES:
                break
            path = self._source.path_to(line, column)[::-1]
            node, above = path[0], path[1] if len(path) > 1 else path[0]
            if any(each in node.type for each in _TEXTS):
                continue
            if above.type == "selector_expression" and above.child_by_field_name("field") == node:
                self._note_member(path, line, column)
            elif self._change.kind == "function" and self._is_home and not self._is_bound(path):
                self._note(path, line, column, is_certain=not self._is_shadowed(path, name))
        return self._found

    def _note_member(self, path: Sequence[Node], line: int, column: int) -> None:
        owner = path[1].child_by_field_name("operand")
        text = self._source.text_of(owner) if owner is not None else ""
        if self._change.kind == "method":
            self._note(path, line, column, is_certain=self._is_receiver(path, text), is_member=True)
        elif self._imports.get(text, "none") != "none" and self._change.old_name[:1].isupper():
            is_certain = self._imports[text] == "certain" and not self._is_shadowed(path, text)
            self._note(path, line, column, is_certain=is_certain, is_member=True)

    def _note(
        self, path: Sequence[Node], line: int, column: int, *, is_certain: bool, is_member: bool = False
    ) -> None:
        inner, above = (path[1], path[2]) if is_member and len(path) > 2 else (path[0], path[1])  # noqa: PLR2004
        is_call = above.type == "call_expression" and above.child_by_field_name("function") == inner
        if not is_call:
            self._found.uncertain.append(site_at(self._source, line, path))
        elif needs_update(self._source, above, self._change, self._change.old_name):
            found = self._found.certain if is_certain else self._found.uncertain
            found.append(site_at(self._source, line, path, call_column=column))

    def _is_bound(self, path: Sequence[Node]) -> bool:
        """Return whether a name is no use: a definition, a key or a field."""
        node, above, around = (*path[:3], path[-1])[:3]
        if node.type not in ("identifier", "type_identifier"):
            return True
        if above.type == "function_declaration" or above.type in _BINDERS:
            return above.child_by_field_name("name") == node
        if above.type == "literal_element":
            return around.type == "keyed_element" and around.named_child(0) == above
        return around.type in _LEFT and around.child_by_field_name("left") == above

    def _is_shadowed(self, path: Sequence[Node], name: str) -> bool:
        """Return whether the declaration around a call may give a name another meaning."""
        if len(path) < 2:  # noqa: PLR2004 - the root and a declaration
            return True
        walk = Walk(path[-2], _MAX_NODES)
        for node in walk:
            if node.type in _BINDERS:
                names = node.children_by_field_name("name")
            elif node.type in _LEFT:
                left = node.child_by_field_name("left")
                names = list(named_children_of(left)) if left is not None else []
            else:
                continue
            if node.parent is not None and node.type == "var_spec" and path[-2].type == "var_declaration":
                continue
            if any(self._source.text_of(each) == name for each in names):
                return True
        return walk.is_cut

    def _is_receiver(self, path: Sequence[Node], text: str) -> bool:
        """Return whether a method is called on the receiver of a method of the same type."""
        method = path[-2] if len(path) > 1 else path[-1]
        receiver = method.child_by_field_name("receiver") if method.type == "method_declaration" else None
        if receiver is None or not self._is_home or not text.isidentifier():
            return False
        words = self._source.text_of(receiver).strip("() ").replace("*", " ").split()
        if len(words) < 2 or words[0] != text or words[-1].partition("[")[0] != self._change.within[-1]:  # noqa: PLR2004
            return False
        body = method.child_by_field_name("body")
        return body is not None and not self._is_shadowed([path[0], body, self._source.root], text)

    def _packages(self) -> dict[str, str]:
        """Return the names of imported packages, and whether they are that of the definition."""
        found: dict[str, str] = {}
        folder = dirname(self._callee.path).rpartition("/")[2]
        for node in Walk(self._source.root, _MAX_NODES):
            if node.type != "import_spec":
                continue
            written = node.child_by_field_name("path")
            named = node.child_by_field_name("name")
            path = self._source.text_of(written).strip('"`') if written is not None else ""
            name = self._source.text_of(named) if named is not None else self._callee.package
            if self._callee.import_path and path == self._callee.import_path:
                found[name] = "certain"
            elif not self._callee.import_path and folder and path.rpartition("/")[2] == folder:
                found[name] = "possible"
        return found
