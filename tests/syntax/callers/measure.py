"""Plant changes of signatures in installed packages, and compare the callers that are found with those by ``ast``.

    python -m tests.syntax.callers.measure rich httpx aiohttp [--n 60] [--seed 1] [--show]

Nothing of the packages is stored. The second opinion shares no code with the product: it resolves names by ``ast``.
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from twospeed.syntax import Callee, call_sites, changed_signatures
from twospeed.text.lines import split_lines

Function = ast.FunctionDef | ast.AsyncFunctionDef
Scope = (
    Function
    | ast.Lambda
    | ast.ClassDef
    | ast.Module
    | ast.ListComp
    | ast.SetComp
    | ast.DictComp
    | ast.GeneratorExp
)
SCOPES = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.Lambda,
    ast.ClassDef,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
)


@dataclass
class File:
    """One file: each name or member that is called, with the scopes around it, innermost first."""

    path: str
    text: str
    calls: list[tuple[ast.Call, tuple[ast.AST, ...]]] = field(default_factory=list)
    bound: dict[ast.AST, dict[str, list[ast.AST]]] = field(default_factory=dict)

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @property
    def module(self) -> str:
        return self.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    def absolute(self, node: ast.ImportFrom) -> str:
        package = self.module.split(".")
        if not self.path.endswith("__init__.py"):
            package = package[:-1]
        base = package[: len(package) - node.level + 1] if node.level else []
        return ".".join([*base, *([node.module] if node.module else [])])

    def resolve(self) -> None:
        """List the calls and what each scope binds."""
        self._visit(self.tree, (self.tree,))

    def _bind(self, scope: ast.AST, name: str, by: ast.AST) -> None:
        self.bound.setdefault(scope, {}).setdefault(name, []).append(by)

    def _visit(self, node: ast.AST, scopes: tuple[ast.AST, ...]) -> None:  # noqa: C901 - one for each binding
        for child in ast.iter_child_nodes(node):
            here = scopes[0]
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                self._bind(here, child.name, child)
            elif isinstance(child, ast.Name) and not isinstance(child.ctx, ast.Load):
                self._bind(here, child.id, child)
            elif isinstance(child, ast.arg):
                self._bind(here, child.arg, child)
            elif isinstance(child, ast.ExceptHandler) and child.name:
                self._bind(here, child.name, child)
            elif isinstance(child, ast.Global):
                for name in child.names:
                    self._bind(here, name, child)
                    self._bind(self.tree, name, child)
            elif isinstance(child, ast.Import | ast.ImportFrom):
                for alias in child.names:
                    self._bind(here, alias.asname or alias.name.partition(".")[0], child)
            if isinstance(child, ast.Call):
                self.calls.append((child, scopes))
            self._visit(child, (child, *scopes) if isinstance(child, SCOPES) else scopes)

    def bindings(self, name: str, scopes: tuple[ast.AST, ...]) -> tuple[ast.AST, list[ast.AST]] | None:
        for number, scope in enumerate(scopes):
            if isinstance(scope, ast.ClassDef) and number:
                continue
            if found := self.bound.get(scope, {}).get(name):
                return scope, found
        return None


class Package:
    """All files of a package."""

    def __init__(self, name: str) -> None:
        spec = importlib.util.find_spec(name)
        assert spec
        assert spec.origin
        folder = Path(spec.origin).parent
        self.files: dict[str, File] = {}
        for path in sorted(folder.rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            if len(text) < 256 * 1024:
                found = File(path.relative_to(folder.parent).as_posix(), text)
                found.resolve()
                self.files[found.path] = found
        self.modules = {each.module: each for each in self.files.values()}

    def defined(self, module: str, name: str, depth: int = 0) -> tuple[str, str] | None:
        """Return the module and name of what a module's name is, through imports; ``None`` if unknown."""
        file = self.modules.get(module)
        bound = file.bound.get(file.tree, {}).get(name, []) if file else []
        if file is None or len(bound) != 1 or depth > 5:
            return None
        if isinstance(bound[0], ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            return module, name
        if isinstance(bound[0], ast.ImportFrom):
            alias = next(each for each in bound[0].names if (each.asname or each.name) == name)
            return self.defined(file.absolute(bound[0]), alias.name, depth + 1)
        return None

    def target(  # noqa: PLR0911 - one for each form of a call
        self, file: File, call: ast.Call, scopes: tuple[ast.AST, ...]
    ) -> tuple[str, str] | None:
        """Return the module and name of the function that a call names; a method is ``Class.method``."""
        function = call.func
        parts: list[str] = []
        while isinstance(function, ast.Attribute):
            parts.insert(0, function.attr)
            function = function.value
        if not isinstance(function, ast.Name) or (found := file.bindings(function.id, scopes)) is None:
            return None
        scope, bound = found
        if len(parts) == 1 and isinstance(bound[0], ast.arg) and len(bound) == 1:
            return self._method(file, function.id, parts[0], scope, scopes)
        if len({ast.dump(each) for each in bound}) != 1 and not all(isinstance(b, ast.Import) for b in bound):
            return None
        (first, *_) = bound
        if isinstance(first, ast.FunctionDef | ast.AsyncFunctionDef):
            return (file.module, function.id) if scope is file.tree and not parts else None
        if isinstance(first, ast.ImportFrom):
            alias = next(each for each in first.names if (each.asname or each.name) == function.id)
            module = file.absolute(first)
            if not parts:
                return self.defined(module, alias.name)
            return self.defined(f"{module}.{alias.name}", parts[0]) if len(parts) == 1 else None
        if isinstance(first, ast.Import):
            alias = next(
                each for each in first.names if (each.asname or each.name.partition(".")[0]) == function.id
            )
            base = alias.name if alias.asname else function.id
            return self.defined(".".join([base, *parts[:-1]]), parts[-1]) if parts else None
        return None

    def _method(
        self, file: File, name: str, member: str, scope: ast.AST, scopes: tuple[ast.AST, ...]
    ) -> tuple[str, str] | None:
        number = scopes.index(scope)
        owner = scopes[number + 1] if number + 1 < len(scopes) else None
        if not isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef) or not isinstance(
            owner, ast.ClassDef
        ):
            return None
        listed = [*scope.args.posonlyargs, *scope.args.args]
        is_static = any(
            isinstance(each, ast.Name) and each.id == "staticmethod" for each in scope.decorator_list
        )
        has_it = any(isinstance(each, Function) and each.name == member for each in owner.body)
        if not listed or listed[0].arg != name or is_static or not has_it:
            return None
        return file.module, f"{owner.name}.{member}"


