"""Imports of Python, in the groups and orders of isort."""

from __future__ import annotations

import builtins
import keyword
import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from twospeed.syntax.trees.trees import SourceTree

from .statements import ImportDialect, ImportedName, ImportStatement, SortKey

if TYPE_CHECKING:  # see trees
    from tree_sitter import Node

_FROM = re.compile(
    r"\s*+from\b\s*+((?:\.\s*+)*+(?:(?!import\b)\w++(?:\s*+\.\s*+\w++)*+)?)\s*+import\b\s*+(\()?"
)
_IMPORT = re.compile(r"\s*+import\s++([^()*;]++);?\s*+")
_FUTURE, _LIBRARY, _OTHER, _RELATIVE = range(4)


def _module_key(statement: ImportStatement) -> SortKey:
    name = statement.module.lstrip(".")
    return len(name) - len(statement.module), name.lower(), name


def _rank(statement: ImportStatement) -> int:
    package = statement.module.partition(".")[0]
    if not package:
        return _RELATIVE
    if package == "__future__":
        return _FUTURE
    return _LIBRARY if package in sys.stdlib_module_names else _OTHER


def _is_from(statement: ImportStatement) -> bool:
    return statement.form == "from"


def _first_name(statement: ImportStatement) -> str:
    return statement.names[0].text.lower()


def _by_type(name: str) -> SortKey:
    word = name.partition(" ")[0]
    kind = 0 if word.isupper() and len(word) > 1 else 1 if word[:1].isupper() else 2
    return kind, word.lower(), name


class PythonImports(ImportDialect):
    """Imports of Python."""

    imports = frozenset({"import_statement", "import_from_statement", "future_import_statement"})
    comment = re.compile(r"($^)|#[^\n]*")
    orders = (
        lambda each: (_rank(each), _is_from(each), *_module_key(each), _first_name(each)),
        lambda each: (_rank(each), *_module_key(each), _is_from(each), _first_name(each)),
        lambda each: (_is_from(each), *_module_key(each), _first_name(each)),
        lambda each: (*_module_key(each), _is_from(each), _first_name(each)),
        lambda each: (_rank(each), _is_from(each), each.module),
        lambda each: (_is_from(each), each.module),
        lambda each: (_rank(each), _is_from(each), len(each.module), each.module),
        lambda each: (_is_from(each), len(each.module), each.module),
    )
    name_orders = (
        _by_type,
        lambda name: (name.lower(), name),
        lambda name: (name,),
        lambda name: (len(name), name),
    )
    reserved = frozenset(dir(builtins))
    later = re.compile(r"^[ \t]*+(?:from|import)\s++([\w.]++)", re.MULTILINE)
    keeps_groups = True

    def read(self, text: str) -> ImportStatement | None:
        """Parse ``import a`` or ``from a import b``."""
        masked = self.masked(text)
        if found := _FROM.match(masked):
            module = "".join(found[1].split())
            end = masked.rfind(")") if found[2] else len(masked.rstrip().rstrip(";").rstrip())
            if not module or end < found.end():
                return None
            inside = masked[found.end() : end].replace("\\\n", " ")
            names = [_from(module, each) for each in inside.split(",") if each.strip()]
            is_open = found[2] or (masked == text and "\\" not in text and ";" not in text)
            list_at = (found.end(), end) if is_open and "*" not in inside else None
            if found[2] and masked != text and "\n" not in text.strip():
                list_at = None
            if None in names or not names:
                return None
            return ImportStatement("from", module, tuple(each for each in names if each), list_at)
        if found := _IMPORT.fullmatch(masked.replace("\\\n", "  ")):
            names = [_module(each) for each in found[1].split(",")]
            if None in names:
                return None
            sure = tuple(each for each in names if each)
            return ImportStatement("import", sure[0].text.partition(" ")[0], sure)
        return None

    def write(self, statement: ImportStatement, _shown: Sequence[str], limit: int) -> str:
        """Write a statement, over several lines if it is longer than the limit."""
        names = [each.text for each in statement.names]
        if statement.form == "import":
            return f"import {', '.join(names)}"
        line = f"from {statement.module} import {', '.join(names)}"
        if len(line) <= limit or len(names) == 1:
            return line
        inside = "".join(f"    {name},\n" for name in names)
        return f"from {statement.module} import (\n{inside})"

    def split(self, statement: ImportStatement) -> Sequence[ImportStatement] | None:
        """Split ``import a, b``; refuse wildcards and changes of the language."""
        if any(each.bound == "*" for each in statement.names):
            return None
        if statement.module == "__future__" and [each.text for each in statement.names] != ["annotations"]:
            return None
        if statement.form == "from":
            return (statement,)
        return [ImportStatement("import", each.text.partition(" ")[0], (each,)) for each in statement.names]

    def rank(self, statement: ImportStatement) -> int:
        """Return the number of the group that isort sorts a module into."""
        return _rank(statement)

    def package(self, statement: ImportStatement) -> str:
        """Return the top-level package."""
        return statement.module.partition(".")[0] or "."

    def is_library(self, statement: ImportStatement) -> bool:
        """Return whether a module is of the standard library."""
        return _rank(statement) <= _LIBRARY

    def has_one_name_each(self, same: Sequence[ImportStatement]) -> bool:
        """Return whether the file imports each name of a module by its own statement."""
        return len(same) > 1 and all(len(each.names) == 1 for each in same)

    def must_be_first(self, statement: ImportStatement) -> bool:
        """Return whether a statement imports from ``__future__``."""
        return _rank(statement) == _FUTURE

    def n_blank_above(self, below: str) -> int:
        """Return the number of blank lines between the imports and the code below them."""
        return 2 if re.match(r"(?:async\s+)?def\b|class\b|@", below) else 1

    def is_header(self, _source: SourceTree, node: Node) -> bool:
        """Return whether a node is the docstring of the module."""
        return (
            node.type == "expression_statement"
            and node.named_child_count == 1
            and node.named_children[0].type in {"string", "concatenated_string"}
        )

    def is_before(self, source: SourceTree, node: Node) -> bool:
        """Return whether code above the imports is a constant of the module, such as ``__version__``."""
        return (
            node.type == "expression_statement"
            and node.named_child_count == 1
            and node.named_children[0].type == "assignment"
            and source.text_of(node).startswith("__")
            and "(" not in source.text_of(node)
        )


def _from(module: str, text: str) -> ImportedName | None:
    words = text.split()
    if words == ["*"]:
        return ImportedName("*", "*", f"{module}.*", f"{module}.*")
    if len(words) not in (1, 3) or words[1:2] not in ([], ["as"]) or not _are_names(words[0], words[-1]):
        return None
    origin = f"{module}:{words[0]}"
    return ImportedName(" ".join(words), words[-1], origin, f"{origin} as {words[-1]}")


def _module(text: str) -> ImportedName | None:
    words = re.sub(r"\s*\.\s*", ".", text).split()
    if len(words) not in (1, 3) or words[1:2] not in ([], ["as"]):
        return None
    if not _are_names(*words[0].split("."), words[-1].partition(".")[0]):
        return None
    bound, origin = (words[2], words[0]) if words[1:] else (words[0].partition(".")[0],) * 2
    return ImportedName(" ".join(words), bound, origin, f"{words[0]} as {bound}")


def _are_names(*words: str) -> bool:
    return all(word.isidentifier() and not keyword.iskeyword(word) for word in words)
