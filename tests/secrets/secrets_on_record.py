"""Recorded detection of secrets: by issuer, by name and value, and in planted texts.

``recorded/issued_keys.txt`` has a line for each documented prefix: the name of its format, and how much of
each of `BODIES` after the prefix belongs to the secret. ``recorded/named_values.txt`` has a line for each
name of a value: whether each of `VALUES` is a secret in quotes ``"``, without ``'``, in both cases ``#``, or
never ``.``. ``recorded/values.txt`` has the classification of each value, ``recorded/planted.txt`` the
secrets of planted texts. ``python -m tests.secrets.secrets_on_record`` writes them; read the differences
before you commit them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tests.security.planted import IN_PROSE, ISSUED, UNSEEN, text_of

from twospeed.secrets.detectors.key_formats import ISSUED as SHAPES_ISSUED
from twospeed.secrets.detectors.values import (
    bits_per_character,
    has_mixture,
    is_sentence,
    looks_like_password,
    looks_like_token,
    looks_random,
)
from twospeed.secrets.search import find_secrets, mask_secrets

FOLDER = Path(__file__).parent / "recorded"

_MIXED = "Zq7Xw2Rt9Yk4Lm8Np3Vb6Hd1Sc5Gf0JaEuOiTxKz"
_HEX = "3f9c0a17b5d2e846"
BODIES = (
    _MIXED[:9],
    _MIXED[:10],
    _MIXED[:11],
    _MIXED[:12],
    _MIXED[:13],
    _MIXED[:14],
    _MIXED[:15],
    _MIXED[:16],
    _MIXED[:19],
    _MIXED[:23],
    _MIXED[:29],
    _MIXED * 2,
    _HEX * 5,
    _HEX + _HEX[:15],
    _HEX.upper() * 4,
    "abcdefghijklmnopqrstuvwxyzabcdefghijklmnop",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ2345678901234567",
    "a1b2-c3d4_" * 5,
    "a1b2.c3d4+e5f6/g7h8=" * 3,
    "Ab1Cd2_Ef3Gh4Ij5Kl6Mn7Op8Qr9" * 2,
    "0a1b2c3d.4e5f60718293a4b5.c6d7e8f90a1b2c3d4e5f",
    "Ab1Cd2Ef3Gh4Ij.0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f",
    "MTIzNDU2Nzg5MDEyMzQ1Njc4.GaBcDe." + _MIXED,
    f"{_MIXED[:22]}.{_HEX}{_HEX[:8]}.{_MIXED[:20]}",
    # Some characters fewer than these kinds ask for
    _HEX + _HEX[:4],
    "ABCDEFGHIJ2345678901",
    "abcdefghijklmnopqrst",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGH",
    "Ab1Cd2_" + _MIXED[:17],
    "Ab1Cd2Ef3Gh4Ij." + _HEX + _HEX[:14],
    f"MTIzNDU2Nzg5MDEyMzQ1Njc4.GaBcDe.{_MIXED[:20]}",
    f"{_MIXED[:22]}.{_HEX}{_HEX[:8]}.{_MIXED[:17]}",
    # Each character that some kinds have and others end at
    *((_MIXED * 2)[:70] + each for each in ("=", "+", "/", ",", ".", "-", "_")),
)

_NAMES = """
key api_key apiKey API_KEY public_key pubkey primary_key cache_key key_id key_file monkey keyboard keys sort_key my_key
encryption_key db.key KEY key2 privateKey xkey object_key
token access_token tokens token_type tokenizer TOKEN_URL secret client_secret secret_name secretary secrets secretKey
pass password passwd dbpass db_pass userPass bypass compass passenger passphrase passcode passport pass_count password_hash
passwordField PASSWORD1 smtpPass to_pass nopass Pass pwd cwd_pwd pwd_len auth auth_token author authorization oauth auth_type
basicauth cred credential credentials accredit incredible salt basalt hmac jwt session session_id sessionid signature cookie
mnemonic kennwort senha contrasena webhook dsn sas sasl pw pwm bind_pw userpw psk pskey wifi_psk login login_url bind binding
value name x password: --token -p usercookie mysession docsignature mycred keyboard_auth userhmac xtokens dbpwd2 tokenName
"""
NAMES = _NAMES.split()
VALUES = (
    *(
        "Tr0ub4dor&3x",
        "k9Wm2Lx7Pq4Z",
        "hunter2",
        "abc12",
        "abc123",
        "a1b2c3",
        "correct horse",
        "Winter%sTide7!k%gq",
        "secret",
    ),
    *(
        "password1",
        "Passw0rd!",
        "letmein",
        "qwerty!",
        "p@ss",
        "p@ss!x",
        "12345678",
        "84720193",
        "!!!!!!",
        "Required!",
        "a=b;c",
    ),
    *(
        "text/html;level",
        "user_password1",
        "user_token123",
        "changeme1",
        "your-key-1!",
        "xxxx1234",
        "<password1>",
        "${PASS1}",
    ),
    *(
        "$PASS1",
        "%s1abc",
        "{{pw1}}",
        "get_pass1()",
        "conf[key1]",
        "os.environ1",
        "self.key2.value",
        "a.b.c1",
        "v1.2.3",
        "1.2.3.4",
    ),
    *(
        "2024-01-02",
        "0xdeadbeef",
        "#ff00aa",
        "sha256",
        "utf8",
        "aes_256_gcm",
        "base64url",
        "http2",
        "x" * 30,
        "1" * 40,
    ),
    *(
        _MIXED[:15],
        _MIXED[:16],
        _MIXED[:20],
        _MIXED[:23],
        _MIXED[:24],
        _MIXED,
        _MIXED[:20] + "/" + _MIXED[20:],
        _MIXED + "==",
    ),
    *(_HEX, _HEX + _HEX[:15], _HEX * 2, "0x" + _HEX * 2, "0" * 32, "01" * 16, "0123" * 8, "01234567" * 4),
    *(
        "7c9e6679-7425-40de-944b-e07fc1f90ae7",
        "00000000-0000-0000-0000-000000000001",
        "11112222-3333-4444-5555-666666666666",
    ),
    *(
        "abcdefghijklmnopqrstuvwxyzabcd",
        "AbstractFactoryBeanProviderX1",
        "some_long_name_of_a_variable",
        "one-two-three-four1",
    ),
    *(
        "abcDEFghiJKLmnoPQRstuVWXyz",
        "aB3dE6gH9jK2mN5p",
        "a1b2c3d4e5f6g7h8",
        "base64encode1234",
        "abc1def2ghi3jklm",
        "ab1cd2",
    ),
    *(
        "a1b",
        "a1b2",
        "a!b",
        "a/b1c2",
        "Zq7Xw2Rt9 Yk4Lm8Np3",
        "Zq7Xw2Rt9Yk4Lm8Np3Vb...",
        "/etc/Zq7Xw2Rt9Yk4Lm8Np3",
        "~/Zq7Xw2Rt9Yk4Lm8",
    ),
    *(
        "@org/Zq7Xw2Rt9Yk4",
        "https://Zq7Xw2Rt9Yk4Lm8Np3",
        "***Zq7Xw2Rt9Yk4Lm8",
        r"\d+Zq7Xw2Rt9Yk4",
        "é1!ü2?ß3",
        "a" * 127 + "1",
        "a" * 128 + "1",
    ),
    *(
        "correcthorsebattery1",
        "correct-horse-battery-9",
        "MyP4ss",
        "S3cr3t!",
        "admin",
        "root!!",
        "todo1!",
        "fixme2?",
        "[x]1!ab",
    ),
    *(
        "aaaaaaa",
        "0123456789",
        "abcdef123",
        "@User1@",
        "pass|word|1",
        "Ab1?Cd2?",
        "Ab1,Cd2;",
        "=Ab1Cd2=",
        "a#1b#2",
        "A1" * 8,
        "A1b" * 6,
    ),
)

AT_LIMITS = (
    *("Zq7Xw2Rt9Yk4Lm8N" * 2, "Zq7Xw2Rt9Yk4Lm8Z" * 2, "a1b2c3d4" * 2, "a1b2c3da" * 2, "0123456789abcdef" * 2),
    *(
        "11112222-3333-4444-5555-111122223333",
        "abcdefghij12klm3",
        "abcdefghij12klmn",
        "ab1",
        "1ab",
        "a1",
        "!a",
    ),
    *(
        "user_token12",
        "secret_ab123",
        "my_secret_1234",
        "qwert!",
        "qwe!!t",
        "a!b?c",
        "ab!1",
        "a,bc;d",
        "!ab12c",
    ),
    *("ab c1d2", "Ab1", "A" * 5 + "1", "é" * 6, "é" * 5 + "1", "word1", "words1", "words12", "wordy-words1"),
    *(
        "get(x1!",
        "get[x1!",
        "get.x1!",
        "_ab12cd(e",
        "1" * 16,
        "ab" * 12,
        "ab1" * 8,
        "a/b1c2d3",
        "=ab=",
        "=ab",
    ),
)
"""Values at and around the limits of length, entropy and changes from letters to digits."""


def issued_keys() -> list[str]:
    """Return what is found after each prefix."""
    rows = {(mark, shape.name) for shape in SHAPES_ISSUED for mark in shape.marks}
    return [
        f"{mark}  {name}  {' '.join(_reach(mark, name, body) for body in BODIES)}"
        for mark, name in sorted(rows)
    ]


def _reach(mark: str, name: str, body: str) -> str:
    """Return how much of a body belongs to the secret, ``-`` for nothing.

    The start is added if it is not the start of the prefix.
    """
    before = "12345678:" if mark == "AA" else "x = "
    text = f"{before}{mark}{body} y"
    found = [each for each in find_secrets(text) if each.name == name]
    return (
        ",".join(
            f"{each.end - len(before) - len(mark)}{'' if each.start == len(before) else f'@{each.start}'}"
            for each in found
        )
        or "-"
    )


def named_values() -> list[str]:
    """Return which values are secrets for which names."""
    return [f"{name} {''.join(_judgement(name, value) for value in VALUES)}" for name in NAMES]


def _judgement(name: str, value: str) -> str:
    quoted, bare = _is_hidden(f'{name} = "{value}"\n', value), _is_hidden(f"{name}={value}\n", value)
    return "#" if quoted and bare else '"' if quoted else "'" if bare else "."


def _is_hidden(text: str, value: str) -> bool:
    return value not in mask_secrets(text)


def values() -> list[str]:
    """Return the classification of each value."""
    return [
        f"{value} {' '.join(_reads_like(value))} {bits_per_character(value):.4f}"
        for value in (*VALUES, *AT_LIMITS)
    ]


def _reads_like(value: str) -> Iterator[str]:
    for is_quoted in (True, False):
        yield "chance" if looks_random(value, is_quoted=is_quoted) else "-"
        yield "password" if looks_like_password(value, is_quoted=is_quoted) else "-"
    yield "token" if looks_like_token(value) else "-"
    yield "mixture" if has_mixture(value) else "-"
    yield "sentence" if is_sentence(value) else "-"


def planted() -> list[str]:
    """Return the secrets of planted texts, alone and in prose."""
    rows = []
    for name, each in {**ISSUED, **UNSEEN, **IN_PROSE}.items():
        text = text_of(each)
        for around, is_prose in (
            (text, False),
            (f"# a\n\t{text}\nb = 1\n", False),
            (f"please use {text} here", True),
        ):
            found = sorted(
                {(each.start, each.end, each.name) for each in find_secrets(around, is_prose=is_prose)}
            )
            rows.append(f"{name}: {'; '.join(f'{start}-{end} {kind}' for start, end, kind in found)}")
    return rows


RECORDS = {
    "issued_keys": issued_keys,
    "named_values": named_values,
    "values": values,
    "planted": planted,
}


def recorded(name: str) -> list[str]:
    """Return the recorded lines."""
    return re.split("\n", (FOLDER / f"{name}.txt").read_text("utf-8"))[:-1]


if __name__ == "__main__":
    for title, write in RECORDS.items():
        (FOLDER / f"{title}.txt").write_text("".join(f"{line}\n" for line in write()), "utf-8")
