"""Contexts that contain secrets: addresses, headers, commands, configuration, and password hashes.

Sources: RFC 3986, RFC 6265, RFC 6750, RFC 7617, RFC 7517, crypt(5), the manuals of the commands.
"""

from __future__ import annotations

from .key_formats import KeyFormat

_HASHES = (
    "apr1", "1", "2a", "2b", "2y", "5", "6", "7", "y", "P", "H", "gy", "argon2id", "argon2i", "argon2d", "scrypt", "pbkdf2",
    *(f"pbkdf2-sha{bits}" for bits in (1, 224, 256, 384, 512)),
)  # fmt: skip
"""Hash names between the first two ``$`` (crypt(5), passlib)."""

CONTEXTS: tuple[KeyFormat, ...] = (
    KeyFormat("Google refresh token", ("1//0",), r"(?<![\w/])(?P<secret>1//0[A-Za-z0-9_\-]{20,}+)"),
    KeyFormat(
        "Azure secret",
        ("q~",),
        r"(?P<secret>[A-Za-z0-9_~.\-]{3}[0-9]Q~[A-Za-z0-9_~.\-]{31,34}+)(?![A-Za-z0-9_~.\-])",
        n_before=4,
        words=("",),
    ),
    KeyFormat(
        "Terraform Cloud token",
        (".atlasv1.",),
        r"(?P<secret>[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_\-=]{40,}+)",
        n_before=14,
    ),
    KeyFormat(
        "Teams webhook",
        ("/incomingwebhook/", "/webhookb2/"),
        r"(?i)/(?:incomingwebhook|webhookb2)/(?P<secret>[A-Za-z0-9@/_\-]{20,}+)",
    ),
    KeyFormat(
        "webhook",
        ("hooks.zapier.com/", "maker.ifttt.com/", "outlook.office.com/webhook/", "chat.googleapis.com/v1/"),
        r"(?i)(?:zapier\.com/hooks/catch/|ifttt\.com/trigger/[\w-]{1,64}/(?:json/)?with/key/|/webhook/|/v1/spaces/)(?P<secret>[A-Za-z0-9@/_\-?=&%.]{12,}+)",
    ),
    KeyFormat(
        "Docker's or npm's auth",
        ("_auth", '"auth"'),
        r"""(?i)(?:_auth(?:token)?|"auth")["']?[ \t]{0,4}[:=][ \t]{0,4}["']?(?P<secret>(?=[A-Za-z+/._\-]{0,64}+[0-9=])[A-Za-z0-9+/=._\-]{12,}+)(?![(\[$\w])""",
    ),
    KeyFormat(
        "private JSON web key",
        ('"d"', '"k"'),
        r'"[dk]"[ ]?:\s{0,8}+"(?P<secret>[A-Za-z0-9_\-]{22,}+)"',
        words=("kty",),
    ),
    KeyFormat(
        "private key in XML",
        ("<d>",),
        r"<D>\s{0,16}+(?P<secret>[A-Za-z0-9+/=]{22,}+)",
        words=("rsakeyvalue",),
    ),
    KeyFormat(
        "hash of a password",
        ("$",),
        rf"(?P<secret>\$(?:{'|'.join(_HASHES)})\$[A-Za-z0-9./$=,+]{{16,}}+)",
        is_anywhere=True,
        between=frozenset(_HASHES),
    ),
    KeyFormat(
        "hash of a password",
        ("pbkdf2_sha", "pbkdf2:sha", "scrypt:", "argon2$", "bcrypt$", "bcrypt_sha256$", "{ssha", "{sha"),
        r"(?i)(?P<secret>(?:pbkdf2[_:]sha[0-9]{1,3}[$:]|scrypt:[0-9]|argon2\$|bcrypt(?:_sha256)?\$|\{s?sha(?:256|512)?\})[A-Za-z0-9./$=,+:_\-]{16,}+)",
    ),
    KeyFormat(
        "secret of a one-time password",
        ("otpauth://",),
        r"(?i)otpauth://[^\s\"'`]{0,200}?[?&]secret=(?P<secret>[A-Z2-7=]{12,}+)",
    ),
    KeyFormat(
        "password of a data source",
        ("@tcp(", "@unix(", "@udp("),
        r"[^\s:@/]{1,64}+:(?P<secret>(?![{$<%*])\S{1,128}?)@(?:tcp|unix|udp)\(",
        n_before=200,
    ),
    KeyFormat(
        "password of a data source",
        ("oracle:thin:", "oracle:oci:", "sqlplus "),
        r"""(?i)(?:oracle:(?:thin|oci):|sqlplus[ ](?:-\w[ ])?)[\w$\#]{1,40}+/(?P<secret>(?![{$<%*])[^\s/@"'`]{3,128}+)@""",
    ),
    KeyFormat(
        "cookie",
        ("cookie:", "cookie'", 'cookie"'),
        r"""(?i)cookie["']?[ \t]{0,4}[:=,][ \t]{0,4}["']?[\w.\-]{1,64}=(?P<secret>(?![{$<%*])[^\s;,"'`]{8,}+)""",
    ),
    KeyFormat(
        "session",
        ("sessionid=", "phpsessid=", "jsessionid=", "connect.sid=", "csrftoken=", "session="),
        r"(?i)(?:sessionid|phpsessid|jsessionid|connect\.sid|csrftoken|session)=(?P<secret>(?![{$<%*])[A-Za-z0-9%._+/=\-]{20,}+)",
    ),
    KeyFormat(
        "password of a command",
        ("curl ", "wget ", "httpie "),
        r"""[ ](?:-u|--user|-a|--auth|--proxy-user|-U)[ =]?["']?[^\s:"'$]{1,64}+:(?P<secret>(?![{$<%*])[^\s"'`]{4,128}+)""",
        is_in_line=True,
    ),
    KeyFormat(
        "password of a command",
        (
            "mysql ",
            "mysqldump ",
            "mysqladmin ",
            "mariadb ",
            "sshpass ",
            "mongo ",
            "mongosh ",
            "mongodump ",
            "az login ",
        ),
        r"""[ ]-p[ ]?(?<!mysql -p )["']?(?P<secret>(?![{$<%*-])[^\s"'`]{4,128}+)""",
        is_in_line=True,
    ),
    KeyFormat(
        "password of a command",
        (
            "docker login",
            "podman login",
            "registry login",
            "smbclient ",
            "ldapsearch ",
            "redis-cli ",
            "openssl ",
            "sqlcmd ",
            "secret set ",
            "zip ",
            "keytool ",
            "jarsigner ",
        ),
        r"""[ ](?:-p[ ]|-k[ ]|-(?:src|dest)?(?:store|key)pass[ ]|-w[ ]|-a[ ]|-P[ ]?|-U[ ]?[^\s%]{1,64}+%|-pass(?:in|out)?[ ]pass:|--body[ =]|-b[ ])["']?(?P<secret>(?![{$<%*-])[^\s"'`]{4,128}+)""",
        is_in_line=True,
    ),
    KeyFormat(
        "password of a command",
        ("htpasswd -", "net user ", "convertto-securestring "),
        r"""(?i)(?:htpasswd[ ]-\w{0,8}b\w{0,8}[ ]\S{1,200}+[ ]\S{1,64}+[ ]|net[ ]user[ ]["']?[\w.\-]{1,64}+["']?[ ](?=\S{0,64}[0-9!@#])|convertto-securestring[ ](?:-string[ ])?)["']?(?P<secret>(?![{$<%*/-])[^\s"'`]{4,128}+)""",
    ),
    KeyFormat("password of a Spring user", ("{noop}",), r"\{noop\}(?P<secret>[^\s\"'`<>]{4,128}+)"),
    # At least four words, and not a sentence about a passphrase.
    KeyFormat(
        "passphrase of words",
        ("passphrase", "pass_phrase"),
        r"""(?i:pass_?phrase)["']?[ \t]{0,4}(?:=>|:=|[:=])[ \t]{0,4}["'](?P<secret>(?![a-z \-]{0,120}\b(?:the|your|for|must|not|this|that|with|please|enter|phrase)\b)[a-z]{3,9}(?:[ \-][a-z]{3,9}){3,11})["']""",
    ),
    KeyFormat(
        "password of a router",
        ("password 7 ", "secret 5 ", "secret 8 ", "secret 9 "),
        r"(?:password|secret)[ ][0-9][ ](?P<secret>[^\s\"']{8,128}+)",
    ),
    KeyFormat(
        "seed phrase",
        ("mnemonic", "seed phrase", "seed_phrase", "seedphrase", "recovery phrase", "seed words", "seed ="),
        r"(?i)(?:mnemonic|seed[ _]?phrase|recovery[ ]phrase|seed[ ]words|seed[ ]=)[\"'=:\s(]{0,8}(?:is[ ])?[\"']?(?P<secret>(?:[a-z]{3,8}[ ]){11,23}[a-z]{3,8})(?![a-z])",
    ),
    KeyFormat(
        "entry of .pgpass",
        (":5432:", ":3306:", ":1521:"),
        r"(?::5432|:3306|:1521|:\*):[\w*\-]{1,64}+:[\w.\-*]{1,64}+:(?P<secret>(?![{$<%*])[^\s:\"']{4,128}+)(?=\s|\Z|[\"'])",
    ),
    KeyFormat(
        "password in SQL",
        ("identified by", "identified with", "password '", "password '"),
        r"(?i)(?:identified[ ](?:with[ ][\w'\"]{1,40}[ ])?(?:by|as)(?:[ ]password)?|(?:with|encrypted|role[ ]\w{1,40}|user[ ]\w{1,40})[ ]password)[ ]{0,4}['\"](?P<secret>(?![{$<%*?:])[^\s'\"]{4,128}+)['\"]",
    ),
    KeyFormat(
        "Slack webhook",
        ("hooks.slack.com/",),
        r"hooks\.slack\.com/(?:services|workflows)/(?P<secret>[A-Za-z0-9/_\-]{20,}+)",
    ),
    KeyFormat(
        "Discord webhook",
        ("/api/webhooks/",),
        r"/api/webhooks/(?P<secret>[0-9]{16,20}+/[A-Za-z0-9_\-]{40,}+)",
    ),
    # Not a template variable, such as {0}, <password>, $(Password) or %PASS%.
    KeyFormat(
        "password of a connection string",
        (";password=", ";pwd=", "; password=", "; pwd="),
        r"(?i);[ ]?(?:password|pwd)=(?P<secret>(?![{$<%*]|(?:your|pass|pwd|x{3})[\w-]*[;\"'])[^\s;\"'`]{4,128}+)(?=[;\"'])",
    ),
    KeyFormat(
        "key of an Azure account",
        ("accountkey=", "accesskey="),
        r"(?i)(?:account|access)key=(?P<secret>[A-Za-z0-9+/]{20,}+={0,2})",
    ),
    KeyFormat("signature of an address", ("sig=",), r"(?i)(?<=[?&])sig=(?P<secret>[A-Za-z0-9%+/]{30,}+=?)"),
    # Neither a template variable, such as {password}, $PASSWORD, %PASS% or <password>, nor the word itself.
    KeyFormat(
        "password in a URL",
        ("://",),
        r"://[^\s/?#:@\"'`]*+:(?P<secret>(?![{<*]|\$[A-Za-z_{(]|%(?:[sdr(]|[A-Z_]{2,40}%)|(?i:pass(?:word|wd)?|pwd?|secret|x{3,}|your[\w-]*)@)[^\s/?#\"'`]+)@",
    ),
    KeyFormat(
        "token in a URL",
        ("://",),
        r"://(?P<secret>(?=[A-Za-z_.\-]{0,40}+[0-9])(?=[0-9_.\-]{0,40}+[A-Za-z])[A-Za-z0-9_.~%+=\-]{16,}+)(?::(?:x-oauth-basic)?)?@",
    ),
    KeyFormat(
        "bearer token",
        ("bearer",),
        r"\b[Bb](?:earer|EARER)[ \t]{1,8}(?P<secret>(?=[A-Za-z._~+/=\-]{0,64}+[0-9])[A-Za-z0-9._~+/=\-]{8,}+)",
    ),
    KeyFormat(
        "key in a header",
        ("api-key", "authorization"),
        r"""(?i)\b(?:(?:x-)?(?:goog-)?api-key|authorization)["']?[ \t]{0,8}[:=][ \t]{0,8}["']?"""
        r"""(?:(?:basic|token|apikey|api-key|key)[ \t]{1,8})?(?!bearer\b)(?P<secret>(?=[A-Za-z._~+/\-]{0,64}+[0-9=])[A-Za-z0-9._~+/=\-]{8,}+)(?![(\[])""",
    ),
)
