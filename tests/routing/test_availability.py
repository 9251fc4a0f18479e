import pytest

from twospeed.models.base import Limits, ProviderSettings
from twospeed.routing.cooldowns import Cause, Cooldown
from twospeed.routing.lanes import LaneEntry, Origin, builtin_entry
from twospeed.routing.route import NEEDS_CONSENT, availability_of

PROVIDERS = {
    "cerebras": ProviderSettings("cerebras", "chat", "https://api.cerebras.ai/v1", "CEREBRAS_API_KEY"),
    "anthropic": ProviderSettings(
        "anthropic", "messages", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"
    ),
    "gateway": ProviderSettings("gateway", "chat", "https://gw.example/v1?key=sk-4242", "GATEWAY_KEY"),
    "lab": ProviderSettings("lab", "chat", "http://127.0.0.1:8000/v1"),
}


def obstacle(
    provider: str,
    *,
    is_cloud: bool = True,
    origin: Origin = "environment",
    consent: bool = False,
    cooldown: Cooldown | None = None,
    **environ: str,
) -> str | None:
    entry = LaneEntry(provider, "m", limits=Limits(), is_cloud=is_cloud, origin=origin)

    def key_obstacle(provider: ProviderSettings) -> str | None:
        variable = provider.api_key_env
        return f"no key in {variable}" if variable and not environ.get(variable) else None

    return availability_of(
        entry,
        providers=PROVIDERS,
        key_obstacle=key_obstacle,
        apis={"chat"},
        has_consent=lambda _: consent,
        cooldown=cooldown,
        now=100.0,
    ).obstacle


def test_a_missing_key_is_named_by_its_variable():
    assert obstacle("cerebras") == "no key in CEREBRAS_API_KEY"


@pytest.mark.security("R2.5")
def test_a_discovered_cloud_provider_needs_consent():
    assert obstacle("cerebras", CEREBRAS_API_KEY="k") == NEEDS_CONSENT
    assert obstacle("cerebras", consent=True, CEREBRAS_API_KEY="k") is None


def test_a_configured_cloud_provider_needs_no_consent():
    assert obstacle("cerebras", origin="config", CEREBRAS_API_KEY="k") is None


def test_a_server_on_this_machine_needs_neither_key_nor_consent():
    assert obstacle("lab", is_cloud=False, origin="local") is None


def test_a_cooling_entry_names_the_cause_and_the_time():
    cooling = Cooldown(Cause.RATE, 142.0, is_from_provider=True, n_failures=1)
    assert obstacle("lab", is_cloud=False, cooldown=cooling) == "rate limited, again in 42 s"


def test_an_obstacle_for_the_user_precedes_a_cooldown():
    cooling = Cooldown(Cause.DOWN, 142.0, is_from_provider=False, n_failures=1)
    assert obstacle("cerebras", cooldown=cooling) == "no key in CEREBRAS_API_KEY"


def test_an_unsupported_api_precedes_an_obstacle_for_the_user():
    assert obstacle("anthropic") == "api not supported: messages"


@pytest.mark.security("R8")
def test_an_unsafe_address_is_an_obstacle_and_is_not_quoted():
    assert obstacle("gateway", GATEWAY_KEY="k") == "its address must not have a query or fragment"


def test_an_unknown_provider_is_not_ready():
    assert obstacle("gone") == "no such provider"


def test_the_built_in_engine_is_always_ready():
    entry = builtin_entry("deep")
    assert availability_of(
        entry, providers={}, key_obstacle=lambda _: "no key", apis=set(), has_consent=lambda _: False
    ).is_ready
