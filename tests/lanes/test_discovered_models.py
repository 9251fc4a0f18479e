"""Models of a discovered provider: its own list after consent, else the table."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import replace

import orjson
import pytest
from aiohttp import web

from twospeed.errors import UnknownModel
from twospeed.lanes.discovered import find_models
from twospeed.lanes.source import REDISCOVER_S, Consents, LaneSource
from twospeed.models.base import Limits, Model, ProviderSettings
from twospeed.models.catalog.discovery import DiscoveredProvider
from twospeed.models.catalog.providers import PROVIDERS
from twospeed.models.http.connections import Connections
from twospeed.models.keys.key_store import KeyStore
from twospeed.routing import FoundProvider
from twospeed.routing.lanes import DEFAULT_LIMITS
from twospeed.rules import RulesModel

OPENAI = PROVIDERS["openai"]


class Listing:
    """An endpoint whose list of models may change."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.windows: dict[str, int] = {}
        self.n_asked = 0
        self.base_url = ""

    async def answer(self, _: web.BaseRequest) -> web.Response:
        self.n_asked += 1
        data = [{"id": name, "context_window": self.windows.get(name)} for name in self.names]
        return web.Response(body=orjson.dumps({"data": data}), content_type="application/json")


@pytest.fixture
async def listing(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Listing]:
    """A fake OpenAI on this machine, found by its key and treated as a cloud provider."""
    served = Listing()
    runner = web.ServerRunner(web.Server(served.answer, access_log=None), shutdown_timeout=0.01)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    served.base_url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"

    async def discover(*_: object, **__: object) -> list[DiscoveredProvider]:
        settings = replace(OPENAI.settings, base_url=served.base_url)
        return [DiscoveredProvider(settings, (OPENAI.fast_model, OPENAI.deep_model), cloud=True)]

    monkeypatch.setattr("twospeed.lanes.discovered.discover", discover)
    yield served
    await runner.cleanup()


async def find(is_agreed: Callable[[ProviderSettings], bool]) -> FoundProvider:
    connections = Connections()
    try:
        [(found, _)] = await find_models(KeyStore({"OPENAI_API_KEY": "k"}), connections, is_agreed)
    finally:
        await connections.aclose()
    return found


async def test_the_model_list_of_a_provider_decides_models_and_efforts(listing: Listing) -> None:
    listing.names = ["gpt-9-sol", "gpt-9-luna", "gpt-9-luna-audio"]
    found = await find(lambda _: True)
    assert found.models == {"lightning": "gpt-9-luna", "deep": "gpt-9-sol"}
    assert found.efforts == {"lightning": "none", "deep": "high"}


@pytest.mark.security("R2.5")
async def test_no_model_list_is_requested_before_consent(listing: Listing) -> None:
    listing.names = ["gpt-9-sol", "gpt-9-luna"]
    found = await find(lambda _: False)
    assert found.models == {"lightning": OPENAI.fast_model, "deep": OPENAI.deep_model}
    assert listing.n_asked == 0


@pytest.mark.parametrize("names", [("gpt-9-luna", "gpt-9-sol"), ("house-4b", "house-30b")])
async def test_the_context_window_comes_from_the_model_list(listing: Listing, names: tuple[str, str]) -> None:
    listing.names, listing.windows = list(names), {names[0]: 16_000}
    assert (await find(lambda _: True)).windows == {"lightning": 16_000}
    table = [OPENAI.fast_model, OPENAI.deep_model]
    listing.names, listing.windows = table, {OPENAI.deep_model: 8_000}
    assert (await find(lambda _: True)).windows == {"deep": 8_000}


async def test_without_a_list_the_table_names_the_models(listing: Listing) -> None:
    found = await find(lambda _: True)
    assert found.models == {"lightning": OPENAI.fast_model, "deep": OPENAI.deep_model}
    assert found.efforts == {"lightning": OPENAI.fast_effort, "deep": OPENAI.deep_effort}
    assert listing.n_asked == 1


async def test_a_gateway_serves_models_with_its_own_names(listing: Listing) -> None:
    listing.names = ["house-coder-30b", "house-small-4b", "house-embed"]
    found = await find(lambda _: True)
    assert found.models == {"lightning": "house-small-4b", "deep": "house-coder-30b"}
    assert found.efforts == {}


