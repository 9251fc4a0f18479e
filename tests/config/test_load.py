import errno
import os
from dataclasses import replace
from pathlib import Path

import pytest

from twospeed.budget.spending import Budget
from twospeed.config.load import load_settings, parse_settings
from twospeed.config.paths import config_path
from twospeed.config.settings import DEFAULT_PRESETS, Preset, Settings
from twospeed.errors import SettingsError
from twospeed.gate.facts import GateSettings
from twospeed.models.base import DEEP_LIMITS, Limits, ProviderSettings
from twospeed.routing.lanes import LaneEntry

PATH = Path("/home/me/config.toml")
KNOWN = {
    "cerebras": ProviderSettings("cerebras", "chat", "https://api.cerebras.ai/v1", "CEREBRAS_API_KEY"),
    "openai": ProviderSettings("openai", "chat", "https://api.openai.com/v1", "OPENAI_API_KEY"),
    "ollama": ProviderSettings("ollama", "chat", "http://127.0.0.1:11434/v1"),
}
LAB = '[providers.lab]\napi = "chat"\nbase_url = "http://127.0.0.1:8000/v1"\n'

EVERYTHING = """\
mode = "deep"
scope = "function"
ignore = ["data/", "*.sql"]

[[lanes.lightning]]
provider = "cerebras"
model = "gpt-oss-120b"

[[lanes.deep]]
provider = "openai"
model = "gpt-6.1-sol"
effort = "high"
max_output_tokens = 65536

[[lanes.deep]]
provider = "lab"
model = "big"

[providers.lab]
api = "responses"
base_url = "http://127.0.0.1:8000/v1"
api_key_env = "LAB_API_KEY"
websocket = true

[delivery]
style = "atomic"

[limits]
connect_s = 2
total_s = 100.5
context_tokens = 60000

[budget]
edits_per_day = 10
tokens_per_day = 20

[gate]
parse = "warn"
duplicate = "off"
growth = "refuse"

[review]
accept_on = "never"

[warm]
enabled = false
cache = false

[[presets]]
title = "Translate"
instruction = "Translate the comments into English."
"""


ALL_KEYS = "budget, completion, deepen, delivery, edit, format, gate, history, ignore, lanes, limits, mode, presets, prices, providers, review, scope, verify and warm"


def parse(text: str) -> Settings:
    return parse_settings(text, path=PATH, known=KNOWN)


def check_error(text: str, expected: str) -> None:
    with pytest.raises(SettingsError) as raised:
        parse(text)
    place, _, rest = expected.partition(" ")
    assert str(raised.value) == f"{PATH}:{place} {rest}"
    assert raised.value.source == f"{PATH}:{place.removesuffix(':')}"
    if raised.value.key:
        assert rest.startswith(raised.value.key + ": ")


def test_an_empty_file_sets_nothing():
    assert parse("") == Settings(path=PATH, providers=KNOWN)


def test_every_key_of_the_file_reaches_the_settings():
    settings = parse(EVERYTHING)
    lightning = replace(Limits(), connect_s=2.0, total_s=100.5, context_tokens=60_000)
    deep = replace(DEEP_LIMITS, connect_s=2.0, total_s=100.5, context_tokens=60_000)
    lab = ProviderSettings("lab", "responses", "http://127.0.0.1:8000/v1", "LAB_API_KEY", websocket=True)
    assert settings == Settings(
        path=PATH,
        mode="deep",
        scope="function",
        ignore=("data/", "*.sql"),
        lanes={
            "lightning": (
                LaneEntry("cerebras", "gpt-oss-120b", limits=lightning, is_cloud=True, origin="config"),
            ),
            "deep": (
                LaneEntry(
                    "openai",
                    "gpt-6.1-sol",
                    "high",
                    limits=replace(deep, max_output_tokens=65536),
                    is_cloud=True,
                    origin="config",
                ),
                LaneEntry("lab", "big", limits=deep, is_cloud=False, origin="config"),
            ),
        },
        providers={**KNOWN, "lab": lab},
        delivery="atomic",
        limits={"lightning": lightning, "deep": deep},
        budget=Budget(10, 20),
        gate=GateSettings("warn", "off", "refuse"),
        accept_on="never",
        keeps_warm=False,
        reads_ahead=False,
        presets=(Preset("Translate", "Translate the comments into English."),),
    )


