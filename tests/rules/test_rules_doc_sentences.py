"""The built-in engine makes sentences for documentation from names."""

from __future__ import annotations

from twospeed.rules.doc_comments import sentence, words_of

SENTENCES = {
    "__init__": "Initialize the instance.",
    "constructor": "Initialize the instance.",
    "__repr__": "Return the representation for developers.",
    "__str__": "Return the text for users.",
    "__len__": "Return the number of items.",
    "__iter__": "Iterate over the items.",
    "__next__": "Return the next item.",
    "__contains__": "Return whether an item is contained.",
    "__eq__": "Return whether the other is equal.",
    "__ne__": "Return whether the other is not equal.",
    "__lt__": "Return whether this is less than the other.",
    "__hash__": "Return the hash.",
    "__bool__": "Return whether this counts as true.",
    "__getitem__": "Return an item.",
    "__setitem__": "Set an item.",
    "__delitem__": "Delete an item.",
    "__enter__": "Enter the context.",
    "__exit__": "Leave the context.",
    "__aenter__": "Enter the context.",
    "__aexit__": "Leave the context.",
    "__call__": "Call the instance.",
    "Shop.fetchUserData": "Fetch user data.",
    "is_open": "Return whether it is open.",
    "isOpen": "Return whether it is open.",
    "needs_ID": "Return whether it needs ID.",
    "can_fly": "Return whether it can fly.",
    "should_go": "Return whether it should go.",
    "HTTPServer": "HTTP server.",
    "größe_des": "Größe des.",
    "SHA256sum_of": "SHA256 sum of.",
    "_read_file": "Read file.",
    "was_there": "Return whether it was there.",
}
NO_SUMMARY = (
    "",
    "_",
    "a",
    "has",
    "default",
    "__gt__",
    "__private",
    "dunder__",
    "_monthlen",
    "rgb_to_hls",
    "createETagGenerator",
    "HTTPServer2",
    "x_of_it",
)
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


def test_names_of_one_word_or_with_other_parts_give_no_summary() -> None:
    assert [name for name in NO_SUMMARY if sentence(name)] == []


def test_names_are_split_at_underscores_and_capitals() -> None:
    assert {name: words_of(name) for name in WORDS} == WORDS
