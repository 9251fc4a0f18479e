"""The built-in engine makes sentences for documentation from names."""

from __future__ import annotations

from twospeed.rules.doc_comments import meaning, sentence, words_of

SENTENCES = {
    "__init__": "Initialize the instance.",
    "constructor": "Initialize the instance.",
    "__repr__": "Return the representation for developers.",
    "__str__": "Return the text for users.",
    "__len__": "Return the number of items.",
    "__iter__": "Iterate over the items.",
    "__next__": "Return the next item.",
    "__contains__": "Tell whether an item is contained.",
    "__eq__": "Tell whether the other is equal.",
    "__ne__": "Tell whether the other is not equal.",
    "__lt__": "Tell whether this is less than the other.",
    "__hash__": "Return the hash.",
    "__bool__": "Tell whether this counts as true.",
    "__getitem__": "Return an item.",
    "__setitem__": "Set an item.",
    "__delitem__": "Delete an item.",
    "__enter__": "Enter the context.",
    "__exit__": "Leave the context.",
    "__aenter__": "Enter the context.",
    "__aexit__": "Leave the context.",
    "__call__": "Call the instance.",
    "default": "Default export.",
    "__gt__": "Implement ``__gt__``.",
    "__private": "Private.",
    "dunder__": "Dunder.",
    "_": "Implement ``_``.",
    "Shop.fetchUserData": "Fetch user data.",
    "is_open": "Tell whether it is open.",
    "isOpen": "Tell whether it is open.",
    "has": "Has.",
    "needs_ID": "Tell whether it needs ID.",
    "can_fly": "Tell whether it can fly.",
    "should_go": "Tell whether it should go.",
    "was_there": "Tell whether it was there.",
    "are_equal": "Tell whether it are equal.",
    "HTTPServer2": "HTTP server2.",
    "a": "A.",
}
MEANINGS = {
    "is_open": "Whether it is open.",
    "has_items": "Whether it has items.",
    "is": "Is.",
    "user_name": "User name.",
    "opens_is": "Opens is.",
    "URL": "Url.",
    "base_URL": "Base URL.",
    "_": "_.",
    "größe": "Größe.",
}
WORDS = {
    "fetchUserData": ["fetch", "user", "data"],
    "HTTPServer": ["HTTP", "server"],
    "parse2DArray": ["parse2", "d", "array"],
    "snake_case_2": ["snake", "case", "2"],
    "AB": ["ab"],
    "AB_c": ["AB", "c"],
    "A_b": ["a", "b"],
    "SHA256sum": ["SHA256", "sum"],
    "__x__": ["x"],
    "": [],
}


def test_names_become_sentences() -> None:
    assert {name: sentence(name) for name in SENTENCES} == SENTENCES


def test_names_of_parameters_become_descriptions() -> None:
    assert {name: meaning(name) for name in MEANINGS} == MEANINGS


def test_names_are_split_at_underscores_and_capitals() -> None:
    assert {name: words_of(name) for name in WORDS} == WORDS
