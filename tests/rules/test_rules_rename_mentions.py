"""A rename also changes strings and comments that name the symbol, or is refused because of them."""

from __future__ import annotations

import pytest
from tests.rules.rule_checks import ask, check, check_refused

from twospeed.rules.outcome import RuleRefusal

AREA = "def area(w): return w\n"
SIZE = "def size(w): return w\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (f'__all__ = ["area", "other"]\n{AREA}', f'__all__ = ["size", "other"]\n{SIZE}'),
        (f"__all__ = ('area',)\n{AREA}", f"__all__ = ('size',)\n{SIZE}"),
        (f'__all__: list[str] = ["area"]\n{AREA}', f'__all__: list[str] = ["size"]\n{SIZE}'),
        (f'__all__ = []\n__all__ += ["area"]\n{AREA}', f'__all__ = []\n__all__ += ["size"]\n{SIZE}'),
        (f'__all__ = []\n__all__.append("area")\n{AREA}', f'__all__ = []\n__all__.append("size")\n{SIZE}'),
        (f'__all__ = ["area_of", "xarea"]\n{AREA}', f'__all__ = ["area_of", "xarea"]\n{SIZE}'),
        (
            '__all__ = ["area"]\ndef f():\n    area = 1\n    return area\n',
            '__all__ = ["area"]\ndef f():\n    size = 1\n    return size\n',
        ),
    ],
)
def test_exported_names_are_renamed(old: str, new: str) -> None:
    check("rename area to size", old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            'class A:¦\n    x = 1\n    def f(self): return getattr(self, "x")\n',
            'class A:\n    y = 1\n    def f(self): return getattr(self, "y")\n',
        ),
        ("def f(self):¦\n    self.x = 1\n    setattr(self, 'x', 2)\n", "def f(self):\n    self.y = 1\n    setattr(self, 'y', 2)\n"),
        ("def f(self, a):¦\n    self.x = 1\n    print('x')\n", "def f(self, a):\n    self.y = 1\n    print('x')\n"),
    ],
)  # fmt: skip
def test_attributes_named_in_strings_are_renamed(old: str, new: str) -> None:
    check("rename self.x to y", old, new)


@pytest.mark.parametrize(
    ("instruction", "text", "words"),
    [
        ("rename self.x to y", 'def f(self, a):¦\n    self.x = getattr(a, "x")\n', 'getattr(…, "x") may name it'),
        ("rename self.x to y", 'def f(self, a):¦\n    self.x = hasattr(a, "x")\n', 'hasattr(…, "x") may name it'),
        ("rename self.x to y", 'def f(self):¦\n    self.x = attrgetter("x")\n', 'attrgetter("x") may name it'),
        ("rename self.x to y", 'def f(self):¦\n    patch.object(self.x, "x")\n', 'patch.object(…, "x") may name it'),
        ("rename self.x to y", 'class A:\n    __match_args__ = ("x",)\n    def f(self): self.x = 1\n', "__match_args__"),
        ("rename area to size", f'{AREA}getattr(module, "area")\n', 'getattr(…, "area") may name it'),
        ("rename area to size", f"{AREA}globals()['a' + b]\n", "the code uses globals"),
        ("rename x to y", '@get("/items/{x}")\ndef f(x): return x¦\n', "the decorator above names x in a string"),
        ("rename x to y", '@parametrize(("a", "x"), b)\ndef f(a, x): return x¦\n', "the decorator above names x"),
        ("rename x to y", 'def f(x): return x\nf(**{"x": 1})\n', "a call passes x by name in a dict"),
        ("rename size to y", 'def size(): pass\n@patch("m.size")\ndef f(size): pass\n', 'the string "m.size" may name it'),
    ],
)  # fmt: skip
def test_a_string_that_may_name_it_refuses_the_rename(instruction: str, text: str, words: str) -> None:
    check_refused(instruction, text, words)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("class x: pass\ndef f(a: 'x') -> 'x': pass\n", "class y: pass\ndef f(a: 'y') -> 'y': pass\n"),
        ("class x: pass\na: 'list[x] | m.x'\n", "class y: pass\na: 'list[y] | m.x'\n"),
        ("class x: pass\na: list['x']\n", "class y: pass\na: list['y']\n"),
        ("class x: pass\na: Literal['x']\n", "class y: pass\na: Literal['x']\n"),
        ("class x: pass\ncast('x', a)\ng('x')\n", "class y: pass\ncast('y', a)\ng('x')\n"),
    ],
)
def test_types_in_strings_are_renamed(old: str, new: str) -> None:
    check("rename x to y", old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"""Use `x`, ``x`` or `x(1)`, :data:`x`; not x."""', '"""Use `y`, ``y`` or `y(1)`, :data:`y`; not x."""'),
        ('"""`a.x` `xx` `x_` x() a.x()"""', '"""`a.x` `xx` `x_` y() a.x()"""'),
        ('"""A.\n\n    :param x: x\n    :param int x: x\n    :type x: int\n    """', '"""A.\n\n    :param y: x\n    :param int y: x\n    :type y: int\n    """'),
        ('"""A.\n\n    Args:\n        x: A x.\n        x (int): A.\n    """', '"""A.\n\n    Args:\n        y: A x.\n        y (int): A.\n    """'),
        ('"""A.\n\n    x : int\n        A.\n    """', '"""A.\n\n    y : int\n        A.\n    """'),
        ("# `x` is x\n    # x: no parameter", "# `y` is x\n    # x: no parameter"),
    ],
)  # fmt: skip
def test_mentions_in_docstrings_and_comments_are_renamed_if_clear(old: str, new: str) -> None:
    check("rename x to y", f"def f(x):¦\n    {old}\n    return x\n", f"def f(y):\n    {new}\n    return y\n")