def test_the_defaults_are_those_of_the_contract():
    settings = parse("")
    assert (settings.mode, settings.scope, settings.delivery, settings.accept_on) == (
        "lightning",
        "auto",
        "auto",
        "save",
    )
    assert (settings.keeps_warm, settings.reads_ahead, settings.keeps_history) == (True, True, True)
    assert settings == Settings(path=PATH, providers=settings.providers)
    assert settings.limits == {
        "lightning": Limits(5, 30, 15, 300, 8192, 8_000),
        "deep": Limits(5, 120, 60, 300, 32768, 32_000),
    }
    assert settings.budget == Budget(2000, 5_000_000)
    assert settings.gate == GateSettings("refuse", "warn", "warn")


def test_a_configured_limit_applies_to_both_modes():
    limits = parse("[limits]\nfirst_content_s = 20\n").limits
    assert [limits[mode].first_content_s for mode in ("lightning", "deep")] == [20, 20]
    assert limits["deep"].content_gap_s == 60


def test_a_limit_in_a_lane_entry_applies_to_that_entry_only():
    text = '[[lanes.deep]]\nprovider = "ollama"\nmodel = "m"\ntotal_s = 9\n'
    settings = parse(text + '[[lanes.deep]]\nprovider = "ollama"\nmodel = "n"\n')
    assert [entry.limits.total_s for entry in settings.lanes["deep"]] == [9, 300]
    assert settings.limits["deep"].total_s == 300


def test_a_lane_may_name_the_built_in_engine():
    [entry] = parse('[[lanes.lightning]]\nprovider = "builtin"\nmodel = "rules"\n').lanes["lightning"]
    assert (entry.label, entry.is_cloud) == ("builtin/rules", False)


@pytest.mark.security("R2.1")
def test_another_address_for_a_known_provider_does_not_inherit_its_key():
    settings = parse('[providers.openai]\napi = "chat"\nbase_url = "https://proxy.example/v1"\n')
    assert settings.providers["openai"] == ProviderSettings("openai", "chat", "https://proxy.example/v1")


def test_an_empty_list_of_presets_offers_none():
    assert parse("presets = []").presets == ()


def test_type_hints_are_offered_only_in_python():
    offered = {
        language: [preset.title for preset in DEFAULT_PRESETS if preset.suits(language)]
        for language in ("python", "rust")
    }
    assert set(offered["python"]) - set(offered["rust"]) == {"Add type hints"}
    assert len(offered["python"]) == 4


