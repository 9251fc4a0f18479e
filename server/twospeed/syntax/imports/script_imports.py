"""Imports of JavaScript and TypeScript: ``import`` and ``require``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from twospeed.syntax.trees.trees import SourceTree
from twospeed.syntax.unresolved.library_modules import NODE_BUILTINS

from .statements import ImportDialect, ImportedName, ImportStatement

if TYPE_CHECKING:  # see trees
    from tree_sitter import Node

_IMPORT = re.compile(
    r"""\s*+import\s*+(?P<type>type\s++(?!from\b|,))?(?:(?P<default>[\w$]++)\s*+,?\s*+)?"""
    r"""(?:\*\s*+as\s++(?P<all>[\w$]++)|(?P<open>\{)(?P<list>[^{}]*+)\})?\s*+"""
    r"""(?P<from>\bfrom|(?<=\})from)?\s*+(?P<quote>["'])(?P<module>[^"'\n]*+)["']\s*+;?\s*+"""
)
_REQUIRE = re.compile(
    r"""\s*+(?P<keyword>const|let|var)\s*+(?:(?P<all>[\w$]++)|(?P<open>\{)(?P<list>[^{}]*+)\})\s*+=\s*+"""
    r"""require\(\s*+(?P<quote>["'])(?P<module>[^"'\n]*+)["']\s*+\)\s*+;?\s*+"""
)
_ITEM = re.compile(r"(?P<type>type\s++(?!as\b))?(?P<name>[\w$]++)(?:\s++as\s++(?P<alias>[\w$]++))?")
_FIELD = re.compile(r"(?P<name>[\w$]++)(?:\s*+:\s*+(?P<alias>[\w$]++))?")
_ESM = re.compile(r"^[ \t]*+(?:export|import)\b", re.MULTILINE)
_CJS = re.compile(r"\bmodule\.exports\b|\bexports\.\w|\brequire\(")
_BRACES = re.compile(r"\{(\s*+)[\w$]")
_KEYWORD = re.compile(r"^[ \t]*+(?:const|let|var)\b(?=.*\brequire\()", re.MULTILINE)
_ONLY_WITH_PREFIX = ("node:test", "node:sqlite", "node:sea")
_SCOPED = re.compile(r"@[^/]+/[^/]+|[^/]+")
_GLOBALS = (
    "Array ArrayBuffer BigInt Boolean DataView Date Error Function Infinity Intl JSON Map Math NaN Number Object "
    "Promise Proxy RangeError Reflect RegExp Set String Symbol TypeError WeakMap WeakSet arguments console eval "
    "fetch globalThis isNaN parseFloat parseInt setImmediate setInterval setTimeout undefined"
)
_BUILT_IN, _PACKAGE, _ALIAS, _PARENT, _SIBLING = range(5)


def _rank(statement: ImportStatement) -> int:
    module = statement.module
    if module.startswith(".."):
        return _PARENT
    if module.startswith("."):
        return _SIBLING
    if module.startswith(("@/", "~", "#", "/", "src/")):
        return _ALIAS
    return _BUILT_IN if _is_built_in(module) else _PACKAGE


def _is_built_in(module: str) -> bool:
    return module.startswith("node:") or module.partition("/")[0] in NODE_BUILTINS


def _bare(module: str) -> str:
    return module if module.startswith(_ONLY_WITH_PREFIX) else module.removeprefix("node:")


class _ScriptImports(ImportDialect):
    imports = frozenset({"import_statement"})
    headers = frozenset({"hash_bang_line"})
    is_usually_sorted = False
    orders = (
        lambda each: (_rank(each), each.module.lower()),
        lambda each: (each.module.lower(),),
        lambda each: (each.module,),
    )
    name_orders = (
        lambda name: (_without_type(name).lower(), name),
        lambda name: (_without_type(name),),
        lambda name: (name.startswith("type "), name.lower()),
        lambda name: (_without_type(name)[:1].islower(), name.lower()),
    )
    reserved = frozenset(_GLOBALS.split())

    def read(self, text: str) -> ImportStatement | None:
        masked = self.masked(text)
        found = _IMPORT.fullmatch(masked) or _REQUIRE.fullmatch(masked)
        groups = found.groupdict() if found else {}
        is_require = "keyword" in groups
        has_names = bool(groups.get("default") or groups.get("all") or groups.get("open"))
        if found is None or has_names != (is_require or bool(groups.get("from"))):
            return None
        module, is_type = found["module"], bool(groups.get("type"))
        if not has_names:
            return ImportStatement("side", module, (ImportedName("", "", module, module),), None, text)
        names = _names_of(groups, module, is_require=is_require, is_type=is_type)
        if names is None:
            return None
        is_list = bool((groups["list"] or "").strip()) and (masked == text or "\n" in text)
        form = "require" if is_require else "type" if is_type else "import"
        return ImportStatement(form, module, names, found.span("list") if is_list else None, text)

    def write(self, statement: ImportStatement, shown: Sequence[str], limit: int) -> str:
        shown = shown or [statement.written]
        text = "\n".join(shown)
        quote = "'" if text.count("'") > text.count('"') else '"'
        end = ";" if any(each.rstrip().endswith(";") for each in shown) else ""
        module = _in_style(statement.module, [each for each in map(self.read, shown) if each])
        quoted = f"{quote}{module}{quote}"
        if statement.form == "side":
            return f"import {quoted}{end}"
        others = [each for each in statement.names if each.role != "name"]
        listed = [each.text for each in statement.names if each.role == "name"]
        if statement.form == "require":
            keyword = _KEYWORD.search(text) or _KEYWORD.search(statement.written)
            start, rest = keyword[0] if keyword else "const", f" = require({quoted}){end}"
            parts = [each.text for each in others]
        else:
            start, rest = "import type" if statement.form == "type" else "import", f" from {quoted}{end}"
            parts = [f"* as {each.text}" if each.role == "all" else each.text for each in others]
        braces = _BRACES.search(text)
        space = "" if braces and not braces[1] else " "
        lists = [f"{{{space}{', '.join(listed)}{space}}}"] if listed else []
        line = f"{start} {', '.join([*parts, *lists])}{rest}"
        if len(listed) > 1 and len(line) > limit:
            lists = ["{\n" + "".join(f"  {name},\n" for name in listed) + "}"]
        return f"{start} {', '.join([*parts, *lists])}{rest}"

    def split(self, statement: ImportStatement) -> Sequence[ImportStatement] | None:
        has_address = ":" in statement.module and not statement.module.startswith("node:")
        return (statement,) if statement.module and not has_address else None

    def accepts(self, statement: ImportStatement, source: SourceTree, shown: Sequence[str]) -> bool:
        is_require = statement.form == "require"
        if shown:
            return any(each.lstrip().startswith("import") != is_require for each in shown)
        text = "".join(source.lines)
        is_commonjs, is_module = bool(_CJS.search(text)), bool(_ESM.search(text))
        if is_require or is_commonjs:
            return is_require and is_commonjs and not is_module
        return is_module or source.profile.language_id.startswith("typescript") or not text.strip()

    def fitted(
        self, statement: ImportStatement, known: Sequence[ImportStatement]
    ) -> Sequence[ImportStatement]:
        # Types are in an ``import type`` of the module, or with ``type`` in a list.
        lists = [each for each in known if each.module == statement.module and each.list_at]
        has_type_form = any(each.form == "type" for each in lists)
        shows_inline = any(
            each.form == "import" and any(name.text.startswith("type ") for name in each.names)
            for each in lists
        )
        names = statement.names
        if statement.form == "type" and not has_type_form and shows_inline and _are_listed(names):
            inline = [replace(each, text=f"type {each.text}") for each in names]
            return (replace(statement.with_names(inline), form="import"),)
        types = [each for each in names if each.text.startswith("type ")]
        if statement.form == "import" and has_type_form and types:
            plain = [replace(each, text=_without_type(each.text)) for each in types]
            rest = [each for each in names if each not in types]
            as_type = replace(statement.with_names(plain), form="type")
            return (statement.with_names(rest), as_type) if rest else (as_type,)
        return (statement,)

    def merge(self, text: str, statement: ImportStatement, name: ImportedName, limit: int) -> str | None:
        # A list is added to a default import, and a default import to a list.
        roles = {each.role for each in statement.names}
        if statement.form != "import" or self.masked(text) != text:
            return None
        if name.role == "name" and roles == {"default"}:
            new = re.sub(r"\s+from\b", lambda found: f", {{ {name.text} }}{found[0]}", text, count=1)
        elif name.role == "default" and roles == {"name"}:
            new = text.replace("{", f"{name.text}, {{", 1)
        else:
            return None
        return new if len(new) <= limit else None

    def rank(self, statement: ImportStatement) -> int:
        return min(_rank(statement), _PARENT)

    def package(self, statement: ImportStatement) -> str:
        module = statement.module
        if module.startswith((".", "/")):
            return module.rpartition("/")[0] or module
        found = _SCOPED.match(_bare(module))
        return found[0] if found else module

    def is_import(self, source: SourceTree, node: Node) -> bool:
        if node.type not in {"lexical_declaration", "variable_declaration"}:
            return node.type in self.imports
        values = [child.child_by_field_name("value") for child in node.named_children[:20]]
        return bool(values) and all(
            value and source.text_of(value).startswith("require(") for value in values
        )

    def is_header(self, _source: SourceTree, node: Node) -> bool:
        # A directive such as ``"use strict"`` is one string.
        is_text = node.type == "expression_statement" and node.named_child_count == 1
        return node.type in self.headers or (is_text and node.named_children[0].type == "string")


SCRIPT = _ScriptImports()


def _names_of(
    groups: Mapping[str, str | None], module: str, *, is_require: bool, is_type: bool
) -> tuple[ImportedName, ...] | None:
    """Return what a statement imports; ``None`` if an item of its list is not certain."""
    bare = _bare(module)
    names: list[ImportedName] = []
    if default := groups.get("default"):
        names.append(ImportedName(default, default, f"{bare}#", f"{bare}# {default}", "default", is_type))
    if word := groups["all"]:
        origin = f"{bare}#" if _is_built_in(module) else f"{bare}#*"
        names.append(ImportedName(word, word, origin, f"{origin} {word}", "all", is_type))
    for text in filter(str.strip, (groups["list"] or "").split(",")):
        item = (_FIELD if is_require else _ITEM).fullmatch(text.strip())
        if item is None:
            return None
        bound, has_type = item["alias"] or item["name"], is_type or bool(item.groupdict().get("type"))
        origin = f"{bare}#" if item["name"] == "default" else f"{bare}#{item['name']}"
        key = f"{origin} {bound}"
        names.append(ImportedName(" ".join(item[0].split()), bound, origin, key, is_type=has_type))
    return tuple(names)


def _are_listed(names: Sequence[ImportedName]) -> bool:
    return all(each.role == "name" for each in names)


def _without_type(name: str) -> str:
    return name.removeprefix("type ")


def _in_style(module: str, known: Sequence[ImportStatement]) -> str:
    if not _is_built_in(module) or module.startswith(_ONLY_WITH_PREFIX):
        return module
    shown = [each.module for each in known if _is_built_in(each.module)]
    if any(each.startswith("node:") for each in shown):
        return f"node:{_bare(module)}"
    return _bare(module) if shown else module