def test_a_mention_of_a_distinct_name_is_clear() -> None:
    text = (
        "def f():¦\n    # {0} is new, but {0}s, {0}.py, a/{0} and -{0} are others\n    {0} = 1  # see {0}.\n"
    )
    check(
        "rename net_price to cost",
        text.replace("{0}", "net_price"),
        text.replace("¦", "")
        .replace("{0}s", "net_prices")
        .replace("{0}.py", "net_price.py")
        .replace("a/{0}", "a/net_price")
        .replace("-{0}", "-net_price")
        .replace("{0}", "cost"),
    )


def test_a_mention_is_not_clear_while_another_thing_has_the_name() -> None:
    check(
        "rename x to y",
        'def f(x, a):¦\n    """Read `x`.\n\n    :param x: A.\n    """\n    a.x = x\n',
        'def f(y, a):\n    """Read `x`.\n\n    :param y: A.\n    """\n    a.x = y\n',
    )


def test_examples_in_docstrings_are_renamed() -> None:
    text = '{0}\n"""Areas.\n\n>>> area(\n...     area)\n>>> m.area(w=1, b=w)\n    area(w=1)\n"""\n{1}'
    check(
        "rename area to size",
        text.format("", AREA),
        text.format("", SIZE).replace(">>> area", ">>> size").replace("...     area", "...     size"),
    )
    check(
        "rename w to width",
        text.format("", AREA),
        text.format("", "def area(width): return width\n").replace(".area(w=1", ".area(width=1"),
    )


def test_jsdoc_of_a_renamed_parameter_is_renamed() -> None:
    check(
        "rename x to y",
        "/**\n * Read {@link x} of x.\n * @param {number} x - A.\n * @param [x=1] B.\n */\nfunction f(x) { return x }¦\n",
        "/**\n * Read {@link y} of x.\n * @param {number} y - A.\n * @param [y=1] B.\n */\nfunction f(y) { return y }\n",
        "javascript",
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("class A {¦ x = 1; m() { return this['x'] } }", "class A { y = 1; m() { return this['y'] } }"),
        ("class A {¦ x = 1; m(o) { return o['x'] } }", None),
        ("class A {¦ x = 1; m(o: Pick<B, 'x'>) { return this.x } }", None),
        ("class A {¦ x = 1; m(o) { return o('x') } }", "class A { y = 1; m(o) { return o('x') } }"),
    ],
)
def test_members_named_in_javascript_strings_are_renamed_or_refused(text: str, expected: str | None) -> None:
    if expected is None:
        check_refused("rename this.x to y", text, "may name it", "typescript")
    else:
        check("rename this.x to y", text, expected, "typescript")


