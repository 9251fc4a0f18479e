"""Doc comments state what the name and the code show, in each language's form, and change nothing else."""

from __future__ import annotations

import pytest
from tests.rules.rule_checks import ask, check, check_refused

ADD = "add a docstring"


def test_a_function_gets_a_sentence_parameters_and_errors() -> None:
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
        text (str):
        currency: Defaults to "EUR".
        *rates:
        strict: Defaults to True.
        **more:

    Raises:
        ValueError: If ``not text``.
    """
    # read it
    if not text:
        raise ValueError("empty")
    return float(text)
''',
    )


def test_a_function_without_parameters_and_errors_gets_one_line() -> None:
    check(ADD, "def do_it():\n    ¦return 1\n", 'def do_it():\n    """Do it."""\n    return 1\n')
    check(ADD, "def do_it():\n    ¦yield 1\n", 'def do_it():\n    """Do it."""\n    yield 1\n')


@pytest.mark.parametrize(
    "name", ["f", "area", "_monthlen", "rgb_to_hls", "parse2d", "__gt__", "_", "default"]
)
def test_a_name_that_gives_no_summary_is_refused_with_advice(name: str) -> None:
    text = f"def {name}(year):\n    ¦return year\n"
    check_refused(ADD, text, f"the name {name} gives no summary, and the built-in engine invents none")
    check_refused(ADD, text, "set up a model to write it, or rename it to two or more whole words")


def test_the_advice_for_a_name_without_a_summary_works() -> None:
    renamed = ask("rename area to room_area", "def area(year):\n    ¦return year\n")
    assert isinstance(renamed, str)
    assert '"""Room area.' in str(ask(ADD, renamed))


def test_of_several_definitions_those_with_a_summary_are_documented() -> None:
    check(
        "add docstrings",
        "def f(): pass\n\ndef do_it():\n    pass\n",
        'def f(): pass\n\ndef do_it():\n    """Do it."""\n    pass\n',
    )


def test_the_receiver_is_no_argument() -> None:
    check(
        ADD,
        "class A:\n    def isOpen(self): ¦return True\n",
        'class A:\n    def isOpen(self):\n        """Return whether it is open."""\n        return True\n',
    )


def test_a_one_line_function_is_split_after_its_colon() -> None:
    check(ADD, "def do_it(): ¦a(); b()  # c\n", 'def do_it():\n    """Do it."""\n    a(); b()  # c\n')


def test_tabs_stay_tabs() -> None:
    check(
        ADD,
        "class A:\n\tdef do_it(self, a):\n\t\t¦pass\n",
        'class A:\n\tdef do_it(self, a):\n\t\t"""Do it.\n\n\t\tArgs:\n\t\t\ta:\n\t\t"""\n\t\tpass\n',
    )


def test_a_docstring_has_the_line_ends_of_its_file() -> None:
    check(ADD, "def do_it():\r\n    ¦pass\r\n", 'def do_it():\r\n    """Do it."""\r\n    pass\r\n')
    check(ADD, "def do_it(): ¦a()\r\n", 'def do_it():\r\n    """Do it."""\r\n    a()\r\n')
    check(ADD, "def do_it():\r    ¦pass", 'def do_it():\r    """Do it."""\r    pass')


def test_a_class_and_its_members_are_documented_but_no_nested_functions() -> None:
    check(
        ADD,
        """\
class HTTPServer:
    port = 80¦

    def __init__(self):
        def inner_part(): pass

    @property
    def full_name(self): return "x"

    @full_name.setter
    def full_name(self, value): pass

    class ParseError(Exception):
        pass
""",
        '''\
class HTTPServer:
    """HTTP server."""

    port = 80

    def __init__(self):
        """Initialize the instance."""
        def inner_part(): pass

    @property
    def full_name(self):
        """Full name."""
        return "x"

    @full_name.setter
    def full_name(self, value): pass

    class ParseError(Exception):
        """Parse error."""

        pass
''',
    )


def test_a_name_chooses_what_is_documented() -> None:
    text = "def do_it(): pass\ndef go_on(): pass\n"
    check("document go_on", text, 'def do_it(): pass\ndef go_on():\n    """Go on."""\n    pass\n')
    check_refused("document h", text, "these lines contain no function or class named h")


def test_a_documented_function_is_unchanged() -> None:
    for text in (
        'def do_it():\n    """Mine."""\n    return 1¦\n',
        'def do_it():\n\n    """Mine."""\n    return 1¦\n',
        'def f():\n    """Mine."""\n    return 1¦\n',
    ):
        check(ADD, text, text.replace("¦", ""))


