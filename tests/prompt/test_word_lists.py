"""The lists of names, repeated here, so that a lost or misspelt name fails."""

from __future__ import annotations

from typing import Literal

import pytest

from twospeed.prompt.answer_form import (
    MAX_FINDINGS,
    MAX_MESSAGE_CHARS,
    NONE,
    ReviewFinding,
    answer_fence_for,
    read_findings,
)
from twospeed.workspace.never_send import is_never_sent

pytestmark = pytest.mark.security("R4.1")

PRIVATE_KEYS = "identity.age wallet.dat age/keys.txt"
PASSWORDS = (
    "env.local _netrc gh/hosts.yml pgpass.conf passwd-s3fs rclone.conf application_default_credentials.json "
    "terraform.rc local.settings.json doctl/config.yaml ngrok.yml kubeconfig kubernetes/admin.conf htpasswd "
    "wp-config.php sftp-config.json sitemanager.xml recentservers.xml logins.json key4.db signons.sqlite"
)
HISTORIES = "fish_history consolehost_history.txt"
DATA = (
    "secrets credentials passwords passwd shadow gshadow vault.json keystore.properties key.properties "
    "signing.properties"
)
SOURCE_SUFFIXES = (
    "ada asm astro bzl c cc cjs clj cljs cpp cs css cts cxx d dart ejs el elm erb erl ex exs f90 fs fsx go gql graphql "
    "groovy h haml hbs hh hpp hrl hs htm html hxx ipynb java jinja j2 jl js jsx kt kts less liquid lua m md mdx mjs "
    "ml mli mm mts nim nix org pas php phtml pl pm proto ps1 psm1 pug py pyi pyx r rb rs rst s sass sbt sc scala scss "
    "slim sol styl svelte svg swift tex thrift ts tsx twig v vb vim vue wat xsl zig"
)


def test_files_listed_by_name_are_never_sent() -> None:
    for names, kind in (
        (PRIVATE_KEYS, "private keys"),
        (PASSWORDS, "passwords and keys"),
        (HISTORIES, "command histories"),
        (DATA, "passwords and keys"),
    ):
        for name in names.split():
            expected = f'is never sent: its name matches "{name}" ({kind})'
            for path in (name, f"a/{name}", name.upper()):
                assert is_never_sent(path) == expected, path
            if name != "kubeconfig":
                assert is_never_sent(name.rpartition("/")[2] + "x.py") is None, name


def test_source_files_may_have_names_of_secret_data() -> None:
    for suffix in SOURCE_SUFFIXES.split():
        assert is_never_sent(f"credentials.{suffix}") is None, suffix
        assert is_never_sent(f"credentials.{suffix}.bak") is None, suffix
        assert is_never_sent(f"credentials.x{suffix}"), suffix
        for listed_for_all in (
            f".env.{suffix}",
            f"secring.{suffix}",
            f".ssh/a.{suffix}",
            f".a_history/x.{suffix}",
        ):
            is_listed = "history" not in listed_for_all
            assert bool(is_never_sent(listed_for_all)) is is_listed, listed_for_all
        assert is_never_sent(f".{suffix}_history"), suffix


def test_prose_gets_a_longer_fence() -> None:
    prose = ["markdown", "mdx", "plaintext", "restructuredtext", "asciidoc", "quarto", "rmd"]
    assert {name: answer_fence_for("a\n", name) for name in prose} == dict.fromkeys(prose, "````")
    assert answer_fence_for("a\n", "python") == "```"


def test_a_fence_is_longer_than_any_in_the_scope() -> None:
    for scope, language_id, expected in (
        ("``\n", "python", 3),
        ("```\n", "python", 4),
        ("a\n  ```py\n", "python", 4),
        ("a ````\n", "python", 3),
        ("````\n```\n", "python", 5),
        ("``\n", "markdown", 4),
        ("```\n", "markdown", 4),
        ("````\n", "markdown", 5),
    ):
        assert answer_fence_for(scope, language_id) == "`" * expected, (scope, language_id)


def test_the_words_of_a_finding_decide_bug_or_note() -> None:
    kinds: tuple[tuple[str, Literal["bug", "note"]], ...] = (
        ("bug error warning", "bug"),
        ("note info information hint nit suggestion", "note"),
    )
    for words, kind in kinds:
        for word in words.split():
            found = read_findings(f"1: {word}: message", n_lines=3)
            assert found == (ReviewFinding(1, kind, "message"),), word
    assert NONE == "NONE"
    for answer in ("NONE", " NONE.\n", "`NONE`", "**NONE**"):
        assert read_findings(answer, n_lines=3) == (), answer
    assert read_findings("nothing", n_lines=3) is None


def test_findings_are_parsed_up_to_their_limits() -> None:
    long = "x" * MAX_MESSAGE_CHARS
    answer = (
        f"0: bug: a\n1: bug: b\n3: note: c\n4: bug: d\n2: todo: e\n2: f\n2: bug: {long}y\n2: note: {long}"
    )
    assert read_findings(answer, n_lines=3) == (
        ReviewFinding(1, "bug", "b"),
        ReviewFinding(3, "note", "c"),
        ReviewFinding(2, "bug", "todo: e"),
        ReviewFinding(2, "bug", "f"),
        ReviewFinding(2, "bug", long),
        ReviewFinding(2, "note", long),
    )
    for n_found, n_read in ((MAX_FINDINGS, MAX_FINDINGS), (MAX_FINDINGS + 1, MAX_FINDINGS)):
        found = read_findings("1: bug: a\n" * n_found, n_lines=1)
        assert found is not None
        assert len(found) == n_read
