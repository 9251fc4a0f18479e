"""Facts in, messages for a model out: pure functions, no I/O, no clock, no random numbers.

``build`` writes the messages, ``budget`` shares out the room, ``outline`` and ``definitions`` say what stands elsewhere,
``answer_form`` in which form to answer, ``room`` how much to keep when it was too much, ``texts`` holds the words.
"""

from .budget import CHARS_PER_TOKEN
from .build import PromptFacts, build_prompt
from .room import Room, room_after, room_at_first

__all__ = [
    "CHARS_PER_TOKEN",
    "PromptFacts",
    "Room",
    "build_prompt",
    "room_after",
    "room_at_first",
]