def test_windows_line_ends_and_a_byte_order_mark_are_read():
    assert parse('\ufeffmode = "deep"\r\nscope = "file"\r\n').mode == "deep"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('mode = "fast"', '1: mode: must be "lightning", "deep" or "both"'),
        ("\n\nmode = 3", '3: mode: must be "lightning", "deep" or "both"'),
        ('scope = "block"', '1: scope: must be "auto", "selection", "function", "class" or "file"'),
        ('modes = "deep"', '1: modes: unknown key; did you mean "mode"?'),
        (
            "zzz = 1",
            "1: zzz: unknown key; there are " + ALL_KEYS,
        ),
        ("[limits]\nconect_s = 1", '2: limits.conect_s: unknown key; did you mean "connect_s"?'),
        ("[limits]\nconnect_s = -1", "2: limits.connect_s: must be more than 0"),
        ("[limits]\nconnect_s = 0", "2: limits.connect_s: must be more than 0"),
        ("[limits]\nconnect_s = true", "2: limits.connect_s: must be a number"),
        ('[limits]\nconnect_s = "5"', "2: limits.connect_s: must be a number"),
        ("[limits]\nconnect_s = nan", "2: limits.connect_s: must be a finite number"),
        ("[limits]\nconnect_s = inf", "2: limits.connect_s: must be a finite number"),
        ("[limits]\ntotal_s = 90000", "2: limits.total_s: must be at most 86400"),
        ("[limits]\nmax_output_tokens = 1.5", "2: limits.max_output_tokens: must be a whole number"),
        ("[limits]\ncontext_tokens = 131073", "2: limits.context_tokens: must be at most 131072"),
        ('[limits]\nmax_output_tokens = "9"', "2: limits.max_output_tokens: must be a whole number"),
        ("limits = 3", "1: limits: must be a table"),
        ("[budget]\n# a hard stop\nedits_per_day = 0", "3: budget.edits_per_day: must be more than 0"),
        ('gate.parse = "no"', '1: gate.parse: must be "refuse", "warn" or "off"'),
        ('[gate]\n\n"gro\\u0077ht" = "x"', '3: gate.growht: unknown key; did you mean "growth"?'),
        ('gate = {parse = "warn", groth = "x"}', '1: gate.groth: unknown key; did you mean "growth"?'),
        ('[delivery]\nstyle = "s"', '2: delivery.style: must be "auto", "stream", "atomic" or "preview"'),
        ("[warm]\nenabled = 1", "2: warm.enabled: must be true or false"),
        ("[review]\naccept_on = false", '2: review.accept_on: must be "save" or "never"'),
        ('ignore = "a"', "1: ignore: must be a list"),
        ("ignore = [1]", "1: ignore[0]: must be a string"),
        (
            'ignore = [\n  "a",\n  "!b",\n]',
            '1: ignore[1]: ignore lists only add, so a pattern must not start with "!"',
        ),
        (
            'ignore = ["*.{a,b}"]',
            "1: ignore[0]: braces are not supported; write one pattern for each alternative",
        ),
        (
            "ignore = ['a\\b']",
            '1: ignore[0]: must separate folders with "/"; there is no escape character',
        ),
        ('ignore = ["/"]', "1: ignore[0]: must name something"),
        ('[[presets]]\ntitle = "x"', "1: presets[0].instruction: is missing"),
        (
            '[[presets]]\ntitle = "a\\nb"\ninstruction = "x"',
            "2: presets[0].title: must be one line without control characters",
        ),
        ('[[presets]]\ntitle = ""\ninstruction = "x"', "2: presets[0].title: must not be empty"),
        ("[lanes]\nfast = []", "2: lanes.fast: unknown key; there are completion, deep and lightning"),
        ("[delivery]\nfoo = 1", "2: delivery.foo: unknown key; there is style"),
        ('lanes.deep = "x"', "1: lanes.deep: must be a list"),
        ("[lanes.deep]", "1: lanes.deep: must be a list; write [[lanes.deep]]"),
        ("[presets]", "1: presets: must be a list; write [[presets]]"),
        ("[ignore]", "1: ignore: must be a list"),
        ('[[lanes.deep]]\nprovider = "openai"', "1: lanes.deep[0].model: is missing"),
        (
            '[[lanes.deep]]\nprovider = "openai"\nmodel = "a"\n[[lanes.deep]]\nprovider = "opnai"\nmodel = "b"',
            '5: lanes.deep[1].provider: there is no such provider; did you mean "openai"?',
        ),
        (
            '[[lanes.deep]]\nprovider = "mine"\nmodel = "a"',
            "2: lanes.deep[0].provider: there is no such provider; there are builtin, cerebras, ollama and openai",
        ),
        ("[providers]\nlab = 3", "2: providers.lab: must be a table"),
        ("[providers.lab]", "1: providers.lab.api: is missing"),
        (
            LAB + "headers = {}",
            "4: providers.lab.headers: unknown key; there are api, api_key_env, base_url, ca_file, client_cert, context_tokens, early_body, gguf, hide_secrets, insecure_http, key_command, prediction, proxy and websocket",
        ),
        (LAB + "websocket = true", '4: providers.lab.websocket: is only for api = "responses"'),
        (
            LAB.replace('"chat"', '"responses"') + "websocket = true\nearly_body = true",
            "5: providers.lab.early_body: cannot be combined with websocket = true",
        ),
        (
            LAB.replace('"chat"', '"messages"') + "prediction = true",
            '4: providers.lab.prediction: is only for api = "chat"',
        ),
        (
            LAB.replace("http://127.0.0.1:8000", "https://lab.example") + "hide_secrets = false",
            "4: providers.lab.hide_secrets: can be false only for a server on this machine",
        ),
        (
            LAB.replace('"chat"', '"grpc"'),
            '2: providers.lab.api: must be "chat", "responses", "messages", "completions" or "llama"',
        ),
        (
            LAB.replace("providers.lab", "providers.builtin"),
            "1: providers.builtin: is the name of the built-in engine; choose another",
        ),
        (
            LAB.replace("providers.lab", 'providers."my lab"'),
            "1: providers.'my lab': a provider's name consists of letters, digits, dots, dashes and underscores",
        ),
        ("mode =", "1: is not TOML: invalid value (at the end of the file)"),
        ("scope = 'auto'\nmode\n", "2: is not TOML: expected '=' after a key in a key/value pair (column 5)"),
    ],
)
def test_an_error_names_file_line_and_key(text, expected):
    check_error(text, expected)


