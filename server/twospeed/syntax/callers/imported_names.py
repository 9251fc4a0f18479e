"""The names by which a Python, JavaScript or TypeScript file imports a definition, or the module of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import dropwhile, islice
from typing import TYPE_CHECKING

from twospeed.syntax.identifiers.scoped_walk import Frame
from twospeed.syntax.trees.trees import SourceTree
from twospeed.syntax.trees.walks import Walk, named_children_of

from .modules import Match, match_python, match_script, stem_of
from .occurrences import BINDING, Occurrence, occurrence_at
from .places import Callee

if TYPE_CHECKING:  # see trees
    from tree_sitter import Node

_MAX_IMPORTS = 2_000
_IMPORTS = frozenset({"import_statement", "import_from_statement"})
_MODULE_STATEMENTS = frozenset({"import_statement", "export_statement"})


@dataclass(frozen=True, slots=True)
class ImportedDefinition:
    """An import of the definition; ``occurrence`` is its name there.

    Attributes:
        bound: The name in this file.
        is_certain: Whether it is the definition, and not one that another file exports.
        is_exported: Whether other files may import it from this one.
    """

    occurrence: Occurrence
    bound: str
    scope: int
    is_certain: bool
    is_exported: bool


@dataclass(frozen=True, slots=True)
class ImportedModule:
    """A name of the definition's module: ``text`` is what is before the dot."""

    text: str
    scope: int
    is_certain: bool


class ImportedNames:
    """The imports of one file."""

    def __init__(self, source: SourceTree, callee: Callee, path: str) -> None:
        self._source = source
        self._callee = callee
        self._path = path
        self._is_python = source.profile.language_id == "python"
        self._own: set[tuple[int, int]] = set()
        self._modules: set[tuple[int, int]] = set()

    def match(self, module: str) -> Match:
        """Return whether a module is that of the definition."""
        callee = self._callee
        match = match_python if self._is_python else match_script
        return match(module, self._path, callee.path, callee.files, callee.others)

    def is_own(self, binding: Occurrence) -> bool:
        """Return whether a binding is an import of the definition, after `names`."""
        return (binding.line, binding.column) in self._own

    def is_module_binding(self, binding: Occurrence) -> bool:
        """Return whether a binding is an import of the definition's module, after `modules`."""
        return (binding.line, binding.column) in self._modules

    def names(self, occurrences: Sequence[Occurrence]) -> list[ImportedDefinition]:
        """Return the imports of the definition, from the occurrences of its name."""
        found = self._python_names(occurrences) if self._is_python else self._script_names(occurrences)
        return list(found)

    def modules(self, of: Callable[[str], Sequence[Occurrence]]) -> list[ImportedModule]:
        """Return the imports of the module, given a function that finds the occurrences of a name."""
        return list(self._python_modules(of) if self._is_python else self._script_modules())

    # Python

    def _python_names(self, occurrences: Sequence[Occurrence]) -> Iterator[ImportedDefinition]:
        is_package = self._path.endswith("__init__.py")
        for each in occurrences:
            statement = _statement_of(each)
            if statement is None or each.role != "import" or statement.type != "import_from_statement":
                continue
            module = statement.node.child_by_field_name("module_name")
            if module is None or module.start_point <= each.frame.node.start_point < module.end_point:
                continue
            match = self.match(self._source.text_of(module))
            if match == "none":
                continue
            name, bound = self._alias_of(each)
            if match == "certain":
                self._own.add((bound.line, bound.column))
            is_exported = is_package or (name == self._callee.change.old_name and bound is not each)
            yield ImportedDefinition(each, name, bound.scope, match == "certain", is_exported)

    def _alias_of(self, name: Occurrence) -> tuple[str, Occurrence]:
        """Return what an import binds: its alias or its name."""
        for above in islice(name.frame.around(), 2):
            alias = above.node.child_by_field_name("alias")
            if alias is not None and alias.id != name.frame.node.id:
                text = self._source.text_of(alias)
                return text, occurrence_at(self._source, *self._source.place(alias.start_point), text)
        assert name.identifier
        return name.identifier.name, name

    def _python_modules(self, of: Callable[[str], Sequence[Occurrence]]) -> Iterator[ImportedModule]:
        stem = stem_of(self._callee.path)
        for each in of(stem):
            statement = _statement_of(each)
            if statement is None or each.role != "import":
                continue
            is_whole = statement.type == "import_statement"
            imported = self._whole_module(each) if is_whole else self._submodule(each, statement, stem)
            if imported is None:
                continue
            module, name, bound = imported
            match = self.match(module)
            if match == "none":
                continue
            if match == "certain":
                self._modules.add((bound.line, bound.column))
            first, _, rest = name.partition(".")
            if rest:  # ``import a.x`` binds the same package as ``import a.b``
                self._modules |= {(other.line, other.column) for other in of(first) if _is_first(other)}
            yield ImportedModule(name, bound.scope, match == "certain")

    def _whole_module(self, last: Occurrence) -> tuple[str, str, Occurrence] | None:
        """Return the module of ``import a.b``, its name in the file and where that is bound."""
        dotted = last.frame.parent
        if dotted is None or last.frame.node.end_point != dotted.node.end_point:
            return None
        module = self._source.text_of(dotted.node)
        name, bound = self._alias_of(last)
        if bound is not last:
            return module, name, bound
        place, first = self._source.place(dotted.node.start_point), module.partition(".")[0]
        return module, module, occurrence_at(self._source, *place, first)

    def _submodule(self, name: Occurrence, statement: Frame, stem: str) -> tuple[str, str, Occurrence] | None:
        """Return the same for ``from a import b``."""
        module = statement.node.child_by_field_name("module_name")
        if module is None or module.start_point <= name.frame.node.start_point < module.end_point:
            return None
        written = self._source.text_of(module)
        bound_name, bound = self._alias_of(name)
        return f"{written}{'' if written.endswith('.') else '.'}{stem}", bound_name, bound

    # JavaScript and TypeScript

    def _script_names(self, occurrences: Sequence[Occurrence]) -> Iterator[ImportedDefinition]:
        for each in occurrences:
            module = self._module_of(each)
            match = self.match(module) if module else "none"
            bound = self._bound_by(each) if match != "none" else None
            if bound is None or bound.identifier is None or each.frame.parent is None:
                continue
            is_exported = each.frame.parent.type == "export_specifier"
            is_certain = match == "certain" and not self._callee.change.is_default and not is_exported
            if is_certain:
                self._own.add((bound.line, bound.column))
            scope = -1 if is_exported else bound.scope
            yield ImportedDefinition(each, bound.identifier.name, scope, is_certain, is_exported)
        if self._callee.change.is_default:
            yield from self._default_imports()

    def _module_of(self, name: Occurrence) -> str:
        """Return the module from which an occurrence imports or exports the name, or an empty text."""
        above = name.frame.parent
        if above is None:
            return ""
        is_import = above.type == "import_specifier" and name.role == "import"
        if is_import or above.type == "export_specifier":
            return _source_of(self._source, name.frame)
        if name.role in ("definition", "key") and above.type in ("object_pattern", "pair_pattern"):
            return _required_by(self._source, name.frame)
        return ""

    def _bound_by(self, name: Occurrence) -> Occurrence | None:
        """Return what an import binds; ``None`` if the occurrence is an alias."""
        above = name.frame.parent
        if above is not None and above.type == "pair_pattern":
            value = above.node.child_by_field_name("value")
            if value is None or value.id == name.frame.node.id:
                return None
            return occurrence_at(
                self._source, *self._source.place(value.start_point), self._source.text_of(value)
            )
        return self._alias_of(name)[1] if above is not None and above.type == "import_specifier" else name

    def _default_imports(self) -> Iterator[ImportedDefinition]:
        for node, module in self._statements():
            match = self.match(module)
            clause = next((each for each in named_children_of(node) if each.type == "import_clause"), None)
            first = next(named_children_of(clause), None) if clause is not None else None
            if match == "none" or first is None or first.type != "identifier":
                continue
            text = self._source.text_of(first)
            bound = occurrence_at(self._source, *self._source.place(first.start_point), text)
            if match == "certain":
                self._own.add((bound.line, bound.column))
            yield ImportedDefinition(bound, text, bound.scope, match == "certain", is_exported=False)

    def _script_modules(self) -> Iterator[ImportedModule]:
        for node, module in self._statements():
            match = self.match(module)
            if match == "none":
                continue
            bound = self._namespace_of(node)
            if bound is None:
                continue
            text = self._source.text_of(bound)
            place = occurrence_at(self._source, *self._source.place(bound.start_point), text)
            if place.role not in BINDING:
                continue
            if match == "certain":
                self._modules.add((place.line, place.column))
            yield ImportedModule(text, place.scope, match == "certain")

    def _namespace_of(self, node: Node) -> Node | None:
        if node.type == "variable_declarator":
            name = node.child_by_field_name("name")
            return name if name is not None and name.type == "identifier" else None
        for each in Walk(node, 50):
            if each.type == "namespace_import":
                return next(named_children_of(each), None)
        return None

    def _statements(self) -> Iterator[tuple[Node, str]]:
        """Yield the imports and the declarators with ``require`` at the top of the file, with their modules."""
        for node in named_children_of(self._source.root, _MAX_IMPORTS):
            if node.type == "import_statement":
                named = node.child_by_field_name("source")
                if named is not None:
                    yield node, _unquoted(self._source, named)
            elif node.type in ("lexical_declaration", "variable_declaration"):
                for declarator in named_children_of(node):
                    if module := _required(self._source, declarator):
                        yield declarator, module


