"""The modules of the server and its protocol, each read and parsed once."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import twospeed
import twospeed_protocol

ROOT = Path(__file__).parents[1]
PACKAGE = Path(twospeed.__file__).parent
PROTOCOL = Path(twospeed_protocol.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
PROTOCOL_MODULES = sorted(PROTOCOL.rglob("*.py"))


@cache
def text_of(path: Path) -> str:
    return path.read_text("utf-8")


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(text_of(path))


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """Return all nodes of a module's tree: `ast.walk` takes several times as long as parsing."""
    return tuple(ast.walk(tree_of(path)))
