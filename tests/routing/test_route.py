from twospeed.models.base import Limits
from twospeed.routing.lanes import LaneEntry, Lanes, builtin_entry
from twospeed.routing.route import READY, Availability, choose_route

CEREBRAS = LaneEntry("cerebras", "gpt-oss-120b", limits=Limits(), is_cloud=True, origin="config")
LAB = LaneEntry("lab", "big", limits=Limits(), is_cloud=False, origin="config")
LANES: Lanes = {
    "lightning": (CEREBRAS, LAB, builtin_entry("lightning")),
    "deep": (LAB, builtin_entry("deep")),
}


def choose(mode, **obstacles: str):
    def availability(entry: LaneEntry) -> Availability:
        return Availability(obstacles[entry.provider]) if entry.provider in obstacles else READY

    route = choose_route(mode, LANES, availability)
    return route.entry.label, route.reason


def test_the_first_ready_entry_serves_because_of_the_mode():
    assert choose("lightning") == ("cerebras/gpt-oss-120b", "mode")
    assert choose("deep") == ("lab/big", "mode")


def test_a_skipped_entry_is_named_with_its_obstacle():
    assert choose("lightning", cerebras="no key in CEREBRAS_API_KEY") == (
        "lab/big",
        "mode; skipped cerebras/gpt-oss-120b: no key in CEREBRAS_API_KEY",
    )


def test_every_skipped_entry_is_named_in_order():
    assert choose("lightning", cerebras="needs your consent", lab="api not supported: llama") == (
        "builtin/rules",
        "mode; skipped cerebras/gpt-oss-120b: needs your consent; skipped lab/big: api not supported: llama",
    )


def test_the_built_in_engine_is_ready_regardless_of_its_availability():
    served = choose("deep", lab="down", builtin="down")
    assert served == ("builtin/rules", "mode; skipped lab/big: down")


def test_an_empty_lane_is_served_by_the_built_in_engine():
    route = choose_route("deep", {}, lambda _: READY)
    assert route.entry == builtin_entry("deep")
    assert (route.mode, route.reason) == ("deep", "mode")


LIMITED = Availability("rate limited, again in 42 s", is_cooling=True)
DOWN = Availability("down, again in 5 s", is_cooling=True, is_last_resort=True)


def route(mode, **known: Availability):
    return choose_route(mode, LANES, lambda entry: known.get(entry.provider, READY))


def test_a_cooling_entry_is_skipped_and_recorded():
    chosen = route("lightning", cerebras=LIMITED)
    assert chosen.entry == LAB
    assert chosen.reason == "mode; skipped cerebras/gpt-oss-120b: rate limited, again in 42 s"
    assert chosen.cooling == (CEREBRAS,)


def test_an_entry_with_another_obstacle_is_not_recorded_as_cooling():
    assert route("lightning", cerebras=Availability("no key")).cooling == ()


def test_a_route_names_the_first_entry_that_the_user_must_make_ready():
    chosen = route("lightning", cerebras=LIMITED, lab=Availability("no key in LAB_API_KEY"))
    assert chosen.needs_user == "lab/big is not ready: no key in LAB_API_KEY"
    assert route("lightning", cerebras=LIMITED).needs_user == ""


def test_a_model_with_an_estimated_cooldown_precedes_the_built_in_engine():
    chosen = route("lightning", cerebras=LIMITED, lab=DOWN)
    assert (chosen.entry, chosen.cooling) == (LAB, (CEREBRAS,))
    assert chosen.reason == "mode; skipped cerebras/gpt-oss-120b: rate limited, again in 42 s"
    chosen = route("lightning", cerebras=DOWN, lab=DOWN)
    assert (chosen.entry, chosen.cooling) == (CEREBRAS, (LAB,))


def test_a_model_is_not_used_before_its_retry_after():
    chosen = route("lightning", cerebras=LIMITED, lab=LIMITED)
    assert chosen.is_builtin
    assert chosen.cooling == (CEREBRAS, LAB)


def test_entries_after_the_chosen_one_are_not_checked():
    seen = []

    def availability(entry: LaneEntry) -> Availability:
        seen.append(entry.label)
        return READY

    choose_route("lightning", LANES, availability)
    assert seen == ["cerebras/gpt-oss-120b"]
