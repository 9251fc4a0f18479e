"""Every planted kind of secret, alone and among others, in each text of a prompt."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.scenarios.editor import place_range
from tests.security.planted import IN_PROSE, ISSUED, NOT_FOUND, UNSEEN, hearts_of, text_of
from tests.security.test_prompt_secrets import document, editor_at, repeats, sent
from tests.timing import check_linear

from twospeed.prompt import PromptFacts, build_prompt
from twospeed.prompt.definitions import DefinitionText
from twospeed.secrets.placeholders import Placeholders
from twospeed.secrets.search import find_secrets, mask_secrets

pytestmark = pytest.mark.security("R4.2")

WORD = "3fa09c17"
KINDS = {**ISSUED, **{f"unseen: {name}": each for name, each in UNSEEN.items() if name not in NOT_FOUND}}
AROUND = ["{}", "def f():\n    x = 1\n    {}\n    return x\n", "# see below\n{}\n"]


@pytest.mark.parametrize("name", KINDS)
def test_each_kind_of_secret_is_hidden_and_restored(name: str) -> None:
    for around in AROUND:
        for end in ("\n", "\r\n"):
            text = around.replace("{}", text_of(KINDS[name])).replace("\n", end)
            placeholders = Placeholders.of(text, word=WORD)
            shown, masked = placeholders.hide_in_scope(text), mask_secrets(text)
            assert placeholders.restore(shown) == text
            for heart in hearts_of(KINDS[name]):
                assert heart.replace("\n", end) not in shown + masked


@pytest.mark.parametrize("name", [*KINDS, *IN_PROSE])
def test_each_kind_of_secret_is_hidden_in_instruction_and_diagnostics(name: str) -> None:
    planted = {**KINDS, **IN_PROSE}[name]
    text = f"please use {text_of(planted)} here"
    placeholders = Placeholders.of("", prose=(text,), word=WORD)
    shown = placeholders.hide(text, is_prose=True)
    assert placeholders.restore(shown) == text
    for heart in hearts_of(planted):
        assert heart not in shown
        assert heart not in Placeholders.of("", word=WORD).mask(text, is_prose=True)


@pytest.mark.parametrize("name", KINDS)
def test_no_part_of_a_prompt_has_any_kind_of_secret(name: str) -> None:
    text = text_of(KINDS[name])
    line = text.replace("\n", " ")
    facts = PromptFacts(
        language_id=line if "\n" not in text else "python",
        file_name=line if "\n" not in text else "a.py",
        instruction=text,
        scope_kind="function",
        scope_name=line if "\n" not in text else "f",
        scope_text=f"def f():\n{text}\n",
        delimiter="b0undary",
        before=tuple(f"import os\n{text}\n".splitlines(keepends=True)),
        after=tuple(f"\n{text}\n".splitlines(keepends=True)),
        diagnostics=(text,),
        draft=f"def f():\n{text}\n",
        fault=text,
        definitions=(DefinitionText("other.py", 0, 9, f"def g():\n{text}\n"),),
        previous_edit=f"-{text}\n",
        notes=text,
    )
    secrets = Placeholders.of(facts.scope_text, facts.draft, prose=(facts.instruction,), word=WORD)
    written = "".join(message.content for message in build_prompt(replace(facts, secrets=secrets)))
    assert text not in written
    for heart in hearts_of(KINDS[name]):
        assert heart not in written


@pytest.mark.parametrize("api", ["chat", "responses", "messages"])
async def test_no_kind_of_secret_is_sent_over_any_protocol(tmp_path: Path, api: str) -> None:
    """A dozen kinds are in each place of an edit, in turns."""
    # Without indentation of their own, so that the scope is code
    kinds = [each for each in KINDS.values() if "\n " not in each and '"""' not in each]
    size = 24
    batches = [kinds[start : start + size] for start in range(0, len(kinds), size)]
    async with editor_at(tmp_path, repeats, api=api) as (editor, server):
        for number in range(len(batches)):
            above, inside, below, words, reports = (batches[(number + n) % len(batches)] for n in range(5))
            written = ["\n\n".join(map(text_of, each)) for each in (above, inside, below)]
            text = document(written[0], written[1], written[2], "")
            uri = f"file:///project/{number}.py"
            buffer = editor.open(text, uri=uri)
            line = text[: text.index("def charge")].count("\n")
            where = place_range(line, 0, line, 5)
            result = await editor.edit(
                line,
                "audit this, with " + " and ".join(map(text_of, words[:8])),
                uri=uri,
                context={
                    "diagnostics": [{"range": where, "message": text_of(each)} for each in reports[:15]]
                },
            )
            assert result["outcome"] == "applied", result["reason"]
            assert buffer.text == text.replace("(order):\n", "(order):\n    audited = True\n")
            captured = sent(server.requests)
            for planted in (*above, *inside, *below, *words[:8], *reports[:15]):
                assert not any(heart in captured for heart in hearts_of(planted)), planted
            server.requests.clear()