def test_line_ends_above_a_mention_do_not_move_it() -> None:
    check(
        "rename x to y",
        'def f(x):¦\r\n    """É.\r\n\r\n    Args:\r\n        x: É `x`.\r\n    """\r\n    return x\r\n',
        'def f(y):\r\n    """É.\r\n\r\n    Args:\r\n        y: É `y`.\r\n    """\r\n    return y\r\n',
    )


def test_an_expression_in_a_string_is_renamed_once() -> None:
    check("rename x to y", "def f(x):¦\n    f'`{x}` `x`'\n", "def f(y):\n    f'`{y}` `x`'\n")


# The advice of a refusal


@pytest.mark.parametrize(
    "text",
    [
        "def x(): return 1¦\n\nx()\n",
        "def f(x): return x¦\n\nf(x=1)\n",
        "x = 1\ndef f():¦\n    global x\n    x = 1\n",
        "x = 1\ndef f(): return x¦\n",
        'def x(): return 1¦\n\n__all__ = ["x"]\n',
    ],
)
def test_a_rename_with_the_whole_file_is_advised_where_it_works(text: str) -> None:
    check_refused("rename x to y", text, "; rename it with the whole file as the scope")
    renamed = ask("rename x to y", text.replace("¦", ""))
    assert isinstance(renamed, str)
    assert "x" not in renamed


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def x(): return 1¦\n\nx()\ny()\n", ", and the whole file as the scope does not help: y is already used in these lines"),
        ("from m import x\ndef f(): return x¦\n", ", and the whole file as the scope does not help: x is imported"),
        ("def f(): return x¦\n", ", and the whole file as the scope does not help: x is used where this file does not define it"),
        ("def x(): return 1¦\n\ny()\n", ", and the whole file as the scope does not help: y is already used"),
    ],
)  # fmt: skip
def test_a_rename_with_the_whole_file_is_not_advised_where_it_fails(text: str, words: str) -> None:
    check_refused("rename x to y", text, words)


@pytest.mark.parametrize(
    ("text", "language_id", "owner"),
    [
        ("def f(self): return self.x¦", "python", "self"),
        ("class A:¦\n    x = 1\n    def f(self): return self.x", "python", "self"),
        ("class A {¦ m() { return this.x } }", "javascript", "this"),
        ("class A {¦ x = 1; m() { return this.x } }", "javascript", "this"),
    ],
)
def test_the_owner_is_advised_where_a_rename_with_it_works(text: str, language_id: str, owner: str) -> None:
    check_refused("rename x to y", text, f'; write "rename {owner}.x to y"', language_id)
    outcome = ask(f"rename {owner}.x to y", text, language_id)
    assert isinstance(outcome, str)
    assert "x" not in outcome


@pytest.mark.parametrize(
    "text",
    [
        "def f(o): return o.x¦",
        "class A:\n    def x(self): return x(1)¦",
        "class A:¦\n    x = 1\n    def f(self, o): return self.x + o.x",
    ],
)
def test_the_owner_is_not_advised_where_a_rename_with_it_fails(text: str) -> None:
    outcome = ask("rename x to y", text)
    assert isinstance(outcome, RuleRefusal)
    assert "write" not in outcome.message


def test_a_component_needs_a_capital_letter_as_advised() -> None:
    text = "const Box = () => 1;\nconst a = <Box/>;\n"
    check_refused("rename Box to box", text, "must start with a capital letter", "javascriptreact")
    assert isinstance(ask("rename Box to Card", text, "javascriptreact"), str)
