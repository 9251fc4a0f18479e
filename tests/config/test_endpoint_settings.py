"""The keys of a provider that say how its endpoint is reached; only the user's own config may set them."""

from __future__ import annotations

from pathlib import Path

import pytest

from twospeed.config.layers import parse_workspace_layer
from twospeed.config.load import parse_settings
from twospeed.config.settings import Settings
from twospeed.errors import SettingsError
from twospeed.models.base import ProviderSettings
from twospeed.models.http.endpoints import DIRECT, Network

PATH = Path("/home/me/config.toml")
GPU = '[providers.gpu]\napi = "chat"\nbase_url = "http://192.168.1.5:11434/v1"\n'
LAB = '[providers.lab]\napi = "chat"\nbase_url = "https://lab.example/v1"\n'


def parsed(text: str) -> Settings:
    return parse_settings(text, path=PATH, known={})


def check_error(text: str, expected: str) -> None:
    with pytest.raises(SettingsError) as caught:
        parsed(text)
    assert str(caught.value) == f"{PATH}:{expected}"


@pytest.mark.security("R8")
def test_plain_http_in_a_private_network_needs_insecure_http() -> None:
    settings = parsed(GPU + "insecure_http = true\n[[lanes.lightning]]\nprovider = 'gpu'\nmodel = 'm'\n")
    gpu = settings.providers["gpu"]
    assert gpu == ProviderSettings("gpu", "chat", "http://192.168.1.5:11434/v1", insecure_http=True)
    assert settings.lanes["lightning"][0].is_cloud
    check_error(
        GPU,
        "3: providers.gpu.base_url: must start with https://; http:// is only for this machine, or with "
        "insecure_http = true in your own config for a host in a private network",
    )


@pytest.mark.security("R8")
def test_insecure_http_allows_no_public_address() -> None:
    check_error(
        GPU.replace("192.168.1.5", "93.184.216.34") + "insecure_http = true\n",
        "3: providers.gpu.base_url: 93.184.216.34 is at 93.184.216.34, a public address, where only https:// is allowed",
    )


def test_insecure_http_without_plain_http_is_an_error() -> None:
    check_error(
        LAB + "insecure_http = true\n",
        "3: providers.lab.base_url: begins with https://, so insecure_http = true has no effect; remove one of them",
    )


def test_secrets_are_hidden_from_a_server_on_another_machine() -> None:
    check_error(
        GPU + "insecure_http = true\nhide_secrets = false\n",
        "5: providers.gpu.hide_secrets: can be false only for a server on this machine",
    )


@pytest.mark.security("R2.2")
@pytest.mark.parametrize(
    "line",
    [
        "insecure_http = true",
        'proxy = "env"',
        'ca_file = "/etc/ca.pem"',
        'client_cert = "/etc/me.pem"',
        'key_command = ["pass", "lab"]',
    ],
)
def test_a_repository_cannot_say_how_an_endpoint_is_reached(line: str) -> None:
    for text in (LAB + line, line):
        with pytest.raises(SettingsError, match="belong in your own config file"):
            parse_workspace_layer(text, name=".twospeed.toml", config_path=PATH)


def test_a_provider_may_have_a_proxy_and_certificates() -> None:
    settings = parsed(
        LAB + 'proxy = "http://proxy.lan:3128/"\nca_file = "/etc/ca.pem"\nclient_cert = "~/me.pem"\n'
    )
    network = Network("http://proxy.lan:3128", "/etc/ca.pem", str(Path.home() / "me.pem"))
    assert settings.providers["lab"].network == network
    assert settings.providers["lab"].endpoint.network == network
    assert parsed(LAB + 'proxy = "env"\n').providers["lab"].network == Network("env")
    assert parsed(LAB).providers["lab"].network is DIRECT


def test_a_provider_may_have_a_command_that_prints_its_key() -> None:
    settings = parsed(LAB + 'key_command = ["pass", "show", "lab"]\n')
    assert settings.providers["lab"].key_command == ("pass", "show", "lab")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            'proxy = "http://me:secret@proxy"',
            (
                '4: providers.lab.proxy: must be "env", or a plain address such as http://proxy.example.com:3128; '
                "a user name and a password belong in HTTPS_PROXY"
            ),
        ),
        ('ca_file = "ca.pem"', "4: providers.lab.ca_file: must be the absolute path of a PEM file"),
        ('client_cert = "me.pem"', "4: providers.lab.client_cert: must be the absolute path of a PEM file"),
        (
            'api_key_env = "LAB_API_KEY"\nkey_command = ["pass"]',
            "5: providers.lab.key_command: cannot be combined with api_key_env; remove one of them",
        ),
        (
            'key_command = ["./key"]',
            "4: providers.lab.key_command: must begin with the name of a program on PATH or its absolute path",
        ),
    ],
)
def test_an_invalid_way_to_a_provider_is_named(line: str, expected: str) -> None:
    check_error(f"{LAB}{line}\n", expected)


@pytest.mark.security("R2.1")
@pytest.mark.parametrize("line", ['proxy = "env"', 'ca_file = "/etc/ca.pem"', 'client_cert = "/etc/me.pem"'])
def test_a_proxy_never_receives_a_key_in_plain_text(line: str) -> None:
    key = line.partition(" ")[0]
    check_error(
        f"{GPU}insecure_http = true\n{line}\n",
        f"5: providers.gpu.{key}: is only for a base_url that begins with https://",
    )
