"""The definition that a name refers to; ambiguous names are left out."""

from __future__ import annotations

from collections.abc import Mapping

from twospeed.prompt.definitions import MAX_DEFINITIONS, MAX_MEMBERS, DefinitionText, ScopeNames
from twospeed.text.code.symbols import FileSymbols, Symbol, SymbolPlace, UsedName


def function(name: str, at: int = 0, depth: int = 0) -> Symbol:
    return Symbol("function", name, f"def {name}():", at, at + 3, depth)


def file(*symbols: Symbol, imports: tuple[str, ...] = (), language_id: str = "python") -> FileSymbols:
    return FileSymbols(language_id, symbols, imports)


def bare(*names: str) -> list[UsedName]:
    return [UsedName(name) for name in names]


def member(name: str, owner: str = "") -> UsedName:
    return UsedName(name, owner, is_member=True)


def meant(
    names: list[UsedName],
    own: FileSymbols | None = None,
    others: Mapping[str, FileSymbols] | None = None,
    *,
    path: str = "shop/cart.py",
    is_imported_by_name: bool = True,
) -> list[DefinitionText]:
    """Resolve the names of a scope in lines 100 to 110."""

    def named(word: str) -> list[SymbolPlace]:
        return [
            SymbolPlace(path, each, number)
            for path, each in (others or {}).items()
            for number, symbol in enumerate(each.symbols)
            if symbol.word == word
        ]

    scope_names = ScopeNames(path, own or file(), 100, 110, names, is_imported_by_name, named)
    return list(scope_names.definitions())


def where(found: list[DefinitionText]) -> list[str]:
    """Return the file of each definition and the last name that its text defines."""
    return [f"{each.path or '-'}:{each.text.rpartition('def ')[2].split('(')[0]}" for each in found]


def test_a_name_of_the_same_file_is_resolved_there() -> None:
    assert meant(bare("total"), file(function("total", 5))) == [DefinitionText("", 5, 8, "def total():\n")]


def test_definitions_inside_the_scope_are_not_included() -> None:
    assert meant(bare("total"), file(function("total", 102))) == []
    assert meant(bare("total"), file(function("total", 102)), {"shop/a.py": file(function("total"))}) == []


def test_an_imported_name_is_resolved_in_its_module() -> None:
    others = {"shop/prices.py": file(function("load")), "shop/stock.py": file(function("load"))}
    own = file(imports=("from .prices import load",))
    assert where(meant(bare("load"), own, others)) == ["shop/prices.py:load"]


def test_a_package_is_imported_by_the_name_of_its_folder() -> None:
    others = {"prices/__init__.py": file(function("load")), "stock/__init__.py": file(function("load"))}
    assert where(meant(bare("load"), file(imports=("from prices import load",)), others)) == [
        "prices/__init__.py:load"
    ]


def test_a_folder_may_re_export_names_of_its_files() -> None:
    others = {"shop/prices/tables.py": file(function("load")), "mall/stock/tables.py": file(function("load"))}
    assert where(meant(bare("load"), file(imports=("from shop import load",)), others)) == [
        "shop/prices/tables.py:load"
    ]


def test_a_name_imported_from_outside_is_not_resolved() -> None:
    others = {"shop/utils.py": file(Symbol("class", "Enum", "class Enum:", 0, 9))}
    assert meant(bare("Enum"), file(imports=("from enum import Enum",)), others) == []


def test_an_unimported_name_is_a_variable_if_imports_are_by_name() -> None:
    others = {"shop/prices.py": file(function("load"))}
    assert meant(bare("load"), file(), others) == []
    assert where(meant(bare("load"), file(), others, is_imported_by_name=False)) == ["shop/prices.py:load"]


def test_a_name_that_two_files_define_is_left_out() -> None:
    others = {"shop/a.py": file(function("load")), "shop/b.py": file(function("load"))}
    assert meant(bare("load"), file(imports=("from c import load",)), others) == []
    assert meant(bare("load"), file(), others, is_imported_by_name=False) == []


