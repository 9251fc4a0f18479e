"""Keys are never printed and are sent only to their own origins."""

from __future__ import annotations

import base64
import copy
import json
import pickle
import re
import urllib.parse
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest
from tests.timing import check_linear

import twospeed
from twospeed.errors import SettingsError, UnsafeEndpoint
from twospeed.models.base import ProviderSettings
from twospeed.models.http.endpoints import parse_endpoint
from twospeed.models.keys.key_store import KeyStore
from twospeed.models.keys.secret import Secret, key_header
from twospeed.secrets.scrub import scrub

VALUE = "sk-live-0123456789abcdef"
HOME = parse_endpoint("https://api.x.com/v1").origin


def secret() -> Secret:
    return Secret(VALUE, name="X_API_KEY", origins=[HOME])


@pytest.mark.security("R7")
@pytest.mark.parametrize(
    "show",
    [
        repr,
        str,
        ascii,
        "{}".format,
        "{!r:>8}".format,
        "{:>40}".format,
        lambda key: f"{key}",
        lambda key: "%s %r" % (key, key),  # noqa: UP031  # this is how loggers write
        lambda key: repr([{"key": key}]),
        lambda key: json.dumps({"key": key}, default=str),
        lambda key: orjson.dumps({"key": key}, default=str).decode(),
        lambda key: repr(pickle.loads(pickle.dumps(key))),
        lambda key: repr(pickle.dumps(key)),
        lambda key: str(copy.deepcopy(key)),
        lambda key: str(copy.copy(key)),
    ],
)
def test_a_secret_shows_as_stars(show) -> None:
    shown = show(secret())
    assert "***" in shown
    assert VALUE not in shown


@pytest.mark.security("R7")
def test_a_secret_has_no_dict_to_dump() -> None:
    assert not hasattr(secret(), "__dict__")
    with pytest.raises(TypeError):
        json.dumps(secret())


@pytest.mark.security("R7")
def test_only_one_line_of_the_server_reveals_a_key() -> None:
    sources = Path(twospeed.__file__).parent.rglob("*.py")
    uses = [line for source in sources for line in re.findall(r".*\.reveal\(.*", source.read_text("utf-8"))]
    assert uses == ["        return {name: _BEFORE_KEY[name] + key.reveal()}"]


@pytest.mark.security("R7")
def test_a_quoted_key_is_hidden() -> None:
    assert secret().hide_in(f"bad key {VALUE}!") == "bad key ***!"


@pytest.mark.security("R2.1")
def test_a_key_goes_to_its_own_origin() -> None:
    assert key_header(secret(), HOME) == {"Authorization": f"Bearer {VALUE}"}
    assert key_header(secret(), HOME, name="x-api-key") == {"x-api-key": VALUE}


@pytest.mark.security("R2.1")
@pytest.mark.parametrize("url", ["http://127.0.0.1:8080", "http://localhost:8080", "http://[::1]:8080"])
def test_a_key_is_not_sent_to_another_local_origin(url: str) -> None:
    assert key_header(secret(), parse_endpoint(url).origin) == {}


@pytest.mark.security("R2.1")
@pytest.mark.parametrize(
    "url", ["https://evil.example", "https://api.x.com:8443", "https://api.x.com.evil.example"]
)
def test_a_request_to_another_remote_origin_is_refused(url: str) -> None:
    with pytest.raises(UnsafeEndpoint) as caught:
        key_header(secret(), parse_endpoint(url).origin)
    assert "https://api.x.com and" in str(caught.value)
    assert url in str(caught.value)
    assert VALUE not in str(caught.value)


def test_without_a_key_there_is_no_header() -> None:
    assert key_header(None, HOME) == {}


def read(value: str) -> Secret | None:
    settings = ProviderSettings("x", "chat", "https://api.x.com/v1", "X_API_KEY")
    return KeyStore({"X_API_KEY": value}).key_of(settings)


@pytest.mark.parametrize("value", ["", " \n"])
def test_a_blank_variable_is_no_key(value: str) -> None:
    with pytest.raises(SettingsError, match="X_API_KEY: is not set"):
        read(value)


def test_white_space_around_a_key_is_not_part_of_it() -> None:
    assert key_header(read(f" {VALUE}\n"), HOME) == {"Authorization": f"Bearer {VALUE}"}


