import pytest

from twospeed.config.base_url import check_base_url, is_loopback, origin_of

pytestmark = pytest.mark.security("R8")

GOOD = [
    "https://api.openai.com/v1",
    "https://a.example",
    "https://a.example:8443/v1/",
    "http://127.0.0.1:8000/v1",
    "http://localhost:11434/v1",
    "http://[::1]:8080",
    "http://127.9.9.9/",
    "https://192.168.1.9/v1",
    "HTTPS://A.EXAMPLE/v1",
]

PLAIN = "must be a plain address, such as https://api.example.com/v1"
HTTPS = "must start with https://; http:// is for this machine alone"
NO_USER = "must not carry a user name or password; name the key's variable in api_key_env"
NO_QUERY = "must not have a query or fragment"

BAD = [
    ("http://a.example/v1", HTTPS),
    ("http://127.0.0.1.example/v1", HTTPS),
    ("http://localhost.example", HTTPS),
    ("http://2130706433", HTTPS),
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
    ("javascript:alert(1)", PLAIN),
    ("https://a.example:0", PLAIN),
    ("https://a.example:99999", PLAIN),
    ("https://a.example:x", PLAIN),
    ("https://[::1", PLAIN),
    ("https://a.exam\nple", PLAIN),
    ("https://a.exam\tple", PLAIN),
    ("https://a.example /v1", PLAIN),
    ("https://a%2eexample", PLAIN),
    ("http://[fe80::1%25lo]/", PLAIN),
    ("https://\u0430.example", PLAIN),
    ("https://a.example\\@evil.example", PLAIN),
]


@pytest.mark.parametrize("url", GOOD)
def test_an_address_is_taken_as_it_is(url):
    assert check_base_url(url) == url


@pytest.mark.parametrize(("url", "reason"), BAD)
def test_an_address_is_refused_with_a_reason_that_does_not_quote_it(url, reason):
    with pytest.raises(ValueError, match=r"^must ") as raised:
        check_base_url(url)
    assert str(raised.value) == reason


def test_this_machine_is_told_by_its_spelling():
    assert is_loopback("http://LOCALHOST:1/x")
    assert not is_loopback("https://localhost.example")
    assert not is_loopback("https://192.168.0.1")


def test_origins_are_compared_in_one_spelling():
    assert origin_of("https://API.example/v1") == origin_of("https://api.example:443/v2")
    assert origin_of("https://api.example") != origin_of("https://api.example:8443")
    assert origin_of("http://[::1]:80/x") == "http://[::1]:80"
