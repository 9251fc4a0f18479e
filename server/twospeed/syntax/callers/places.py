"""The calls of a definition in one file, as lines that an edit may change."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from twospeed.syntax.identifiers.scoped_walk import Frame
from twospeed.syntax.trees.trees import SourceTree
from twospeed.syntax.trees.walks import children_of

from .parameters import arguments_of, is_unaffected
from .signatures import ChangedSignature

if TYPE_CHECKING:  # see trees
    from tree_sitter import Node

MAX_STATEMENT_LINES = 25
"""Lines of a place. In a longer statement, such as markup, the lines of the call are the place."""

_BLOCKS = frozenset({"block", "statement_block", "class_body", "switch_body", "statement_list"})
_STATEMENTS = frozenset(
    {
        "function_definition",
        "class_definition",
        "elif_clause",
        "case_clause",
        "except_clause",
        "field_definition",
        "public_field_definition",
        "switch_case",
        "const_spec",
        "var_spec",
        "import_spec",
    }
)
_ENDINGS = ("_statement", "_declaration")


@dataclass(frozen=True, slots=True)
class Callee:
    """A definition whose signature changed, and its file.

    Attributes:
        path: Relative to the workspace, with slashes.
        files: The known files of the workspace, which show what a module's name refers to.
        others: Files that define the same name.
        package: Go's name of the package.
        import_path: Go's import path of the package; empty if it is not known.
    """

    change: ChangedSignature
    path: str
    files: Collection[str] = frozenset()
    others: Collection[str] = frozenset()
    package: str = ""
    import_path: str = ""


@dataclass(frozen=True, slots=True)
class CallSite:
    """A place that uses the definition: the lines ``start`` up to ``end`` of its statement.

    Attributes:
        line: Line of the name.
        text: That line, without its indentation.
        calls: Lines and columns of the names of its calls, if only the object or module before a name is uncertain.
    """

    start: int
    end: int
    line: int
    text: str
    calls: tuple[tuple[int, int], ...] = ()


@dataclass(slots=True)
class CallSites:
    """The places of one file: those that certainly need another call, and those that may."""

    certain: list[CallSite] = field(default_factory=list)
    uncertain: list[CallSite] = field(default_factory=list)

    def in_order(self) -> CallSites:
        """Return each place once, in text order; uncertain ones outside the lines of certain ones."""
        certain = _each_once(self.certain)
        covered = {line for each in certain for line in range(each.start, each.end)}
        uncertain = _each_once(each for each in self.uncertain if each.line not in covered)
        return CallSites(certain, uncertain)


def _each_once(sites: Iterable[CallSite]) -> list[CallSite]:
    first: dict[tuple[int, int], CallSite] = {}
    for each in sorted(sites, key=lambda site: (site.start, site.line)):
        known = first.get((each.start, each.end))
        site = each if known is None else replace(known, calls=(*known.calls, *each.calls))
        first[each.start, each.end] = site
    return list(first.values())


def site_at(
    source: SourceTree, line: int, path: Sequence[Node], *, call_column: int | None = None
) -> CallSite:
    """Return the place of a name, from the nodes around it, innermost first; ``call_column`` is for `CallSite.calls`."""
    start, end = line, line + 1
    for inner, node in pairwise(path):
        if node.type in _STATEMENTS or node.type.endswith(_ENDINGS):
            start, end = _head_of(node, inner)
            break
    if end - start > MAX_STATEMENT_LINES:
        call = next((each for each in path if "call" in each.type), path[0])
        start, end = call.start_point.row, call.end_point.row + 1
        if end - start > MAX_STATEMENT_LINES:
            start, end = line, line + 1
    end = min(max(end, line + 1), len(source.lines))
    calls = () if call_column is None else ((line, call_column),)
    return CallSite(min(start, line), end, line, source.lines[line].strip()[:200], calls)


def _head_of(statement: Node, inner: Node) -> tuple[int, int]:
    """Return the lines of a statement around a node, without the blocks that do not contain it."""
    start, end = statement.start_point.row, statement.end_point.row
    if statement.end_point.column == 0:
        end -= 1
    is_past, last = False, statement.start_point.row
    for child in children_of(statement):
        if child.type in _BLOCKS:
            if is_past:
                return start, last + 1
            start = child.end_point.row
        is_past = is_past or child.id == inner.id
        last = max(last, child.end_point.row)
    return start, end + 1


def nodes_around(frame: Frame) -> list[Node]:
    """Return the node of a frame and those around it, innermost first."""
    return [each.node for each in (frame, *frame.around())]


def needs_update(source: SourceTree, call: Node, change: ChangedSignature, name: str) -> bool:
    """Return whether a call by a name is not valid any more, or would mean something else."""
    if change.is_result_changed or (change.is_renamed and name == change.old_name):
        return True
    arguments = arguments_of(source, call)
    return arguments is None or not is_unaffected(arguments, change.old_parameters, change.new_parameters)
