"""Which model serves a mode: lanes as values, the choice as plain functions. No I/O, no clock.

``lanes`` holds the words, ``assemble`` puts lanes together, ``availability`` tells what is ready, ``route``
chooses. Not here: reading a config file (`config`), looking for servers and speaking to them (`models`).
"""

from .assemble import FoundProvider, assemble_lanes, pick_models
from .availability import NEEDS_YES, Availability, availability_of
from .lanes import LaneEntry, Lanes, Mode
from .route import Route, choose_route

__all__ = [
    "NEEDS_YES",
    "Availability",
    "FoundProvider",
    "LaneEntry",
    "Lanes",
    "Mode",
    "Route",
    "assemble_lanes",
    "availability_of",
    "choose_route",
    "pick_models",
]