def test_texts_that_need_escapes_are_left_out_of_a_docstring() -> None:
    outcome = ask(ADD, 'def do_it(a="\\n", b=("""x"""), c={\n    1: 2}):\n    ¦pass\n')
    assert isinstance(outcome, str)
    assert "        a:\n        b:\n        c:\n" in outcome


def test_a_scope_without_a_function_is_refused() -> None:
    check_refused(ADD, "x = 1¦\n", "these lines contain no complete function or class")


def test_a_header_that_continues_behind_a_backslash_is_refused() -> None:
    check_refused(ADD, "def do_it(): \\\n    return 1¦\n", "shares its lines with other code")


def test_jsdoc_is_not_for_python() -> None:
    check_refused("add jsdoc", "def do_it():\n    ¦pass\n", "JSDoc is for JavaScript and TypeScript")


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("def do_it(self):\n    a()\n", ["", "Args:", "    self:"]),
        ("def do_it(a, /, b, *, c): a()\n", ["", "Args:", "    a:", "    b:", "    c:"]),
        ("def do_it(a) -> A:\n    if a: return 1\n", ["", "Args:", "    a:"]),
        ("def do_it(a=...):\n    b()\n", ["", "Args:", "    a:"]),
        (
            f"def do_it(a: {'n' * 60}, b: {'n' * 61}):\n    c()\n",
            ["", "Args:", f"    a ({'n' * 60}):", "    b:"],
        ),
        (
            "def do_it():\n    if a: raise E('x')\n    if '#': raise F\n    raise G\n",
            ["", "Raises:", "    E: If ``a``.", "    F:", "    G:"],
        ),
        ("def do_it(*a: A, **b: B):\n    c()\n", ["", "Args:", "    *a (A):", "    **b (B):"]),
    ],
)
def test_the_sections_are_what_the_code_shows(text: str, lines: list[str]) -> None:
    header, _, body = text.partition(":\n" if ":\n" in text else ": ")
    doc = "".join(f"    {line}\n" if line else "\n" for line in ['"""Do it.', *lines, '"""'])
    check(ADD, text, f"{header}:\n{doc}    {body.removeprefix('    ')}")


def test_a_method_without_a_receiver_has_no_argument_to_leave_out() -> None:
    for receiver in ("", "self", "cls", "mcs", "mcls", "metacls"):
        check(
            ADD,
            f"class A:\n    def do_it({receiver}): ¦a()\n",
            f'class A:\n    def do_it({receiver}):\n        """Do it."""\n        a()\n',
        )


def test_the_implementation_is_documented_and_not_its_overloads_setters_and_deleters() -> None:
    text = "".join(
        f"@{name}\ndef do_it(a): b()\n"
        for name in ("overload", "typing.overload", "do_it.setter", "do_it.deleter")
    )
    check(
        ADD,
        f"{text}def do_it(a): b()\n",
        f'{text}def do_it(a):\n    """Do it.\n\n    Args:\n        a:\n    """\n    b()\n',
    )


def test_a_line_that_begins_with_a_byte_order_mark_is_shared_with_it() -> None:
    check_refused(ADD, "\ufeffdef do_it(): pass¦\n", "do_it shares its lines with other code")


# JavaScript and TypeScript


@pytest.mark.parametrize(("cursor_in", "words"), [("goOn", "Go on"), ("doIt", "Do it")])
def test_of_two_functions_of_one_declaration_the_one_with_the_cursor_is_documented(
    cursor_in: str, words: str
) -> None:
    text = "const goOn = () => 1, doIt = () => 2;\n"
    check(
        "add jsdoc",
        text.replace(f"{cursor_in} = (", f"{cursor_in} = ¦("),
        f"/**\n * {words}.\n */\n{text}",
        "javascript",
    )


