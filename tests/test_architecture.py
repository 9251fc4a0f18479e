"""Rooms import only what the table allows, and libraries stay in their rooms."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.sources import MODULES, PACKAGE, PROTOCOL_MODULES, ROOT, nodes_of, text_of

PAGE = ROOT / "ARCHITECTURE.md"

DOORS: dict[str, set[str]] = {
    "commands": set(),
    "history": set(),
    "secrets": set(),
    "text": set(),
    "delivery": {"text"},
    "syntax": {"text"},
    "gate": {"secrets", "text"},
    "models": {"commands", "secrets", "text"},
    "routing": {"models"},
    "testing": {"models"},
    "stream": {"secrets", "text"},
    "workspace": {"syntax", "text"},
    "budget": {"models", "workspace"},
    "prompt": {"models", "secrets", "text"},
    "rules": {"models", "syntax", "text"},
    "lanes": {"budget", "models", "routing", "rules"},
    "completion": {
        "budget",
        "models",
        "prompt",
        "routing",
        "secrets",
        "stream",
        "syntax",
        "text",
        "workspace",
    },
    "config": {"budget", "gate", "models", "routing", "text", "workspace"},
    "edits": {
        "budget",
        "delivery",
        "gate",
        "models",
        "prompt",
        "routing",
        "secrets",
        "stream",
        "syntax",
        "text",
        "workspace",
    },
    "lsp": {
        "budget",
        "commands",
        "completion",
        "config",
        "delivery",
        "edits",
        "history",
        "lanes",
        "models",
        "routing",
        "secrets",
        "syntax",
        "text",
        "workspace",
    },
    "cli": {
        "budget",
        "commands",
        "config",
        "history",
        "lsp",
        "models",
        "routing",
        "testing",
        "text",
        "workspace",
    },
}

LIBRARIES: dict[str, set[str]] = {
    "aiohttp": {"models", "testing"},
    "lsprotocol": {"lsp"},
    "orjson": {"cli", "lsp", "models", "testing"},
    "platformdirs": {"config", "lsp"},
    "pydantic": {"cli", "config", "lsp"},
    "pygls": {"lsp"},
    "rich": {"cli"},
    "sqlite3": {"history"},
    "keyring": {"models"},
    "tree_sitter": {"rules", "syntax"},
    "twospeed_protocol": {"cli", "lsp"},
    "websockets": {"lsp"},
    "xllamacpp": {"models"},
}

PURE_ROOMS = {"text", "secrets", "stream", "gate", "prompt", "routing"}
IMPURE_MODULES = {"asyncio", "os", "pathlib", "random", "socket", "subprocess", "threading", "time"}

PROCESS_STARTERS = {
    "commands/run.py": "formatters, checks and sources of keys that the user's config names",
    "models/llama/llama_model.py": "llama.cpp, if the user's config names a model file",
    "cli/client/stdio_connection.py": "the command line starts its own server",
    "cli/browser.py": "the user's browser, for twospeed web --open",
}
PROCESS_MODULES = {
    "_posixsubprocess",
    "concurrent.futures.process",
    "multiprocessing",
    "posix",
    "pty",
    "subprocess",
    "webbrowser",
}
PROCESS_FUNCTION = re.compile(
    r"create_subprocess_\w+|subprocess_(?:exec|shell)|ProcessPoolExecutor|os\.(?:exec|fork|spawn|posix_spawn)\w*"
    r"|os\.(?:popen|startfile|system)"
)

MAX_LINES = 400


@cache
def modules_imported_by(path: Path) -> frozenset[str]:
    """Name every module a file imports, also inside functions and for type checking."""
    modules: set[str] = set()
    for node in nodes_of(path):
        match node:
            case ast.Import(names=names):
                modules |= {alias.name for alias in names}
            case ast.ImportFrom(module="twospeed", names=names, level=0):
                modules |= {f"twospeed.{alias.name}" for alias in names}
            case ast.ImportFrom(module=str(module), level=0):
                modules.add(module)
            case ast.ImportFrom(level=level) if level > 1:
                depth = len(path.relative_to(PACKAGE).parts) - 1
                if level > depth:
                    modules.add("twospeed.(relative import out of its room)")
    return frozenset(modules)


def files_of(room: str) -> list[Path]:
    return [path for path in MODULES if path.is_relative_to(PACKAGE / room)]


def test_every_room_has_a_rule() -> None:
    rooms = {path.name for path in PACKAGE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert rooms == set(DOORS)


def test_imports_only_go_through_doors() -> None:
    for room, allowed in DOORS.items():
        for path in files_of(room):
            rooms = {name.split(".")[1] for name in modules_imported_by(path) if name.startswith("twospeed.")}
            extra = rooms - allowed - {room, "aio", "errors", "__version__"}
            assert not extra, f"{path.relative_to(PACKAGE)} may not import {sorted(extra)}"


def test_every_door_is_used() -> None:
    for room, allowed in DOORS.items():
        used = {
            name.split(".")[1]
            for path in files_of(room)
            for name in modules_imported_by(path)
            if name.startswith("twospeed.")
        }
        assert allowed <= used, f"{room} does not import {sorted(allowed - used)}"


def test_only_the_demo_imports_scripted_models() -> None:
    importers = {
        str(path.relative_to(PACKAGE))
        for path in MODULES
        if path.parent.name != "testing"
        and any(name.startswith("twospeed.testing") for name in modules_imported_by(path))
    }
    assert importers == {"cli/demo.py"}


def test_doors_make_no_circle() -> None:
    open_rooms = dict(DOORS)
    while open_rooms:
        done = [room for room, doors in open_rooms.items() if not doors & set(open_rooms)]
        assert done, f"a circle among {sorted(open_rooms)}"
        for room in done:
            del open_rooms[room]


def test_libraries_stay_in_their_rooms() -> None:
    for room in DOORS:
        for path in files_of(room):
            for name in modules_imported_by(path):
                library = name.split(".")[0]
                at_home = LIBRARIES.get("tree_sitter" if library.startswith("tree_sitter_") else library)
                assert at_home is None or room in at_home, (
                    f"{path.relative_to(PACKAGE)} may not import {name}"
                )


def test_pure_rooms_do_no_io_and_read_no_clock() -> None:
    for room in PURE_ROOMS:
        for path in files_of(room):
            extra = {name.split(".")[0] for name in modules_imported_by(path)} & IMPURE_MODULES
            assert not extra, f"{path.relative_to(PACKAGE)} may not import {sorted(extra)}"


def test_only_these_modules_start_processes() -> None:
    """A module that only names a module or function of this kind in a string, such as a pattern, starts nothing."""
    starters = {str(path.relative_to(PACKAGE)) for path in MODULES if starts_processes(path)}
    assert starters == set(PROCESS_STARTERS)
    assert not any(map(starts_processes, PROTOCOL_MODULES))


def starts_processes(path: Path) -> bool:
    names = {name for node in nodes_of(path) for name in names_used_by(node)}
    return any(name in PROCESS_MODULES or PROCESS_FUNCTION.fullmatch(name) for name in names)


def names_used_by(node: ast.AST) -> Iterator[str]:
    """Yield the modules and functions of other modules that a node names."""
    match node:
        case ast.Import(names=names):
            for alias in names:
                yield from (alias.name, alias.name.split(".")[0])
        case ast.ImportFrom(module=str(module), names=names, level=0):
            yield from (module, module.split(".")[0])
            for alias in names:
                yield from (alias.name, f"{module}.{alias.name}")
        case ast.Attribute(value=ast.Name(id=owner), attr=name):
            yield from (name, f"{owner}.{name}")
        case ast.Attribute(attr=name) | ast.Name(id=name):
            yield name
        case _:
            pass


def test_the_wire_contract_imports_nothing_of_the_server() -> None:
    for path in PROTOCOL_MODULES:
        names = {name.split(".")[0] for name in modules_imported_by_protocol(path)}
        assert "twospeed" not in names


def modules_imported_by_protocol(path: Path) -> set[str]:
    nodes = nodes_of(path)
    imports = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return imports | {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}


def test_no_module_is_longer_than_the_limit() -> None:
    for path in [*MODULES, *PROTOCOL_MODULES]:
        n_lines = len(text_of(path).splitlines())
        assert n_lines <= MAX_LINES, f"{path} has {n_lines} lines"


def test_the_page_lists_every_room_with_its_imports() -> None:
    rows = re.findall(r"^\| `(\w+)` \| [^|]* \| ([^|]*) \| [^|]* \|$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert {room: set(re.findall(r"\w+", imports)) for room, imports in rows} == DOORS


def test_the_page_names_paths_that_exist() -> None:
    names = re.findall(r"`([\w./-]+(?:\.py|/))`", PAGE.read_text("utf-8"))
    missing = [name for name in names if not (PACKAGE / name).exists() and not (ROOT / name).exists()]
    assert names
    assert not missing
