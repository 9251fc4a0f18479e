"""All tables use one id for each language, for any id that an editor sends."""

from __future__ import annotations

import re

import pytest

from twospeed.gate import code_execution
from twospeed.gate.sensitive import _SQL_LANGUAGES
from twospeed.syntax.languages import FORMATS, PROFILES, comment_marks
from twospeed.syntax.languages.comment_marks import _MARKS, CommentMarks
from twospeed.text.code.javascript import KEYWORDS, LANGUAGE_IDS
from twospeed.text.code.language_ids import (
    _ALIASES,
    _LANGUAGE_OF_SUFFIX,
    _NAMES,
    KNOWN,
    canonical_language_id,
)


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        *(
            (each, "shellscript")
            for each in ("sh", "bash", "zsh", "ksh", "Bash", "shell script", "sh.gentoo")
        ),
        *((each, "csharp") for each in ("cs", "c#", "C#", "c-sharp", "csharp")),
        *((each, "makefile") for each in ("make", "makefile-gmake", "automake", "Makefile")),
        *((each, "javascript") for each in ("js", "mjs", "js2", "javascript.flow", "javascript.node")),
        *((each, "javascriptreact") for each in ("javascript.jsx", "jsx", "rjsx", "JavaScript React (JSX)")),
        *((each, "typescriptreact") for each in ("typescript.tsx", "tsx", "typescriptreact")),
        *((each, "cpp") for each in ("c++", "C++", "ISO C++", "cpp.doxygen")),
        *(
            (each, "yaml")
            for each in ("yaml.ansible", "yaml.docker-compose", "yaml.gitlab", "yml", "ansible")
        ),
        *((each, "html") for each in ("htmldjango", "html.twig", "html.handlebars", "mhtml")),
        ("ts", "typescript"),
        ("objc", "objective-c"),
        ("objcpp", "objective-cpp"),
        ("ps1", "powershell"),
        ("cuda", "cuda-cpp"),
        ("gitcommit", "git-commit"),
        ("gitrebase", "git-rebase"),
        ("plaintex", "tex"),
        ("python3", "python"),
        ("python.django", "python"),
        ("django.python", "python"),
        ("md", "markdown"),
        ("markdown.mdx", "mdx"),
        ("markdown.pandoc", "markdown"),
        ("viml", "viml"),
        ("vim", "vim"),
        ("elisp", "elisp"),
        ("lisp-interaction", "emacs-lisp"),
        ("php.laravel", "php"),
        ("rust", "rust"),
        ("go.mod", "go.mod"),
        ("gomod", "go.mod"),
        ("dosbatch", "bat"),
        ("json.openapi", "json"),
        ("text", "plaintext"),
        (" Python ", "python"),
    ],
)
def test_an_alias_becomes_its_language_id(sent: str, expected: str) -> None:
    assert canonical_language_id(sent) == expected


@pytest.mark.parametrize(
    "sent", ["", "brainfuck", "Our.Own", ".", "a" * 1000, "." * 10_000, "x" * 200 + ".python"]
)
def test_an_unknown_language_name_is_returned_unchanged(sent: str) -> None:
    assert canonical_language_id(sent) == sent


@pytest.mark.parametrize("language_id", sorted(KNOWN))
def test_a_known_id_is_returned_unchanged(language_id: str) -> None:
    assert canonical_language_id(language_id) == language_id


def test_every_language_table_uses_known_ids() -> None:
    tables = {
        "comment marks": _MARKS,
        "profiles": PROFILES,
        "formats": FORMATS,
        "what runs code": {**code_execution._BY_LANGUAGE, **code_execution._ALIASES},
        "SQL": dict.fromkeys(_SQL_LANGUAGES),
        "suffixes": dict.fromkeys(_LANGUAGE_OF_SUFFIX.values()),
    }
    unknown = {name: set(table) - KNOWN for name, table in tables.items()}
    assert not any(unknown.values()), unknown


def test_aliases_are_not_ids_and_lead_to_known_ids() -> None:
    assert not set(_ALIASES) & KNOWN
    assert set(_NAMES) <= KNOWN
    assert len(_ALIASES) == sum(len(aliases) for aliases in _NAMES.values()), "an alias occurs twice"
    assert all(alias == alias.lower().strip() for alias in {*_ALIASES, *KNOWN})
    assert all(suffix == suffix.lower() and suffix[0] == "." for suffix in _LANGUAGE_OF_SUFFIX)


def test_javascript_keywords_are_lower_case_words() -> None:
    assert {each for each in KEYWORDS if not re.fullmatch("[a-z]+", each)} == set()
    assert {each for each in LANGUAGE_IDS if each not in KNOWN} == set()


WITHOUT_COMMENTS = {"json", "jsonl", "plaintext", "restructuredtext", "go.sum"}
"""Formats without line comments."""


def test_each_aliased_language_has_comment_marks() -> None:
    assert {each for each in _NAMES if comment_marks(each) == CommentMarks()} <= WITHOUT_COMMENTS
