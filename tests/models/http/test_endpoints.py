"""Allowed endpoints: one spelling of an origin, and no network addresses without a model server."""

from __future__ import annotations

import pytest

from twospeed.errors import UnsafeEndpoint
from twospeed.models.http.endpoints import HostRules, Origin, check_address, parse_endpoint

API = Origin("https", "api.x.com", 443)


def origin(url: str) -> Origin:
    return parse_endpoint(url).origin


@pytest.mark.security("R2.1")
@pytest.mark.parametrize(
    "url",
    [
        "https://api.x.com",
        "https://api.x.com/",
        "HTTPS://API.X.com/v1",
        "https://api.x.com:443/v1",
        "https://api.x.com:00443/v1",
        "https://ａｐｉ.x.com/v1",  # noqa: RUF001  # full-width letters are the same name (UTS 46)
        "https://api。x.com/v1",  # the ideographic full stop is a dot (RFC 3490)
    ],
)
def test_different_spellings_of_an_origin_are_equal(url: str) -> None:
    assert origin(url) == API


@pytest.mark.security("R2.1")
@pytest.mark.parametrize(
    "url",
    [
        "https://api.x.com.evil.example/v1",
        "https://api.x.com:8443/v1",
        "https://api-x.com/v1",
        "https://xapi.x.com/v1",
        "https://x.com/api.x.com",
        "https://evil.example/https://api.x.com/v1",
        "https://аpi.x.com/v1",  # noqa: RUF001  # a Cyrillic letter
        "https://xn--pi-7kc.x.com/v1",
        "http://127.0.0.1:443/v1",
    ],
)
def test_a_look_alike_is_another_origin(url: str) -> None:
    assert origin(url) != API


@pytest.mark.security("R2.1")
@pytest.mark.parametrize(
    "url",
    [
        "",
        "api.x.com",
        "//api.x.com",
        "ftp://api.x.com",
        "file:///etc/passwd",
        "https:/api.x.com",
        "https:///v1",
        "https://",
        "https://api.x.com@evil.example/v1",
        "https://user:secret@api.x.com/v1",
        "https://api.x.com\\@evil.example/v1",
        "https://api.x.com\\.evil.example/v1",
        "https://api.x.com%2eevil.example/v1",
        "https://api.x.com%00.evil.example/v1",
        "https://api.x.com./v1",
        "https://api..x.com/v1",
        "https://-api.x.com/v1",
        "https://" + "a" * 64 + ".com",
        "https://" + "a." * 130 + "com",
        "https://api.x.com:0/v1",
        "https://api.x.com:65536/v1",
        "https://api.x.com:/v1",
        "https://api.x.com:44 3/v1",
        "https://api.x.com:٤٤٣/v1",
        "https://api.x.com/v1?key=secret",
        "https://api.x.com/v1#fragment",
        "https://api.x.com/v1\n",
        "https://api\t.x.com/v1",
        "https://api.x.com/v 1",
        "https://api.x.com/\u202ev1",
        " https://api.x.com/v1",
        "https://[::1%25eth0]/v1",
        "https://[::1/v1",
        "https://[api.x.com]/v1",
        "https://2130706433/v1",
        "https://0x7f000001/v1",
        "https://0177.0.0.1/v1",
        "https://127.1/v1",
        "https://1.2.3.0x4/v1",
        "https://127.0.0.1.5/v1",
        "https://999.1.1.1/v1",
        "https://straße.example/v1",  # strasse.example, or xn--strae-oqa.example: somebody else's
        "https://STRAẞE.example/v1",
    ],
)
def test_an_unusual_base_url_is_refused(url: str) -> None:
    with pytest.raises(UnsafeEndpoint):
        parse_endpoint(url)


PLAIN = "must be a plain address, such as https://api.example.com/v1"
HTTPS = (
    "must start with https://; http:// is only for this machine, or with insecure_http = true in your own config "
    "for a host in a private network"
)
NO_USER = "must not carry a user name or password; name the key's variable in api_key_env"
NO_QUERY = "must not have a query or fragment"

