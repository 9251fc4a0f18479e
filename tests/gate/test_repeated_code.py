"""An answer that contains the old version and the new one, or one version twice, gets a finding."""

from __future__ import annotations

import pytest
from tests.gate.answer_findings import findings_of

FUNCTION = "def f(a):\n    b = a\n    return b\n"
SHELL = "for a in *; do\n  echo $a\n  rm $a\ndone\n"
CSS = ".a {\n  color: red;\n  margin: 0;\n}\n"
YAML = "job:\n  image: one\n  script:\n    - make\n"
OVERLOADS = (
    "@overload\ndef f(\n    a: int,\n) -> int: ...\n\n\n@overload\ndef f(\n    a: str,\n) -> str: ...\n"
)


def reported(old: str, new: str, language_id: str = "python") -> list[tuple[int, str]]:
    return [
        (line, message)
        for code, line, message in findings_of(old, new, language_id)
        if code == "repeated-code"
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
    "a function with other parameters, in a language without overloads": (
        "int f(int a) {\n    return g(a);\n}\n",
        "int f(int a) {\n    return g(a);\n}\n\nstatic int f(long b, int c) {\n    return b;\n}\n",
        "c",
        (4, '"f" is defined twice in the same way'),
    ),
    "a method whose receiver has another name": (
        "func (s *Store) Keys() []string {\n\treturn s.keys\n}\n",
        (
            "func (s *Store) Keys() []string {\n\treturn s.keys\n}\n\n"
            "func (store *Store) Keys() []string {\n\treturn copied(store)\n}\n"
        ),
        "go",
        (4, '"Keys" is defined twice in the same way'),
    ),
    "a method whose parameters have other names and the same types": (
        "class A {\n  void f(Map<A, B> a, int b) { g(a); }\n}\n",
        "class A {\n  void f(Map<A, B> a, int b) { g(a); }\n  public int f(Map<A, B> c, int d) { h(d); }\n}\n",
        "java",
        (2, '"f" is defined twice in the same way'),
    ),
    "a function with another result": (
        "fun f(a: A): B {\n    return g(a)\n}\n",
        "fun f(a: A): B {\n    return g(a)\n}\n\nfun f(other: A): B? = when (other) {\n    else -> g(other)\n}\n",
        "kotlin",
        (4, '"f" is defined twice in the same way'),
    ),
    "a function with another result, if labels and types distinguish functions": (
        "func first(title: String) -> Song {\n  return songs[0]\n}\n",
        "func first(title: String) -> Song {\n  return songs[0]\n}\n\nfunc first(title: String) -> Song? {\n  return songs.first\n}\n",
        "swift",
        (4, '"first" is defined twice in the same way'),
    ),
    "a rule whose selector has two words": (
        ".menu li {\n  float: left;\n  width: 33%;\n}\n",
        ".menu li {\n  float: left;\n  width: 33%;\n}\n\n.menu {\n  display: flex;\n}\n\n.menu li {\n  flex: 1;\n}\n",
        "css",
        (5, "the lines of the scope are repeated here"),
    ),
    "an async function behind the one with a callback": (
        "function load(file, done) {\n  read(file, done);\n}\n",
        "function load(file, done) {\n  read(file, done);\n}\n\nasync function load(file) {\n  return readAll(file);\n}\n",
        "javascript",
        (4, '"load" is defined twice in the same way'),
    ),
    "a repeated condition": (
        "if response.status == 404:\n    return None\n",
        "if response.status == 404:\n    return None\nif response.status == 404:\n    raise Missing(city)\n",
        "python",
        (2, "the lines of the scope are repeated here"),
    ),
    "elements, and the same in another one": (
        "<p>Welcome to our garden.</p>\n<img src='rose.jpg'>\n",
        (
            "<p>Welcome to our garden.</p>\n<img src='rose.jpg'>\n<div>\n  <p>Welcome to our garden.</p>\n"
            "  <img src='rose.jpg'>\n</div>\n"
        ),
        "html",
        (2, "the lines of the scope are repeated here"),
    ),
    "one of the lines, where the other was to go": (
        "<h2>Tasks</h2>\n<input value={filter} onChange={(event) => set(event.target.value)} />\n",
        "<h2>Tasks</h2>\n" + "<input value={filter} onChange={(event) => set(event.target.value)} />\n" * 2,
        "typescriptreact",
        (2, "the lines of the scope are repeated here"),
    ),
    "statements whose names changed": (
        "const [count, setCount] = useState(0);\nuse(count + 1, setCount);\n",
        (
            "const [count, setCount] = useState(0);\nuse(count + 1, setCount);\n"
            "const [n, setCount] = useState(0);\nuse(n + 1, setCount);\n"
        ),
        "javascript",
        (2, "the lines of the scope are repeated here"),
    ),
    "statements, then the same with a change": (
        "for a in b:\n    print(a)\n",
        "for a in b:\n    print(a)\n\nfor a in sorted(b):\n    print(a)\n",
        "python",
        (3, "the lines of the scope are repeated here"),
    ),
    "the new version before the old one": (
        YAML,
        f"{YAML.replace('one', 'two')}{YAML}",
        "yaml",
        (4, "the lines of the scope are repeated here"),
    ),
    "a rule of which a value changed": (
        CSS,
        f"{CSS}\n{CSS.replace('red', 'blue')}",
        "css",
        (5, "the lines of the scope are repeated here"),
    ),
    "two new versions of which each changes most lines": (
        "SELECT a, b, c\nFROM d\nWHERE a = b\n",
        "SELECT a, b, d\nFROM d\nWHERE a = c\nSELECT a, b, e\nFROM d\nWHERE a = e\n",
        "sql",
        (3, "the lines of the scope are repeated here"),
    ),
    "a method in C# whose parameters have other names and the same types": (
        "class A {\n  void F(string a, int b) { G(a); }\n}\n",
        "class A {\n  void F(string a, int b) { G(a); }\n  public void F(string c, int d) { H(c); }\n}\n",
        "csharp",
        (2, '"F" is defined twice in the same way'),
    ),
    "the new version twice, the second time with another name": (
        "SELECT a, b, c\nFROM d\nWHERE a = b\n",
        "SELECT a, b, d\nFROM d\nWHERE a = c AND b\nSELECT a, b, e\nFROM d\nWHERE a = c AND d\n",
        "sql",
        (3, "the lines of the scope are repeated here"),
    ),
    "the old lines, each with more words, below themselves": (
        "alpha = one\nbeta = two\n",
        "alpha = one\nbeta = two\nalpha = one x y z\nbeta = two x y z\n",
        "properties",
        (2, "the lines of the scope are repeated here"),
    ),
    "the new version twice": (
        SHELL,
        SHELL.replace("rm", "ls") * 2,
        "shellscript",
        (4, "the lines of the scope are repeated here"),
    ),
}


