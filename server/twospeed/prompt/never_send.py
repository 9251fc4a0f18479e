"""Name the files whose text is never sent to a model.

The list holds for every document, also for the one an edit is asked for, and nothing switches it off; ignore
patterns of the settings can only add to it. Names alone are judged, so that nothing has to be read.
"""

from __future__ import annotations

from collections.abc import Iterable

from twospeed.text.globs import first_match_of_file

PRIVATE_KEYS = (
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.ppk",
    "*.jks",
    "*.keystore",
    "id_rsa*",
    "id_dsa*",
    "id_ecdsa*",
    "id_ed25519*",
    ".ssh/",
    ".gnupg/",
)

PASSWORDS = (
    ".env*",
    "*.env",
    "secrets.*",
    ".secrets*",
    "credentials",
    ".credentials*",
    # Data only: a module named `credentials.py` is ordinary source.
    "credentials.json",
    "credentials.y*ml",
    "credentials.toml",
    "credentials.ini",
    "credentials.xml",
    "credentials.csv",
    "*.kdb",
    "*.kdbx",
    ".npmrc",
    ".pypirc",
    ".netrc",
    "_netrc",
    ".git-credentials",
    ".pgpass",
    ".my.cnf",
    ".htpasswd",
    ".vault-token",
    ".dockercfg",
    "**/.docker/config.json",
    "**/.kube/config",
    ".aws/",
    ".azure/",
    "*.tfvars",
    "*.tfstate",
    "service-account*.json",
    "service_account*.json",
)


def is_never_sent(path: str, ignore: Iterable[str] = ()) -> str | None:
    """Say why a file's text is never sent, ``None`` where it may be.

    Args:
        path: The document's path, relative to the workspace's root where it is inside, else absolute. Case,
            Unicode composition, and dots and spaces at the end of a name make no difference.
        ignore: Patterns of the settings, in the form `globs` describes.

    Returns:
        A phrase without a dot, to stand behind the file's name, such as
        ``is never sent: its name matches "*.pem" (private keys)``.
    """
    for kind, patterns in (("private keys", PRIVATE_KEYS), ("passwords and keys", PASSWORDS)):
        if pattern := first_match_of_file(path, patterns):
            return f'is never sent: its name matches "{pattern}" ({kind})'
    if pattern := first_match_of_file(path, ignore):
        return f'is never sent: the settings ignore "{pattern}"'
    return None
