"""The choice of a model for a mode: lanes as values, decisions as pure functions. No I/O, no clock."""

from .assemble import FoundProvider, assemble_lanes, pick_models
from .cooldowns import Cooldown, Cooldowns
from .lanes import LaneEntry, Lanes, Mode, ModeChoice, modes_of
from .retries import MAX_REQUESTS, SHOWN_FROM_S, Situation, wait_before_next
from .route import (
    NEEDS_CONSENT,
    Availability,
    Route,
    SensitivePolicy,
    availability_of,
    choose_route,
    mode_for,
)

__all__ = [
    "MAX_REQUESTS",
    "NEEDS_CONSENT",
    "SHOWN_FROM_S",
    "Availability",
    "Cooldown",
    "Cooldowns",
    "FoundProvider",
    "LaneEntry",
    "Lanes",
    "Mode",
    "ModeChoice",
    "Route",
    "SensitivePolicy",
    "Situation",
    "assemble_lanes",
    "availability_of",
    "choose_route",
    "mode_for",
    "modes_of",
    "pick_models",
    "wait_before_next",
]