@pytest.mark.parametrize(
    ("text", "tags", "language_id"),
    [
        ("function doIt(options, {a}) {}", ["@param options", "@param {Object} options2", "@param options2.a"], "javascript"),
        ("function doIt([a], [b]) {}", ["@param items", "@param items2"], "javascript"),
        ("function doIt({a, b = 2}: T) {}", ["@param options", "@param options.a", "@param [options.b=2]"], "typescript"),
        (f"function doIt(a = {'1' * 60}, b = {'1' * 61}) {{}}", [f"@param [a={'1' * 60}]", "@param [b]"], "javascript"),
        ("function doIt() { if (a) throw new E(); throw new F(); }", ["@throws {E} If `a`.", "@throws {F}"], "javascript"),
        ("function* doIt() { yield 1 }", [], "typescript"),
        ("function* doIt() { yield 1 }", [], "javascript"),
        ("async function doIt() { return 1 }", [], "typescript"),
        ("async function doIt() { return 1 }", [], "javascript"),
        ("declare function doIt(): number;", [], "typescript"),
        ("function doIt() { return 1 }", [], "javascript"),
        ("function doIt(): number { throw new E() }", ["@throws {E}"], "typescript"),
    ],
)  # fmt: skip
def test_the_tags_are_what_the_code_shows(text: str, tags: list[str], language_id: str) -> None:
    lines = ["/**", " * Do it.", *([" *"] if tags else []), *(f" * {tag}" for tag in tags), " */", text]
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
        text = f"a();\n  // {comment}\n  //{comment}\n  function doIt() {{¦}}\n"
        before, _, after = text.partition("  //")
        check(ADD, text, f"{before}  /**\n   * Do it.\n   */\n  //{after.replace('¦', '')}", "javascript")
    doc = "/**\n * Do it.\n */\n"
    check(ADD, "// c8 x\nfunction doIt() {¦}\n", f"{doc}// c8 x\nfunction doIt() {{}}\n", "javascript")
    check(ADD, "// c9\nfunction doIt() {¦}\n", f"// c9\n{doc}function doIt() {{}}\n", "javascript")


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
   * @param id
   * @param {Object} [options={}]
   * @param [options.retries=3]
   * @param items
   * @param {...*} others
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
        "export const cutHalf = (x = 1) =>\n  x / 2¦;\n",
        "/**\n * Cut half.\n *\n * @param [x=1]\n */\nexport const cutHalf = (x = 1) =>\n  x / 2;\n",
        "javascript",
    )


def test_jsdoc_in_typescript_has_no_types() -> None:
    check(
        ADD,
        """\
class Store {
  @Log()
  public findOne(id: number, deep?: boolean, ...more: string[]): Item | null {
    ¦return null;
  }
}
""",
        """\
class Store {
  /**
   * Find one.
   *
   * @param id
   * @param [deep]
   * @param more
   */
  @Log()
  public findOne(id: number, deep?: boolean, ...more: string[]): Item | null {
    return null;
  }
}
""",
        "typescript",
    )


def test_a_typescript_class_gets_jsdoc() -> None:
    check(
        ADD,
        "@Injectable()\nexport class UserStore {¦\n  /** Mine. */\n  a() {}\n  doIt = () => 1;\n}\n",
        "/**\n * User store.\n */\n@Injectable()\nexport class UserStore {\n  /** Mine. */\n  a() {}\n"
        "  /**\n   * Do it.\n   */\n  doIt = () => 1;\n}\n",
        "typescript",
    )


def test_a_function_that_shares_its_line_is_refused() -> None:
    check_refused(ADD, "a(); function doIt() {¦}\n", "doIt shares its lines with other code", "javascript")


@pytest.mark.parametrize(
    "text",
    [
        "/** Mine. */\nfunction doIt() {¦}\n",
        "/** Mine. */\n\nfunction doIt() {¦}\n",
        "/**\n * Mine.\n */\n  \n\t\n\nexport const doIt = () => 1¦;\n",
        "/** Mine. */\n\n// eslint-disable-next-line no-undef\nfunction doIt() {¦}\n",
        "/** Mine. */\n// about it\nfunction doIt() {¦}\n",
        "class A {\n  /** Mine. */\n\n  @Log()\n  doIt() {¦}\n}\n",
    ],
)
def test_a_comment_above_is_found_also_across_empty_lines(text: str) -> None:
    check(ADD, text, text.replace("¦", ""), "typescript")


@pytest.mark.parametrize(
    "above",
    [
        "/** @file All of it. */\n\n",
        "/**\n * @license MIT\n */\n\n",
        "/** Copyright 2026 */\n\n",
        "/** @typedef {string} Name */\n\n",
        "/** Mine. */\nfunction other() {}\n\n",
        "// no doc comment\n\n",
        "/* no doc comment */\n\n",
        "a(); /** at the end of a line */\n\n",
        "\n\n",
    ],
)
def test_a_comment_that_belongs_to_something_else_does_not_count(above: str) -> None:
    text = "function doIt() {"
    check(ADD, f"{above}{text}¦}}\n", f"{above}/**\n * Do it.\n */\n{text}}}\n", "javascript")


def test_two_functions_of_one_declaration_get_one_comment() -> None:
    outcome = ask("add jsdoc", "const goOn = () => 1, doIt = () => 2;\n", "javascript")
    assert isinstance(outcome, str)
    assert outcome.count("/**") == 1