REASONS = [
    ("http://a.example/v1", HTTPS),
    ("http://127.0.0.1.example/v1", HTTPS),
    ("http://localhost.example", HTTPS),
    ("http://0.0.0.0:8000", HTTPS),
    ("http://169.254.169.254/latest", HTTPS),
    ("https://me@a.example", NO_USER),
    ("https://me:pw@a.example", NO_USER),
    ("https://@a.example", NO_USER),
    ("http://127.0.0.1@evil.example", NO_USER),
    ("https://a.example/v1?key=x", NO_QUERY),
    ("https://a.example/v1?", NO_QUERY),
    ("https://a.example/v1#x", NO_QUERY),
    ("", PLAIN),
    ("a.example/v1", PLAIN),
    ("//a.example", PLAIN),
    ("https:a.example", PLAIN),
    ("https://", PLAIN),
    ("https:///v1", PLAIN),
    ("ftp://a.example", PLAIN),
    ("file:///etc/passwd", PLAIN),
    ("https://straße.example", f'{PLAIN}; write the host in its "xn--" form'),
    ("javascript:alert(1)", PLAIN),
    ("https://a.example:0", PLAIN),
    ("https://a.example:99999", PLAIN),
    ("https://a.example:x", PLAIN),
    ("https://[::1", PLAIN),
    ("https://a.exam\nple", PLAIN),
    ("https://a.exam\tple", PLAIN),
    ("https://a.example /v1", PLAIN),
    ("https://a%2eexample", PLAIN),
    ("http://2130706433", PLAIN),
    ("https://a.example/sk-4242\u202e", PLAIN),
    ("http://[fe80::1%25lo]/", PLAIN),
    ("https://a.example\\@evil.example", PLAIN),
]


@pytest.mark.security("R7")
@pytest.mark.parametrize(("url", "reason"), REASONS)
def test_a_refusal_names_the_problem_without_quoting_the_url(url: str, reason: str) -> None:
    with pytest.raises(UnsafeEndpoint) as raised:
        parse_endpoint(url)
    assert str(raised.value) == reason


def test_this_machine_is_recognized_by_its_spelling() -> None:
    assert origin("http://LOCALHOST:1/x").is_loopback
    assert not origin("https://localhost.example").is_loopback
    assert not origin("https://192.168.0.1").is_loopback


def test_an_origin_is_formatted_in_canonical_form() -> None:
    assert str(origin("https://API.example/v1")) == str(origin("https://api.example:443/v2"))
    assert str(origin("https://api.example")) != str(origin("https://api.example:8443"))
    assert str(origin("http://[::1]:80/x")) == "http://[::1]"


@pytest.mark.security("R8")
@pytest.mark.parametrize("host", ["api.x.com", "10.0.0.1", "0.0.0.0", "[fe80::1]", "localhost.evil.example"])
def test_plain_http_is_only_for_this_machine(host: str) -> None:
    with pytest.raises(UnsafeEndpoint, match="https"):
        parse_endpoint(f"http://{host}/v1")


@pytest.mark.security("R8")
@pytest.mark.parametrize(
    "host", ["gpu.lan", "host.docker.internal", "192.168.1.5", "172.17.0.1", "[fd12::5]"]
)
def test_insecure_http_allows_plain_http_to_a_private_address(host: str) -> None:
    assert parse_endpoint(f"http://{host}:11434/v1", insecure_http=True).origin.is_unencrypted


@pytest.mark.security("R8")
@pytest.mark.parametrize(
    "host",
    ["93.184.216.34", "[2606:4700::6812:7c0]", "169.254.169.254", "0.0.0.0", "100.64.0.1", "[fe80::1]"],
)
def test_insecure_http_allows_no_other_address(host: str) -> None:
    with pytest.raises(UnsafeEndpoint, match=r"forbidden|public address"):
        parse_endpoint(f"http://{host}:11434/v1", insecure_http=True)


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST", "127.0.0.1", "127.9.8.7", "[::1]", "[0:0::1]"])
def test_this_machine_may_be_reached_by_http(host: str) -> None:
    assert origin(f"http://{host}:8000/v1").is_loopback


