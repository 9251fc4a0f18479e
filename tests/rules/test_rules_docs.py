"""Doc comments describe what the code shows, in each language's form, and change nothing else."""

from __future__ import annotations

import pytest
from tests.rules.rule_checks import ask, check, check_refused

ADD = "add a docstring"


def test_a_function_gets_a_sentence_parameters_result_and_errors() -> None:
    check(
        ADD,
        """\
def parse_price(text: str, currency="EUR", *rates, strict=True, **more) -> float:
    # read it
    if not text:¦
        raise ValueError("empty")
    return float(text)
""",
        '''\
def parse_price(text: str, currency="EUR", *rates, strict=True, **more) -> float:
    """Parse price.

    Args:
        text (str): Text.
        currency: Currency. Defaults to "EUR".
        *rates: Further positional arguments.
        strict: Strict. Defaults to True.
        **more: Further keyword arguments.

    Returns:
        float: The result.

    Raises:
        ValueError: If ``not text``.
    """
    # read it
    if not text:
        raise ValueError("empty")
    return float(text)
''',
    )


def test_a_function_without_parameters_and_result_gets_one_line() -> None:
    check(ADD, "def wait():\n    ¦pass\n", 'def wait():\n    """Wait."""\n    pass\n')


def test_the_receiver_is_no_argument() -> None:
    check(
        ADD,
        "class A:\n    def isOpen(self): ¦return True\n",
        'class A:\n    def isOpen(self):\n        """Tell whether it is open.\n\n        Returns:\n'
        '            bool: The result.\n        """\n        return True\n',
    )


def test_a_one_line_function_is_split_after_its_colon() -> None:
    check(ADD, "def f(): ¦a(); b()  # c\n", 'def f():\n    """F."""\n    a(); b()  # c\n')


def test_tabs_stay_tabs() -> None:
    check(
        ADD,
        "class A:\n\tdef f(self, a):\n\t\t¦pass\n",
        'class A:\n\tdef f(self, a):\n\t\t"""F.\n\n\t\tArgs:\n\t\t\ta: A.\n\t\t"""\n\t\tpass\n',
    )


def test_a_docstring_has_the_line_ends_of_its_file() -> None:
    check(ADD, "def f():\r\n    ¦pass\r\n", 'def f():\r\n    """F."""\r\n    pass\r\n')
    check(ADD, "def f(): ¦a()\r\n", 'def f():\r\n    """F."""\r\n    a()\r\n')
    check(ADD, "def f():\r    ¦pass", 'def f():\r    """F."""\r    pass')


def test_the_docstring_of_a_generator_has_yields() -> None:
    check(
        ADD,
        "def each():\n    ¦yield 1\n",
        'def each():\n    """Each.\n\n    Yields:\n        The next item.\n    """\n    yield 1\n',
    )


def test_a_class_and_its_members_are_documented_but_no_nested_functions() -> None:
    check(
        ADD,
        """\
class HTTPServer:
    port = 80¦

    def __init__(self):
        def inner(): pass

    @property
    def name(self): return "x"

    @name.setter
    def name(self, value): pass

    class Error(Exception):
        pass
""",
        '''\
class HTTPServer:
    """HTTP server."""

    port = 80

    def __init__(self):
        """Initialize the instance."""
        def inner(): pass

    @property
    def name(self):
        """Name.

        Returns:
            str: The result.
        """
        return "x"

    @name.setter
    def name(self, value): pass

    class Error(Exception):
        """Error."""

        pass
''',
    )


def test_a_name_chooses_what_is_documented() -> None:
    text = "def f(): pass\ndef g(): pass\n"
    check("document g", text, 'def f(): pass\ndef g():\n    """G."""\n    pass\n')
    check_refused("document h", text, "these lines contain no function or class named h")


def test_a_documented_function_is_unchanged() -> None:
    text = 'def f():\n    """Mine."""\n    return 1¦\n'
    check(ADD, text, text.replace("¦", ""))


def test_texts_that_need_escapes_are_left_out_of_a_docstring() -> None:
    outcome = ask(ADD, 'def f(a="\\n", b=("""x"""), c={\n    1: 2}):\n    ¦pass\n')
    assert isinstance(outcome, str)
    assert "        a: A.\n        b: B.\n        c: C.\n" in outcome


def test_a_scope_without_a_function_is_refused() -> None:
    check_refused(ADD, "x = 1¦\n", "these lines contain no complete function or class")


def test_a_header_that_continues_behind_a_backslash_is_refused() -> None:
    check_refused(ADD, "def f(): \\\n    return 1¦\n", "shares its lines with other code")


