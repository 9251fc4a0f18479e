import os
from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twospeed.config.layers import (
    Layer,
    compose,
    parse_workspace_layer,
    read_editor_layer,
    read_workspace_layer,
)
from twospeed.config.schema import GateTable
from twospeed.config.settings import Settings
from twospeed.errors import SettingsError
from twospeed.gate.facts import GateSettings
from twospeed.models.base import DEEP_LIMITS, Limits
from twospeed.routing.lanes import LaneEntry

CONFIG = Path("/home/me/config.toml")
BELONGS = (
    "is not allowed here; all keys except mode, scope, ignore, delivery, limits and gate belong in your own config file, "
    f"{CONFIG}"
)
LOOSER = f"only your own config file, {CONFIG}, may loosen it"
ENTRY = LaneEntry("lab", "m", limits=replace(DEEP_LIMITS, total_s=900.0), is_cloud=False, origin="config")
USER = Settings(path=CONFIG, ignore=("data/",), lanes={"deep": (ENTRY,)})


def editor(value: object) -> Layer | None:
    return read_editor_layer(value, name="initializationOptions", config_path=CONFIG)


def workspace(text: str) -> Layer:
    return parse_workspace_layer(text, name="/repo/.twospeed.toml", config_path=CONFIG)


def check_error(expected: str, *layers: object) -> None:
    with pytest.raises(SettingsError) as raised:
        compose(USER, *(workspace(each) if isinstance(each, str) else editor(each) for each in layers))
    assert str(raised.value) == expected


def test_without_layers_the_user_settings_are_unchanged():
    assert compose(USER) == USER


@pytest.mark.parametrize("nothing", [None, {}, [], {"twospeed": None}, {"twospeed": {}}, {"mode": None}])
def test_an_editor_that_forwards_nothing_sets_nothing(nothing):
    assert compose(USER, editor(nothing)) == USER


def test_nulls_of_unset_settings_set_nothing():
    assert compose(USER, editor({"limits": {"total_s": None}, "gate": None, "ignore": None})) == USER


def test_the_last_layer_decides_mode_scope_and_delivery():
    settings = compose(
        USER,
        editor({"mode": "deep", "scope": "file", "delivery": {"style": "atomic"}}),
        workspace('scope = "class"'),
    )
    assert (settings.mode, settings.scope, settings.delivery) == ("deep", "class", "atomic")


def test_forwarded_settings_may_be_below_the_key_twospeed():
    assert compose(USER, editor({"twospeed": {"mode": "deep"}})).mode == "deep"


def test_ignore_lists_only_add():
    settings = compose(USER, editor({"ignore": ["*.sql", "data/"]}), workspace('ignore = ["x"]'))
    assert settings.ignore == ("data/", "*.sql", "x")


def test_a_forwarded_token_is_allowed_and_ignored():
    assert compose(USER, editor({"token": "t"})) == USER
    check_error(f"/repo/.twospeed.toml:1: token: {BELONGS}", 'token = "t"')


def test_a_limit_can_be_made_stricter_for_both_modes_and_every_entry():
    settings = compose(USER, workspace("[limits]\ntotal_s = 100\n"))
    assert [limits.total_s for limits in settings.limits.values()] == [100, 100]
    assert settings.lanes["deep"][0].limits.total_s == 100


def test_a_layer_keeps_a_stricter_limit_of_the_user():
    settings = compose(USER, workspace("[limits]\nfirst_content_s = 60\n"))
    assert settings.limits == {"lightning": Limits(), "deep": replace(DEEP_LIMITS, first_content_s=60.0)}


def test_a_limit_looser_than_all_user_limits_is_an_error():
    check_error(
        f"/repo/.twospeed.toml:3: limits.total_s: 901 is looser than 900; {LOOSER}",
        "\n[limits]\ntotal_s = 901",
    )
    check_error(
        f"initializationOptions: limits.max_output_tokens: 40000 is looser than 32768; {LOOSER}",
        {"limits": {"max_output_tokens": 40000}},
    )
    check_error(
        f"initializationOptions: limits.context_tokens: 32001 is looser than 32000; {LOOSER}",
        {"limits": {"context_tokens": 32001}},
    )


def test_the_gate_can_be_made_stricter():
    settings = compose(USER, editor({"gate": {"growth": "refuse"}}))
    assert settings.gate == GateSettings("refuse", "warn", "refuse")


def test_a_looser_gate_is_an_error():
    check_error(
        f'/repo/.twospeed.toml:1: gate.parse: "off" is looser than "refuse"; {LOOSER}', 'gate.parse = "off"'
    )
    check_error(
        f'initializationOptions: gate.growth: "off" is looser than "warn"; {LOOSER}',
        {"gate": {"growth": "off"}},
    )


def test_a_repository_can_require_deep_mode_for_sensitive_code_but_not_disable_it():
    assert compose(USER, workspace('gate.sensitive = "deep"')).gate.sensitive == "deep"
    check_error(
        f'/repo/.twospeed.toml:1: gate.sensitive: "off" is looser than "offer"; {LOOSER}',
        'gate.sensitive = "off"',
    )
    check_error(
        '/repo/.twospeed.toml:1: gate.sensitive: must be "deep", "offer" or "off"', 'gate.sensitive = "warn"'
    )


@pytest.mark.parametrize("check", [name for name in GateTable.model_fields if name != "sensitive"])
def test_each_gate_check_can_only_be_made_stricter(check):
    assert getattr(compose(USER, workspace(f'gate.{check} = "refuse"')).gate, check) == "refuse"
    own = getattr(USER.gate, check)
    check_error(
        f'/repo/.twospeed.toml:1: gate.{check}: "off" is looser than "{own}"; {LOOSER}',
        f'gate.{check} = "off"',
    )


