"""Files whose text is never sent to a model.

The list applies to every document, also to the edited one, and cannot be disabled. No file is read. A backup
is treated as its original: ``server.pem.bak``, ``.env~``. A pattern is a file name, ``*.pem``; a folder,
``.ssh/``, for all files below it; or a folder and a file in it, ``.kube/config``. It matches at any depth,
ignoring case. Sources: the tools' documentation.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

from twospeed.text.globs import first_match_of_file, parts_of

PRIVATE_KEYS = (
    "*.pem", "*.key", "*.der", "*.p8", "*.pk8", "*.p12", "*.pkcs12", "*.pfx", "*.pvk", "*.snk", "*.ppk",
    "*.jks", "*.bks", "*.jceks", "*.keystore", "*.keychain", "*.keychain-db", "*.agekey",
    "*.mobileprovision", "*.provisionprofile",
    "secring.*", "ssh_host_*_key", "*_rsa", "*_dsa", "*_ecdsa", "*_ed25519", "identity.age", "utc--*", "wallet.dat",
    ".ssh/", ".gnupg/", "age/keys.txt",
)  # fmt: skip

PASSWORDS = (
    ".env*", ".env*/", "*.env", "env.local", "env.*.local", ".flaskenv", ".secrets*", ".secrets*/", ".credentials*",
    ".credentials*/",
    "*.kdb", "*.kdbx", "*.psafe3", "*.agilekeychain/", "*.opvault/", ".password-store/",
    # Package managers and version control
    ".npmrc", ".pypirc", ".netrc*", "_netrc", ".authinfo*", ".git-credentials", ".gitcookies", ".gem/credentials",
    ".cargo/credentials*", ".m2/settings*.xml", ".gradle/gradle.properties",
    ".composer/auth.json", "gh/hosts.yml", ".config/hub",
    # Databases
    ".pgpass", "pgpass.conf", ".my.cnf", ".mylogin.cnf", ".dbshell", ".rediscli_auth", ".snowsql/config", ".databrickscfg",
    # Clouds and their tools
    ".aws/", ".azure/", ".oci/", "gcloud/*.json", "gcloud/*.db", ".s3cfg", ".boto", ".passwd-s3fs", "passwd-s3fs",
    "rclone.conf", "gha-creds-*", "*adminsdk*.json", "client_secret*.json", "service-account*.json",
    "service_account*.json", "application_default_credentials.json", ".terraformrc", "terraform.rc", "*.tfvars",
    "*.tfvars.json", "*.tfstate", "*.tfstate.*", ".vault-token", ".vault_pass*", ".vault-pass*", "local.settings.json",
    "doctl/config.yaml", "ngrok.yml", ".ngrok2/",
    # Containers
    ".docker/config.json", ".dockercfg", ".dockerconfigjson", ".kube/config*", "kubeconfig",
    "*.kubeconfig", "*-kubeconfig.y*ml", "kube_config*.y*ml", "kubernetes/admin.conf",
    # Servers, mail and file transfer
    ".htpasswd*", "*.htpasswd", "htpasswd", "*.htdigest", ".smbcredentials", "wp-config.php", "*.ovpn", "*.rdp",
    ".msmtprc", ".fetchmailrc", ".getmailrc", ".ftpconfig", "sftp-config.json", ".vscode/sftp.json", "sitemanager.xml",
    "recentservers.xml", ".curlrc", ".wgetrc", ".twurlrc", "logins.json", "key4.db", "signons.sqlite",
)  # fmt: skip

HISTORIES = (
    ".*_history", ".*-history", "fish_history", "consolehost_history.txt", ".histfile", ".zhistory", ".sh_history",
    ".lesshst", ".viminfo",
)  # fmt: skip
"""Shell histories, which may contain typed passwords."""

PASSWORDS_IN_DATA = (
    "secrets.*", "secret.*", "secrets", "*-secrets.*", "*_secrets.*", "*.secrets.*", "*.secrets", "secret*.y*ml",
    "*-secret.y*ml", "*_secret.y*ml", "*.secret.*",
    "credentials", "credentials.*", "credential.*", "*-credentials.*", "*_credentials.*", "*.credentials",
    "passwords.*", "password.*", "passwords", "*-passwords.*", "*_passwords.*",
    "*_password", "*-password", "*_password.txt", "*-password.txt", "passwd", "*.passwd",
    "api_keys.*", "api-keys.*", "apikeys.*", "apikey.*", "api_key.*", "access_keys.*", "accesskeys.*",
    "shadow", "gshadow", "vault.y*ml", "vault.json", "*-vault.y*ml", "*_vault.y*ml", "vault_pass*", "vault-pass*", "kubeconfig.*",
    "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "id_xmss*",
    "keystore.properties", "key.properties", "signing.properties",
)  # fmt: skip
"""Data, and files without suffix. A module ``credentials.py`` is source, whose secrets are hidden singly."""

_SOURCE_SUFFIXES = frozenset(
    (
        "ada", "asm", "astro", "bzl", "c", "cc", "cjs", "clj", "cljs", "cpp", "cs", "css", "cts", "cxx", "d",
        "dart", "ejs", "el", "elm", "erb", "erl", "ex", "exs", "f90", "fs", "fsx", "go", "gql", "graphql",
        "groovy", "h", "haml", "hbs", "hh", "hpp", "hrl", "hs", "htm", "html", "hxx", "ipynb", "java",
        "jinja", "j2", "jl", "js", "jsx", "kt", "kts", "less", "liquid", "lua", "m", "md", "mdx", "mjs", "ml",
        "mli", "mm", "mts", "nim", "nix", "org", "pas", "php", "phtml", "pl", "pm", "proto", "ps1", "psm1",
        "pug", "py", "pyi", "pyx", "r", "rb", "rs", "rst", "s", "sass", "sbt", "sc", "scala", "scss", "slim",
        "sol", "styl", "svelte", "svg", "swift", "tex", "thrift", "ts", "tsx", "twig", "v", "vb", "vim",
        "vue", "wat", "xsl", "zig",
    )
)  # fmt: skip
"""Suffixes of programs, style sheets and documentation."""


_LISTS = (
    # Kind, patterns, whether they apply to source files too
    ("private keys", PRIVATE_KEYS, True),
    ("passwords and keys", PASSWORDS, True),
    ("command histories", HISTORIES, True),
    ("passwords and keys", PASSWORDS_IN_DATA, False),
)

_MAX_MARKS = 4
"""Limit for backups of backups: ``id_rsa.bak.old~`` has three marks."""

_BACKUP_MARK = re.compile(
    r"~|\#|\.~[0-9]{1,4}~"
    r"|[._-](?:bak|back|backup|bkp|old|orig|original|save|saved|sav|sw[n-p]|tmp|temp|copy|prev|previous|dist|rej"
    r"|rpm(?:save|new|orig)|dpkg-(?:old|new|dist|bak)|ucf-(?:old|new|dist))[0-9]{0,3}"
    r"|[ ]?\((?:copy|[0-9]{1,3})\)|[ ](?:-[ ])?copy(?:[ ][0-9]{1,3})?"
    r"|\.[0-9]{1,3}|[._-][0-9]{4}-?[0-9]{2}-?[0-9]{2}(?:[t_.-]?[0-9:-]{4,8})?z?|[._-][0-9]{10,14}"
    r"|(?<=shadow)-|(?<=passwd)-"
)
"""End of a backup's folded name: a word, a number, or a date with optional time."""