def test_jsdoc_is_not_for_python() -> None:
    check_refused("add jsdoc", "def f():\n    ¦pass\n", "JSDoc is for JavaScript and TypeScript")


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("def f(self):\n    a()\n", ["", "Args:", "    self: Self."]),
        ("def f(a, /, b, *, c): a()\n", []),
        ("def f(a):\n    if a: return 1\n", ["", "Args:", "    a: A.", "", "Returns:", "    The result."]),
        ("def f():\n    return 1\n", ["", "Returns:", "    int: The result."]),
        (
            "def f(a):\n    if a: return\n    return 1\n",
            ["", "Args:", "    a: A.", "", "Returns:", "    The result."],
        ),
        (
            "def f(a):\n    if a: return 'x'\n    return 1\n",
            ["", "Args:", "    a: A.", "", "Returns:", "    The result."],
        ),
        ("def f() -> None:\n    return a()\n", []),
        ("def f() -> NoReturn:\n    return a()\n", []),
        ("def f() -> Never:\n    return a()\n", []),
        ("def f() -> typing.NoReturn:\n    return a()\n", []),
        ("def f() -> typing.Never:\n    return a()\n", []),
        ("def f() -> A:\n    return a()\n", ["", "Returns:", "    A: The result."]),
        ("def f(a=...):\n    b()\n", ["", "Args:", "    a: A."]),
        (
            f"def f(a: {'n' * 60}, b: {'n' * 61}):\n    c()\n",
            ["", "Args:", f"    a ({'n' * 60}): A.", "    b: B."],
        ),
        (
            "def f():\n    if a: raise E('x')\n    if '#': raise F\n    raise G\n",
            ["", "Raises:", "    E: If ``a``.", "    F: Raised in the body.", "    G: Raised in the body."],
        ),
        ("def f(*a: A, **b: B):\n    c()\n", [
            "", "Args:", "    *a (A): Further positional arguments.", "    **b (B): Further keyword arguments."
        ]),
    ],
)  # fmt: skip
def test_the_sections_are_what_the_code_shows(text: str, lines: list[str]) -> None:
    if not lines:
        outcome = ask(ADD, text)
        assert isinstance(outcome, str)
        assert "Returns:" not in outcome
        return
    header, _, body = text.partition("\n")
    doc = "".join(f"    {line}\n" if line else "\n" for line in ['"""F.', *lines, '"""'])
    check(ADD, text, f"{header}\n{doc}{body}")


def test_a_method_without_a_receiver_has_no_argument_to_leave_out() -> None:
    check(
        ADD,
        "class A:\n    def f(): ¦a()\n",
        'class A:\n    def f():\n        """F."""\n        a()\n',
    )
    for receiver in ("self", "cls", "mcs", "mcls", "metacls"):
        check(
            ADD,
            f"class A:\n    def f({receiver}): ¦a()\n",
            f'class A:\n    def f({receiver}):\n        """F."""\n        a()\n',
        )


def test_the_implementation_is_documented_and_not_its_overloads_setters_and_deleters() -> None:
    text = "".join(
        f"@{name}\ndef f(a): b()\n" for name in ("overload", "typing.overload", "f.setter", "f.deleter")
    )
    check(
        ADD,
        f"{text}def f(a): b()\n",
        f'{text}def f(a):\n    """F.\n\n    Args:\n        a: A.\n    """\n    b()\n',
    )


def test_a_line_that_begins_with_a_byte_order_mark_is_shared_with_it() -> None:
    check_refused(ADD, "\ufeffdef f(): pass¦\n", "f shares its lines with other code")


# JavaScript and TypeScript


@pytest.mark.parametrize(("cursor_in", "name"), [("a", "A"), ("b", "B")])
def test_of_two_functions_of_one_declaration_the_one_with_the_cursor_is_documented(
    cursor_in: str, name: str
) -> None:
    text = "const a = () => 1, b = () => 2;\n"
    check(
        "add jsdoc",
        text.replace(f"{cursor_in} = (", f"{cursor_in} = ¦("),
        f"/**\n * {name}.\n *\n * @returns {{*}} The result.\n */\n{text}",
        "javascript",
    )


@pytest.mark.parametrize(
    ("text", "tags", "language_id"),
    [
        ("function f(options, {a}) {}", ["@param options - Options.", "@param {Object} options2 - Options2.", "@param options2.a - A."], "javascript"),
        ("function f([a], [b]) {}", ["@param items - Items.", "@param items2 - Items2."], "javascript"),
        ("function f({a, b = 2}: T) {}", ["@param options - Options.", "@param options.a - A.", "@param [options.b=2] - B."], "typescript"),
        (f"function f(a = {'1' * 60}, b = {'1' * 61}) {{}}", [f"@param [a={'1' * 60}] - A.", "@param [b] - B."], "javascript"),
        ("function f() { if (a) throw new E(); throw new F(); }", ["@throws {E} If `a`.", "@throws {F}"], "javascript"),
        ("function* f() { yield 1 }", ["@yields The next item."], "typescript"),
        ("async function f() { return 1 }", ["@returns The result."], "typescript"),
        ("async function f(): Promise<void> { return a() }", [], "typescript"),
        ("async function f(): Promise<never> { return a() }", [], "typescript"),
        ("async function f(): Promise<undefined> { return a() }", [], "typescript"),
        ("function f(): void { return a() }", [], "typescript"),
        ("function f(): never { return a() }", [], "typescript"),
        ("function f(): undefined { return a() }", [], "typescript"),
        ("function f() { a() }", [], "javascript"),
        ("function f(): number { throw new E() }", ["@throws {E}"], "typescript"),
    ],
)  # fmt: skip
def test_the_tags_are_what_the_code_shows(text: str, tags: list[str], language_id: str) -> None:
    lines = ["/**", " * F.", *([" *"] if tags else []), *(f" * {tag}" for tag in tags), " */", text]
    check(ADD, text, "\n".join(lines), language_id)


