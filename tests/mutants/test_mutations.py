"""The mutations of a module: which code has them, and that a sample is the same for the same seed."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.mutants.equivalent import EQUIVALENT
from tests.mutants.mutations import made_of, mutations_of, sample, tables_of

import twospeed

PACKAGE = Path(twospeed.__file__).parent


def changes(code: str) -> set[tuple[str, str, str]]:
    return {(each.kind, each.old, each.new) for each in mutations_of("m.py", code.encode())}


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("def f(a, b):\n    g(a < b)\n", ("compare", "<", "<=")),
        ("def f(a, b):\n    g(a is not b)\n", ("compare", "is not", "is")),
        ("def f(a, b):\n    g(a  not  in b)\n", ("compare", "not  in", "in")),
        ("def f(a, b):\n    g(a and b)\n", ("and/or", "and", "or")),
        ("def f(a, b):\n    g(a + b)\n", ("arithmetic", "+", "-")),
        ("def f(a):\n    g(not a)\n", ("condition", "not a", "(a)")),
        ("def f(a):\n    if a:\n        g()\n", ("condition", "a", "not (a)")),
        ("def f(a):\n    g(1)\n", ("off by one", "1", "2")),
        ("def f(a):\n    g(True)\n", ("true/false", "True", "False")),
        ("def f(a):\n    g('applied')\n", ("string", "'applied'", '"XXapplied"')),
        ("def f(a):\n    g(a)\n", ("call dropped", "g(a)", "pass")),
        ("async def f(a):\n    await g(a)\n", ("call dropped", "await g(a)", "pass")),
        ("def f(a):\n    a.b = 1\n", ("assignment dropped", "a.b = 1", "pass")),
        ("def f(a):\n    raise E(a)\n", ("raise dropped", "raise E(a)", "pass")),
        ("def f(a):\n    return g(a)\n", ("return", "g(a)", "None")),
        ("def f(a):\n    if a:\n        return\n    g()\n", ("early exit dropped", "return", "pass")),
        ("def f(a=False):\n    g(a)\n", ("default", "False", "True")),
        ("def f(a):\n    g(a, b=a)\n", ("keyword dropped", ", b=a", "")),
        ("A = {'edit': g}\n", ("string", "'edit'", '"XXedit"')),
    ],
)
def test_a_rule_makes_its_small_mistake(code: str, expected: tuple[str, str, str]) -> None:
    assert expected in changes(code)


@pytest.mark.parametrize(
    "code",
    [
        '"""Words."""\n',
        "__all__ = ['f']\n",
        "LIMIT_S = 3\n",
        "from a import b\n",
        "def f(a: 'b') -> 'c':\n    '''Words.'''\n",
        "def f():\n    assert a < 1\n",
        "def f(a):\n    assert_never(a)\n",
        "def f():\n    logger.info('words', a)\n",
        "async def f():\n    await asyncio.sleep(0)\n",
        "class A(Protocol):\n    def f(self, a=1): ...\n",
        "if TYPE_CHECKING:\n    a = 1\n",
        "def __repr__(self):\n    return 'A'\n",
        "A = Literal['edit']\n",
    ],
)
def test_code_without_behaviour_has_no_mutations(code: str) -> None:
    assert changes(code) == set()


def test_a_mutation_names_its_function_and_the_lines_that_run_it() -> None:
    code = b"class A:\n    def f(self):\n        if self.a:\n            self.g(\n                self.b\n            )\n"
    [call] = [each for each in mutations_of("m.py", code) if each.kind == "call dropped"]
    assert (call.function, call.lines, call.around) == ("A.f", (4, 6), (3, 6))
    assert call.apply(code) == b"class A:\n    def f(self):\n        if self.a:\n            pass\n"


def test_a_sample_is_the_same_for_a_seed_and_has_all_kinds() -> None:
    found = mutations_of("delivery/channel.py", (PACKAGE / "delivery/channel.py").read_bytes())
    one, same, other = (sample(found, 40, seed) for seed in ("1", "1", "2"))
    assert one == same != other
    assert {each.kind for each in one} == {each.kind for each in found}
    assert len(set(one)) == 40


@pytest.mark.parametrize(
    "module", ["delivery/channel.py", "lsp/protocol.py", "syntax/definitions/symbols.py"]
)
def test_every_mutated_module_compiles(module: str) -> None:
    source = (PACKAGE / module).read_bytes()
    for each in mutations_of(module, source):
        changed = each.apply(source)
        compile(changed, module, "exec")
        assert changed != source


def test_every_equivalent_is_a_mutation_of_the_package_and_has_a_reason() -> None:
    modules = {each.module for each in EQUIVALENT}
    found = {each.key for module in modules for each in mutations_of(module, (PACKAGE / module).read_bytes())}
    for each in EQUIVALENT:
        assert each.reason
        assert each.key in found, each


def test_equal_mutations_of_a_function_are_numbered() -> None:
    code = b"def f(a):\n    g(a, 1)\n    g(a, 1)\n\n\ndef g(a):\n    f(1)\n"
    found = [each.key for each in mutations_of("m.py", code) if each.kind == "off by one"]
    assert [(key[1], key[-1]) for key in found] == [("f", 0), ("f", 1), ("g", 0)]


def test_a_table_includes_the_names_made_from_it_in_this_and_other_modules() -> None:
    code = b"_A = {'edit': 1}\n_B = {each: _A for each in _A}\nC: dict = {**_B}\nD = 1\n\n\ndef f():\n    return _A\n"
    tables = [
        *tables_of("m.py", code),
        *tables_of("n.py", b"from m import C\n\n_A = 1\nE = [_A]\nF = (C,)\n"),
    ]
    assert made_of(tables, "m.py", "_A") == {("m.py", "_A"), ("m.py", "_B"), ("m.py", "C"), ("n.py", "F")}
    assert made_of(tables, "m.py", "D") == {("m.py", "D")}