def _statement_of(name: Occurrence) -> Frame | None:
    return next((each for each in islice(name.frame.around(), 5) if each.type in _IMPORTS), None)


def _is_first(name: Occurrence) -> bool:
    """Return whether a name is the package that an ``import`` statement binds."""
    statement = _statement_of(name)
    return name.role == "import" and statement is not None and statement.type == "import_statement"


def _source_of(source: SourceTree, frame: Frame) -> str:
    statement = next((each for each in frame.around() if each.type in _MODULE_STATEMENTS), None)
    named = statement.node.child_by_field_name("source") if statement is not None else None
    return _unquoted(source, named) if named is not None else ""


def _required_by(source: SourceTree, frame: Frame) -> str:
    around = dropwhile(lambda each: each.type in ("object_pattern", "pair_pattern"), frame.around())
    declarator = next(around, None)
    return _required(source, declarator.node) if declarator is not None else ""


def _required(source: SourceTree, declarator: Node) -> str:
    """Return the module of ``name = require("module")``, or an empty text."""
    value = declarator.child_by_field_name("value") if declarator.type == "variable_declarator" else None
    called = value.child_by_field_name("function") if value is not None else None
    listed = value.child_by_field_name("arguments") if value is not None else None
    if called is None or listed is None or source.text_of(called) != "require":
        return ""
    first = next(named_children_of(listed), None)
    return _unquoted(source, first) if first is not None and first.type == "string" else ""


def _unquoted(source: SourceTree, node: Node) -> str:
    return source.text_of(node).strip("\"'`")
