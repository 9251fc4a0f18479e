"""Write the import for a name if it is unambiguous.

A module of the standard library is. So is the only definition of a name in the workspace, if the document
shows how such a module is imported.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from posixpath import dirname, relpath, splitext
from typing import TYPE_CHECKING

from twospeed.syntax.imports.add_imports import add_imports
from twospeed.syntax.trees.trees import SourceTree, parse
from twospeed.syntax.trees.walks import named_children_of
from twospeed.text.code.symbols import SymbolPlace
from twospeed.text.edits import LineEdit

from .library_modules import GO_MODULES, LIBRARY_IMPORTS, NODE_MODULES, PYTHON_NAMES
from .unresolved_names import UndefinedName

if TYPE_CHECKING:  # see trees
    from tree_sitter import Node

_EVERYDAY_WORDS = frozenset(
    {"antigravity", "cmd", "code", "profile", "site", "symbol", "test", "this", "token", "trace"}
)
"""Python modules whose names usually mean something else."""

_OF_DATETIME = frozenset(
    {"date", "datetime", "time", "timedelta", "timezone", "tzinfo", "UTC", "MINYEAR", "MAXYEAR"}
)
_IMPORTS = {
    "python": frozenset({"import_statement", "import_from_statement", "future_import_statement"}),
    "go": frozenset({"import_declaration"}),
}
_SCRIPT_IMPORTS = frozenset({"import_statement"})
_RELATIVE = re.compile(r"""from\s+["'](\.[^"']*)["']""")
_TYPESCRIPT = ("typescript", "typescriptreact")


@dataclass(frozen=True, slots=True)
class NewImport:
    """An import to add."""

    statement: str
    edit: LineEdit


def import_for(
    name: UndefinedName,
    lines: Sequence[str],
    language_id: str,
    path: str,
    named: Callable[[str], Sequence[SymbolPlace]],
) -> NewImport | None:
    """Return the import for an undefined name, or ``None`` if it is ambiguous.

    ``named`` returns the definitions of a name in the workspace.
    """
    source = parse(language_id, lines)
    if source is None:
        return None
    writer = _ImportWriter(source, path, [place for place in named(name.name) if place.path != path])
    statement = writer.statement(name)
    added = add_imports(lines, language_id, [statement]) if statement else None
    return NewImport(added.statements[0], added.edit_of(lines)) if added and added.statements else None


class _ImportWriter:
    """Writes the statement of one import for one document. `add_imports` gives it the quotes of the file."""

    def __init__(self, source: SourceTree, path: str, places: Sequence[SymbolPlace]) -> None:
        self._source = source
        self._language_id = source.profile.language_id
        self._path = path
        self._places = [place for place in places if place.symbol.depth == 0]
        self._written = [source.text_of(node) for node in self._imports_at_the_top()]

    def statement(self, name: UndefinedName) -> str | None:
        """Return the text of the import."""
        if self._language_id == "python":
            return self._of_python(name)
        if self._language_id == "go":
            return f'import "{GO_MODULES[name.name]}"'
        if known := LIBRARY_IMPORTS.get(self._language_id):
            return None if self._places else known.get(name.name)
        if name.name in NODE_MODULES and not name.is_bare:
            return self._of_node(name.name)
        return self._of_script(name.name)

    def _of_python(self, name: UndefinedName) -> str | None:
        word = name.name
        module = PYTHON_NAMES.get(word)
        if word in sys.stdlib_module_names and word[0] != "_" and word not in _EVERYDAY_WORDS:
            if self._places or name.is_bare:
                return None
            if word == "datetime" and not set(name.members) <= _OF_DATETIME:
                return None if set(name.members) & _OF_DATETIME else "from datetime import datetime"
            return f"import {word}"
        if self._places:
            is_certain = len(self._places) == 1 and module is None
            module = self._python_module(self._places[0]) if is_certain else None
        return f"from {module} import {word}" if module else None

    def _python_module(self, place: SymbolPlace) -> str | None:
        if place.file.language_id != "python":
            return None
        stem = splitext(place.path)[0].removesuffix("/__init__")
        dotted = stem.removeprefix("src/").replace("/", ".")
        if not all(part.isidentifier() for part in dotted.split(".")):
            return None
        if dirname(place.path) == dirname(self._path):
            if any(re.match(r"from\s+\.", each) for each in self._written):
                return "." + stem.rpartition("/")[2]
            if not dirname(self._path):
                return dotted
        first = dotted.partition(".")[0]
        knows_package = "." in dotted and any(
            re.match(rf"(?:from|import)\s+{first}\b", each) for each in self._written
        )
        return dotted if knows_package else None  # the document shows no example

    def _of_node(self, module: str) -> str | None:
        if any("require" in each for each in self._written):
            return f'const {module} = require("{module}");'
        if self._written or self._language_id in _TYPESCRIPT:
            return f'import * as {module} from "node:{module}";'
        return None  # nothing shows the kind of module

    def _of_script(self, word: str) -> str | None:
        if len(self._places) != 1 or any("require" in each for each in self._written):
            return None
        place = self._places[0]
        if not re.match("export (?!default)", place.symbol.signature):
            return None
        stem, ending = splitext(place.path)
        relative = relpath(stem, dirname(self._path) or ".")
        relative = relative if relative.startswith(".") else f"./{relative}"
        known = [splitext(found)[1] for each in self._written for found in _RELATIVE.findall(each)]
        shown = known[0] if known and known[0] in (".js", ".ts", ".mjs", ".tsx", ".jsx") else ""
        if not known and self._language_id not in _TYPESCRIPT:
            shown = ending  # required without a bundler
        return f'import {{ {word} }} from "{relative}{shown}";'

    def _imports_at_the_top(self) -> list[Node]:
        types = _IMPORTS.get(self._language_id, _SCRIPT_IMPORTS)
        found: list[Node] = []
        for node in named_children_of(self._source.root):
            is_require = "declaration" in node.type and "require(" in self._source.text_of(node)[:300]
            if node.type in types or (types is _SCRIPT_IMPORTS and is_require):
                found.append(node)
            elif found and node.type != "comment":
                break
        return found