@pytest.mark.parametrize(
    ("key", "is_cloud", "reason", "is_agreed", "n_asked", "origin"),
    [
        ("K", True, "", True, 1, "environment"),
        ("K", True, "", False, 0, "environment"),
        ("K", True, "no key", True, 0, "environment"),
        ("K", False, "", False, 1, "environment"),  # an endpoint on this machine that wants a key
        ("K", False, "down", True, 0, "environment"),
        (None, True, "", True, 1, "environment"),
        (None, False, "", True, 1, "environment"),  # an address from the environment, without a key
        (None, False, "", True, 0, "local"),
    ],
)
async def test_a_model_list_is_requested_only_from_usable_agreed_providers(
    key: str | None,
    is_cloud: bool,
    reason: str,
    is_agreed: bool,
    n_asked: int,
    origin: str,
    listing: Listing,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = replace(OPENAI.settings, base_url=listing.base_url, api_key_env=key)

    async def discover(*_: object, **__: object) -> list[DiscoveredProvider]:
        models = ("house-4b", "house-30b")
        return [DiscoveredProvider(settings, models, is_cloud, reason=reason, is_probed=origin == "local")]

    monkeypatch.setattr("twospeed.lanes.discovered.discover", discover)
    listing.names = ["gpt-9-luna", "gpt-9-sol"]
    found = await find(lambda _: is_agreed)
    assert (found.provider, found.origin, listing.n_asked) == ("openai", origin, n_asked)
    if origin == "local":
        assert found == FoundProvider("openai", "local", {"lightning": "house-4b", "deep": "house-30b"})
        return
    listed = {"lightning": "gpt-9-luna", "deep": "gpt-9-sol"}
    table = {"lightning": OPENAI.fast_model, "deep": OPENAI.deep_model}
    assert (found.models, found.is_cloud) == (listed if n_asked else table, is_cloud)


class Unlimited:
    """A budget without limits."""

    def check(self) -> None: ...

    def note_edit(self) -> None: ...

    def note_tokens(self, n_tokens: int) -> None: ...

    def note_lines(self, n_lines: int) -> None: ...


@pytest.fixture
async def source(listing: Listing) -> AsyncIterator[LaneSource]:
    """Lanes of the discovered providers; the user consents. ``source.clock`` may be replaced."""
    keys, connections = KeyStore({"OPENAI_API_KEY": "k"}), Connections()
    agreed: set[str] = set()

    async def ask(provider: ProviderSettings) -> bool:
        agreed.add(provider.name)
        return True

    def open_model(provider: ProviderSettings, model: str, limits: Limits) -> Model:
        return RulesModel()

    yield LaneSource(
        configured={},
        providers={},
        limits=DEFAULT_LIMITS,
        keys=keys,
        find=lambda: find_models(keys, connections, lambda provider: provider.name in agreed),
        open=open_model,
        consents=Consents(has=lambda provider: provider.name in agreed, ask=ask),
        spending=Unlimited(),
        notify=lambda _: None,
    )
    await connections.aclose()


async def test_an_edit_that_obtains_consent_uses_the_model_list(listing: Listing, source: LaneSource) -> None:
    listing.names = ["gpt-9-luna"]
    assert (await source.serving("lightning")).label == "builtin/rules"
    assert listing.n_asked == 0
    route, _ = await source.choose("lightning")
    assert (route.entry.label, listing.n_asked) == ("openai/gpt-9-luna", 1)
    await source.choose("lightning")
    assert listing.n_asked == 1


async def test_a_retired_model_causes_a_new_model_list(listing: Listing, source: LaneSource) -> None:
    now = 0.0
    source.clock = lambda: now
    listing.names = ["gpt-9-luna"]
    route, _ = await source.choose("lightning")
    listing.names = ["gpt-10-luna"]
    gone = UnknownModel("gpt-9-luna is not there", provider="openai", model="gpt-9-luna")
    source.failed(route, gone, n_requests=1, waited_s=0.0)
    now += REDISCOVER_S
    route, _ = await source.choose("lightning")
    assert route.entry.label == "openai/gpt-10-luna"
