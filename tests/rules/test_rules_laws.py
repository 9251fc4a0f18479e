"""Laws over real code, the standard library's: a rule changes what it says and nothing else."""

from __future__ import annotations

import ast
import importlib
import inspect
import io
import keyword
import tokenize

import pytest
from tests.rules.rule_checks import task_for

from twospeed.models.base import EditTask
from twospeed.rules.doc_comments import sentence
from twospeed.rules.outcome import RuleRefusal
from twospeed.rules.rules_model import answer
from twospeed.text.code.scope import Scope, ScopeKind

MODULES = [
    *[
        "abc",
        "bisect",
        "calendar",
        "cmd",
        "code",
        "codeop",
        "colorsys",
        "configparser",
        "contextlib",
        "copy",
        "csv",
    ],
    *[
        "dataclasses",
        "difflib",
        "dis",
        "fnmatch",
        "functools",
        "getopt",
        "gettext",
        "glob",
        "heapq",
        "html.parser",
    ],
    *["json.decoder", "json.encoder", "pprint", "queue", "sched", "shlex", "string", "textwrap", "timeit"],
]


DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def source_of(name: str) -> str:
    return inspect.getsource(importlib.import_module(name))


def asked(instruction: str, text: str, scope: Scope | None = None) -> str | RuleRefusal:
    task, above, below = task_for(instruction, text, scope=scope)
    outcome = answer(task)
    return outcome if isinstance(outcome, RuleRefusal) else above + outcome + below


def without_docs(tree: ast.AST) -> str:
    """Dump a tree without docstrings."""
    for node in ast.walk(tree):
        is_documented = isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None
        if isinstance(node, DOCUMENTED) and is_documented:
            node.body = node.body[1:]
    return ast.dump(tree)


def functions_of(text: str) -> list[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return [node for node in ast.walk(ast.parse(text)) if isinstance(node, kinds)]


@pytest.mark.parametrize("name", MODULES)
def test_documenting_a_module_changes_nothing_but_docstrings(name: str) -> None:
    text = source_of(name)
    documented = asked("add docstrings", text)
    if isinstance(documented, RuleRefusal):
        assert "gives no summary" in documented.message
        return
    assert without_docs(ast.parse(documented)) == without_docs(ast.parse(text))
    for node in ast.parse(documented).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            assert ast.get_docstring(node) or not sentence(node.name)


@pytest.mark.parametrize("name", ["textwrap", "json.decoder", "shlex", "bisect"])
def test_documenting_one_definition_adds_that_docstring(name: str) -> None:
    text = source_of(name)
    for node in functions_of(text):
        assert node.end_lineno
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        kind: ScopeKind = "class" if isinstance(node, ast.ClassDef) else "function"
        documented = asked("add a docstring", text, Scope(kind, node.name, first - 1, node.end_lineno))
        if isinstance(documented, RuleRefusal):
            assert "gives no summary" in documented.message
            assert not sentence(node.name)
            continue
        assert without_docs(ast.parse(documented)) == without_docs(ast.parse(text))
        n_before, n_after = (
            sum(ast.get_docstring(one) is not None for one in functions_of(each))
            for each in (text, documented)
        )
        assert n_after > n_before or ast.get_docstring(node) is not None


@pytest.mark.parametrize("name", MODULES)
def test_type_hints_of_a_module_are_the_only_change(name: str) -> None:
    text = source_of(name)
    hinted = asked("add type hints", text)
    if isinstance(hinted, RuleRefusal):
        return
    assert without_hints(hinted) == without_hints(text)


def without_hints(text: str) -> str:
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.returns = None
    return ast.dump(tree)


@pytest.mark.parametrize("name", MODULES)
def test_f_strings_of_a_module_are_the_only_change(name: str) -> None:
    text = source_of(name)
    converted = asked("use f-strings", text)
    if isinstance(converted, RuleRefusal):
        return
    ast.parse(converted, feature_version=(3, 11))
    assert without_texts(converted) == without_texts(text)


def without_texts(text: str) -> list[type[ast.AST]]:
    """List the statements of a text, which formatting never changes."""
    return [type(node) for node in ast.walk(ast.parse(text)) if isinstance(node, ast.stmt)]


def tokens(text: str) -> list[tuple[int, str]]:
    return [(token.type, token.string) for token in tokenize.generate_tokens(io.StringIO(text).readline)]


@pytest.mark.parametrize("name", ["textwrap", "json.decoder", "shlex", "bisect", "heapq"])
def test_a_rename_changes_names_and_no_other_token(name: str) -> None:
    text = source_of(name)
    n_renamed = 0
    for node in functions_of(text):
        if isinstance(node, ast.ClassDef):
            continue
        scope = Scope("function", node.name, node.lineno - 1, node.end_lineno or node.lineno)
        for local in sorted({arg.arg for arg in node.args.args} - set(keyword.softkwlist)):
            renamed = asked(f"rename {local} to fresh_name", text, scope)
            if isinstance(renamed, RuleRefusal):
                continue
            n_renamed += 1
            changed = [
                (old, new) for old, new in zip(tokens(text), tokens(renamed), strict=True) if old != new
            ]
            for (kind, old), (_, new) in changed:
                is_text = kind in {tokenize.STRING, tokenize.COMMENT}
                assert old == local or is_text
                assert new.replace("fresh_name", local) == old
            assert renamed.replace("fresh_name", local) == text
    assert n_renamed > 5


def test_an_answer_depends_only_on_the_task() -> None:
    task, _, _ = task_for("add a docstring", "def do_it(): pass\n")
    assert isinstance(
        answer(
            EditTask(
                task.instruction,
                "python",
                task.scope_text,
                lambda _: True,
                lines=task.lines,
                scope=task.scope,
            )
        ),
        str,
    )