def test_the_first_of_several_errors_is_reported():
    check_error(
        '[gate]\nparse = "x"\n[budget]\nedits = 1', '2: gate.parse: must be "refuse", "warn" or "off"'
    )
    check_error(
        '[budget]\nedits = 1\n[gate]\nparse = "x"',
        '2: budget.edits: unknown key; did you mean "edits_per_day"?',
    )


@pytest.mark.security("R7")
@pytest.mark.parametrize(
    "line",
    [
        'api_key_env = "sk-live-4242"',
        'api_key_env = "sk_live_4242"',
        'base_url = "https://user:sk-live-4242@a.example"',
        'base_url = "https://a.example/v1?key=sk-live-4242"',
        'api = "sk-live-4242"',
        "websocket = 'sk-live-4242'",
    ],
)
def test_a_key_in_the_wrong_place_is_refused_and_never_quoted(line):
    name = line.split(" =")[0]
    text = "\n".join(each for each in LAB.splitlines() if not each.startswith(name)) + "\n" + line
    with pytest.raises(SettingsError) as raised:
        parse(text)
    assert raised.value.key == f"providers.lab.{name}"
    assert "4242" not in str(raised.value)


def test_an_unsafe_address_is_refused_with_its_place():
    check_error(
        '[providers.lab]\napi = "chat"\nbase_url = "http://sk-4242.example/v1"',
        "3: providers.lab.base_url: must start with https://; http:// is only for this machine, or with insecure_http = true in your own config for a host in a private network",
    )


@pytest.mark.parametrize(
    "url",
    [
        "https://a.example",
        "https://a.example:8443/v1/",
        "http://localhost:11434/v1",
        "http://[::1]:8080",
        "https://192.168.1.9/v1",
        "HTTPS://A.EXAMPLE/v1",
    ],
)
def test_a_valid_base_url_is_kept_unchanged(url):
    assert parse(f'[providers.lab]\napi = "chat"\nbase_url = "{url}"').providers["lab"].base_url == url


def test_an_unusual_key_is_shown_in_ascii_and_truncated():
    with pytest.raises(SettingsError) as raised:
        parse(f'"x\\u001b[31m{"y" * 500}" = 1')
    assert str(raised.value).isascii()
    assert raised.value.key.startswith(r"'x\x1b[31myyy")
    assert len(raised.value.key) < 100


class TestTheFile:
    def load(self, path: Path) -> Settings:
        return load_settings({"TWOSPEED_CONFIG": str(path)}, known=KNOWN)

    def check_error(self, path: Path, expected: str) -> None:
        with pytest.raises(SettingsError) as raised:
            self.load(path)
        assert str(raised.value) == expected

    def test_the_variable_names_it(self, tmp_path):
        path = tmp_path / "my.toml"
        path.write_text('mode = "deep"')
        assert self.load(path).mode == "deep"
        assert self.load(path).path == path

    def test_without_the_variable_the_file_is_in_the_config_folder(self):
        for environ in ({}, {"TWOSPEED_CONFIG": ""}):
            path = config_path(environ)
            assert path.parts[-2:] == ("twospeed", "config.toml")
            assert path.is_absolute()

    def test_the_default_file_may_be_missing(self, tmp_path, monkeypatch):
        monkeypatch.setattr("platformdirs.user_config_dir", lambda *_, **__: str(tmp_path / "none"))
        settings = load_settings({}, known=KNOWN)
        assert settings == Settings(path=tmp_path / "none" / "config.toml", providers=KNOWN)

    def test_a_named_file_must_exist(self, tmp_path):
        path = tmp_path / "none.toml"
        self.check_error(path, f"{path}: TWOSPEED_CONFIG names this file, but it does not exist")

    def test_a_folder_is_no_file(self, tmp_path):
        self.check_error(tmp_path, f"{tmp_path}: is a folder, not a file")

    def test_invalid_utf_8_is_an_error_with_its_line(self, tmp_path):
        path = tmp_path / "config.toml"
        path.write_bytes(b'mode = "deep"\n# caf\xe9\n')
        self.check_error(path, f"{path}:2: is not UTF-8 (byte 0xe9)")

    def test_an_unreadable_file_is_an_error(self, tmp_path, monkeypatch):
        def refuse(*_: object) -> int:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

        path = tmp_path / "config.toml"
        path.touch()
        monkeypatch.setattr(os, "open", refuse)
        self.check_error(path, f"{path}: cannot be read: permission denied")

    def test_a_link_to_the_file_is_followed(self, tmp_path):
        (tmp_path / "dotfiles.toml").write_text('mode = "deep"')
        (tmp_path / "config.toml").symlink_to("dotfiles.toml")
        assert self.load(tmp_path / "config.toml").mode == "deep"

    @pytest.mark.security("R2.3")
    def test_a_dot_env_file_is_never_read(self, tmp_path, monkeypatch):
        (tmp_path / ".env").write_text("TWOSPEED_CONFIG=/nowhere\nOPENAI_API_KEY=x\n")
        (tmp_path / "config.toml").write_text("")
        monkeypatch.chdir(tmp_path)
        before = dict(os.environ)
        assert self.load(tmp_path / "config.toml").providers == KNOWN
        assert dict(os.environ) == before