def test_a_name_after_a_module_is_resolved_in_that_module() -> None:
    others = {"lib/prices.py": file(function("load")), "lib/stock.py": file(function("load"))}
    own = file(imports=("import lib.prices as prices", "import lib.stock"))
    assert where(meant([member("load", "prices")], own, others)) == ["lib/prices.py:load"]


def test_a_member_is_looked_up_in_imported_files_and_the_same_folder() -> None:
    order = file(Symbol("class", "Order", "class Order:", 0, 9), function("append", 2, 1))
    assert meant([member("append", "items")], file(), {"far/order.py": order}) == []
    own = file(imports=("from far.order import Order",))
    assert where(meant([member("append", "order")], own, {"far/order.py": order})) == ["far/order.py:append"]
    assert where(meant([member("append")], file(), {"shop/order.py": order})) == ["shop/order.py:append"]


def test_a_bare_name_is_a_method_only_in_some_languages() -> None:
    own = file(Symbol("class", "A", "class A:", 0, 9), function("total", 2, 1))
    assert meant(bare("total"), own) == []
    assert where(meant(bare("total"), own, is_imported_by_name=False)) == ["-:total"]
    assert where(meant([member("total", "self")], own)) == ["-:total"]
    others = {"shop/a.py": own}
    assert meant(bare("total"), file(), others, is_imported_by_name=False) == []


def test_ambiguous_methods_are_left_out_but_overloads_included() -> None:
    methods = file(function("run", 2, 1), function("run", 20, 1))
    assert meant([member("run")], methods) == []
    assert len(meant(bare("parse"), file(function("parse", 1), function("parse", 5)))) == 2
    assert meant(bare("parse"), file(*(function("parse", 5 * n) for n in range(4)))) == []


def test_unrelated_languages_share_no_names() -> None:
    others = {"a.ts": file(function("load"), language_id="typescript")}
    own = file(imports=("import { load } from './a'",))
    assert meant(bare("load"), own, others) == []
    script = file(imports=own.imports, language_id="javascript")
    assert where(meant(bare("load"), script, others)) == ["a.ts:load"]


def test_a_class_is_included_with_its_members() -> None:
    symbols = (
        Symbol("class", "Order", "class Order:", 0, 90),
        Symbol("value", "size", "size: int", 1, 2, 1),
        function("pay", 3, 1),
        Symbol("class", "Inner", "class Inner:", 7, 9, 1),
        function("hidden", 8, 2),
    )
    (found,) = meant(bare("Order"), file(*symbols))
    assert found.text == "class Order:\n    size: int\n    def pay():\n    class Inner:\n"


def test_a_member_is_included_below_the_head_of_its_class_and_once() -> None:
    own = file(Symbol("class", "Shop", "@final\nclass Shop(Base):", 0, 90), function("total", 2, 1))
    (found,) = meant([member("total", "self")], own)
    assert found.text == "class Shop(Base):\n    def total():\n"
    assert [each.text for each in meant([member("total"), UsedName("Shop")], own)] == [
        "@final\nclass Shop(Base):\n    def total():\n"
    ]


def test_a_class_of_many_members_is_included_in_part() -> None:
    methods = (function(f"m{number}", number, 1) for number in range(MAX_MEMBERS + 2))
    (found,) = meant(bare("Order"), file(Symbol("class", "Order", "class Order:", 0, 90), *methods))
    assert found.text.endswith(f"def m{MAX_MEMBERS - 1}():\n    (2 more left out)\n")


def test_definitions_of_the_document_come_first_once_and_limited() -> None:
    own = file(*(function(f"own{n}", n) for n in range(60)), imports=("from a import other",))
    names = bare("other", *(f"own{n}" for n in range(60)), "own1", "other")
    found = where(meant(names, own, {"a.py": file(function("other"))}))
    assert found[:2] == ["-:own0", "-:own1"]
    assert len(found) == len(set(found)) == MAX_DEFINITIONS
