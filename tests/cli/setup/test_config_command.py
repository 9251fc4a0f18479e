"""``twospeed config``: a first config file, its path and its JSON Schema."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from twospeed.cli.doctor.provider_findings import ProviderFinding
from twospeed.cli.exits import BAD_INPUT, OK
from twospeed.cli.main import main
from twospeed.cli.setup.starter import starter_text
from twospeed.config.explain import _table_in
from twospeed.config.json_schema import config_schema
from twospeed.config.load import parse_settings
from twospeed.config.paths import config_path
from twospeed.config.schema import UserTable
from twospeed.config.settings import Settings
from twospeed.models.catalog.providers import PROVIDERS

KNOWN = {name: provider.settings for name, provider in PROVIDERS.items()}
SETTING = re.compile(r"^# (\[|\w+ = )", re.MULTILINE)
LOCAL = ProviderFinding("ollama", "http://127.0.0.1:11434", "needs no key", ("qwen3:8b",))


@pytest.fixture(autouse=True)
def no_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("twospeed.models.catalog.discovery.local_servers", lambda _environ: [])


@pytest.fixture
def path() -> Path:
    return config_path({})


def test_init_writes_a_config_that_changes_no_setting(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "init"]) == OK
    assert capsys.readouterr().out == f"wrote {path}; edit it, then run twospeed doctor\n"
    assert parse_settings(path.read_text("utf-8"), path=path, known=KNOWN) == Settings(
        path=path, providers=KNOWN
    )


def test_init_names_the_key_in_the_environment_and_never_shows_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROQ_API_KEY", "gsk_secret_secret_secret")
    assert main(["config", "init"]) == OK
    text = path.read_text("utf-8")
    assert "GROQ_API_KEY is set" in text
    assert '# provider = "groq"' in text
    assert "gsk_secret" not in text


def test_init_keeps_an_existing_file(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path.parent.mkdir(parents=True)
    path.write_text('mode = "deep"\n')
    assert main(["config", "init"]) == BAD_INPUT
    assert "exists and is unchanged" in capsys.readouterr().err
    assert path.read_text() == 'mode = "deep"\n'


def test_init_does_not_write_through_a_dangling_link(path: Path, tmp_path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.symlink_to(tmp_path / "elsewhere.toml")
    assert main(["config", "init"]) == BAD_INPUT
    assert not (tmp_path / "elsewhere.toml").exists()


def test_init_in_a_folder_that_cannot_be_made_is_bad_input(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("TWOSPEED_CONFIG", str(tmp_path / "file" / "config.toml"))
    assert main(["config", "init"]) == BAD_INPUT
    assert "cannot be written" in capsys.readouterr().err


@pytest.mark.parametrize("findings", [[], [LOCAL]], ids=["nothing", "a server"])
def test_every_setting_of_the_first_config_is_valid_without_its_comment_sign(
    findings: list[ProviderFinding], path: Path
) -> None:
    text = starter_text(findings)
    settings = parse_settings(SETTING.sub(r"\1", text), path=path, known=KNOWN)
    default = Settings(path=path)
    assert (settings.mode, settings.budget, settings.accept_on) == (
        default.mode,
        default.budget,
        default.accept_on,
    )
    label = "ollama/qwen3:8b" if findings else "cerebras/gpt-oss-120b"
    assert [entry.label for entry in settings.lanes["lightning"]] == [label]


def test_path_prints_only_the_path_on_stdout(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "path"]) == OK
    said = capsys.readouterr()
    assert said.out == f"{path}\n"
    assert said.err == "twospeed: the file does not exist; twospeed config init writes it\n"
    path.parent.mkdir(parents=True)
    path.touch()
    assert main(["config", "path"]) == OK
    assert capsys.readouterr().err == ""


def test_path_names_the_variable_that_moves_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TWOSPEED_CONFIG", str(tmp_path / "mine.toml"))
    assert main(["config", "path"]) == OK
    said = capsys.readouterr()
    assert said.out == f"{tmp_path / 'mine.toml'}\n"
    assert "TWOSPEED_CONFIG names this file, but it does not exist" in said.err


# The schema. A small validator of keys is enough here: the types come from the same tables as those of the server.


def refused_keys(value: object, schema: dict[str, Any], root: dict[str, Any]) -> list[str]:
    """Name the keys of a value that the schema does not allow."""
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rpartition("/")[2]]
    if isinstance(value, list):
        return [key for each in value for key in refused_keys(each, schema["items"], root)]
    if not isinstance(value, dict):
        return []
    others = schema.get("additionalProperties")
    refused: list[str] = []
    for key, each in value.items():
        inner = schema.get("properties", {}).get(key, others)
        refused += refused_keys(each, inner, root) if isinstance(inner, dict) else [key]
    return refused


def keys_of(table: type[BaseModel], schema: dict[str, Any], root: dict[str, Any]) -> Iterator[str]:
    """Yield each key that the server accepts and the schema lacks."""
    while "$ref" in schema or "items" in schema or isinstance(schema.get("additionalProperties"), dict):
        schema = (
            root["$defs"][schema["$ref"].rpartition("/")[2]]
            if "$ref" in schema
            else schema.get("items") or schema["additionalProperties"]
        )
    for name, field in table.model_fields.items():
        if name not in schema["properties"]:
            yield name
        elif inner := _table_in(field.annotation):
            yield from keys_of(inner, schema["properties"][name], root)


@pytest.fixture
def example() -> dict[str, Any]:
    text = (Path(__file__).parents[3] / "CONFIG.md").read_text("utf-8")
    [toml] = re.findall(r"^```toml\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return tomllib.loads(toml)


def test_the_schema_has_every_key_that_the_server_accepts() -> None:
    schema = config_schema()
    assert list(keys_of(UserTable, schema, schema)) == []


def test_the_example_of_the_documents_matches_the_schema(example: dict[str, Any]) -> None:
    schema = config_schema()
    assert refused_keys(example, schema, schema) == []


@pytest.mark.parametrize(
    "place", [(), ("limits",), ("lanes", "deep", 0), ("providers", "lab"), ("gate",), ("presets", 0)]
)
def test_the_schema_refuses_an_unknown_key(place: tuple[str | int, ...], example: dict[str, Any]) -> None:
    table: Any = example
    for part in place:
        table = table[part]
    table["mdoe"] = "deep"
    schema = config_schema()
    assert refused_keys(example, schema, schema) == ["mdoe"]


def test_the_schema_lists_the_allowed_values_and_no_null() -> None:
    text = json.dumps(config_schema())
    assert '"enum": ["lightning", "deep", "both"]' in text
    assert "null" not in text


def test_schema_prints_one_json_document(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "schema"]) == OK
    assert json.loads(capsys.readouterr().out) == config_schema()
