import pytest

from twospeed.prompt.never_send import is_never_sent

pytestmark = pytest.mark.security("R4.1")

NEVER = [
    ".env",
    ".env.local",
    ".ENV",
    ".envrc",
    "prod.env",
    "app/.env.production",
    "server.pem",
    "SERVER.PEM",
    "certs/tls.key",
    "id_rsa",
    "id_rsa.pub",
    "ID_ED25519",
    ".npmrc",
    "web/.npmrc",
    ".netrc",
    "_netrc",
    ".pypirc",
    "vault.kdbx",
    "secrets.yaml",
    "secrets.py",
    "config/Secrets.json",
    "credentials",
    "credentials.json",
    ".aws/credentials",
    ".aws/config",
    ".ssh/config",
    "/home/u/.ssh/known_hosts",
    ".kube/config",
    "/home/u/.docker/config.json",
    ".git-credentials",
    ".pgpass",
    ".htpasswd",
    "prod.tfvars",
    "terraform.tfstate",
    "service-account-prod.json",
    "key.p12",
    "store.jks",
    "id_rsa.",
    ".env::$DATA",
    "a\\b\\.env",
    "certs/localhost:8443.pem",
]

SENT = [
    "env.py",
    "environment.ts",
    "pem.go",
    "key.py",
    "keys.md",
    "keyboard.key.py",
    "monkey",
    "readme.md",
    "credentials.py",
    "my_secrets.py",
    "id.rsa",
    "docker/config.json",
    "kube/config",
    "app.envoy.yaml",
    "src/aws/client.py",
]


@pytest.mark.parametrize("path", NEVER)
def test_never_sent(path):
    assert is_never_sent(path) is not None


@pytest.mark.parametrize("path", [*SENT, "secret service.py", ""])
def test_may_be_sent(path):
    assert is_never_sent(path) is None


def test_the_reason_names_the_pattern():
    assert is_never_sent("tls/a.PEM") == 'is never sent: its name matches "*.pem" (private keys)'
    assert is_never_sent(".env") == 'is never sent: its name matches ".env*" (passwords and keys)'


def test_spaces_and_dots_that_windows_drops_do_not_help():
    assert is_never_sent("server.pem. . ") is not None
    assert is_never_sent("certs. /server.pem") is not None
    assert is_never_sent(".ssh. /config") is not None


def test_another_stream_of_a_windows_file_is_the_file():
    assert is_never_sent("server.pem::$DATA") is not None
    assert is_never_sent("C:/certs/server.pem") is not None


def test_ignore_patterns_add_to_the_list():
    assert is_never_sent("data/a.csv") is None
    assert is_never_sent("data/a.csv", ["*.md", "data/"]) == 'is never sent: the settings ignore "data/"'


def test_ignore_patterns_hold_for_the_file_that_windows_opens():
    assert (
        is_never_sent("data./a.csv::$DATA", ["data/a.csv"])
        == 'is never sent: the settings ignore "data/a.csv"'
    )


def test_ignore_patterns_take_nothing_away():
    assert is_never_sent(".env", ["!.env"]) is not None
