from hypothesis import given
from hypothesis import strategies as st

from twospeed.models.base import DEEP_LIMITS, Limits
from twospeed.routing.assemble import FoundProvider, assemble_lanes, pick_models
from twospeed.routing.lanes import MODES, LaneEntry, Lanes, Mode, builtin_entry, other_mode

CEREBRAS = FoundProvider(
    "cerebras", "environment", {"lightning": "gpt-oss-120b", "deep": "qwen"}, {"deep": "high"}
)
OLLAMA = FoundProvider("ollama", "local", {"lightning": "small:3b", "deep": "large:70b"})


def configured(mode: Mode, model: str) -> Lanes:
    return {mode: (LaneEntry("lab", model, limits=Limits(), is_cloud=False, origin="config"),)}


def labels(lanes: Lanes, mode: Mode) -> list[str]:
    return [entry.label for entry in lanes[mode]]


def test_without_models_both_lanes_are_the_built_in_engine():
    assert assemble_lanes({}, []) == {mode: (builtin_entry(mode),) for mode in MODES}


def test_keys_come_before_servers_of_this_machine_and_the_built_in_engine_is_last():
    lanes = assemble_lanes({}, [OLLAMA, CEREBRAS])
    assert labels(lanes, "lightning") == ["cerebras/gpt-oss-120b", "ollama/small:3b", "builtin/rules"]
    assert labels(lanes, "deep") == ["cerebras/qwen", "ollama/large:70b", "builtin/rules"]


def test_a_discovered_entry_has_the_effort_limits_and_origin_of_its_mode():
    lanes = assemble_lanes({}, [CEREBRAS, OLLAMA])
    assert lanes["deep"][0] == LaneEntry(
        "cerebras", "qwen", "high", limits=DEEP_LIMITS, is_cloud=True, origin="environment"
    )
    assert lanes["lightning"][1] == LaneEntry(
        "ollama", "small:3b", limits=Limits(), is_cloud=False, origin="local"
    )


def test_a_configured_lane_gets_no_discovered_entries():
    lanes = assemble_lanes(configured("deep", "mine"), [CEREBRAS, OLLAMA])
    assert labels(lanes, "deep") == ["lab/mine", "builtin/rules"]
    assert labels(lanes, "lightning")[0] == "cerebras/gpt-oss-120b"


def test_a_provider_without_a_model_for_a_mode_is_omitted():
    lanes = assemble_lanes({}, [FoundProvider("fast", "local", {"lightning": "m"})])
    assert labels(lanes, "deep") == ["builtin/rules"]


def test_a_duplicate_entry_is_listed_once():
    assert labels(assemble_lanes({}, [OLLAMA, OLLAMA]), "deep") == ["ollama/large:70b", "builtin/rules"]


@given(st.lists(st.sampled_from([CEREBRAS, OLLAMA])), st.sampled_from(MODES))
def test_every_lane_ends_with_the_one_built_in_engine(found, mode):
    origins = [entry.origin for entry in assemble_lanes({}, found)[mode]]
    assert origins[-1] == "builtin"
    assert origins == sorted(origins, key=["environment", "local", "builtin"].index)
    assert origins.count("builtin") == 1


def check_pick(names: str, lightning: str, deep: str) -> None:
    assert pick_models(names.split()) == {"lightning": lightning, "deep": deep}


def test_the_smallest_model_is_fast_and_the_largest_deep():
    check_pick("qwen3-coder:30b llama-3.2-3B-instruct gemma3:12b", "llama-3.2-3B-instruct", "qwen3-coder:30b")


def test_sizes_in_millions_and_of_experts_are_parsed():
    check_pick("mixtral:8x7b gemma3:270m phi:14b", "gemma3:270m", "mixtral:8x7b")


def test_a_version_number_is_no_size():
    check_pick("qwen2.5 llama3:8b", "llama3:8b", "llama3:8b")


def test_without_sizes_the_first_model_serves_both():
    check_pick("codestral devstral", "codestral", "codestral")


def test_a_model_without_text_output_is_not_picked():
    check_pick("nomic-embed-text:137m bge-m3:567m qwen:7b", "qwen:7b", "qwen:7b")
    assert pick_models(["nomic-embed-text"]) == {}


def test_the_other_mode_of_the_other_mode_is_the_mode():
    assert [other_mode(other_mode(mode)) for mode in MODES] == list(MODES)


def test_a_size_of_thousands_of_digits_is_ignored():
    assert pick_models(["a:" + "9" * 5_000 + "x7b", "b:7b"])["deep"] == "b:7b"
