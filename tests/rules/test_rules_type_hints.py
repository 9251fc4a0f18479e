"""Type hints are added where no other type is possible, and nowhere else."""

from __future__ import annotations

import pytest
from tests.rules.rule_checks import check, check_refused

ADD = "add type hints"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def f(a=1): return a", "def f(a: int = 1): return a"),
        ("def f(a = 1, b=None): return a", "def f(a: int = 1, b=None): return a"),
        (
            "def f(a=True, b=-1.5, *, c='x', d=b'x', e=[], g=x): return a",
            "def f(a: bool = True, b: float = -1.5, *, c: str = 'x', d: bytes = b'x', e=[], g=x): return a",
        ),
        ("def f(a: object = 1, *b, **c): a()", "def f(a: object = 1, *b, **c) -> None: a()"),
        ("def f(a): a()", "def f(a) -> None: a()"),
        (
            "def f(\n    a,\n):  # why\n    a()\n    return\n",
            "def f(\n    a,\n) -> None:  # why\n    a()\n    return\n",
        ),
        ("async def f(): a()", "async def f() -> None: a()"),
        (
            "def f(a):\n    if a: return True\n    return not a\n",
            "def f(a) -> bool:\n    if a: return True\n    return not a\n",
        ),
        ("def f(a): return a is None", "def f(a) -> bool: return a is None"),
        ("def f(a): return f'{a}'", "def f(a) -> str: return f'{a}'"),
        (
            "def f(a):\n    if a:\n        return 1\n    else:\n        return 2\n",
            "def f(a) -> int:\n    if a:\n        return 1\n    else:\n        return 2\n",
        ),
        (
            "def f(a):\n    def g(): return a\n    h(g)\n",
            "def f(a) -> None:\n    def g(): return a\n    h(g)\n",
        ),
        (
            "class A:\n    def __init__(self, a): pass\n",
            "class A:\n    def __init__(self, a) -> None: pass\n",
        ),
        ("def f(a=1)->int: return a", "def f(a: int = 1)->int: return a"),
    ],
)
def test_certain_types_are_added(text: str, expected: str) -> None:
    check(ADD, text, expected)


@pytest.mark.parametrize(
    "text",
    [
        "def f(a=None): return a",
        "def f(a): return a == 1",
        "def f(a): return a and True",
        "def f(a):\n    if a: return 1\n",
        "def f(a):\n    if a: return 1\n    return\n",
        "def f(a):\n    if a: return 1\n    return 'x'\n",
        "def f(a):\n    if a: return 1\n    return None\n",
        "def f(a):\n    try: return 1\n    except E: a()\n",
        "def f(): yield",
        "def f(): x = yield 1",
        "def f(): pass",
        "def f(): ...",
        "def f(): raise NotImplementedError",
        "def f(a):\n    a()\n    raise E\n",
        "@abstractmethod\ndef f(self): self.a()\n",
        "@typing.overload\ndef f(self): self.a()\n",
        "def f(a: int = 1) -> None: a()",
        "f = lambda a=1: None; g = [lambda: 1]\ndef f(): return g\n",
    ],
)
def test_uncertain_types_are_refused(text: str) -> None:
    check_refused(ADD, text, "no type here is certain")


def test_only_functions_of_python_have_type_hints_to_add() -> None:
    check_refused(ADD, "x = 1\n", "these lines contain no complete function")
    check_refused(ADD, "function f(a = 1) {}", "type hints can be added to Python only", "javascript")
