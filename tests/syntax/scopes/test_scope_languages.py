"""Scopes of language-specific constructs, beyond the samples."""

from __future__ import annotations

import pytest
from tests.syntax.labelled import shown

from twospeed.syntax import find_scope
from twospeed.text.lines import split_lines


def meant(language_id: str, text: str) -> str:
    """What a cursor ``|`` means; the text's first line is empty."""
    lines = split_lines(text)
    line = next(number for number, line in enumerate(lines) if "|" in line)
    column = lines[line].index("|")
    lines[line] = lines[line].replace("|", "")
    return shown(find_scope(lines, language_id, ((line, column), (line, column))))


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("A::operator bool() const", "A::operator bool"),
        ("A::operator const char*() const", "A::operator const char*"),
        ("A::operator std::function<int()>()", "A::operator std::function<int()>"),
        ("A& A::operator=(A&& a)", "A::operator="),
        ("int A::operator()(int a)", "A::operator()"),
        ("void* operator new(size_t n)", "operator new"),
        ('unsigned long long operator""_km(unsigned long long n)', 'operator""_km'),
        ("const std::string& a::A<T>::name() const", "a::A<T>::name"),
        ("template <> int f<int>(int a)", "f<int>"),
        ("auto f(int a) -> int", "f"),
        ("int (*chosen(int a))(int)", "chosen"),
        ("A::~A()", "A::~A"),
        ("TEST_F(Shop, Opens)", "TEST_F"),
    ],
)
def test_a_function_of_cpp_has_the_name_it_is_declared_with(header: str, name: str) -> None:
    assert meant("cpp", f"\n{header} {{\n  |return;\n}}\n") == f"function {name} 2-4"


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("static int __init start(void)", "start"),
        ("struct shop *open(void)", "open"),
        ("void (*signal(int n, void (*f)(int)))(int)", "signal"),
        ("int (guarded)(void)", "guarded"),
        ("static inline __attribute__((always_inline)) int fast(int n)", "fast"),
        ("EXPORT int visible(void)", "visible"),
    ],
)
def test_a_function_of_c_has_the_name_it_declares(header: str, name: str) -> None:
    assert meant("c", f"\n{header}\n{{\n  |return;\n}}\n") == f"function {name} 2-5"


@pytest.mark.parametrize(
    ("language_id", "text", "expected"),
    [
        # A type that is only named is no class: nor is a table whose type is.
        ("c", "\nstruct shop *next = {\n  |0,\n};\n", "block 2-4"),
        ("cpp", "\nclass Shop|;\nint a;\n", "block 2-3"),
        ("c", "\nenum {\n  |A,\n};\n", "class 2-4"),
        ("go", "\ntype Price int|\n", "block 2-2"),
        ("go", "\ntype Shop = struct {\n\tname string|\n}\n", "class Shop 2-4"),
        ("go", "\ntype Handler func(n int) error|\n", "block 2-2"),
        # A function without a name is part of what it stands in.
        ("go", "\nvar _ = Describe(f, func() {\n\t|g()\n})\n", "block 2-4"),
        ("go", "\nfunc f() {\n\thandle(func() {\n\t\t|g()\n\t})\n}\n", "function f 2-6"),
        ("go", "\nvar m = map[string]func(){\n\tkey: func() {\n\t\t|g()\n\t},\n}\n", "function key 3-5"),
        # An inner comment speaks of the file.
        ("rust", "\n//! A crate.|\nfn f() {\n}\n", "block 2-4"),
        ("rust", "\n//! A crate.\nfn f() {|\n}\n", "function f 3-4"),
        ("rust", "\n/// A function.\nfn f() {|\n}\n", "function f 2-4"),
        ("rust", "\nimpl<T> Shop for T\nwhere\n    T: Sold,|\n{\n}\n", "class T 2-6"),
        ("rust", "\nlazy_static! {\n    static ref A: u8 = {|\n        1\n    };\n}\n", "block 2-6"),
        # Annotations with arguments in braces, and methods that nobody calls by a name.
        ("java", "\n@Names({|\n  a,\n})\nclass A {\n}\n", "class A 2-6"),
        ("java", "\nvoid main() {\n  |run();\n}\n", "function main 2-4"),
        # What stands in a namespace or under a condition is no larger for it.
        ("cpp", "\nnamespace {\nvoid f() {\n  |g();\n}\n}\n", "function f 3-5"),
        ("c", "\n#if A\nint f(void) {\n  return 1;|\n}\n#endif\n", "function f 3-5"),
    ],
)
def test_a_cursor_selects_the_expected_scope(language_id: str, text: str, expected: str) -> None:
    assert meant(language_id, text) == expected