@pytest.mark.parametrize("name", TWICE)
def test_repeated_code_is_reported_at_the_second_place(name: str) -> None:
    old, new, language_id, wanted = TWICE[name]
    assert reported(old, new, language_id) == [wanted]


ONCE = {
    "another entry like the one above": (YAML, f"{YAML}test:\n  image: two\n  script:\n    - test\n", "yaml"),
    "overloads": (FUNCTION, f"{OVERLOADS}\n\n{FUNCTION}", "python"),
    "a getter and its setter": (
        "class A:\n    @property\n    def b(self):\n        return 1\n",
        "class A:\n    @property\n    def b(self):\n        return 1\n\n    @b.setter\n    def b(self, c):\n        d()\n",
        "python",
    ),
    "methods of two classes": (FUNCTION, f"class A:\n    {FUNCTION.replace(chr(10), chr(10) + '    ')}\n{FUNCTION}", "python"),
    "an existing repetition": (f"{CSS}{CSS}", f"{CSS}{CSS}".replace("red", "blue"), "css"),
    "overloads with other types": (
        "class A {\n  void f(int a) { g(a); }\n}\n",
        ("class A {\n  void f(int a) { g(a); }\n  void f(long a) { g(a); }\n  <T extends B> void f(T a) { g(a); }\n"
        "  <T extends C> void f(T a) { g(a); }\n}\n"),
        "java",
    ),
    "functions of which a directive chooses one": (
        "#ifdef A\nint f(int a) { return 1; }\n#endif\n",
        "#ifdef A\nint f(int a) { return 1; }\n#else\nint f(int a) { return 2; }\n#endif\n",
        "c",
    ),
    "functions for two systems": (
        "#[cfg(unix)]\nfn f() -> u8 { 1 }\n",
        "#[cfg(unix)]\nfn f() -> u8 { 1 }\n\n#[cfg(windows)]\nfn f() -> u8 { 2 }\n",
        "rust",
    ),
    "methods of two traits": (
        "impl A for B {\n    fn f(&self) -> u8 { 1 }\n}\n",
        "impl A for B {\n    fn f(&self) -> u8 { 1 }\n}\n\nimpl C for B {\n    fn f(&self) -> u8 { 2 }\n}\n",
        "rust",
    ),
    "functions with other labels": (
        "func first(title: String) -> Song {\n  return songs[0]\n}\n",
        "func first(title: String) -> Song {\n  return songs[0]\n}\n\nfunc first(of title: String) -> Song {\n  return songs[1]\n}\n",
        "swift",
    ),
    "methods of two receivers": (
        "func (a *A) F() int {\n\treturn 1\n}\n",
        "func (a *A) F() int {\n\treturn 1\n}\n\nfunc (b B) F() int {\n\treturn 2\n}\n",
        "go",
    ),
    "a getter, its setter and a static namesake": (
        "class A {\n  get x() { return this.y; }\n}\n",
        "class A {\n  get x() { return this.y; }\n  set x(z) { this.y = z; }\n  static x() { return y; }\n}\n",
        "javascript",
    ),
    "overloads of a function, and what does it": (
        "function f(a: string): void;\nfunction f(a: any) {\n  g(a);\n}\n",
        "function f(a: string): void;\nfunction f(a: number): void;\nfunction f(a: any) {\n  g(a);\n}\n",
        "typescript",
    ),
    "methods of two constants of an enum": (
        "enum A {\n  B {\n    int f() { return 1; }\n  };\n}\n",
        "enum A {\n  B {\n    int f() { return 1; }\n  },\n  C {\n    int f() { return 2; }\n  };\n}\n",
        "java",
    ),
    "another case of a test": (
        "it('is empty', () => {\n  expect(new Cart().total).toBe(0);\n});\n",
        ("it('is empty', () => {\n  expect(new Cart().total).toBe(0);\n});\n\n"
        "it('adds up', () => {\n  const cart = new Cart();\n  cart.add(2);\n  expect(cart.total).toBe(2);\n});\n"),
        "javascript",
    ),
    "one more line, which is like two old ones": (
        "alpha = one two three\nalpha = one two four\ngamma = five six\n",
        "alpha = one two three\nalpha = one two four\ngamma = five six\nalpha = one two nine\nother = x\n",
        "properties",
    ),
    "a line that is wanted twice": ("a()\n", "a()\na()\n", "python"),
    "twice the work in a loop": ("a = one()\nb = two(a)\n", "for _ in range(2):\n    a = one()\n    b = two(a)\n", "python"),
}  # fmt: skip