@pytest.mark.parametrize("character", ["\n", "\t", "\x7f", "\u2028", "\u2029"])
def test_a_title_is_one_line_without_control_characters(character):
    escaped = f"\\u{ord(character):04x}"
    text = f'[[presets]]\ntitle = "Tidy{escaped}up"\ninstruction = "tidy up"\n'
    with pytest.raises(SettingsError, match="one line"):
        parse_settings(text, path=PATH, known={})
    fine = parse_settings(text.replace(escaped, " "), path=PATH, known={})
    assert [each.title for each in fine.presets] == ["Tidy up"]


PROVIDERS = """
[[lanes.lightning]]
provider = "lab"
model = "m"
[[lanes.deep]]
provider = "open"
model = "n"
effort = "high"
[providers.lab]
api = "chat"
base_url = "http://127.0.0.1:8000/v1"
api_key_env = "LAB_KEY"
early_body = true
prediction = true
hide_secrets = false
[providers.open]
api = "responses"
base_url = "https://open.example/v1"
websocket = true
"""


def test_every_option_of_a_provider_reaches_the_settings():
    settings = parse_settings(PROVIDERS, path=PATH, known={})
    lab = ProviderSettings(
        "lab",
        "chat",
        "http://127.0.0.1:8000/v1",
        "LAB_KEY",
        early_body=True,
        prediction=True,
        hides_secrets=False,
    )
    other = ProviderSettings("open", "responses", "https://open.example/v1", None, websocket=True)
    assert settings.providers == {"lab": lab, "open": other}
    (lightning,), (deep,) = settings.lanes["lightning"], settings.lanes["deep"]
    assert (lightning.is_cloud, lightning.hides_secrets, lightning.window_tokens) == (False, False, None)
    assert (deep.is_cloud, deep.hides_secrets, deep.effort, deep.origin) == (True, True, "high", "config")


def test_an_unknown_api_is_the_only_error_of_its_provider():
    for option in ("prediction = true", "websocket = true", "context_tokens = 5"):
        text = f'[providers.lab]\n{option}\nbase_url = "http://127.0.0.1:1"\napi = "telepathy"\n'
        with pytest.raises(SettingsError, match="api: must be"):
            parse_settings(text, path=PATH, known={})


def test_suggestions_are_off_and_have_a_lane_of_their_own():
    assert (parse("").suggests, parse("").suggests_anywhere, parse("").suggestion_lane) == (False, False, ())
    text = (
        '[completion]\nenabled = true\nautomatic = true\n[[lanes.completion]]\nprovider = "lab"\nmodel = "coder"\n'
        '[providers.lab]\napi = "completions"\nbase_url = "http://127.0.0.1:8080/v1"\n'
    )
    settings = parse(text)
    assert (settings.suggests, settings.suggests_anywhere) == (True, True)
    assert [entry.label for entry in settings.suggestion_lane] == ["lab/coder"]
    assert "lightning" not in settings.lanes


def test_completions_are_no_api_for_edits():
    check_error(
        '[[lanes.deep]]\nprovider = "lab"\nmodel = "coder"\n'
        '[providers.lab]\napi = "completions"\nbase_url = "http://127.0.0.1:8080/v1"\n',
        '2: lanes.deep[0].provider: has api = "completions", which is only for [[lanes.completion]]',
    )


def test_deepening_is_set_in_the_config_of_the_user() -> None:
    assert (parse("").deepen_when, parse("").deep_sees_draft) == ("asked", False)
    settings = parse('mode = "both"\n[deepen]\nwhen = "sensitive"\nsees_draft = true')
    assert (settings.mode, settings.deepen_when, settings.deep_sees_draft) == ("both", "sensitive", True)
    check_error('[deepen]\nwhen = "never"', '2: deepen.when: must be "asked", "sensitive" or "always"')
