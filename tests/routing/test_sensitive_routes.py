import pytest

from twospeed.models.base import Limits
from twospeed.routing import Route, mode_for
from twospeed.routing.lanes import LaneEntry

LAB = LaneEntry("lab", "big", limits=Limits(), is_cloud=False, origin="config")
TOPICS = ("authentication", "SQL")


@pytest.mark.parametrize(
    ("mode", "topics", "sending", "is_deep_ready", "expected"),
    [
        ("lightning", (), "deep", True, ("lightning", "mode")),
        ("lightning", TOPICS, "off", True, ("lightning", "mode")),
        ("deep", TOPICS, "deep", True, ("deep", "mode")),
        ("lightning", TOPICS, "deep", True, ("deep", "sensitive: authentication, SQL")),
        (
            "lightning",
            TOPICS,
            "offer",
            True,
            ("lightning", "mode; sensitive: authentication, SQL, Deep is offered"),
        ),
        (
            "lightning",
            TOPICS,
            "deep",
            False,
            ("lightning", "mode; sensitive: authentication, SQL, Deep is not ready"),
        ),
    ],
)
def test_the_policy_decides_the_mode_for_sensitive_code(mode, topics, sending, is_deep_ready, expected):
    assert mode_for(mode, topics, sending, is_deep_ready=is_deep_ready) == expected


def test_a_route_keeps_its_obstacles_when_its_mode_has_another_reason():
    route = Route("deep", LAB, "mode; skipped lab/small: down")
    assert route.because("sensitive: SQL").reason == "sensitive: SQL; skipped lab/small: down"
    assert route.because("mode") == route