@pytest.mark.parametrize("name", ONCE)
def test_intended_repetition_is_not_reported(name: str) -> None:
    assert reported(*ONCE[name]) == []


def test_a_repetition_may_be_followed_by_as_many_other_lines() -> None:
    old = "".join(f"first{at} second{at} third{at} fourth{at}\n" for at in range(4))
    for n_others, expected in ((4, [(4, "the lines of the scope are repeated here")]), (5, [])):
        others = "".join(f"other{at} = {at}\n" for at in range(n_others))
        assert reported(old, f"{old}{old}{others}", "properties") == expected


def test_a_function_with_an_attribute_differs_from_one_without() -> None:
    old, other = "fn f() -> u8 {\n    1\n}\n", "fn f() -> u8 {\n    2\n}\n"
    again = [(5, '"f" is defined twice in the same way')]
    for new, expected in (
        (f"#[cfg(unix)]\n{old}\n#[cfg(windows)]\n{other}", []),
        (f"{old}\n#[cfg(windows)]\n{other}", []),
        (f"{old}\nuse a::b;\n{other}", again),
        (f"#[inline]\n\n{old}{other}", []),
        (f"#[inline]\n\n\n{old}{other}", [(6, again[0][1])]),
    ):
        assert reported(old, new, "rust") == expected, new


