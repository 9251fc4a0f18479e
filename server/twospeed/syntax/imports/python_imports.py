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


class _PythonImports(ImportDialect):
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
    library_rank = _LIBRARY
    first_module = "__future__"
    two_blank_above = re.compile(r"(?:async\s+)?def\b|class\b|@")
    keeps_groups = True
    may_split_lists = True

    def read(self, text: str) -> ImportStatement | None:
        masked = self.masked(text)
        if found := _FROM.match(masked):
            return _read_from(text, masked, found)
        found = _IMPORT.fullmatch(masked.replace("\\\n", "  "))
        names = _all_of([_module(each) for each in found[1].split(",")]) if found else ()
        return ImportStatement("import", names[0].text.partition(" ")[0], names) if names else None

    def write(self, statement: ImportStatement, _shown: Sequence[str], limit: int) -> str:
        names = [each.text for each in statement.names]
        if statement.form == "import":
            return f"import {', '.join(names)}"
        line = f"from {statement.module} import {', '.join(names)}"
        if len(line) <= limit or len(names) == 1:
            return line
        inside = "".join(f"    {name},\n" for name in names)
        return f"from {statement.module} import (\n{inside})"

    def split(self, statement: ImportStatement) -> Sequence[ImportStatement] | None:
        if statement.module == "__future__" and [each.text for each in statement.names] != ["annotations"]:
            return None  # it changes the language
        if statement.form == "from":
            return super().split(statement)
        return [ImportStatement("import", each.text.partition(" ")[0], (each,)) for each in statement.names]

    def rank(self, statement: ImportStatement) -> int:
        return _rank(statement)

    def package(self, statement: ImportStatement) -> str:
        return statement.module.partition(".")[0] or "."

    def is_header(self, _source: SourceTree, node: Node) -> bool:
        return _is_expression(node, "string", "concatenated_string")  # the docstring

    def is_before(self, source: SourceTree, node: Node) -> bool:
        text = source.text_of(node) if _is_expression(node, "assignment") else ""
        return text.startswith("__") and "(" not in text  # such as ``__version__``


PYTHON = _PythonImports()


def _read_from(text: str, masked: str, found: re.Match[str]) -> ImportStatement | None:
    module, has_brackets = "".join(found[1].split()), bool(found[2])
    end = masked.rfind(")") if has_brackets else len(masked.rstrip().rstrip(";").rstrip())
    inside = masked[found.end() : end].replace("\\\n", " ")
    names = _all_of([_from(module, each) for each in inside.split(",") if each.strip()])
    if not module or not names or end < found.end():
        return None
    is_plain = masked == text and "\\" not in text and ";" not in text
    # A comment behind a statement of one line may be about its names.
    is_open = is_plain or (has_brackets and (masked == text or "\n" in text.strip()))
    list_at = (found.end(), end) if is_open and "*" not in inside else None
    return ImportStatement("from", module, names, list_at)


def _all_of(names: Sequence[ImportedName | None]) -> tuple[ImportedName, ...]:
    """Return the names; none if one of them is not certain."""
    certain = tuple(each for each in names if each)
    return certain if len(certain) == len(names) else ()


def _is_expression(node: Node, *types: str) -> bool:
    is_one = node.type == "expression_statement" and node.named_child_count == 1
    return is_one and node.named_children[0].type in types


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
