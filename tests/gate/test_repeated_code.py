"""An answer that holds the old version and the new one, or one version twice, gets a finding."""

from __future__ import annotations

import pytest
from tests.gate.judged import judged

FUNCTION = "def f(a):\n    b = a\n    return b\n"
SHELL = "for a in *; do\n  echo $a\n  rm $a\ndone\n"
CSS = ".a {\n  color: red;\n  margin: 0;\n}\n"
YAML = "job:\n  image: one\n  script:\n    - make\n"
OVERLOADS = (
    "@overload\ndef f(\n    a: int,\n) -> int: ...\n\n\n@overload\ndef f(\n    a: str,\n) -> str: ...\n"
)


def told(old: str, new: str, language_id: str = "python") -> list[tuple[int, str]]:
    return [
        (line, message) for code, line, message in judged(old, new, language_id) if code == "repeated-code"
    ]


TWICE = {
    "the old function and the new one": (
        FUNCTION,
        f"{FUNCTION}\n\n{FUNCTION.replace('= a', '= a + 1')}",
        "python",
        (5, '"f" is defined twice in the same way'),
    ),
    "a method, among others": (
        "class A:\n    def b(self):\n        c()\n",
        "class A:\n    def b(self):\n        c()\n\n    def d(self):\n        e()\n\n    def b(self):\n        d()\n",
        "python",
        (7, '"b" is defined twice in the same way'),
    ),
    "a function whose header has many lines": (
        "function f(\n  a: number,\n) {\n  return a;\n}\n",
        "function f(\n  a: number,\n) {\n  return a;\n}\nfunction f(\n  a: number,\n) {\n  return -a;\n}\n",
        "typescript",
        (5, '"f" is defined twice in the same way'),
    ),
    "statements, then the same with a change": (
        "for a in b:\n    print(a)\n",
        "for a in b:\n    print(a)\n\nfor a in sorted(b):\n    print(a)\n",
        "python",
        (3, "the lines of the scope stand here twice"),
    ),
    "the new version before the old one": (
        YAML,
        f"{YAML.replace('one', 'two')}{YAML}",
        "yaml",
        (4, "the lines of the scope stand here twice"),
    ),
    "a rule of which a value changed": (
        CSS,
        f"{CSS}\n{CSS.replace('red', 'blue')}",
        "css",
        (5, "the lines of the scope stand here twice"),
    ),
    "the new version twice": (
        SHELL,
        SHELL.replace("rm", "ls") * 2,
        "shellscript",
        (4, "the lines of the scope stand here twice"),
    ),
}


@pytest.mark.parametrize("name", TWICE)
def test_what_stands_twice_is_pointed_at_the_second_time(name: str) -> None:
    old, new, language_id, wanted = TWICE[name]
    assert told(old, new, language_id) == [wanted]


ONCE = {
    "another entry like the one above": (YAML, f"{YAML}test:\n  image: two\n  script:\n    - test\n", "yaml"),
    "overloads": (FUNCTION, f"{OVERLOADS}\n\n{FUNCTION}", "python"),
    "a getter and its setter": (
        "class A:\n    @property\n    def b(self):\n        return 1\n",
        "class A:\n    @property\n    def b(self):\n        return 1\n\n    @b.setter\n    def b(self, c):\n        d()\n",
        "python",
    ),
    "methods of two classes": (FUNCTION, f"class A:\n    {FUNCTION.replace(chr(10), chr(10) + '    ')}\n{FUNCTION}", "python"),
    "what stood twice before": (f"{CSS}{CSS}", f"{CSS}{CSS}".replace("red", "blue"), "css"),
    "a line that is wanted twice": ("a()\n", "a()\na()\n", "python"),
    "twice the work in a loop": ("a = one()\nb = two(a)\n", "for _ in range(2):\n    a = one()\n    b = two(a)\n", "python"),
}  # fmt: skip


@pytest.mark.parametrize("name", ONCE)
def test_what_is_alike_and_wanted_is_not_told(name: str) -> None:
    assert told(*ONCE[name]) == []