def test_an_endpoint_returns_the_url_of_a_path() -> None:
    assert (
        parse_endpoint("https://API.x.com/openai/v1/").url("/models") == "https://api.x.com/openai/v1/models"
    )
    assert parse_endpoint("http://[::1]:8080").url("/health") == "http://[::1]:8080/health"


FORBIDDEN = [
    "0.0.0.0",
    "0.1.2.3",
    "100.64.0.1",
    "100.100.100.200",
    "100.127.255.255",
    "168.63.129.16",
    "169.254.0.1",
    "169.254.169.254",
    "192.0.0.192",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "fd00:ec2::254",
    "fd20:ce::254",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "::ffff:169.254.169.254",
    "::ffff:a9fe:a9fe",
    "64:ff9b::a9fe:a9fe",
    "2002:a9fe:a9fe::1",
]
PRIVATE = ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.5", "127.0.0.1", "::1", "fd12:3456::1"]
PRIVATE_MAPPED = ["::ffff:10.0.0.1", "::ffff:127.0.0.1", "64:ff9b::c0a8:105", "2002:7f00:1::"]


def refusal(address: str, host: str, *, private_allowed: bool) -> str | None:
    """Return why no request may go to an address; None if it may."""
    try:
        check_address(address, host=host, private_allowed=private_allowed)
    except UnsafeEndpoint as error:
        return str(error)
    return None


@pytest.mark.security("R8")
@pytest.mark.parametrize("address", FORBIDDEN)
@pytest.mark.parametrize("private_allowed", [False, True])
def test_no_config_allows_a_network_that_serves_no_model(address: str, private_allowed: bool) -> None:
    with pytest.raises(UnsafeEndpoint, match=r"api\.x\.com"):
        check_address(address, host="api.x.com", private_allowed=private_allowed)


@pytest.mark.security("R8")
@pytest.mark.parametrize("address", PRIVATE + PRIVATE_MAPPED)
def test_a_private_network_is_refused_until_the_config_allows_it(address: str) -> None:
    with pytest.raises(UnsafeEndpoint, match="private"):
        check_address(address, host="gpu.lan", private_allowed=False)
    assert refusal(address, "gpu.lan", private_allowed=True) is None


@pytest.mark.parametrize("address", ["1.1.1.1", "104.18.7.192", "2606:4700::6812:7c0", "::ffff:1.1.1.1"])
def test_the_open_internet_is_allowed(address: str) -> None:
    assert refusal(address, "api.x.com", private_allowed=False) is None
    assert refusal(address, "api.x.com", private_allowed=True) is None
    assert refusal(address, "localhost", private_allowed=True), "this machine is at no such address"


@pytest.mark.security("R8")
@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "::1"])
def test_localhost_must_resolve_to_a_loopback_address(host: str) -> None:
    assert refusal("127.0.0.1", host, private_allowed=False) is None
    assert refusal("::1", host, private_allowed=False) is None
    with pytest.raises(UnsafeEndpoint, match="this machine"):
        check_address("93.184.216.34", host=host, private_allowed=True)


@pytest.mark.security("R8")
@pytest.mark.parametrize(
    "url", ["https://169.254.169.254/latest", "https://[fd00:ec2::254]", "https://10.0.0.1"]
)
def test_an_address_in_the_url_is_checked_like_a_resolved_one(url: str) -> None:
    with pytest.raises(UnsafeEndpoint):
        HostRules().check(origin(url))
    HostRules().check(origin("https://api.x.com"))


def test_an_unusual_path_is_refused() -> None:
    for odd in ("a b", "a\x7fb", "a\u2028b", "a\tb"):
        with pytest.raises(UnsafeEndpoint):
            parse_endpoint(f"https://lab.example/{odd}")
