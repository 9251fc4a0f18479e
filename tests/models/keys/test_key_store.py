"""A key is read from the environment or the keyring; a failing keyring counts as empty."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace

import keyring
import pytest
from keyring.errors import KeyringLocked, NoKeyringError
from tests.models.keyring_backend import Answer, Backend

from twospeed.errors import SettingsError, UnsafeEndpoint
from twospeed.models.base import ProviderSettings
from twospeed.models.catalog.discovery import discover
from twospeed.models.catalog.providers import PROVIDERS
from twospeed.models.http.connections import Connections
from twospeed.models.http.endpoints import parse_endpoint
from twospeed.models.keys.key_store import KeyringEntries, KeyStore
from twospeed.models.keys.secret import key_header

KEPT = "kept-0123456789abcdef"
SET = "set-0123456789abcdef"
LAB = ProviderSettings("lab", "chat", "https://lab.example/v1", "LAB_API_KEY")
GROQ = PROVIDERS["groq"].settings

UseBackend = Callable[[Answer], Backend]


@pytest.fixture
def use_backend() -> Iterator[UseBackend]:
    """``use_backend(answer)``: what the keyring of this process returns, by user."""
    before = keyring.get_keyring()

    def use(answer: Answer) -> Backend:
        backend = Backend(answer)
        keyring.set_keyring(backend)
        return backend

    yield use
    keyring.set_keyring(before)


@pytest.fixture
def released() -> Iterator[threading.Event]:
    """Release a hanging answer, at the latest after the test."""
    event = threading.Event()
    yield event
    event.set()


def moved(provider: ProviderSettings, base_url: str, api_key_env: str | None = None) -> ProviderSettings:
    return ProviderSettings(provider.name, "chat", base_url, api_key_env)


def sent_with(keys: KeyStore, provider: ProviderSettings) -> dict[str, str]:
    return key_header(keys.key_of(provider), provider.endpoint.origin)


@pytest.mark.security("R7")
async def test_a_key_is_stored_under_the_service_twospeed_and_the_provider(use_backend) -> None:
    backend = use_backend({"lab": KEPT}.get)
    keys = KeyStore({})
    await keys.look_up([LAB])
    assert backend.asked == [("twospeed", "lab")]
    assert sent_with(keys, LAB) == {"Authorization": f"Bearer {KEPT}"}
    assert keys.obstacle(LAB) is None
    assert keys.key_location(LAB) == "The keyring has a key for lab"


@pytest.mark.security("R7")
async def test_a_key_in_the_environment_prevents_a_keyring_query(use_backend) -> None:
    backend = use_backend({"lab": KEPT}.get)
    keys = KeyStore({"LAB_API_KEY": SET})
    await keys.look_up([LAB])
    assert backend.asked == []
    assert sent_with(keys, LAB) == {"Authorization": f"Bearer {SET}"}
    assert keys.key_location(LAB) == "LAB_API_KEY is set"


async def test_an_entry_is_queried_once_even_if_it_is_missing(use_backend) -> None:
    backend = use_backend({"lab": KEPT}.get)
    keys = KeyStore({})
    await asyncio.gather(keys.look_up([LAB, GROQ]), keys.look_up([GROQ, LAB]))
    await keys.look_up([LAB, GROQ])
    assert sorted(backend.asked) == [("twospeed", "groq"), ("twospeed", "lab")]
    assert not keys.has_key(GROQ)


UNENCRYPTED = ProviderSettings("lab", "chat", "http://gpu.lan/v1", "LAB_API_KEY", insecure_http=True)


@pytest.mark.security("R8")
async def test_plain_http_receives_the_key_that_the_config_names(use_backend) -> None:
    use_backend({"lab": KEPT}.get)
    assert sent_with(KeyStore({"LAB_API_KEY": SET}), UNENCRYPTED) == {"Authorization": f"Bearer {SET}"}
    keys = KeyStore({})
    await keys.look_up([UNENCRYPTED])
    assert sent_with(keys, UNENCRYPTED) == {"Authorization": f"Bearer {KEPT}"}


@pytest.mark.security("R8")
async def test_plain_http_receives_no_key_that_the_config_does_not_name(use_backend) -> None:
    backend = use_backend({"lab": KEPT}.get)
    keys, unnamed = KeyStore({"LAB_API_KEY": SET}), replace(UNENCRYPTED, api_key_env=None)
    await keys.look_up([unnamed])
    assert backend.asked == []
    assert keys.key_of(unnamed) is None


@pytest.mark.security("R8")
@pytest.mark.parametrize("name", ["lab", "openai", "groq", "ollama"])
async def test_plain_http_receives_no_key_of_a_known_provider(use_backend, name: str) -> None:
    backend = use_backend({"openai": KEPT, "groq": KEPT}.get)
    keys = KeyStore({"GROQ_API_KEY": SET})
    with pytest.raises(UnsafeEndpoint, match=r"GROQ_API_KEY belongs to https://api\.groq\.com "):
        sent_with(keys, replace(UNENCRYPTED, name=name, api_key_env="GROQ_API_KEY"))
    if name in ("openai", "groq"):
        await keys.look_up([replace(UNENCRYPTED, name=name)])
        assert backend.asked == []


def _raises(error: BaseException) -> Answer:
    def answer(_user: str) -> str | None:
        raise error

    return answer


@pytest.mark.security("R7")
@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({}.get, ""),
        (lambda _: b"bytes", ""),  # no back-end should
        (lambda _: "  ", ""),
        (_raises(NoKeyringError(f"{KEPT}: install a back-end")), " (the system has no keyring)"),
        (_raises(KeyringLocked(KEPT)), " (the keyring is locked)"),
        (_raises(RuntimeError(KEPT)), " (the keyring failed with RuntimeError)"),
        (_raises(ImportError("no D-Bus")), " (the keyring failed with ImportError)"),
        (_raises(TypeError("bad back-end")), " (the keyring failed with TypeError)"),
    ],
    ids=["empty", "odd", "blank", "missing", "locked", "raising", "unloadable", "broken"],
)
async def test_a_failing_keyring_has_no_key_and_a_reason(use_backend, answer, reason) -> None:
    use_backend(answer)
    keys = KeyStore({})
    await keys.look_up([LAB])
    assert keys.obstacle(LAB) == f"no key in LAB_API_KEY or the keyring{reason}"
    with pytest.raises(SettingsError) as caught:
        keys.key_of(LAB)
    assert str(caught.value) == (
        f"environment: LAB_API_KEY: is not set; lab needs its key there, or in the keyring{reason}"
    )


@pytest.mark.security("R7")
async def test_a_slow_keyring_delays_all_queries_together_and_not_the_loop(
    use_backend, released: threading.Event
) -> None:
    asked: list[str] = []

    def answer_late(name: str) -> str | None:
        asked.append(name)
        return "" if released.wait(10) else None

    use_backend(answer_late)
    keys = KeyStore({}, keyring=KeyringEntries(limit_s=0.2))
    turns = asyncio.create_task(_count_turns())
    await keys.look_up(provider.settings for provider in PROVIDERS.values())
    await keys.look_up([GROQ])
    assert len(asked) == len(set(asked))
    turns.cancel()
    assert await turns > 2, "a loop that waits for the keyring turns once, however fast the machine is"
    assert keys.obstacle(GROQ) == (
        "no key in GROQ_API_KEY or the keyring (the keyring did not answer within 0.2 s)"
    )


async def _count_turns() -> int:
    turns = 0
    try:
        while True:
            await asyncio.sleep(0.005)
            turns += 1
    except asyncio.CancelledError:
        return turns


async def test_a_late_keyring_response_counts_from_its_arrival(
    use_backend, released: threading.Event
) -> None:
    backend = use_backend(lambda _: KEPT if released.wait(10) else None)
    keys = KeyStore({}, keyring=KeyringEntries(limit_s=0.01))
    await keys.look_up([LAB])
    assert not keys.has_key(LAB)
    released.set()
    async with asyncio.timeout(60):
        while not keys.has_key(LAB):  # noqa: ASYNC110  # the answer comes from a thread nobody waits for
            await asyncio.sleep(0.001)
    assert len(backend.asked) == 1


async def test_the_keyring_is_not_read_before_a_lookup(use_backend) -> None:
    backend = use_backend({"lab": KEPT}.get)
    keys = KeyStore({})
    assert keys.needs_query(LAB)
    assert keys.obstacle(LAB) == "no key in LAB_API_KEY"
    assert backend.asked == []


@pytest.mark.security("R2.1")
@pytest.mark.parametrize(
    "provider",
    [
        ProviderSettings("lab", "chat", "http://127.0.0.1:8000/v1"),
        ProviderSettings("ollama", "chat", "http://127.0.0.1:11434/v1"),
        ProviderSettings("builtin", "builtin", ""),
        ProviderSettings("lab", "llama", "https://lab.example/v1", "LAB_API_KEY", gguf="/a.gguf"),
        ProviderSettings("lab", "chat", "http://lab.example/v1", "LAB_API_KEY"),
        moved(GROQ, "https://groq.evil.example/v1"),
        moved(GROQ, "https://api.openai.com/v1", "GROQ_API_KEY"),
    ],
    ids=[
        "local",
        "known local",
        "builtin",
        "a file",
        "unsafe",
        "moved without a word of a key",
        "another's home",
    ],
)
async def test_the_keyring_is_not_queried_if_no_key_could_be_sent(use_backend, provider) -> None:
    backend = use_backend(lambda _: KEPT)
    keys = KeyStore({})
    await keys.look_up([provider])
    assert backend.asked == []
    assert not keys.has_key(provider)


@pytest.mark.security("R2.1")
async def test_a_key_in_the_keyring_is_bound_to_its_origin(use_backend) -> None:
    use_backend(lambda _: KEPT)
    keys = KeyStore({})
    await keys.look_up([GROQ, LAB])
    with pytest.raises(UnsafeEndpoint, match=r"twospeed groq belongs to https://api\.groq\.com"):
        key_header(keys.key_of(GROQ), parse_endpoint("https://groq.evil.example").origin)
    assert key_header(keys.key_of(LAB), parse_endpoint("http://127.0.0.1:8000").origin) == {}


@pytest.mark.security("R2.1")
@pytest.mark.parametrize("base_url", ["https://gateway.example/v1", "http://127.0.0.1:8000/v1"])
async def test_the_user_config_can_bind_a_stored_key_to_another_address(use_backend, base_url) -> None:
    use_backend(lambda _: KEPT)
    keys, provider = KeyStore({}), moved(GROQ, base_url, "GROQ_API_KEY")
    await keys.look_up([provider])
    assert sent_with(keys, provider) == {"Authorization": f"Bearer {KEPT}"}


@pytest.mark.security("R7")
async def test_an_invalid_stored_key_is_refused_without_quoting_it(use_backend) -> None:
    use_backend(lambda _: "two words")
    keys = KeyStore({})
    await keys.look_up([LAB])
    with pytest.raises(SettingsError, match="holds a character that no key has") as caught:
        keys.key_of(LAB)
    assert "two words" not in str(caught.value)


async def test_a_stored_key_finds_its_provider_like_a_variable(use_backend, connections: Connections) -> None:
    use_backend({"groq": KEPT, "xai": KEPT, "anthropic": KEPT}.get)
    found = await discover(KeyStore({"OPENAI_API_KEY": SET}), connections=connections, servers=[])
    assert [(each.provider.name, each.cloud) for each in found] == [
        ("openai", True),
        ("anthropic", True),
        ("groq", True),
        ("xai", True),
    ]


@pytest.mark.security("R2.1")
async def test_a_base_url_from_the_environment_gets_no_stored_key(
    use_backend, connections: Connections
) -> None:
    use_backend({"openai": KEPT}.get)
    keys = KeyStore({"OPENAI_BASE_URL": "http://127.0.0.1:4000/v1"})
    await keys.look_up([PROVIDERS["openai"].settings])
    [found] = await discover(keys, connections=connections, servers=[])
    assert found.provider.base_url == "http://127.0.0.1:4000/v1"
    assert keys.key_of(found.provider) is None


@pytest.mark.security("R7")
def test_a_hung_keyring_does_not_keep_the_process_alive() -> None:
    program = (
        "import asyncio, threading, keyring.core\n"
        "from twospeed.models.keys.key_store import KeyringEntries\n"
        "keyring.core.init_backend = lambda: threading.Event().wait()\n"
        "entries = KeyringEntries(limit_s=0.05)\n"
        "asyncio.run(entries.look_up(['lab', 'groq']))\n"
        "print(entries.get('lab').trouble, threading.active_count())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=20, check=True
    )
    assert done.stdout == "the keyring did not answer within 0.05 s 3\n"


@pytest.mark.security("R7")
def test_the_repr_of_an_entry_hides_its_key(use_backend) -> None:
    use_backend(lambda _: KEPT)
    entries = KeyringEntries()
    asyncio.run(entries.look_up(["lab"]))
    assert entries.get("lab").password == KEPT
    assert KEPT not in repr(entries.get("lab"))


def test_the_keyring_is_not_imported_before_a_lookup() -> None:
    program = "import sys; import twospeed.models.keys.key_store, twospeed.lsp.protocol; print('keyring' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_query_threads_end_with_their_response(use_backend) -> None:
    use_backend(lambda _: KEPT)
    entries = KeyringEntries()
    asyncio.run(entries.look_up(["lab", "groq"]))
    for thread in [each for each in threading.enumerate() if each.name.startswith("keyring ")]:
        thread.join(5)
        assert not thread.is_alive()