def candidates(package: Package) -> Iterator[tuple[File, Function, str]]:
    for file in package.files.values():
        for node in file.tree.body:
            if isinstance(node, Function):
                yield file, node, node.name
            elif isinstance(node, ast.ClassDef):
                for member in node.body:
                    if isinstance(member, Function) and not member.name.startswith("__"):
                        yield file, member, f"{node.name}.{member.name}"


def planted(file: File, node: Function, how: str) -> str | None:
    """Return the text of a file with another head of a function, or ``None`` if the change does not suit it."""
    lines = file.text.splitlines(keepends=True)
    row = node.lineno - 1
    head = lines[row]
    is_method = bool(node.args.args) and node.args.args[0].arg in ("self", "cls")
    if how == "rename":
        lines[row] = re.sub(rf"\bdef {node.name}\b", f"def planted_{node.name}", head, count=1)
    elif how == "add":
        opening = f"def {node.name}("
        if opening not in head or node.args.posonlyargs:
            return None
        if is_method:
            first = node.args.args[0].arg
            lines[row] = re.sub(rf"\({first}(,|\))", rf"({first}, planted\1", head, count=1)
            if lines[row] == head:
                return None
        else:
            lines[row] = head.replace(
                opening, f"{opening}planted, " if f"{opening})" not in head else f"{opening}planted"
            )
    else:
        listed = node.args.args[1 if is_method else 0 :]
        if len(listed) - len(node.args.defaults) < 2 or len({arg.lineno for arg in listed[:2]}) > 1:
            return None
        one, other = listed[:2]
        if one.lineno - 1 >= len(lines) or not lines[one.lineno - 1].isascii():
            return None
        text = lines[one.lineno - 1]
        a, b = (text[each.col_offset : each.end_col_offset] for each in (one, other))
        lines[one.lineno - 1] = (
            text[: one.col_offset]
            + b
            + text[one.end_col_offset : other.col_offset]
            + a
            + text[other.end_col_offset :]
        )
    return "".join(lines)


@dataclass
class Planted:
    """One planted change, and the lines of its callers by ``ast``: all, and those that need another call."""

    file: File
    node: Function
    name: str
    text: str
    calls: set[tuple[str, int]]
    expected: set[tuple[str, int]]