_MAX_MARK_CHARS = 40
_MAX_NAME_CHARS = 255
"""Limit of a name on any file system (NAME_MAX of Linux, NTFS, APFS)."""


def is_never_sent(path: str, ignore: Iterable[str] = ()) -> str | None:
    """Return why a file's text is never sent, as a phrase to follow its name, or ``None``.

    A path outside the workspace is absolute. Case, Unicode composition, and dots and spaces at the end of a
    name are ignored.
    """
    if listed := _listed(path):
        pattern, kind = listed
        return f'is never sent: its name matches "{pattern}" ({kind})'
    if ignored := first_match_of_file(path, ignore):
        return f'is never sent: the settings ignore "{ignored}"'
    return None


@lru_cache(maxsize=256)  # each edit of a document checks the same path
def _listed(path: str) -> tuple[str, str] | None:
    *folders, name = parts_of(path) or ("",)
    names = (name[-_MAX_NAME_CHARS:], _opened_name(name))
    below = f"{_opened_name(folders[-1])}/" if folders else ""
    candidates = [f"{_opened_name(folder)}/" for folder in folders]
    originals = [original for each in names for original in _originals(each)]
    candidates += [each for original in originals for each in (original, below + original)]
    is_source = originals[-1].rpartition(".")[2] in _SOURCE_SUFFIXES
    for kind, patterns, holds_for_source in _LISTS:
        if is_source and not holds_for_source:
            continue
        matches = _any_of(patterns)
        if listed := next(filter(matches, candidates), None):
            pattern = next(each for each in patterns if fnmatch.fnmatchcase(listed, each))
            return pattern, kind
    return None


def _opened_name(name: str) -> str:
    # Windows opens "id_rsa" for "id_rsa. " and ".env" for ".env::$DATA".
    return name.partition(":")[0].rstrip(". ")[-_MAX_NAME_CHARS:] or name[-_MAX_NAME_CHARS:]


def _originals(name: str) -> Iterator[str]:
    """Yield a name, then possible originals of a backup; the last one has no backup mark."""
    yield name
    if name.startswith(".") and name.endswith(
        (".swp", ".swo", ".swn")
    ):  # Vim: ".id_rsa.swp" belongs to "id_rsa"
        name = name[1:]
    name = name.removeprefix(".#").removeprefix("#").removeprefix("copy of ").removeprefix("backup of ")
    for _ in range(_MAX_MARKS):
        start = max(len(name) - _MAX_MARK_CHARS, 1)
        mark = next((at for at in range(start, len(name)) if _BACKUP_MARK.fullmatch(name, at)), None)
        if mark is None:
            break
        name = name[:mark]
    yield name


@lru_cache
def _any_of(patterns: tuple[str, ...]) -> Callable[[str], object]:
    # Linear time: `fnmatch` makes every "*" but the last atomic.
    return re.compile("|".join(map(fnmatch.translate, patterns))).match
