"""Answer text becomes minimal changes of a scope, while it arrives and while the user types.

``EditStream`` turns chunks of answer text into ``Op`` values; ``LiveScope`` turns ops into line edits of the
changing document. Both are pure. `delivery` decides when edits are sent; `gate` decides whether the result is
accepted.
"""

from .answers import Refusal, Surroundings
from .edit_stream import EditStream
from .scope.answer_view import AnswerSink, AnswerView
from .scope.batches import ScopeBatch
from .scope.edit_scopes import EditScopes, JoinedBatch
from .scope.joined_scopes import GroupBatch, GroupScopes
from .scope.live_scope import LiveScope
from .scope.rows import Clash, Hunk

__all__ = [
    "AnswerSink",
    "AnswerView",
    "Clash",
    "EditScopes",
    "EditStream",
    "GroupBatch",
    "GroupScopes",
    "Hunk",
    "JoinedBatch",
    "LiveScope",
    "Refusal",
    "ScopeBatch",
    "Surroundings",
]
