"""Documented formats of keys and tokens, with a fixed prefix or in a fixed context.

Repeats are possessive or bounded, so time is linear. detect-secrets 1.5 takes 200 times as long and reports
2,353 secrets in 605 lines of the standard library.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class KeyFormat:
    """One kind of secret.

    Attributes:
        marks: Every text with such a secret contains one of these, in any case.
        source: Regular expression that matches from a mark on; the group ``secret`` is hidden.
        begins_with_mark: Whether the secret begins with a mark, at the start of a word or after a dot.
        n_before: Characters before a mark that may belong to a match, up to a space or quote.
        is_in_line: Whether to search the rest of the mark's line, including shell continuations.
        is_anywhere: Whether to search the whole text, for very frequent marks.
        words: If set, every such text has a word that contains one of these.
        between: If set, every such text has exactly one of these between two marks.
    """

    name: str
    marks: tuple[str, ...]
    source: str
    begins_with_mark: bool = False
    n_before: int = 0
    is_in_line: bool = False
    is_anywhere: bool = False
    words: tuple[str, ...] = ()
    between: frozenset[str] = frozenset()

    @property
    def pattern(self) -> re.Pattern[str]:
        """The expression, compiled on first use: most are never needed."""
        return _compiled(self.source)


_compiled = cache(re.compile)


_WORD_BEGINS = r"(?:(?<![A-Za-z0-9_\-])|(?<=\\[nrt]))"
"""Start of a word, also after an escaped line end or tab in a literal."""


def _prefixed(
    name: str, *prefixes: str, body: str = r"[A-Za-z0-9_\-]", least: int = 16, has_digit: bool = False
) -> KeyFormat:
    alternatives = "|".join(re.escape(prefix) for prefix in prefixes)
    digit = r"(?=[A-Za-z_\-]{0,48}+[0-9])" if has_digit else ""
    source = rf"{_WORD_BEGINS}(?P<secret>(?:{alternatives}){digit}{body}{{{least},}}+)"
    return KeyFormat(name, prefixes, source, begins_with_mark=True)


ISSUED: tuple[KeyFormat, ...] = (
    # OpenAI, Anthropic (sk-ant-), OpenRouter (sk-or-), DeepSeek and many gateways share "sk-".
    # The exceptions are SSH's types of hardware keys.
    KeyFormat(
        "API key",
        ("sk-",),
        rf"{_WORD_BEGINS}(?P<secret>sk-(?!ecdsa-sha2|ssh-ed25519)[A-Za-z0-9_\-]{{16,}}+)",
        begins_with_mark=True,
    ),
    _prefixed("ElevenLabs key", "sk_", body="[0-9a-f]", least=40),
    _prefixed("Groq key", "gsk_"),
    _prefixed("Cerebras key", "csk-"),
    _prefixed("xAI key", "xai-"),
    _prefixed("Perplexity key", "pplx-"),
    _prefixed("Fireworks key", "fw_", has_digit=True),
    _prefixed("Replicate token", "r8_"),
    _prefixed("NVIDIA key", "nvapi-"),
    _prefixed("Together key", "tgp_v1_"),
    _prefixed("Hugging Face token", "hf_", "api_org_", has_digit=True),
    _prefixed("Hugging Face token", "hf_", "api_org_", body="[A-Za-z]", least=34),
    _prefixed("Google key", "AIza", least=30),
    _prefixed("Google OAuth token", "ya29.", "GOCSPX-", body=r"[A-Za-z0-9_.\-]"),
    _prefixed("AWS key id", "AKIA", "ASIA", "ABIA", "ACCA", body="[A-Z0-9]"),
    _prefixed("GitHub token", "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
    _prefixed("GitHub token", "github_pat_"),
    _prefixed("GitLab token", "glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glimt-", "glsoat-"),
    _prefixed("GitLab token", "glagent-", "glffct-", "gloas-", "glrtr-", "glwt-", "GR1348941"),
    _prefixed(
        "Slack token", "xoxa-", "xoxb-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xapp-", least=10
    ),
    _prefixed("Stripe key", "sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_", "whsk_", "ek_live_"),
    _prefixed("npm token", "npm_", has_digit=True),
    _prefixed("package index token", "pypi-"),
    _prefixed("DigitalOcean token", "dop_v1_", "doo_v1_", "dor_v1_"),
    _prefixed("Shopify token", "shpat_", "shpca_", "shppa_", "shpss_", "shpua_", "shptka_"),
    _prefixed("SendGrid key", "SG.", body=r"[A-Za-z0-9_.\-]"),
    _prefixed("Twilio key", "SK", body="[0-9a-f]", least=32),
    _prefixed("age key", "AGE-SECRET-KEY-1", body="[A-Z0-9]"),
    _prefixed("Databricks token", "dapi", body="[0-9a-f]", least=32),
    _prefixed("Docker token", "dckr_pat_", "dckr_oat_"),
    _prefixed("Vault token", "hvs.", "hvb.", least=20),
    _prefixed("Grafana token", "glsa_", "glc_", "eyJrIjoi"),
    _prefixed("Linear key", "lin_api_"),
    _prefixed("Notion token", "ntn_", "secret_", has_digit=True, least=32),
    _prefixed("New Relic key", "NRAK-", "NRII-", "NRJS-", "NRAA-", "NRRA-"),
    _prefixed("Postman key", "PMAK-"),
    _prefixed("Pulumi token", "pul-", body="[0-9a-f]", least=32),
    _prefixed("Sentry token", "sntrys_", "sntryu_"),
    _prefixed("Supabase token", "sbp_", "sb_secret_", "sb_publishable_", has_digit=True),
    _prefixed("PlanetScale secret", "pscale_tkn_", "pscale_pw_", "pscale_oauth_", "pscale_api_"),
    _prefixed("Figma token", "figd_"),
    _prefixed("Atlassian token", "ATATT3", "ATCTT3", "ATBB", "ATTA", body=r"[A-Za-z0-9_\-=]"),
    _prefixed("Square token", "sq0atp-", "sq0csp-", "sq0idp-"),
    _prefixed(
        "Doppler token",
        "dp.pt.",
        "dp.st.",
        "dp.ct.",
        "dp.sa.",
        "dp.scim.",
        "dp.audit.",
        body=r"[A-Za-z0-9_.\-]",
    ),
    _prefixed("Mailgun key", "key-", body="[0-9a-f]", least=32),
    _prefixed("Tavily key", "tvly-"),
    _prefixed("Langfuse key", "sk-lf-", "pk-lf-"),
    _prefixed("Terraform Cloud token", "ATLASV1-", least=20),
    _prefixed(
        "AWS key", "ABSK", "amzn.mws.", "IQoJb3JpZ2lu", "FwoGZXIvYXdz", body=r"[A-Za-z0-9+/=_\-]", least=20
    ),
    _prefixed("Alibaba key", "LTAI", body="[A-Za-z0-9]", has_digit=True),
    _prefixed("Tencent key", "AKID", body="[A-Za-z0-9]", least=28),
    _prefixed("Artifactory key", "AKCp", "cmVmdGtu", body="[A-Za-z0-9]", least=40),
    _prefixed("Cloudflare key", "v1.0-", body="[0-9a-f-]", least=40),
    _prefixed("Cloudflare token", "cfut_", "cfat_", "cfk_", has_digit=True, least=30),
    _prefixed("RubyGems key", "rubygems_", body="[0-9a-f]", least=32),
    _prefixed("Fly token", "fo1_", "fm1r_", "fm1a_", "fm2_", body="[A-Za-z0-9+/=_,-]", least=20),
    _prefixed("Dropbox token", "sl.u.", "sl.", least=60),
    _prefixed("Dropbox token", "sl.B", "sl.A", "sl.C", has_digit=True, least=24),
    _prefixed("Airtable token", "pat", body=r"[A-Za-z0-9]{14}\.[0-9a-f]", least=40),
    _prefixed("Adobe secret", "p8e-", "p8-", least=30),
    _prefixed("1Password token", "ops_eyJ", body="[A-Za-z0-9+/=]", least=40),
    _prefixed("1Password key", "A3-", body="[A-Z0-9-]", least=26),
    _prefixed("Dynatrace token", "dt0c01.", "dt0s01.", "dt0s16.", body="[A-Z0-9.]", least=40),
    _prefixed("EasyPost key", "EZAK", "EZTK", body="[A-Za-z0-9]", least=30),
    _prefixed(
        "Facebook token", "EAAC", "EAAG", "EAAJ", "EAAB", "EAAM", body="[A-Za-z0-9]", least=30, has_digit=True
    ),
    _prefixed("Square token", "EAAA", body=r"[A-Za-z0-9_\-+=]", least=40),
    _prefixed("Flutterwave key", "FLWSECK_TEST-", "FLWSECK-", "FLWPUBK_TEST-", least=12),
    _prefixed("Frame.io token", "fio-u-", least=30),
    _prefixed("Heroku key", "HRKU-AA", "HRKU-", least=30),
    _prefixed("Infracost key", "ico-", body="[A-Za-z0-9]", least=24, has_digit=True),
    _prefixed("MaxMind key", "MMK_", least=20),
    _prefixed("Netlify token", "nfp_", "nfc_", "nfo_", least=30),
    _prefixed("Neon key", "napi_", least=30, has_digit=True),
    _prefixed("Octopus key", "API-", body="[A-Z0-9]", least=24),
    KeyFormat("OpenShift token", ("sha256~",), r"(?P<secret>(?i:sha256)~[A-Za-z0-9_\-]{30,}+)"),
    _prefixed("Prefect key", "pnu_", "pnb_", body="[A-Za-z0-9]", least=30),
    _prefixed("ReadMe key", "rdme_", body="[a-z0-9]", least=40),
    _prefixed("Scalingo token", "tk-us-", "tk-eu-", least=30),
    _prefixed("Brevo key", "xkeysib-", "xsmtpsib-", least=40),
    _prefixed("Shippo token", "shippo_live_", "shippo_test_", body="[0-9a-f]", least=30),
    _prefixed("SonarQube token", "squ_", "sqp_", "sqa_", "sqb_", body="[0-9a-f]", least=32),
    _prefixed("Sourcegraph token", "sgp_", "slk_", body="[0-9a-fA-F_a-z]", least=32, has_digit=True),
    _prefixed("Typeform token", "tfp_", least=30),
    _prefixed("NuGet key", "oy2", body="[a-z0-9]", least=40),
    _prefixed("crates.io token", "cio", body="[A-Za-z0-9]", least=32, has_digit=True),
    _prefixed("Yandex key", "AQVN", "AQVW", "YCAJE", "YCN", "YCM", least=34),
    _prefixed("CircleCI token", "CCIPAT_", "CCIPRJ_", least=30),
    _prefixed("Buildkite token", "bkua_", "bkpat_", "bkaj_", least=30),
    _prefixed("Contentful token", "CFPAT-", least=30),
    _prefixed("Clojars token", "CLOJARS_", body="[0-9a-z]", least=40),
    _prefixed("ClickHouse key", "4b1d", body="[A-Za-z0-9]", least=38, has_digit=True),
    _prefixed("Duffel token", "duffel_live_", "duffel_test_", least=30),
    _prefixed("PostHog key", "phx_", "phs_", "phc_", body="[A-Za-z0-9]", least=30),
    _prefixed("Honeycomb key", "hcaik_", "hcbik_", "hcxik_", "hcalk_", least=30),
    _prefixed("LangSmith key", "lsv2_pt_", "lsv2_sk_", "ls__", least=30, has_digit=True),
    _prefixed("Pinecone key", "pcsk_", least=30),
    _prefixed("Anyscale key", "esecret_", least=20),
    _prefixed("Modal key", "ak-", "as-", body="[A-Za-z0-9]", least=20, has_digit=True),
    _prefixed("E2B key", "e2b_", body="[0-9a-f]", least=30),
    _prefixed("Resend key", "re_", body=r"[A-Za-z0-9]{6,10}_[A-Za-z0-9]", least=20),
    _prefixed("MailerSend token", "mlsn.", body="[0-9a-f]", least=40),
    _prefixed("Paddle key", "pdl_live_", "pdl_sdbx_", least=30),
    _prefixed("Polar token", "polar_oat_", "polar_pat_", least=20),
    _prefixed("Razorpay key", "rzp_live_", "rzp_test_", body="[A-Za-z0-9]", least=14),
    _prefixed(
        "Plaid token",
        "access-sandbox-",
        "access-production-",
        "access-development-",
        body="[0-9a-f-]",
        least=32,
    ),
    _prefixed("PayPal token", "A21AA", least=40),
    _prefixed("Zuplo key", "zpka_", least=30),
    _prefixed("Unkey key", "unkey_", least=20, has_digit=True),
    _prefixed("Render key", "rnd_", body="[A-Za-z0-9]", least=24, has_digit=True),
    _prefixed(
        "Vercel token", "vcp_", "vci_", "vca_", "vcr_", "vck_", "vercel_blob_rw_", least=20, has_digit=True
    ),
    _prefixed("Cursor key", "crsr_", "key_", body="[0-9a-f]", least=48),
    _prefixed("Jina key", "jina_", body="[A-Za-z0-9]", least=40, has_digit=True),
    _prefixed("Tailscale key", "tskey-", least=20),
    _prefixed("Aiven password", "AVNS_"),
    _prefixed("ngrok token", "ngrok_", "2ngrok", least=30, has_digit=True),
    _prefixed("Infisical token", "st.", body=r"[0-9a-f]{8,}\.[0-9a-f]{16,}\.[0-9a-f]"),
    _prefixed(
        "Harness token", "pat.", "sat.", body=r"[A-Za-z0-9_\-]{22}\.[0-9a-f]{24}\.[A-Za-z0-9]", least=18
    ),
    _prefixed("Lob key", "live_", "test_", body="[0-9a-f]", least=35),
    _prefixed("GoCardless token", "live_", least=40, has_digit=True),
    _prefixed("Scaleway key", "SCW", body="[A-Z0-9]", least=17, has_digit=True),
    _prefixed("Trello key", "ATTA", body="[0-9a-fA-F]", least=60),
    _prefixed(
        "private key in base64",
        "LS0tLS1CRUdJTiBQUklWQVRF",
        "LS0tLS1CRUdJTiBSU0Eg",
        "LS0tLS1CRUdJTiBFQyBQ",
        "LS0tLS1CRUdJTiBPUEVOU1NI",
        "LS0tLS1CRUdJTiBFTkNSWVBURUQ",
        "LS0tLS1CRUdJTiBQR1Ag",
        "LS0tLS1CRUdJTiBEU0Eg",
        body="[A-Za-z0-9+/=]",
    ),
    # A bot's numeric id in base64, a time and a signature
    _prefixed(
        "Discord token",
        *(a + b for a in "MNO" for b in "TDjzAQg"),
        body=r"[A-Za-z0-9]{18,28}\.[A-Za-z0-9_\-]{6}\.[A-Za-z0-9_\-]",
        least=25,
    ),
    _prefixed("Discord token", "mfa.", least=40),
    _prefixed("HubSpot token", "pat-na1-", "pat-eu1-", "pat-", body="[0-9a-f-]", least=36),
    _prefixed("Firebase token", "APA91b", least=60),
    KeyFormat(
        "Telegram token", ("AA",), r"(?<=[0-9]{8}:)(?P<secret>AA[A-Za-z0-9_\-]{32,}+)", begins_with_mark=True
    ),
    KeyFormat(
        "JSON web token",
        ("eyJ",),
        rf"{_WORD_BEGINS}(?P<secret>eyJ[A-Za-z0-9_\-]{{8,}}+\.[A-Za-z0-9_\-]{{8,}}+(?:\.[A-Za-z0-9_\-]*+)?)",
        begins_with_mark=True,
    ),
)


@dataclass(frozen=True, slots=True)
class WholeWord:
    """A secret without a prefix, recognized by its length.

    Attributes:
        lengths: Possible lengths of its word of letters, digits, ``_``, ``-`` and ``.``.
        before: Expression of fixed length that must match before it.
    """

    name: str
    lengths: tuple[int, ...]
    source: str
    before: str = ""


WHOLE_WORDS: tuple[WholeWord, ...] = (
    WholeWord("Azure DevOps token", (52,), r"(?=[a-z]{0,50}+[2-7])[a-z2-7]{52}"),
    WholeWord("Azure DevOps token", (84,), r"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}"),
    WholeWord("ngrok token", (48, 49, 50), r"[12](?=[A-Za-z]*+[0-9])[A-Za-z0-9]{26}_[A-Za-z0-9]{20,22}"),
    WholeWord("Mailchimp key", (36, 37), r"[0-9a-f]{32}-us[0-9]{1,2}"),
    WholeWord("Asana token", (32,), r"[0-9a-f]{32}", before="(?<=[0-9]{10}:)"),
)
