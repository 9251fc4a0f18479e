"""Imports of Go, Rust, Java, C and C++."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from twospeed.syntax.trees.trees import SourceTree
from twospeed.syntax.trees.walks import first_child, named_children_of
from twospeed.text.lines import indent_of

from .statements import ImportDialect, ImportedName, ImportStatement, SortKey

if TYPE_CHECKING:  # see trees
    from tree_sitter import Node

# Go

_GO = re.compile(
    r"""\s*+(?:import\s++)?(?:(?P<alias>[\w.]++)\s++)?(?P<quote>["`])(?P<path>[^"`\n]++)["`]\s*+;?\s*+"""
)
_GO_VERSION = re.compile(r"(?:/v\d+|\.v\d+)$")


def _go_rank(statement: ImportStatement) -> int:
    return int("." in statement.module.partition("/")[0])


class _GoImports(ImportDialect):
    # The imports in brackets are a block without the brackets.

    imports = frozenset({"import_declaration", "import_spec"})
    headers = frozenset({"package_clause"})
    orders = (
        lambda each: (each.module,),
        lambda each: (_go_rank(each), each.module),
    )
    definition = (  # or an import whose path ends in the name, which is usually its package
        r"(?m)^(?:func|type|var|const)\s+NAME\b|^(?:var|const|type) \((?:\n(?!\)).*){0,300}?\n\t(?:[\w, ]+, )?NAME\b"
        r"""|^(?:import)?\s+(?:\w+\s+)?["`](?:[^"`\n]*/)?NAME(?:/v\d+|\.v\d+)?["`]|^(?:import)?\s+NAME\s+["`]"""
    )
    keeps_groups = True

    def read(self, text: str) -> ImportStatement | None:
        found = _GO.fullmatch(self.masked(text))
        if found is None or found["path"] == "C":
            return None
        path, alias = found["path"], found["alias"]
        bound = _GO_VERSION.sub("", path).rpartition("/")[2] if alias is None else alias
        bound = "" if bound in {"_", "."} else bound.removeprefix("go-").removesuffix("-go")
        name = ImportedName(alias or "", bound, path, f"{alias if alias != bound else None} {path}")
        return ImportStatement("import", path, (name,))

    def write(self, statement: ImportStatement, shown: Sequence[str], _limit: int) -> str:
        alias = statement.names[0].text
        spec = f'{alias}{" " if alias else ""}"{statement.module}"'
        is_in_brackets = bool(shown) and not shown[0].startswith("import")
        return f"{indent_of(shown[0])}{spec}" if is_in_brackets else f"import {spec}"

    def named(self, statement: ImportStatement, _shown: Sequence[str]) -> str:
        return self.write(statement, (), 0)

    def rank(self, statement: ImportStatement) -> int:
        return _go_rank(statement)

    def package(self, statement: ImportStatement) -> str:
        return "/".join(statement.module.split("/")[:3]) if _go_rank(statement) else ""

    def container(self, source: SourceTree) -> Node | None:
        # The first brackets, or the document if it has none.
        has_package = False
        for node in named_children_of(source.root):
            if node.type == "import_declaration":
                brackets = first_child(node, ("import_spec_list",))
                if brackets is not None:
                    rows = {each.start_point.row for each in brackets.named_children}
                    edges = {brackets.start_point.row, brackets.end_point.row}
                    return brackets if rows and not rows & edges else None
            elif node.type == "package_clause":
                has_package = True
            elif "comment" not in node.type:
                break
        return source.root if has_package else None


GO = _GoImports()


# Rust

_USE = re.compile(r"\s*+(?P<pub>pub(?:\s*+\([^)]*+\))?\s++)?use\s++(?P<tree>[^;]++);\s*+")
_RUST_TOKEN = re.compile(r"::|[{},*]|(?:r#)?\w+(?:=\w+)?")
_RUST_ALIAS = re.compile(r"(?<!\s)\s++as\s++")
_PRELUDE = (
    "AsMut AsRef Box Clone Copy Debug Default DoubleEndedIterator Drop Eq Err ExactSizeIterator Extend Fn FnMut "
    "FnOnce From FromIterator Hash Into IntoIterator Iterator None Ok Option Ord PartialEq PartialOrd Result Send "
    "Sized Some String Sync ToOwned ToString TryFrom TryInto Unpin Vec bool char drop f32 f64 i128 i16 i32 i64 i8 "
    "isize str u128 u16 u32 u64 u8 usize"
)


def _rust_key(statement: ImportStatement) -> SortKey:
    path = statement.module
    if len(statement.names) == 1 and statement.list_at is None and statement.names[0].text != "self":
        path = f"{path}::{statement.names[0].text}" if path else statement.names[0].text
    return tuple(map(_rust_segment, path.split("::")))


def _rust_segment(word: str) -> SortKey:
    if word in {"self", "super", "crate"}:
        return 0, word
    kind = 1 if word[:1].islower() or word[:1] == "_" else 3 if word.isupper() and len(word) > 1 else 2
    return kind, word


class _RustImports(ImportDialect):
    imports = frozenset({"use_declaration"})
    headers = frozenset({"inner_attribute_item", "extern_crate_declaration"})
    orders = (_rust_key,)
    name_orders = (lambda name: _rust_segment(name.partition(" ")[0]), lambda name: (name,))
    reserved = frozenset(_PRELUDE.split())
    definition = (
        r"(?m)\b(?:fn|struct|enum|trait|type|mod|const|static|union|macro_rules!)\s+NAME\b"
        r"|^(?:pub(?:\([^)]*\))?\s+)?use\s[^;]{0,500}\bNAME\b"
    )

    def read(self, text: str) -> ImportStatement | None:
        masked = self.masked(text)
        found = _USE.fullmatch(masked)
        paths = _rust_paths(found["tree"]) if found else None
        if found is None or not paths:
            return None
        tree, is_public = found["tree"], bool(found["pub"])
        parents = {_rust_parent(path) for path in paths}
        has_one_parent = len(parents) == 1
        module = parents.pop() if has_one_parent else tree.partition("{")[0].strip().rstrip(":")
        is_list = tree.count("{") == 1 and tree.rstrip().endswith("}") and has_one_parent and "*" not in tree
        is_open = is_list and not is_public and (masked == text or "\n" in text)
        start = found.start("tree")
        list_at = (start + tree.index("{") + 1, start + tree.rindex("}")) if is_open else None
        return ImportStatement(
            "pub use" if is_public else "use", module, tuple(map(_rust_name, paths)), list_at
        )

    def write(self, statement: ImportStatement, _shown: Sequence[str], limit: int) -> str:
        names = [each.text for each in statement.names]
        start = f"use {statement.module}::" if statement.module else "use "
        if len(names) == 1:
            return f"use {statement.module};" if names[0] == "self" else f"{start}{names[0]};"
        line = f"{start}{{{', '.join(names)}}};"
        if len(line) <= limit:
            return line
        return f"{start}{{\n" + "".join(f"    {name},\n" for name in names) + "};"

    def split(self, statement: ImportStatement) -> Sequence[ImportStatement] | None:
        # Into the names of each module. New exports are refused.
        if statement.form != "use" or super().split(statement) is None:
            return None
        parents: dict[str, list[ImportedName]] = {}
        for each in statement.names:
            path = each.key.partition(" ")[0]
            parent = path if each.text.startswith("self") else _rust_parent(path)
            parents.setdefault(parent, []).append(each)
        return [ImportStatement("use", parent, tuple(names)) for parent, names in parents.items()]

    def rank(self, statement: ImportStatement) -> int:
        first = self.package(statement)
        return 0 if first in {"std", "core", "alloc"} else 2 if first in {"crate", "self", "super"} else 1

    def package(self, statement: ImportStatement) -> str:
        return statement.module.partition("::")[0]

    def is_header(self, source: SourceTree, node: Node) -> bool:
        is_doc = "comment" in node.type and source.text_of(node).startswith(("//!", "/*!"))
        return is_doc or node.type in self.headers

    def is_before(self, _source: SourceTree, node: Node) -> bool:
        return node.type == "mod_item" and node.child_by_field_name("body") is None


RUST = _RustImports()


def _rust_paths(tree: str) -> list[str] | None:
    """Return the full paths of a tree, with their aliases."""
    marked = _RUST_ALIAS.sub("=", tree.strip())
    tokens = _RUST_TOKEN.findall(marked)
    if "".join(tokens) != re.sub(r"\s+", "", marked):
        return None
    paths: list[str] = []
    stack: list[str] = []
    path = ""
    for each in [*tokens, ","]:
        if each == "{":
            stack.append(path)
        elif each not in {",", "}"}:
            path += each
            continue
        elif path and path != (stack[-1] if stack else ""):
            paths.append(path.replace("=", " as "))
        if each == "}":
            if not stack:
                return None
            stack.pop()
        path = stack[-1] if stack and each != "}" else ""
    return paths


def _rust_parent(path: str) -> str:
    return path.partition(" ")[0].rpartition("::")[0]


def _rust_name(path: str) -> ImportedName:
    whole, _, alias = path.partition(" as ")
    parent, _, last = whole.rpartition("::")
    origin = parent if last == "self" else whole
    bound = alias or (parent.rpartition("::")[2] if last == "self" else last)
    key = origin + (f" as {alias}" if alias else "")
    return ImportedName(last + (f" as {alias}" if alias else ""), bound, origin, key)


# Java

_JAVA = re.compile(
    r"\s*+import\s++(?P<static>static\s++)?(?P<path>[\w$]++(?:\.[\w$]++)*+)(?P<all>\.\*)?\s*+;\s*+"
)
_JAVA_LANG = (
    "Boolean Byte Character Class Deprecated Double Enum Error Exception Float FunctionalInterface Integer Iterable "
    "Long Math Module Number Object Override Process Record Runnable Runtime RuntimeException Short String "
    "StringBuilder System Thread Throwable Void"
)


class _JavaImports(ImportDialect):
    imports = frozenset({"import_declaration"})
    headers = frozenset({"package_declaration"})
    orders = (lambda each: (each.form, each.module), lambda each: (each.form, each.module.lower()))
    reserved = frozenset(_JAVA_LANG.split())
    definition = (
        r"\b(?:class|interface|enum|record)\s+NAME\b"
        r"|(?<!\bnew)(?<=[\w>\]])\s+NAME\s*\([^;{]{0,300}\)[^;{]{0,200}\{"
    )
    keeps_groups = True

    def read(self, text: str) -> ImportStatement | None:
        found = _JAVA.fullmatch(self.masked(text))
        if found is None:
            return None
        path, form = found["path"], "static" if found["static"] else "import"
        wildcard = found["all"] or ""
        bound, key = "" if wildcard else path.rpartition(".")[2], f"{form} {path}{wildcard}"
        return ImportStatement(form, path + wildcard, (ImportedName(wildcard, bound, key, key),))

    def write(self, statement: ImportStatement, _shown: Sequence[str], _limit: int) -> str:
        return f"import {'static ' if statement.form == 'static' else ''}{statement.module};"

    def fitted(
        self, statement: ImportStatement, known: Sequence[ImportStatement]
    ) -> Sequence[ImportStatement]:
        # The only wildcard of the file may bring the name.
        wildcards = [(each.form, each.module) for each in known if each.module.endswith(".*")]
        covering = (statement.form, statement.module.rpartition(".")[0] + ".*")
        return () if wildcards == [covering] else (statement,)

    def rank(self, statement: ImportStatement) -> int:
        return int(statement.form == "static")

    def package(self, statement: ImportStatement) -> str:
        return statement.module.partition(".")[0]


JAVA = _JavaImports()

# C and C++

_INCLUDE = re.compile(r"""\s*+#\s*+include\s*+(?P<path><[^>\n]++>|"[^"\n]++")\s*+""")
_MAX_ABOVE_GUARD = 200
"""Nodes of a file that are read to find an include guard. It is the only one besides comments."""


class _IncludeLines(ImportDialect):
    # Includes bind no names that can be known. A macro may have an effect on any header.

    imports = frozenset({"preproc_include"})
    is_usually_sorted = False
    orders = (
        lambda each: (each.module,),
        lambda each: (each.form == '"', each.module),
        lambda each: (each.form == '"', each.module.lower()),
    )
    later = re.compile(r"""^[ \t]*+#[ \t]*+include[ \t]*+([<"][^>"\n]++[>"])""", re.MULTILINE)

    def read(self, text: str) -> ImportStatement | None:
        found = _INCLUDE.fullmatch(self.masked(text))
        path = found["path"] if found else ""
        return ImportStatement(path[0], path, (ImportedName("", "", path, path),)) if path else None

    def write(self, statement: ImportStatement, _shown: Sequence[str], _limit: int) -> str:
        return f"#include {statement.module}"

    def rank(self, statement: ImportStatement) -> int:
        return int(statement.form == '"')

    def package(self, statement: ImportStatement) -> str:
        return statement.form + statement.module[1:].rpartition("/")[0]

    def container(self, source: SourceTree) -> Node | None:
        # The include guard, or the document if it has none.
        found = named_children_of(source.root, _MAX_ABOVE_GUARD)
        nodes = [each for each in found if "comment" not in each.type]
        define = first_child(nodes[0], ("preproc_def",)) if len(nodes) == 1 else None
        if define is None or nodes[0].type != "preproc_ifdef":
            return source.root
        names = [node.child_by_field_name("name") for node in (nodes[0], define)]
        is_guard = len({source.text_of(name) for name in names if name is not None}) == 1
        return nodes[0] if is_guard else source.root

    def is_header(self, source: SourceTree, node: Node) -> bool:
        # The name and ``#define`` of an include guard, or ``#pragma once``.
        is_pragma = node.type == "preproc_call" and source.text_of(node).split()[:2] == ["#pragma", "once"]
        return is_pragma or node.type == "identifier" or self.is_before(source, node)

    def is_before(self, _source: SourceTree, node: Node) -> bool:
        return node.type == "preproc_def"


INCLUDES = _IncludeLines()
