"""Edge cases of settings files, file URIs, allowances and the day's spending."""

from __future__ import annotations

import os
import stat
from datetime import date
from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest

from twospeed.budget.allowance import Allowance
from twospeed.budget.consent import Consent, read_consent, write_consent
from twospeed.budget.spending import DaysSpending, SpentToday
from twospeed.budget.values import Budget
from twospeed.config import file_uris
from twospeed.config.file_uris import path_from_uri, pure_path_from_uri
from twospeed.config.layers import MAX_VALUES, read_editor_layer
from twospeed.config.load import parse_settings
from twospeed.config.locate import locate_keys
from twospeed.errors import SettingsError
from twospeed.models.base import ProviderSettings

CONFIG = Path("/home/me/.config/twospeed/config.toml")


def process(folder: Path) -> DaysSpending:
    return DaysSpending(
        Budget(100, 10_000), config_path=CONFIG, folder=folder / "state", today=lambda: date(2026, 11, 22)
    )


def test_each_process_counts_what_every_process_spends_once(tmp_path: Path) -> None:
    one, other = process(tmp_path), process(tmp_path)
    for n in range(1, 4):
        one.note_edit()
        one.note_tokens(10)
        other.note_lines(5)
        assert one.today() == other.today() == SpentToday(n, 10 * n, 5 * n)
        assert one.today() == process(tmp_path).today()


def test_what_is_spent_is_in_a_folder_of_the_users_own(tmp_path: Path) -> None:
    process(tmp_path).note_edit()
    folder = tmp_path / "state"
    [file] = folder.iterdir()
    assert (stat.S_IMODE(folder.stat().st_mode), stat.S_IMODE(file.stat().st_mode)) == (0o700, 0o600)


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="open files are not listed here")
def test_no_file_stays_open(tmp_path: Path) -> None:
    spending = process(tmp_path)
    spending.note_edit()
    before = len(list(Path("/dev/fd").iterdir()))
    for _ in range(20):
        spending.note_edit()
    assert len(list(Path("/dev/fd").iterdir())) == before


def test_lines_of_an_allowance_are_counted_for_the_day(tmp_path: Path) -> None:
    day = process(tmp_path)
    within = Allowance(n_edits=9, n_tokens=100, remedy="start again").within(day)
    within.note_lines(7)
    within.note_edit()
    within.note_tokens(30)
    assert day.today() == SpentToday(1, 30, 7)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ('a = [["x"],\n["c = 1"]]\nb = 1\n', {("a",): 1, ("b",): 3}),
        ("a = [\n[1],\n[2],\n]\nb = 1\n", {("a",): 1, ("b",): 5}),
        ("a = { b = [1, 2] }\nc = 1\n", {("a",): 1, ("c",): 2}),
        ("a.b = 1\na.c = 2\n", {("a",): 1, ("a", "b"): 1, ("a", "c"): 2}),
        (
            "[[a]]\nb = 1\n[[a]]\nb = 2\n[a.c]\nd = 3\n",
            {("a", 0, "b"): 2, ("a", 1, "b"): 4, ("a", 1, "c"): 5, ("a", 1, "c", "d"): 6},
        ),
    ],
)
def test_a_key_is_on_the_line_it_is_written_on(text: str, lines: dict[tuple[str | int, ...], int]) -> None:
    found = locate_keys(text)
    assert {path: found.get(path) for path in lines} == lines
    assert ("c = 1",) not in found


@pytest.mark.parametrize("character", ["\n", "\t", "\x7f", "\u2028", "\u2029"])
def test_a_title_is_one_line_without_control_characters(character: str) -> None:
    escaped = f"\\u{ord(character):04x}"
    text = f'[[presets]]\ntitle = "Tidy{escaped}up"\ninstruction = "tidy up"\n'
    with pytest.raises(SettingsError, match="one line"):
        parse_settings(text, path=CONFIG, known={})
    fine = parse_settings(text.replace(escaped, " "), path=CONFIG, known={})
    assert [each.title for each in fine.presets] == ["Tidy up"]


