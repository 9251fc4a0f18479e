"""Authentication: exact hosts and origins, and one correct token."""

from __future__ import annotations

import pytest

from twospeed.lsp.transport.auth import Authenticator
from twospeed.lsp.wire.error_codes import RpcError

TOKEN = "0123456789abcdef" * 4
RIGHT = (f"twospeed.token.{TOKEN}",)
OURS = "127.0.0.1:4711"


def judged(
    hosts: tuple[str, ...] = (OURS,),
    origins: tuple[str, ...] = (),
    protocols: tuple[str, ...] = RIGHT,
    path: str = "/",
) -> int:
    authenticator = Authenticator(TOKEN)
    return authenticator.check_handshake(
        port=4711, path=path, hosts=hosts, origins=origins, protocols=protocols
    )


@pytest.mark.security("R6.2")
@pytest.mark.parametrize("host", [OURS, "localhost:4711", "[::1]:4711"])
@pytest.mark.parametrize("origin", [None, f"http://{OURS}", "http://localhost:4711", "http://[::1]:4711"])
def test_programs_and_our_own_page_are_accepted(host: str, origin: str | None) -> None:
    assert judged((host,), (origin,) if origin else ()) == 101


@pytest.mark.security("R6.2")
@pytest.mark.parametrize(
    "hosts",
    [
        (),
        ("127.0.0.1",),
        ("localhost",),
        ("127.0.0.1:80",),
        ("127.0.0.1:04711",),
        ("127.0.0.1:47111",),
        ("127.0.0.1.:4711",),
        ("127.1:4711",),
        ("127.0.0.2:4711",),
        ("0.0.0.0:4711",),
        ("2130706433:4711",),
        ("::1:4711",),
        ("[::ffff:127.0.0.1]:4711",),
        ("localhost.:4711",),
        ("LOCALHOST:4711",),
        ("localhost.evil.example:4711",),
        ("evil.example:4711",),
        ("evil.example",),
        (f"{OURS}, {OURS}",),
        (f"{OURS} ",),
        (OURS, OURS),
        (OURS, "evil.example"),
        ("evil.example", OURS),
        (f"user@{OURS}",),
        ("",),
    ],
)
def test_a_foreign_or_malformed_host_is_refused(hosts: tuple[str, ...]) -> None:
    assert judged(hosts) == 403


@pytest.mark.security("R6.2")
@pytest.mark.parametrize(
    "origins",
    [
        ("null",),
        ("",),
        ("https://evil.example",),
        ("http://evil.example:4711",),
        (f"https://{OURS}",),
        (f"ws://{OURS}",),
        ("http://127.0.0.1",),
        ("http://localhost:8080",),
        (f"http://{OURS}.evil.example",),
        (f"http://{OURS}@evil.example",),
        (f"http://evil.example#{OURS}",),
        (f"http://{OURS}/",),
        (f"HTTP://{OURS}",),
        ("http://localhost.evil.example:4711",),
        ("file://",),
        ("vscode-webview://abc",),
        (f"http://{OURS}", f"http://{OURS}"),
        (f"http://{OURS}", "https://evil.example"),
        (f"http://{OURS} https://evil.example",),
    ],
)
def test_a_foreign_or_malformed_origin_is_refused(origins: tuple[str, ...]) -> None:
    assert judged(origins=origins) == 403


@pytest.mark.security("R6.2")
@pytest.mark.parametrize(
    "protocols",
    [
        (),
        ("",),
        ("twospeed.token.",),
        ("twospeed.token",),
        (TOKEN,),
        (f"twospeed.token.{TOKEN[:-1]}",),
        (f"twospeed.token.{TOKEN}0",),
        (f"twospeed.token.{TOKEN.upper()}",),
        (f"Twospeed.token.{TOKEN}",),
        (f"twospeed.token.{'0' * 64}",),
        (f"twospeed.token. {TOKEN}",),
        (f"token.{TOKEN}",),
        (*RIGHT, *RIGHT),
        (f"twospeed.token.{'0' * 64}", *RIGHT),
    ],
)
def test_a_wrong_or_malformed_token_is_refused(protocols: tuple[str, ...]) -> None:
    assert judged(protocols=protocols) == 401


@pytest.mark.security("R6.2")
def test_other_subprotocols_are_ignored() -> None:
    assert judged(protocols=("lsp", *RIGHT, "x")) == 101


@pytest.mark.security("R6.2")
def test_wrong_tokens_never_block_the_right_token() -> None:
    authenticator = Authenticator(TOKEN)
    assert not any(authenticator.is_valid(f"{number:064x}") for number in range(10_000))
    assert authenticator.is_valid(TOKEN)


@pytest.mark.security("R6.2")
def test_a_token_is_new_each_time_and_has_256_bits() -> None:
    tokens = {Authenticator().token for _ in range(50)}
    assert len(tokens) == 50
    assert all(len(bytes.fromhex(token)) == 32 for token in tokens)


@pytest.mark.security("R6.3")
@pytest.mark.parametrize(
    "options",
    [
        None,
        {},
        [],
        "x",
        TOKEN,
        {"token": None},
        {"token": ""},
        {"token": [TOKEN]},
        {"token": {"token": TOKEN}},
        {"token": TOKEN[:-1]},
        {"token": TOKEN + "\0"},
        {"token": int(TOKEN, 16)},
        {"token": True},
        {"token": "\ud800"},
        {"Token": TOKEN},
        {"twospeed": {"token": TOKEN}},
    ],
)
def test_initialize_without_the_right_token_is_refused(options: object) -> None:
    with pytest.raises(RpcError, match=r"initializationOptions\.token") as caught:
        Authenticator(TOKEN).authenticate({"processId": None, "initializationOptions": options})
    assert TOKEN not in caught.value.message


@pytest.mark.security("R6.3")
@pytest.mark.parametrize("params", [None, [], 5, {}])
def test_initialize_without_parameters_is_refused(params: object) -> None:
    with pytest.raises(RpcError):
        Authenticator(TOKEN).authenticate(params)


@pytest.mark.security("R6.3")
def test_the_token_is_removed_from_the_settings() -> None:
    admitted = Authenticator(TOKEN).authenticate(
        {"processId": 1, "initializationOptions": {"token": TOKEN, "mode": "deep"}}
    )
    assert admitted == {"processId": 1, "initializationOptions": {"mode": "deep"}}
    assert Authenticator(TOKEN).authenticate({"initializationOptions": {"token": TOKEN}}) == {
        "initializationOptions": None
    }
