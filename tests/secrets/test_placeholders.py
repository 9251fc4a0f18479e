"""Secrets are replaced by placeholders and restored unchanged."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.security.key_formats import CANARIES, PEM_LINES, heart_of

from twospeed.secrets.detectors.private_keys import ends_in_key
from twospeed.secrets.detectors.values import bits_per_character
from twospeed.secrets.placeholders import Placeholders

WORD = "3fa09c17"
KEY = CANARIES["github"]
TOKEN = CANARIES["gitlab"]


def hidden(scope: str, *others: str, before: tuple[str, ...] = ()) -> str:
    return Placeholders.of(scope, *others, word=WORD, before=before).hide_in_scope(scope)


def test_equal_secrets_have_the_same_number() -> None:
    text = f'a = "{KEY}"\nb = "{TOKEN}"\nc = "{KEY}"\n'
    assert hidden(text) == f'a = "TS_SECRET_1_{WORD}"\nb = "TS_SECRET_2_{WORD}"\nc = "TS_SECRET_1_{WORD}"\n'


def test_of_a_secret_in_its_place_only_the_secret_is_hidden() -> None:
    assert hidden("postgres://me:pa55@db/x") == f"postgres://me:TS_SECRET_1_{WORD}@db/x"
    assert hidden("postgres://me:{password}@db/x") == "postgres://me:{password}@db/x"


def test_the_lines_of_a_private_key_are_one_secret() -> None:
    frame = "-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----"
    assert hidden(frame.format("\n".join(PEM_LINES))) == frame.format(f"TS_SECRET_1_{WORD}")


def test_a_private_key_that_begins_above_is_hidden_too() -> None:
    before = ("x = '''\n", "-----BEGIN PRIVATE KEY-----\n", PEM_LINES[0] + "\n")
    rest = f"{PEM_LINES[1]}\n-----END PRIVATE KEY-----\n"
    assert hidden(rest, before=before) == f"TS_SECRET_1_{WORD}\n-----END PRIVATE KEY-----\n"


def test_code_about_private_keys_is_none() -> None:
    text = 'if text.startswith("-----BEGIN PRIVATE KEY-----"):\n    return parse_the_private_key(text)\n'
    assert (
        hidden(text + 'END = "-----END PRIVATE KEY-----"\n') == text + 'END = "-----END PRIVATE KEY-----"\n'
    )


def test_a_secret_found_in_one_text_is_hidden_in_all() -> None:
    value = "Zq7Xw2Rt9Yk4Lm8Np3Vb6Hd1"
    text = f'client = Client("{value}")\n'
    assert hidden(text) == text
    assert hidden(text, f'the token is "{value}"') == f'client = Client("TS_SECRET_1_{WORD}")\n'
    assert Placeholders.of(f'token = "{value}"', word=WORD).mask(text) == 'client = Client("***")\n'


def test_a_short_secret_of_letters_is_hidden_only_where_detected() -> None:
    address = "postgres://me:{}@db/x"
    for value, is_hidden in [
        ("orchid", False),
        ("orchidgarden", False),
        ("orchid37", True),
        ("orchidgardenpath", True),
    ]:
        text = f"see {value} below\n"
        assert (WORD in hidden(text, address.format(value))) == is_hidden, value


def test_a_private_key_frame_is_at_least_half_base64() -> None:
    frame = "-----BEGIN PRIVATE KEY-----\n{} {}\n-----END PRIVATE KEY-----\n"
    assert WORD in hidden(frame.format("!" * 20, "A1" * 10))
    assert WORD not in hidden(frame.format("!" * 22, "A1" * 10))


def test_only_the_first_of_a_list_of_values_is_the_secret() -> None:
    assert (
        hidden('password = ["Tr0ub4dor&3", "next line"]\n')
        == f'password = ["TS_SECRET_1_{WORD}", "next line"]\n'
    )
    listed = 'password = ["Tr0ub4dor&3", "orchid"]\n'
    assert hidden(listed) == f'password = ["TS_SECRET_1_{WORD}", "orchid"]\n'


def test_a_long_word_of_an_instruction_without_digit_is_no_secret() -> None:
    word, secret = "lzYcLgxycVepd+kmA/lKPVTxCxzhay", "lzYcLgxyc4Vepd+kmA9/lKPVTxCxzhay"
    assert Placeholders.of("", word=WORD, prose=(f"rename it to {word}",)).values == ()
    assert Placeholders.of("", word=WORD, prose=(f"rename it to {secret}",)).values == (secret,)


@pytest.mark.parametrize("key", ["npm_", "hf_", "fw_"])
def test_words_with_the_prefix_of_a_key_are_no_secrets(key: str) -> None:
    assert hidden(f"{key}" + "configuration_of_settings\n") == f"{key}configuration_of_settings\n"


@pytest.mark.parametrize("key", ["gsk_", "glpat-", "shpat_", "dckr_pat_", "xai-"])
def test_other_keys_need_no_digit(key: str) -> None:
    assert hidden(f"{key}qWxVbTrKzMpLsHdF\n") == f"TS_SECRET_1_{WORD}\n"


def test_letters_adjacent_to_a_secret_are_hidden() -> None:
    key = "AKIA" + "Q7XW2RT9YK4LM8NP"
    assert hidden(f"x = {key}abc;") == f"x = TS_SECRET_1_{WORD};"


@pytest.mark.parametrize(
    "damaged",
    [
        "TS_SECRET_1",
        "ts_secret_1_3FA09C17",
        f"TS_SECRET_9_{WORD}",
        f"x{WORD}",
        "TS-SECRET-2",
        "TS\\_SECRET\\_1",
    ],
)
def test_a_damaged_placeholder_is_returned(damaged: str) -> None:
    placeholders = Placeholders.of(f"x = {KEY}", word=WORD)
    assert placeholders.damaged(f"a {damaged} b")
    assert not placeholders.damaged(placeholders.restore(f"a TS_SECRET_1_{WORD} b"))


def test_existing_text_like_a_placeholder_is_allowed() -> None:
    placeholders = Placeholders.of(f"x = {KEY}  # not TS_SECRET_7_0123", word=WORD)
    assert not placeholders.damaged("# not TS_SECRET_7_0123")
    assert placeholders.damaged("# not TS_SECRET_8_0123")


@given(
    st.lists(
        st.sampled_from([*CANARIES.values(), "\n", " ", "x", '"', "= ", "key", "TS_SECRET_1", "é"]),
        max_size=9,
    )
)
def test_hidden_secrets_are_unreadable_and_restored(parts: list[str]) -> None:
    text = "".join(parts)
    placeholders = Placeholders.of(text, word=WORD)
    shown = placeholders.hide_in_scope(text)
    assert placeholders.restore(shown) == text
    for value in placeholders.needed:
        if len(value) >= 16:
            assert value not in shown
            assert value not in placeholders.mask(text)


@given(st.sampled_from(sorted(CANARIES)), st.sampled_from(["{}", "\n{}\n", "x = '{}'", "  {}  # so", "({})"]))
def test_every_kind_of_secret_is_hidden(name: str, around: str) -> None:
    shown = hidden(around.format(CANARIES[name]))
    assert not any(line in shown for line in heart_of(CANARIES[name]))


def test_ends_in_key_reports_an_open_private_key() -> None:
    assert ends_in_key(["-----BEGIN PRIVATE KEY-----", "MII"])
    assert not ends_in_key(["-----BEGIN PRIVATE KEY-----", "MII", "-----END PRIVATE KEY-----", "x"])
    assert ends_in_key(["MII"], begins_inside=True)
    assert not ends_in_key(["-----END PRIVATE KEY-----"], begins_inside=True)


def test_entropy_is_measured_in_bits() -> None:
    assert bits_per_character("") == 0
    assert bits_per_character("aaaa") == 0
    assert bits_per_character("abcd") == 2
