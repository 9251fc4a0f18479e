"""Guards of the layout: sizes of folders and classes, names that are used and unique, words that are not used.

Each table lists what is larger than its limit, with the size it has. A size may fall, never rise.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

from tests.sources import MODULES, PACKAGE, PROTOCOL_MODULES, nodes_of, text_of, tree_of

MAX_MODULES = 12
LARGE_FOLDERS: dict[str, int] = {}

MAX_ATTRIBUTES = 12
LARGE_CLASSES = {
    "AnswerReader": 20,  # one stage of the engine each
    "DaysSpending": 16,
    "EditScheduler": 13,
    "Framing": 21,  # a parser's state
    "IndentStyle": 14,
    "Reindenter": 14,
    "ResponseStream": 14,
    "ResponsesConnection": 15,
    "WorkspaceIndex": 14,
    "_Reader": 15,  # a parser's state
}

MAX_IMPORTED = 18
LARGE_IMPORTS = {"edits/writing/attempt.py": 22}  # it calls each room that an edit needs

USED_BY_LIBRARIES = {
    "data_received",
    "eof_received",
    "formatException",
    "pipe_connection_lost",
    "pipe_data_received",
    "process_exited",
}
"""Methods that asyncio or logging call by name."""

BANNED = {
    "afresh": 0,
    "anew": 0,
    "as ever": 1,
    "asked": 9,
    "beside": 2,
    "by heart": 0,
    "landed": 0,
    "lands": 1,
    "mended": 0,
    "nobody": 0,
    "of its own": 8,
    "put back": 1,
    "somebody": 1,
    "stands": 2,
    "take note": 0,
    "told": 2,
    "twins": 0,
    "whoever": 2,
}
"""How often each may still occur in the server, its prompts included. A count may fall, never rise."""


def name_of(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


@cache
def classes() -> list[tuple[str, ast.ClassDef]]:
    return [
        (name_of(path), node) for path in MODULES for node in nodes_of(path) if isinstance(node, ast.ClassDef)
    ]


def attributes_of(node: ast.ClassDef) -> set[str]:
    """Name the attributes that ``__init__`` assigns."""
    found = set()
    for method in node.body:
        if isinstance(method, ast.FunctionDef) and method.name == "__init__":
            for each in ast.walk(method):
                if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store):
                    found.add(each.attr)
    return found


def imported_by(path: Path) -> set[str]:
    return {
        "." * node.level + (node.module or "")
        for node in nodes_of(path)
        if isinstance(node, ast.ImportFrom) and (node.level or (node.module or "").startswith("twospeed"))
    }


def names_used() -> Counter[str]:
    """Count the names in the code of the server and its protocol: of definitions, variables, attributes and imports."""
    names: Counter[str] = Counter()
    for path in [*MODULES, *PROTOCOL_MODULES]:
        for node in nodes_of(path):
            if not isinstance(node, ast.Constant):
                for field in node._fields:
                    value = getattr(node, field)
                    for each in value if isinstance(value, list) else [value]:
                        if isinstance(each, str):
                            names.update(each.split("."))
    return names


def test_a_folder_has_few_modules() -> None:
    sizes = Counter(
        path.parent.relative_to(PACKAGE).as_posix() for path in MODULES if path.name != "__init__.py"
    )
    assert {folder: n for folder, n in sizes.items() if n > MAX_MODULES} == LARGE_FOLDERS


def test_a_class_has_few_attributes() -> None:
    sizes = Counter[str]()
    for _, node in classes():
        sizes[node.name] = max(sizes[node.name], len(attributes_of(node)))
    assert {name: n for name, n in sizes.items() if n > MAX_ATTRIBUTES} == LARGE_CLASSES


def test_a_module_imports_few_others() -> None:
    sizes = {name_of(path): len(imported_by(path)) for path in MODULES}
    assert {name: n for name, n in sizes.items() if n > MAX_IMPORTED} == LARGE_IMPORTS


def test_public_classes_have_different_names() -> None:
    names = Counter(node.name for _, node in classes() if not node.name.startswith("_"))
    assert [name for name, n in names.items() if n > 1] == []


def test_every_definition_is_used_by_the_product() -> None:
    used = names_used()
    defined = [
        each
        for path in MODULES
        if path.parent.name != "testing"
        for node in tree_of(path).body
        for each in [node, *(node.body if isinstance(node, ast.ClassDef) else [])]
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and not each.name.startswith("__")
        and not each.decorator_list
    ]
    unused = {each.name for each in defined if used[each.name] < 2}
    assert unused == USED_BY_LIBRARIES


def test_banned_words_do_not_increase() -> None:
    found: Counter[str] = Counter()
    for path in MODULES:
        text = " ".join(text_of(path).lower().split())
        for words in BANNED:
            found[words] += len(re.findall(rf"\b{words}\b", text))
    assert {words: n for words, n in found.items() if n > BANNED[words]} == {}
