import pytest
from tests.timing import check_linear

from twospeed.workspace.never_send import is_never_sent

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
    "AuthKey_2X9R4HXF34.p8",
    "secring.gpg",
    "secring.bak.skr",
    "certs/root.der",
    "kubeconfig",
    "clusters/prod.kubeconfig",
    "staging-kubeconfig.yaml",
    "home/u/.kube/config.prod",
    ".s3cfg",
    ".boto",
    "rclone.conf",
    "gha-creds-0123456789abcdef.json",
    "shop-firebase-adminsdk-x1y2z-0123456789.json",
    "client_secret_1234.apps.googleusercontent.com.json",
    ".terraformrc",
    "terraform.tfstate.backup",
    "terraform.tfstate.1700000000.backup",
    "prod.auto.tfvars.json",
    "secret-db.yml",
    "secrets-prod.yaml",
    "db-secrets.json",
    "app_secrets.toml",
    "prod.secrets.env",
    "WP-Config.php",
    "local.settings.json",
    ".dockerconfigjson",
    "group_vars/all/vault.yml",
    "vault.yaml",
    "vault_pass.txt",
    ".vault_pass",
    "client.ovpn",
    ".flaskenv",
    "env.local",
    "env.production.local",
    "etc/shadow",
    "etc/shadow-",
    "etc/gshadow",
    ".bash_history",
    ".zsh_history",
    ".python_history",
    ".psql_history",
    ".mysql_history",
    ".node_repl_history",
    "fish_history",
    "PSReadLine/ConsoleHost_history.txt",
    "id_rsa",
    "id_ed25519_work",
    "deploy_ed25519",
    "ssh_host_rsa_key",
    "App.mobileprovision",
    "android/key.properties",
    "gcp-credentials.json",
    "credentials.tfrc.json",
    ".cargo/credentials.toml",
    "home/u/.m2/settings.xml",
    "passwords.txt",
    "db_password.txt",
    ".envs/.local/.django",
    "UTC--2024-01-31T10-00-00.000Z--0123456789abcdef",
]

BACKUPS_OF_LISTED = [
    "server.pem.bak",
    "server.key.old",
    "id_rsa~",
    ".env~",
    "secrets.yml.orig",
    "secrets.yml.rej",
    "credentials.save",
    "wp-config.php.bak",
    "wp-config.php~",
    "wp-config.php.2024-01-31",
    "wp-config.php.20240131",
    "wp-config.php_20240131_1200",
    "wp-config.php-20240131T120000Z",
    "wp-config.php.1706702400",
    "wp-config.php.1",
    "kubeconfig.bak.2",
    "kubeconfig (1)",
    "kubeconfig copy",
    "Copy of kubeconfig",
    "vault.yml - Copy",
    "id_rsa.bak.old~",
    "#kubeconfig#",
    ".#kubeconfig",
    ".kubeconfig.swp",
    "kubeconfig.~1~",
    "shadow.rpmsave",
    "shadow.dpkg-old",
    "kubeconfig_backup",
    "KUBECONFIG.BAK",
    "kubeconfig.bak. ",
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
    "secrets.py",
    "test_credentials.py",
    "credentials_provider.rs",
    "aws-credentials.ts",
    "manage-secrets.go",
    "docs/secrets.md",
    "shadow.css",
    "Shadow.tsx",
    "shadow/theme.json",
    "vault.py",
    "vault_client.go",
    "id_generator.py",
    "id_rsa_parser.py",
    "password.tsx",
    "secrets/client.json",
    "my-secrets/README.md",
    "derive.der.py",
    "history.py",
    "bash_history_parser.py",
    "tokens.json",
    "kubeconfig.go",
    "wp-config-sample.php",
    "settings.json",
    "env.d.ts",
    "locals.tf",
    "variables.tf",
    "backup.py",
    "notes.bak",
    "main.py~",
    "secrets.py.bak",
    "main.py.2024-01-31",
    "release-20240131.txt",
    "~",
    ".bak",
    "#",
]


@pytest.mark.parametrize("path", [*NEVER, *BACKUPS_OF_LISTED])
def test_a_listed_file_is_never_sent(path):
    assert is_never_sent(path) is not None


@pytest.mark.parametrize("path", [*SENT, "secret service.py", ""])
def test_an_ordinary_file_may_be_sent(path):
    assert is_never_sent(path) is None


def test_the_reason_names_the_pattern():
    assert is_never_sent("tls/a.PEM") == 'is never sent: its name matches "*.pem" (private keys)'
    assert is_never_sent(".env") == 'is never sent: its name matches ".env*" (passwords and keys)'


def test_trailing_spaces_and_dots_are_ignored():
    assert is_never_sent("server.pem. . ") is not None
    assert is_never_sent("certs. /server.pem") is not None
    assert is_never_sent(".ssh. /config") is not None


def test_an_alternate_stream_counts_as_its_file():
    assert is_never_sent("server.pem::$DATA") is not None
    assert is_never_sent("C:/certs/server.pem") is not None


def test_ignore_patterns_add_to_the_list():
    assert is_never_sent("data/a.csv") is None
    assert is_never_sent("data/a.csv", ["*.md", "data/"]) == 'is never sent: the settings ignore "data/"'


def test_ignore_patterns_apply_to_the_file_that_windows_opens():
    assert (
        is_never_sent("data./a.csv::$DATA", ["data/a.csv"])
        == 'is never sent: the settings ignore "data/a.csv"'
    )


def test_ignore_patterns_cannot_shorten_the_list():
    assert is_never_sent(".env", ["!.env"]) is not None


@pytest.mark.parametrize("path", [*NEVER, *BACKUPS_OF_LISTED])
def test_the_case_of_a_name_makes_no_difference(path):
    assert is_never_sent(path.upper()) is not None
    assert is_never_sent("/home/u/project/" + path.title()) is not None


def test_a_path_of_a_megabyte_takes_time_linear_in_its_length():
    for part in ("a.bak", "~", "-secrets.", "s/", "."):

        def search(n: int, part: str = part) -> None:
            is_never_sent(part * (n // len(part)))

        check_linear(search, 250_000)
