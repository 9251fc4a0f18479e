"""A model's text becomes minimal changes of a scope, while it arrives and while the user types.

``EditStream`` turns chunks of answer text into ``Op`` values; ``LiveScope`` turns those into line edits of a
document that goes on changing. Both are pure: no I/O, no clock, no await.
Not here: what reaches the client and when (`delivery`), whether the result may land (`gate`).
"""

from .answers import Refusal, Surroundings
from .edit_stream import EditStream
from .scope.batches import ScopeBatch
from .scope.live_scope import LiveScope
from .scope.reviewed_rows import Clash, Hunk

__all__ = ["Clash", "EditStream", "Hunk", "LiveScope", "Refusal", "ScopeBatch", "Surroundings"]
