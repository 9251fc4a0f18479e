"""Which model serves a mode: lanes as values, the choice as plain functions. No I/O, no clock.

``lanes`` holds the words, ``assemble`` puts lanes together, ``availability`` tells what is ready, ``route``
chooses, ``sensitive`` sends an edit to another mode, ``cooldowns`` remembers who could not answer, ``retries`` decides whether to ask again.
Not here: reading a config file (`config`), looking for servers and speaking to them (`models`).
"""

from .assemble import FoundProvider, assemble_lanes, pick_models
from .availability import NEEDS_YES, Availability, availability_of
from .cooldowns import Cooldown, Cooldowns
from .lanes import LaneEntry, Lanes, Mode
from .retries import MAX_REQUESTS, SHOWN_FROM_S, Situation, wait_before_next
from .route import Route, choose_route
from .sensitive import Sending, mode_for

__all__ = [
    "MAX_REQUESTS",
    "NEEDS_YES",
    "SHOWN_FROM_S",
    "Availability",
    "Cooldown",
    "Cooldowns",
    "FoundProvider",
    "LaneEntry",
    "Lanes",
    "Mode",
    "Route",
    "Sending",
    "Situation",
    "assemble_lanes",
    "availability_of",
    "choose_route",
    "mode_for",
    "pick_models",
    "wait_before_next",
]