def test_gate_table_and_gate_settings_have_the_same_keys():
    assert set(GateTable.model_fields) == {each.name for each in fields(GateSettings)}


def test_a_value_looser_than_another_layer_has_no_effect():
    strict, looser = workspace("[limits]\ntotal_s = 50\n"), editor({"limits": {"total_s": 80}})
    assert compose(USER, strict, looser).limits["deep"].total_s == 50
    assert compose(USER, looser, strict).limits["deep"].total_s == 50


@pytest.mark.security("R2.2")
@pytest.mark.parametrize(
    "key", ["providers", "lanes", "budget", "review", "presets", "api_key_env", "base_url"]
)
def test_user_only_keys_are_refused_in_other_layers(key):
    check_error(f"initializationOptions: {key}: {BELONGS}", {key: {}})
    check_error(f"/repo/.twospeed.toml:2: {key}: {BELONGS}", f'mode = "deep"\n[{key}]\n')
    check_error(f"/repo/.twospeed.toml:1: {key}: {BELONGS}", f"{key} = []")


@pytest.mark.security("R2.2")
@pytest.mark.parametrize(
    "key",
    ["Providers", "PROVIDERS", "providers ", "proxy", "command", "env", "headers", "trust", "log_level"],
)
def test_other_spellings_of_keys_are_refused(key):
    with pytest.raises(SettingsError, match="is not allowed here"):
        editor({key: {"lab": {"base_url": "https://evil.example"}}})
    with pytest.raises(SettingsError, match="is not allowed here"):
        workspace(f'"{key}" = 1')


def test_an_error_suggests_the_nearest_key():
    check_error(
        '/repo/.twospeed.toml:1: modes: is not allowed here (did you mean "mode"?); '
        + BELONGS.removeprefix("is not allowed here; "),
        'modes = "deep"',
    )


def test_an_unknown_key_of_a_table_is_an_error():
    check_error(
        'initializationOptions: limits.total: unknown key; did you mean "total_s"?', {"limits": {"total": 1}}
    )


@pytest.mark.parametrize("value", [3, ["mode"], True, {"twospeed": "deep"}])
def test_an_editor_must_forward_an_object(value):
    check_error("initializationOptions: must be an object", value)


@pytest.mark.security("R9")
class TestTheWorkspaceFile:
    def read(self, root: Path) -> Layer | None:
        return read_workspace_layer(root, config_path=CONFIG)

    def check_error(self, root: Path, expected: str) -> None:
        with pytest.raises(SettingsError) as raised:
            self.read(root)
        assert str(raised.value) == f"{root / '.twospeed.toml'}{expected}"

    def test_a_missing_workspace_file_is_no_layer(self, tmp_path):
        assert self.read(tmp_path) is None

    def test_the_workspace_file_is_read_from_the_root(self, tmp_path):
        (tmp_path / ".twospeed.toml").write_text('mode = "deep"')
        layer = self.read(tmp_path)
        assert layer is not None
        assert compose(USER, layer).mode == "deep"

    def test_an_error_names_file_line_and_key(self, tmp_path):
        (tmp_path / ".twospeed.toml").write_text("\n[gate]\nparse = 1\n")
        self.check_error(tmp_path, ':3: gate.parse: must be "refuse", "warn" or "off"')

    def test_a_link_out_of_the_workspace_is_not_followed(self, tmp_path):
        root = tmp_path / "root"
        root.mkdir()
        (tmp_path / "other.toml").write_text('mode = "deep"')
        (root / ".twospeed.toml").symlink_to("../other.toml")
        self.check_error(root, f": leads out of {root}")

    def test_a_pipe_does_not_hang(self, tmp_path):
        os.mkfifo(tmp_path / ".twospeed.toml")
        self.check_error(tmp_path, ": is not a regular file")

    def test_invalid_utf_8_is_an_error(self, tmp_path):
        (tmp_path / ".twospeed.toml").write_bytes(b"\xff\xfe")
        self.check_error(tmp_path, ":1: is not UTF-8 (byte 0xff)")


TABLES = st.fixed_dictionaries(
    {},
    optional={
        "ignore": st.lists(st.sampled_from(["a", "b/", "*.c"])),
        "limits": st.fixed_dictionaries(
            {},
            optional={
                "total_s": st.integers(1, 300),
                "connect_s": st.just(1),
                "context_tokens": st.integers(1, 32_000),
            },
        ),
        "gate": st.fixed_dictionaries({}, optional={"growth": st.sampled_from(["warn", "refuse"])}),
    },
)


@given(TABLES, TABLES)
def test_limits_and_gate_do_not_depend_on_the_order_of_layers(one, two):
    forth, back = (compose(USER, *map(editor, order)) for order in ((one, two), (two, one)))
    assert (forth.limits, forth.gate, set(forth.ignore)) == (back.limits, back.gate, set(back.ignore))


@given(TABLES)
def test_a_layer_never_loosens_settings_and_is_idempotent(table):
    settings = compose(USER, editor(table))
    assert compose(USER, editor(table), editor(table)) == settings
    assert set(USER.ignore) <= set(settings.ignore)
    for mode, limits in settings.limits.items():
        assert limits.total_s <= USER.limits[mode].total_s
        assert limits.context_tokens <= USER.limits[mode].context_tokens
    assert (settings.providers, settings.budget, settings.presets) == (
        USER.providers,
        USER.budget,
        USER.presets,
    )