def plant(package: Package, how: str, rng: random.Random, n: int) -> Iterator[Planted]:
    """Yield up to ``n`` changes of functions, and as many of methods."""
    targets: dict[tuple[str, str], list[tuple[File, ast.Call]]] = {}
    for file in package.files.values():
        for call, scopes in file.calls:
            if found := package.target(file, call, scopes):
                targets.setdefault(found, []).append((file, call))
    everyone = list(candidates(package))
    rng.shuffle(everyone)
    kinds = {False: 0, True: 0}
    for file, node, name in everyone:
        text = planted(file, node, how) if kinds["." in name] < n else None
        if text is not None:
            kinds["." in name] += 1
            calls = targets.get((file.module, name), ())
            expected = {(each.path, _line(call)) for each, call in calls if _matters(call, node, how)}
            yield Planted(
                file, node, name, text, {(each.path, _line(call)) for each, call in calls}, expected
            )


def measure(package: Package, how: str, rng: random.Random, n: int, *, shows: bool) -> Counter[str]:
    """Count the callers that are found for planted changes of one kind."""
    counts: Counter[str] = Counter()
    for each in plant(package, how, rng, n):
        counts["planted"] += 1
        found = _compare(package, each)
        counts += Counter({kind: len(places) for kind, places in found.items()})
        for kind in ("no change seen", "missed", "found wrongly") if shows else ():
            for path, line in found.get(kind, ()):
                print(f"{kind}, {how}: {each.file.module} {each.name}: {path}:{line + 1}")
    return counts


def _compare(package: Package, change: Planted) -> dict[str, set[tuple[str, int]]]:
    file, node = change.file, change.node
    before, after = split_lines(file.text), split_lines(change.text)
    place = node.lineno - 1, node.end_lineno or node.lineno
    changes = changed_signatures(before, after, "python", old=place, new=place)
    if len(changes) != 1:
        return {"no change seen": {(file.path, place[0])}}
    others = frozenset(
        each.path for each in package.files.values() if each is not file and _defines(each, node.name)
    )
    callee = Callee(changes[0], file.path, frozenset(package.files), others)
    certain: set[tuple[str, int]] = set()
    uncertain: set[tuple[str, int]] = set()
    sites: dict[str, set[tuple[str, int]]] = {"found wrongly": set(), "uncertain": set()}
    for each in package.files.values():
        lines = after if each is file else split_lines(each.text)
        found = call_sites(lines, "python", callee, path=each.path)
        for site in found.certain:
            covered = {(each.path, line) for line in range(site.start, site.end)}
            certain |= covered
            is_import = "import" in "".join(lines[site.start : site.end])
            if not (covered & change.calls or is_import):
                sites["found wrongly"].add((each.path, site.line))
        uncertain |= {(each.path, line) for site in found.uncertain for line in range(site.start, site.end)}
        sites["uncertain"] |= {(each.path, site.line) for site in found.uncertain}
    return sites | {
        "callers": change.expected,
        "found": change.expected & certain,
        "uncertain callers": (change.expected - certain) & uncertain,
        "missed": change.expected - certain - uncertain,
    }


def _defines(file: File, name: str) -> bool:
    return any(isinstance(each, Function) for each in file.bound.get(file.tree, {}).get(name, ()))


def _line(call: ast.Call) -> int:
    return (call.func.end_lineno or call.func.lineno) - 1


def _matters(call: ast.Call, node: Function, how: str) -> bool:
    if how == "rename":  # another name of an import stays
        return getattr(call.func, "id", None) == node.name or getattr(call.func, "attr", None) == node.name
    if how == "add":
        return True
    return bool(call.args) or any(each.arg is None for each in call.keywords)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("packages", nargs="+")
    parser.add_argument("--n", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true")
    arguments = parser.parse_args()
    columns = (
        "planted",
        "no change seen",
        "callers",
        "found",
        "uncertain callers",
        "missed",
        "found wrongly",
        "uncertain",
    )
    print("| package | change |", " | ".join(columns), "|")
    print("| --- " * (len(columns) + 2) + "|")
    for name in arguments.packages:
        package = Package(name)
        for how in ("rename", "add", "reorder"):
            counts = measure(package, how, random.Random(arguments.seed), arguments.n, shows=arguments.show)
            print(f"| {name} | {how} |", " | ".join(str(counts[each]) for each in columns), "|")


if __name__ == "__main__":
    main()