@pytest.mark.security("R7")
@pytest.mark.parametrize("value", ["a\nb", "a\r\nX-Evil: 1", "a b", "kéy", "a\x00b", "a\x7fb"])
def test_an_invalid_key_is_refused_without_quoting_it(value: str) -> None:
    with pytest.raises(SettingsError) as caught:
        read(value)
    assert value not in str(caught.value)
    assert caught.value.key == "X_API_KEY"


@pytest.mark.security("R7")
def test_every_known_key_is_removed_from_any_text() -> None:
    longer = Secret(f"{VALUE}-and-more", name="Y_API_KEY", origins=[])
    opaque = Secret("0f1e2d3c4b5a69788796a5b4c3d2e1f0", name="Z_API_KEY", origins=[])
    text = f"{longer.reveal()} {opaque.reveal()} {secret().reveal()}"
    assert scrub(text) == "*** *** ***"
    assert scrub("a word and x") == "a word and x"


LONG = "lab_Zq7Xw2Rt9Yk4Lm8Np3Vb6Hd1Sc5Gf0JaEuOiTxKz-42"
ODD = "k+/Zq7=Xw2Rt9&Yk4Lm8~Np3Vb6:Hd1Sc5"


def percent(text: str) -> str:
    return "".join(f"%{ord(each):02X}" for each in text)


ENCODINGS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "small": str.lower,
    "swapped": str.swapcase,
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64 behind one": lambda text: base64.b64encode(b":" + text.encode()).decode(),
    "base64 behind two": lambda text: base64.b64encode(b"u:" + text.encode() + b"@h").decode(),
    "base64 of a header": lambda text: (
        base64.urlsafe_b64encode(b"Bearer " + text.encode()).decode().rstrip("=")
    ),
    "hexadecimal": lambda text: text.encode().hex(),
    "capital hexadecimal": lambda text: text.encode().hex().upper(),
    "in a URL": urllib.parse.quote_plus,
    "all in percents": percent,
    "in JSON": lambda text: "".join(f"\\u{ord(each):04x}" for each in text),
    "some in JSON": lambda text: text.replace("-", "\\u002D").replace("_", "\\u005f").replace("/", "\\/"),
    "in a literal": lambda text: "".join(f"\\x{ord(each):02X}" for each in text),
    "in HTML": lambda text: "".join(f"&#{ord(each)};" for each in text),
}


@pytest.mark.security("R7")
@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("key", [LONG, ODD])
@pytest.mark.parametrize(
    "piece", [slice(None), slice(8), slice(-8, None), slice(20), slice(-20, None), slice(9, -1), slice(5, -2)]
)
def test_a_piece_of_a_key_is_hidden_however_it_is_encoded(encoding: str, key: str, piece: slice) -> None:
    owned = Secret(key, name="X", origins=[])
    shown = ENCODINGS[encoding](key[piece])
    for masked in (owned.hide_in(f"bad key <{shown}> given"), scrub(f"bad key <{shown}> given")):
        assert masked.startswith("bad key <")
        assert masked.endswith("> given")
        assert "***" in masked
        # Of base64 the first and the last characters are shared with what stands beside the piece.
        assert len(masked) <= len("bad key <***> given") + (13 if encoding.startswith("base64") else 0), (
            masked
        )


@pytest.mark.security("R7")
def test_several_pieces_are_hidden_and_the_text_between_stays() -> None:
    owned = Secret(LONG, name="X", origins=[])
    assert owned.hide_in(f"{LONG[:10]}...{LONG[-9:]} is wrong") == "***...*** is wrong"
    assert owned.hide_in(f"Ünïcode İ {LONG[:10]}%20{LONG[-9:]}") == "Ünïcode İ ***%20***"
    assert (
        owned.hide_in("lab_Zq7 is short, Xw2Rt9Yk is of the middle")
        == "lab_Zq7 is short, Xw2Rt9Yk is of the middle"
    )


@pytest.mark.security("R7")
def test_hiding_pieces_takes_time_linear_in_the_text() -> None:
    owned = Secret(LONG, name="X", origins=[])
    for part in (LONG[:8], LONG[:-1], LONG[-8:], "%", "\\u00", "&#0000", "ab"):

        def hide(n: int, part: str = part) -> None:
            owned.hide_in(part * (n // len(part)))

        check_linear(hide, 60_000)