def test_a_function_that_is_defined_twice_is_reported_wherever_the_scope_begins() -> None:
    above = "import os\n\n\n"
    method = (
        "class A:\n    def b(self):\n        c()\n\n    class D:\n        def b(self):\n            c()\n"
    )
    again = method + "\n    def b(self):\n        d()\n"
    found = [finding for finding in findings_of(method, again, above=above) if finding[0] == "repeated-code"]
    assert found == [("repeated-code", 11, '"b" is defined twice in the same way')]


SECOND_WITH_OTHER_PARAMETERS = {
    "c": "int f(int a) {\n  return g(a);\n}\nint f(long b, int c) {\n  return h(b);\n}\n",
    "go": "func f(a A) B {\n\treturn g(a)\n}\nfunc f(b B, c C) B {\n\treturn h(b)\n}\n",
    "javascript": "function f(a) {\n  return g(a);\n}\nfunction f(b, c) {\n  return h(b);\n}\n",
    "javascriptreact": "function f(a) {\n  return g(a);\n}\nfunction f(b, c) {\n  return h(b);\n}\n",
    "php": "function f($a) {\n  return g($a);\n}\nfunction f($b, $c) {\n  return h($b);\n}\n",
    "rust": "fn f(a: A) -> B {\n    g(a)\n}\nfn f(b: B, c: C) -> B {\n    h(b)\n}\n",
    "typescript": "function f(a: A) {\n  return g(a);\n}\nfunction f(b: B, c: C) {\n  return h(b);\n}\n",
    "typescriptreact": "function f(a: A) {\n  return g(a);\n}\nfunction f(b: B, c: C) {\n  return h(b);\n}\n",
}


def test_a_second_function_is_reported_in_languages_without_overloads() -> None:
    for language_id, text in SECOND_WITH_OTHER_PARAMETERS.items():
        head = "<?php\n" if language_id == "php" else ""
        first = "".join(text.splitlines(keepends=True)[:3])
        wanted = [(3 + bool(head), '"f" is defined twice in the same way')]
        assert reported(head + first, head + text, language_id) == wanted, language_id
    assert reported("def f(a):\n    g(a)\n", "def f(a):\n    g(a)\n\n\ndef f(b, c):\n    h(b)\n") == []


def test_several_init_functions_are_allowed_in_go() -> None:
    twice = "func init() {\n\ta()\n}\n\nfunc init() {\n\tb()\n}\n"
    assert reported(twice[: twice.index("\n\n") + 1], twice, "go") == []
    other = twice.replace("init", "main")
    assert reported(other[: other.index("\n\n") + 1], other, "go") == [
        (4, '"main" is defined twice in the same way')
    ]
    python = "def init():\n    a()\n"
    assert reported(python, f"{python}\n\n{python.replace('a', 'b')}") == [
        (4, '"init" is defined twice in the same way')
    ]


def test_accessors_of_a_method_name_are_not_repeated() -> None:
    old = "class A {\n  x() { return y; }\n}\n"
    for accessor in ("get x()", "set x(z)", "static x()"):
        assert reported(old, old.replace("}\n}", f"}}\n  {accessor} {{ return w; }}\n}}"), "javascript") == []
