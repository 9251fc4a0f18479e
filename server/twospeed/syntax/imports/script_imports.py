"""Imports of JavaScript and TypeScript: ``import`` and ``require``."""

from __future__ import annotations

import re
from collections.abc import Sequence
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


class ScriptImports(ImportDialect):
    """Imports of JavaScript and TypeScript."""

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
    reserved = frozenset(
        [
            "Array",
            "ArrayBuffer",
            "BigInt",
            "Boolean",
            "DataView",
            "Date",
            "Error",
            "Function",
            "Infinity",
            "Intl",
            "JSON",
            "Map",
            "Math",
            "NaN",
            "Number",
            "Object",
            "Promise",
            "Proxy",
            "RangeError",
            "Reflect",
            "RegExp",
            "Set",
            "String",
            "Symbol",
            "TypeError",
            "WeakMap",
            "WeakSet",
            "arguments",
            "eval",
            "fetch",
            "globalThis",
            "isNaN",
            "parseFloat",
            "parseInt",
            "setImmediate",
            "setInterval",
            "setTimeout",
            "undefined",
            "console",
        ]
    )

    def read(self, text: str) -> ImportStatement | None:
        """Parse an ``import`` or a ``require``."""
        masked = self.masked(text)
        found = _IMPORT.fullmatch(masked)
        is_require = found is None
        found = found or _REQUIRE.fullmatch(masked)
        if found is None:
            return None
        module, groups = found["module"], found.groupdict()
        is_type = bool(groups.get("type"))
        form = "require" if is_require else "type" if is_type else "import"
        names: list[ImportedName] = []
        bare = _bare(module)
        has_names = bool(groups.get("default") or groups["all"] or groups["open"])
        if has_names != (is_require or bool(groups.get("from"))):
            return None
        if default := groups.get("default"):
            names.append(ImportedName(default, default, f"{bare}#", f"{bare}# {default}", "default", is_type))
        if word := groups["all"]:
            origin = f"{bare}#" if _is_built_in(module) else f"{bare}#*"
            names.append(ImportedName(word, word, origin, f"{origin} {word}", "all", is_type))
        for text_of_item in (groups["list"] or "").split(","):
            if text_of_item.strip():
                item = (_FIELD if is_require else _ITEM).fullmatch(text_of_item.strip())
                if item is None:
                    return None
                names.append(_listed(bare, item, is_type=is_type))
        if not has_names:
            names = [ImportedName("", "", module, module)]
        list_at = found.span("list") if groups["open"] and (masked == text or "\n" in text) else None
        if list_at and not (groups["list"] or "").strip():
            list_at = None
        return ImportStatement(form if has_names else "side", module, tuple(names), list_at, text)

    def write(self, statement: ImportStatement, shown: Sequence[str], limit: int) -> str:
        """Write a statement with the quotes, semicolons and spaces of others."""
        shown = shown or [statement.written]
        text = "\n".join(shown)
        double, single = text.count('"'), text.count("'")
        quote = "'" if single > double else '"'
        end = "" if not any(each.rstrip().endswith(";") for each in shown) else ";"
        braces = _BRACES.search(text)
        space = "" if braces and not braces[1] else " "
        module = _in_style(statement.module, [each for each in map(self.read, shown) if each])
        quoted = f"{quote}{module}{quote}"
        if statement.form == "side":
            return f"import {quoted}{end}"
        listed = [each.text for each in statement.names if each.role == "name"]
        line = f"{{{space}{', '.join(listed)}{space}}}"
        start, rest = _around(statement, bool(listed), quoted, end)
        if statement.form == "require":
            keyword = _KEYWORD.search(text) or _KEYWORD.search(statement.written)
            start = f"{keyword[0] if keyword else 'const'}{start}"
        if listed and len(listed) > 1 and len(start + line + rest) > limit:
            line = "{\n" + "".join(f"  {name},\n" for name in listed) + "}"
        return f"{start}{line if listed else ''}{rest}"

    def split(self, statement: ImportStatement) -> Sequence[ImportStatement] | None:
        """Refuse modules with an address."""
        if ":" in statement.module and not statement.module.startswith("node:"):
            return None
        return (statement,) if statement.module else None

    def accepts(self, statement: ImportStatement, source: SourceTree, shown: Sequence[str]) -> bool:
        """Return whether a file is of the kind of module that has such an import."""
        is_require = statement.form == "require"
        if shown:
            return any(each.lstrip().startswith("import") != is_require for each in shown)
        text = "".join(source.lines)
        is_typescript = source.profile.language_id.startswith("typescript")
        if is_require:
            return bool(_CJS.search(text)) and not _ESM.search(text)
        return bool(_ESM.search(text) or is_typescript or not text.strip()) and not _CJS.search(text)

    def fitted(
        self, statement: ImportStatement, known: Sequence[ImportStatement]
    ) -> Sequence[ImportStatement]:
        """Write types as the file does: in an ``import type`` of the module, or with ``type`` in a list."""
        same = [each for each in known if each.module == statement.module]
        has_type_form = any(each.form == "type" and each.list_at for each in same)
        shows_inline = any(
            each.form == "import"
            and each.list_at
            and any(name.text.startswith("type ") for name in each.names)
            for each in same
        )
        names = statement.names
        if statement.form == "type" and not has_type_form and shows_inline and _are_listed(names):
            inline = [replace(each, text=f"type {each.text}") for each in names]
            return (replace(statement, form="import", names=tuple(inline), list_at=None),)
        types = [each for each in names if each.text.startswith("type ")]
        if statement.form == "import" and has_type_form and types:
            plain = [replace(each, text=_without_type(each.text)) for each in types]
            rest = [each for each in names if each not in types]
            as_type = replace(statement, form="type", names=tuple(plain), list_at=None)
            return (statement.with_names(rest), as_type) if rest else (as_type,)
        return (statement,)

    def merge(self, text: str, statement: ImportStatement, name: ImportedName, limit: int) -> str | None:
        """Add a list to a default import, or a default import to a list."""
        roles = {each.role for each in statement.names}
        if statement.form != "import" or name.role == "all" or self.masked(text) != text:
            return None
        if name.role == "name" and roles == {"default"}:
            new = re.sub(r"\s+from\b", lambda found: f", {{ {name.text} }}{found[0]}", text, count=1)
        elif name.role == "default" and roles == {"name"}:
            new = text.replace("{", f"{name.text}, {{", 1)
        else:
            return None
        return new if len(new) <= limit else None

    def rank(self, statement: ImportStatement) -> int:
        """Return the number of the usual group of a module."""
        return min(_rank(statement), _PARENT)

    def package(self, statement: ImportStatement) -> str:
        """Return the package, or the folder of a relative module."""
        module = statement.module
        if module.startswith((".", "/")):
            return module.rpartition("/")[0] or module
        found = _SCOPED.match(_bare(module))
        return found[0] if found else module

    def is_import(self, source: SourceTree, node: Node) -> bool:
        """Return whether a node is an ``import``, or a declaration with nothing but ``require``."""
        if node.type in self.imports:
            return True
        if node.type not in {"lexical_declaration", "variable_declaration"}:
            return False
        values = [child.child_by_field_name("value") for child in node.named_children[:20]]
        return bool(values) and all(
            value is not None and source.text_of(value).startswith("require(") for value in values
        )

    def is_header(self, _source: SourceTree, node: Node) -> bool:
        """Return whether a node is ``#!`` or a directive such as ``"use strict"``."""
        is_text = node.type == "expression_statement" and node.named_child_count == 1
        return node.type in self.headers or (is_text and node.named_children[0].type == "string")


def _around(statement: ImportStatement, has_list: bool, quoted: str, end: str) -> tuple[str, str]:  # noqa: FBT001
    """Return the text before and behind the list of names."""
    is_require = statement.form == "require"
    others = [
        f"* as {each.text}" if each.role == "all" and not is_require else each.text
        for each in statement.names
        if each.role != "name"
    ]
    names = ", ".join(others) + (", " if others and has_list else "")
    if is_require:
        return f" {names}", f" = require({quoted}){end}"
    return f"import {'type ' if statement.form == 'type' else ''}{names}", f" from {quoted}{end}"


def _listed(bare: str, item: re.Match[str], *, is_type: bool) -> ImportedName:
    word, alias = item["name"], item["alias"] or item["name"]
    is_type = is_type or bool(item.groupdict().get("type"))
    origin = f"{bare}#" if word == "default" else f"{bare}#{word}"
    return ImportedName(" ".join(item[0].split()), alias, origin, f"{origin} {alias}", is_type=is_type)


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