@pytest.mark.parametrize(
    "text",
    [
        'password = os.environ["DB_PASSWORD"]',
        "password: ${PASSWORD}",
        'password = "changeme"',
        "token: <your-token>",
        "def login(password: str, token: str = '') -> None:",
        "password = getpass.getpass()",
        'password = "{{ vault_password }}"',
        "password: !vault |",
        "PASSWORD=$DB_PASSWORD",
        "PASSWORD=${DB_PASSWORD:-}",
        "password = config.get('db', 'password')",
        'fields = ("username", "password1", "password2")',
        'label = _("Password (again)")',
        "  password: string;",
        "  pass: u8,",
        "pass",
        "compass = 'north-by-2'",
        "author = 'J. R. Hartley 2nd'",
        'key = "user.profile.name2"',
        'key: "7c9e6679-7425-40de-944b-e07fc1f90ae7"',
        'id: "7c9e6679-7425-40de-944b-e07fc1f90ae7"',
        '"integrity": "sha512-Zq7Xw2Rt9Yk4Lm8Np3Vb6Hd1Sc5Gf0JaEuOiTxKzZq7Xw2Rt9Yk4Lm8Np3Vb6Hd1Sc5Gf0JaEuOiTxKz=="',
        "sha256:3f9c0a17b5d2e8463f9c0a17b5d2e8463f9c0a17b5d2e8463f9c0a17b5d2e846",
        "commit 3f9c0a17b5d2e8463f9c0a17b5d2e8463f9c0a17",
        "postgres://user:password@localhost/db",
        "postgres://$USER:$PASSWORD@host/db",
        "https://example.com/a?b=c",
        "git@github.com:shop/shop.git",
        'token = tokenizer.next("identifier")',
        "raise ValueError('the password must have 8 characters')",
        "if password != other_password2:",
        "hashed = hash_password2(password)",
        "publicKeyToken=b77a5c561934e089",
        "kind: ConfigMap\ndata:\n  mode: production\n  level: debug1",
        "<input type='password' name='password2'>",
        'passphrase = "enter the passphrase for your key"',
        'passphrase_hint: "four words that nobody would guess"',
        'next_page_token = "a1b2c3d4e5f6a7b8"',
        "the net user experience is better",
        "ConvertTo-SecureString $env:DB_PASSWORD -AsPlainText",
        "aws configure set region eu-central-1",
    ],
)
def test_ordinary_values_are_not_hidden(text: str) -> None:
    assert mask_secrets(text) == text


def test_a_hostile_text_is_searched_in_linear_time() -> None:
    """Each text has 5 KB, which would take a backtracking search minutes."""
    ends = (
        '"',
        "='",
        "=\n",
        " ",
        '=("a", ',
        '["a","b",',
        "=`${'a'}",
        ": |\n",
        "='a'+",
        '"x"==',
        "_:",
        "-=",
        '="a\\',
    )
    texts = [name + end for name in ("password", "key", "auth", "secret", "hmac") for end in ends]
    texts += [
        "data:\n",
        "  data:\n    a: b\n",
        "curl -u a:",
        "://a:",
        "cookie:a=",
        "mysql -p",
        "$2b$12$",
        "{SHA}",
    ]
    texts += [
        "0123456789:" + "ab" * 16 + " ",
        "Private-Lines: 1\n",
        "mnemonic aaa ",
        "eyJaaaaaaaa.",
        "1//0",
        "q~",
    ]
    for each in texts:

        def search(n: int, each: str = each) -> None:
            list(find_secrets(each * (n // len(each)), is_prose=True))

        check_linear(search, 1_250)