def test_every_tool_comment_stays_above_its_line() -> None:
    for comment in (
        "eslint-disable",
        "@ts-ignore",
        "prettier-ignore",
        "biome-ignore x",
        "istanbul x",
        "c8 x",
        "v8 x",
    ):
        text = f"a();\n  // {comment}\n  //{comment}\n  function f() {{¦}}\n"
        before, _, after = text.partition("  //")
        check(ADD, text, f"{before}  /**\n   * F.\n   */\n  //{after.replace('¦', '')}", "javascript")
    check(ADD, "// c8 x\nfunction f() {¦}\n", "/**\n * F.\n */\n// c8 x\nfunction f() {}\n", "javascript")
    check(ADD, "// c9\nfunction f() {¦}\n", "// c9\n/**\n * F.\n */\nfunction f() {}\n", "javascript")


def test_a_javascript_function_gets_jsdoc() -> None:
    check(
        ADD,
        """\
  export async function loadUser(id, {retries = 3, ...rest} = {}, [first], ...others) {
    if (!id) throw new RangeError("no id");¦
    return await get(id);
  }
""",
        """\
  /**
   * Load user.
   *
   * @param id - Id.
   * @param {Object} [options={}] - Options.
   * @param [options.retries=3] - Retries.
   * @param items - Items.
   * @param {...*} others - Others.
   * @returns {Promise<*>} The result.
   * @throws {RangeError} If `!id`.
   */
  export async function loadUser(id, {retries = 3, ...rest} = {}, [first], ...others) {
    if (!id) throw new RangeError("no id");
    return await get(id);
  }
""",
        "javascript",
    )


def test_an_arrow_function_is_documented_above_its_declaration() -> None:
    check(
        "document this",
        "export const half = (x = 1) =>\n  x / 2¦;\n",
        "/**\n * Half.\n *\n * @param [x=1] - X.\n * @returns {*} The result.\n */\n"
        "export const half = (x = 1) =>\n  x / 2;\n",
        "javascript",
    )


def test_jsdoc_of_async_functions_and_generators() -> None:
    check(
        ADD,
        "async function f() { ¦a() }",
        "/**\n * F.\n *\n * @returns {Promise<void>}\n */\nasync function f() { a() }",
        "javascript",
    )
    check(
        ADD,
        "function* f() { ¦yield 1 }",
        "/**\n * F.\n *\n * @yields {*} The next item.\n */\nfunction* f() { yield 1 }",
        "javascript",
    )


def test_jsdoc_in_typescript_has_no_types() -> None:
    check(
        ADD,
        """\
class Store {
  @Log()
  public find(id: number, deep?: boolean, ...more: string[]): Item | null {
    ¦return null;
  }
}
""",
        """\
class Store {
  /**
   * Find.
   *
   * @param id - Id.
   * @param [deep] - Deep.
   * @param more - More.
   * @returns The result.
   */
  @Log()
  public find(id: number, deep?: boolean, ...more: string[]): Item | null {
    return null;
  }
}
""",
        "typescript",
    )


def test_a_signature_returns_what_it_declares() -> None:
    check(
        ADD,
        "declare function f(): number;¦\n",
        "/**\n * F.\n *\n * @returns The result.\n */\ndeclare function f(): number;\n",
        "typescript",
    )
    check(
        ADD, "declare function f(): void;¦\n", "/**\n * F.\n */\ndeclare function f(): void;\n", "typescript"
    )


def test_a_tool_comment_stays_above_its_line() -> None:
    check(
        ADD,
        "// eslint-disable-next-line no-undef\nfunction f() {¦}\n",
        "/**\n * F.\n */\n// eslint-disable-next-line no-undef\nfunction f() {}\n",
        "javascript",
    )


def test_a_typescript_class_gets_jsdoc() -> None:
    check(
        ADD,
        "@Injectable()\nexport class UserStore {¦\n  /** Mine. */\n  a() {}\n  b = () => 1;\n}\n",
        "/**\n * User store.\n */\n@Injectable()\nexport class UserStore {\n  /** Mine. */\n  a() {}\n"
        "  /**\n   * B.\n   *\n   * @returns The result.\n   */\n  b = () => 1;\n}\n",
        "typescript",
    )


def test_a_function_that_shares_its_line_is_refused() -> None:
    check_refused(ADD, "a(); function f() {¦}\n", "f shares its lines with other code", "javascript")


def test_existing_jsdoc_is_unchanged() -> None:
    text = "/** Mine. */\nfunction f() {¦}\n"
    check(ADD, text, text.replace("¦", ""), "javascript")


def test_two_functions_of_one_declaration_get_one_comment() -> None:
    outcome = ask("add jsdoc", "const a = () => 1, b = () => 2;\n", "javascript")
    assert isinstance(outcome, str)
    assert outcome.count("/**") == 1
