"""The model for an edit: keys are looked up if they decide it, consent is requested before text leaves the machine."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from twospeed.errors import ModelUnavailable
from twospeed.lanes import source as lane_source
from twospeed.lanes.discovered import find_models
from twospeed.lanes.source import Consents, LaneSource
from twospeed.models.base import Limits, Model, ProviderSettings
from twospeed.models.http.connections import Connections
from twospeed.models.keys.key_store import KeyringEntries, KeyStore
from twospeed.models.keys.keyring_entries import KeyringEntry
from twospeed.routing import Situation
from twospeed.routing.lanes import DEFAULT_LIMITS, LaneEntry, Lanes
from twospeed.rules import RulesModel

PROVIDERS = {
    "cloud": ProviderSettings("cloud", "chat", "https://cloud.example/v1", "CLOUD_API_KEY"),
    "second": ProviderSettings("second", "chat", "https://second.example/v1", "SECOND_API_KEY"),
    "unnamed": ProviderSettings("unnamed", "chat", "https://unnamed.example/v1"),
    "local": ProviderSettings("local", "chat", "http://127.0.0.1:8000/v1"),
}


class Keyring(KeyringEntries):
    """Returns its entries at once and records which were looked up together."""

    def __init__(self, **entries: str | KeyringEntry) -> None:
        super().__init__()
        self.entries: Mapping[str, str | KeyringEntry] = entries
        self.asked: list[set[str]] = []

    async def look_up(self, names: object) -> None:
        assert isinstance(names, set)
        if new := names - set().union(*self.asked):
            self.asked.append(new)

    def was_queried(self, name: str) -> bool:
        return any(name in each for each in self.asked)

    def get(self, name: str) -> KeyringEntry:
        entry = self.entries.get(name) if self.was_queried(name) else None
        return entry if isinstance(entry, KeyringEntry) else KeyringEntry(entry)


def lane(*providers: str) -> Lanes:
    entries = (
        LaneEntry(name, "m", limits=Limits(), is_cloud=name != "local", origin="config") for name in providers
    )
    return {
        "lightning": tuple(entries),
        "deep": (LaneEntry("local", "m", limits=Limits(), is_cloud=False, origin="config"),),
    }


def source(
    lanes: Lanes,
    keyring: Keyring,
    environ: Mapping[str, str] | None = None,
    *,
    questions: list[str] | None = None,
) -> LaneSource:
    keys = KeyStore(environ or {}, keyring=keyring)
    connections = Connections()

    async def find() -> Sequence[object]:
        try:
            return await find_models(keys, connections, lambda _: False)
        finally:
            await connections.aclose()

    async def ask(provider: ProviderSettings) -> bool:
        assert questions is not None, "nobody should be asked"
        questions.append(f"{keys.key_location(provider)}: {provider.name}")
        return True

    def open_model(provider: ProviderSettings, model: str, limits: Limits) -> Model:
        return RulesModel()

    return LaneSource(
        configured=lanes,
        providers=PROVIDERS,
        limits=DEFAULT_LIMITS,
        keys=keys,
        find=find,  # type: ignore[arg-type]  # of what it finds only pairs are looked at
        open=open_model,
        consents=Consents(has=lambda _: bool(questions), ask=ask),
        spending=Unlimited(),
        notify=lambda text: pytest.fail(f"unexpected notification: {text}"),
    )


class Unlimited:
    """A budget without limits."""

    def check(self) -> None: ...

    def note_edit(self) -> None: ...

    def note_tokens(self, n_tokens: int) -> None: ...

    def note_lines(self, n_lines: int) -> None: ...


async def test_the_situation_of_a_retry_is_complete(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    situations: list[Situation] = []

    def wait_before_next(error: Exception, situation: Situation) -> float:
        situations.append(situation)
        return 2.5

    monkeypatch.setattr(lane_source, "wait_before_next", wait_before_next)
    lanes = source(lane("local", "unnamed"), Keyring(), questions=["yes"])
    route, _ = await lanes.choose("lightning")
    lanes.clock = lambda: 100.25075
    error = ModelUnavailable("gone", provider="local", model="m")
    assert lanes.failed(route, error, n_requests=2, waited_s=1.5) == 2.5
    [situation] = situations
    assert replace(situation, jitter=round(situation.jitter, 6)) == Situation(
        mode="lightning",
        n_requests=2,
        waited_s=1.5,
        has_other=True,
        has_last_resort=True,
        jitter=0.75,
    )
    builtin = replace(route, entry=replace(route.entry, provider="builtin"))
    assert lanes.failed(builtin, error, n_requests=1, waited_s=0.0) is None
    assert lanes.provider_of(builtin.entry) == ProviderSettings("builtin", "builtin", "")
    assert len(situations) == 1


async def test_modules_are_loaded_before_models_are_discovered_or_opened() -> None:
    steps: list[str] = []
    lanes = source({}, Keyring())
    find, open_model = lanes.find, lanes.open

    async def load() -> None:
        steps.append("load")

    async def found() -> Any:
        steps.append("find")
        return await find()

    def opened(*asked: Any) -> Model:
        steps.append("open")
        return open_model(*asked)

    lanes.load, lanes.find, lanes.open = load, found, opened
    await lanes.choose("lightning")
    assert steps == ["load", "find", "open"]


@pytest.fixture(autouse=True)
def no_local_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    async def nobody(*_: object, **__: object) -> list[object]:
        return []

    monkeypatch.setattr("twospeed.models.catalog.discovery.find_local", nobody)


async def serving(lanes: LaneSource) -> str:
    route, _ = await lanes.choose("lightning")
    return f"{route.entry.provider} ({route.reason})"


async def test_a_key_in_the_keyring_makes_a_configured_provider_ready() -> None:
    keyring = Keyring(cloud="kept-0123456789")
    assert await serving(source(lane("cloud"), keyring)) == "cloud (mode)"


async def test_only_keys_that_decide_the_model_are_looked_up_together() -> None:
    keyring = Keyring(second="kept-0123456789")
    lanes = source(lane("cloud", "second", "local", "unnamed"), keyring)
    assert await serving(lanes) == "second (mode; skipped cloud/m: no key in CLOUD_API_KEY or the keyring)"
    assert keyring.asked == [{"cloud", "second"}]


@pytest.mark.parametrize(
    ("lanes", "environ"),
    [(lane("local", "cloud"), {}), (lane("cloud", "second"), {"CLOUD_API_KEY": "set"})],
    ids=["local first", "variable set"],
)
async def test_a_ready_model_never_waits_for_the_keyring(lanes: Lanes, environ: Mapping[str, str]) -> None:
    keyring = Keyring(cloud="kept-0123456789")
    await serving(source(lanes, keyring, environ))
    assert keyring.asked == []


async def test_a_route_names_the_trouble_of_the_keyring() -> None:
    keyring = Keyring(cloud=KeyringEntry(trouble="the keyring is locked"))
    assert await serving(source(lane("cloud"), keyring)) == (
        "builtin (mode; skipped cloud/m: no key in CLOUD_API_KEY or the keyring (the keyring is locked))"
    )


async def test_a_report_looks_up_every_key() -> None:
    keyring = Keyring(second="kept-0123456789")
    lanes = source(lane("local", "cloud", "second"), keyring)
    entries = (await lanes.lanes())["lightning"]
    assert [lanes.obstacle(entry) for entry in entries] == [
        None,
        "no key in CLOUD_API_KEY or the keyring",
        None,
        None,
    ]


@pytest.mark.security("R2.5")
async def test_a_provider_with_a_stored_key_needs_consent() -> None:
    questions: list[str] = []
    lanes = source({}, Keyring(groq="kept-0123456789"), questions=questions)
    assert (await serving(lanes)).startswith("groq (mode")
    assert questions == ["The keyring has a key for groq: groq"]


@pytest.mark.parametrize("answer", [True, False])
async def test_concurrent_edits_share_one_consent_question(answer: bool) -> None:
    questions: list[str] = []
    consent_dialog: set[str] = set()
    lanes = source({}, Keyring(groq="kept-0123456789"), questions=questions)

    async def ask(provider: ProviderSettings) -> bool:
        questions.append(provider.name)
        await asyncio.sleep(0)
        consent_dialog.update({provider.name} if answer else ())
        return answer

    lanes.consents = Consents(has=lambda provider: provider.name in consent_dialog, ask=ask)
    served = await asyncio.gather(*(serving(lanes) for _ in range(3)))
    assert {each.partition(" ")[0] for each in served} == {"groq" if answer else "builtin"}
    assert questions == ["groq"]


@pytest.mark.parametrize("answer", [True, False, None])
async def test_a_provider_removed_during_the_question_is_not_chosen(answer: bool | None) -> None:
    keyring = Keyring(groq="kept-0123456789", cerebras="kept-0123456789")
    lanes = source({}, keyring, questions=[])
    find = lanes.find

    async def find_nothing() -> Sequence[object]:
        return []

    async def ask(provider: ProviderSettings) -> bool | None:
        lanes.find = find_nothing  # type: ignore[assignment]
        lanes._found = ()  # as another edit that looked around left it
        return answer

    lanes.consents = Consents(has=lambda _: False, ask=ask)
    assert (await serving(lanes)).startswith("builtin")
    lanes.find = find


async def test_a_configured_provider_removed_from_the_settings_is_not_chosen() -> None:
    lanes = source(lane("cloud", "local"), Keyring(), {"CLOUD_API_KEY": "set"})
    lanes.providers = {"local": PROVIDERS["local"]}
    assert (await serving(lanes)).startswith("local (mode; skipped cloud/m: no such provider")


async def test_late_consent_requests_the_model_list() -> None:
    lanes = source({}, Keyring(groq="kept-0123456789"), questions=[])
    consent_dialog: set[str] = set()
    n_looks = 0
    find = lanes.find

    async def counted() -> Sequence[object]:
        nonlocal n_looks
        n_looks += 1
        return await find()

    async def ask(_: ProviderSettings) -> bool | None:
        return None

    lanes.find = counted  # type: ignore[assignment]
    lanes.consents = Consents(has=lambda provider: provider.name in consent_dialog, ask=ask)
    assert await serving(lanes) == (
        "builtin (mode; skipped groq/openai/gpt-oss-20b: needs your consent, and the question was not answered; "
        "answer it and start the edit again)"
    )
    consent_dialog.add("groq")
    assert (await serving(lanes)).startswith("groq")
    assert n_looks == 2


async def test_a_gateway_on_this_machine_needs_no_consent() -> None:
    environ = {"OPENAI_API_KEY": "set", "OPENAI_BASE_URL": "http://127.0.0.1:4000/v1"}
    assert await serving(source({}, Keyring(), environ)) == "openai (mode)"


@pytest.mark.parametrize(
    ("lanes", "environ", "expected"),
    [
        ({}, {}, False),
        (lane("cloud"), {}, False),
        (lane("cloud", "local"), {}, True),
        ({}, {"GROQ_API_KEY": "set"}, True),
    ],
    ids=["nothing", "no key", "a second one", "found, and not agreed to"],
)
async def test_a_mode_has_a_model_if_it_is_ready_or_needs_only_consent(
    lanes: Lanes, environ: Mapping[str, str], *, expected: bool
) -> None:
    assert await source(lanes, Keyring(), environ, questions=[]).has_model("lightning") is expected