@pytest.mark.parametrize(
    ("uri", "windows", "elsewhere"),
    [
        ("file:///c:/a/b.py", "c:/a/b.py", "/c:/a/b.py"),
        ("file:///C%3A/a.py", "C:/a.py", "/C:/a.py"),
        ("file:///c:/a:b.py", None, "/c:/a:b.py"),
        ("file:///c:/con/b.py", None, "/c:/con/b.py"),
        ("file:///c:/a/nul.txt", None, "/c:/a/nul.txt"),
        ("file:///c:/a/console.txt", "c:/a/console.txt", "/c:/a/console.txt"),
        ("file:///home/a.py", None, "/home/a.py"),
        ("file:///%00", None, None),
        ("file:////server/a.py", None, None),
        ("file:///%ff", None, None),
        ("http:///a.py", None, None),
    ],
)
def test_a_uri_is_a_path_by_the_rules_of_its_system(
    uri: str, windows: str | None, elsewhere: str | None
) -> None:
    expected = None if windows is None else PureWindowsPath(windows)
    assert pure_path_from_uri(uri, is_windows=True) == expected
    assert pure_path_from_uri(uri, is_windows=False) == (
        None if elsewhere is None else PurePosixPath(elsewhere)
    )


SHARES = [
    ("file://host/share/a.py", "//host/share/a.py"),
    ("file://host/share", "//host/share/"),
    ("file://host/share/", "//host/share/"),
    ("file://host.example/c$/a.py", "//host.example/c$/a.py"),
    ("file://localhost/c:/a.py", "c:/a.py"),
    ("file://LOCALHOST/c:/a.py", "c:/a.py"),
    ("file://host/pipe/a", None),
    ("file://host/PIPE. /a", None),
    ("file://host/mailslot/a", None),
    ("file://host/ipc$/a", None),
    ("file://host/", None),
    ("file://host/share/a:b", None),
    ("file://host/share//a", None),
    ("file://host/share/con", None),
    ("file://%3f/share/a", None),
    ("file://./share/a", None),
    ("file://ho%20st/share/a", None),
    ("file://host/share/lpt1.txt", None),
    ("file://host/share/com0 .x", None),
]


def test_a_host_is_a_share_on_windows_and_out_of_reach_elsewhere() -> None:
    for uri, windows in SHARES:
        expected = None if windows is None else PureWindowsPath(windows)
        assert pure_path_from_uri(uri, is_windows=True) == expected, uri
        is_here = uri.lower().startswith("file://localhost/")
        assert pure_path_from_uri(uri, is_windows=False) == (
            PurePosixPath("/c:/a.py") if is_here else None
        ), uri


def test_a_uri_is_a_path_of_this_machine_or_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert path_from_uri("file:///a/b%20c.py") == Path("/a/b c.py")
    assert path_from_uri("http://a/b") is None
    asked: list[bool] = []

    def pure(_: str, *, is_windows: bool) -> None:
        asked.append(is_windows)

    monkeypatch.setattr(file_uris, "pure_path_from_uri", pure)
    for name in ("nt", "posix"):
        monkeypatch.setattr(os, "name", name)
        file_uris.path_from_uri("file:///a")
    assert asked == [True, False]


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


def test_every_option_of_a_provider_is_taken() -> None:
    settings = parse_settings(PROVIDERS, path=CONFIG, known={})
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
    assert (lightning.cloud, lightning.hides_secrets, lightning.window_tokens) == (False, False, None)
    assert (deep.cloud, deep.hides_secrets, deep.effort, deep.origin) == (True, True, "high", "config")


def test_what_goes_with_an_unknown_api_is_no_error_of_its_own() -> None:
    for option in ("prediction = true", "websocket = true", "context_tokens = 5"):
        text = f'[providers.lab]\n{option}\nbase_url = "http://127.0.0.1:1"\napi = "telepathy"\n'
        with pytest.raises(SettingsError, match="api: must be"):
            parse_settings(text, path=CONFIG, known={})


def test_a_consent_is_written_again_and_again_and_a_missing_one_is_no_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "a" / "b" / "consent.json"
    assert read_consent(path) == Consent()
    assert caplog.records == []
    for digest in ("one", "two"):
        write_consent(path, Consent(notes=frozenset({digest})))
        assert read_consent(path) == Consent(notes=frozenset({digest}))
    assert [each.name for each in path.parent.iterdir()] == ["consent.json"]
    path.unlink()
    path.mkdir()
    assert read_consent(path) == Consent()
    assert len(caplog.records) == 1


def test_values_are_counted_to_the_last_level() -> None:
    """The list fills the limit, and what stands in its last entry goes past it."""
    full: list[object] = ["a"] * (MAX_VALUES - 1)
    for entry, words in ((["b"], "holds more than 10,000 values"), ([], "must have at most 1000 entries")):
        with pytest.raises(SettingsError, match=words):
            read_editor_layer({"ignore": [*full[:-1], entry]}, name="x", config_path=CONFIG)
