"""Facts in, messages for a model out: pure functions, no I/O, no clock, no random numbers.

``build`` writes the messages, ``budget`` chooses the context, ``texts`` holds the words. ``never_send`` and
``globs`` name the files whose text stays here.
"""

from .build import PromptFacts, build_prompt
from .never_send import is_never_sent

__all__ = ["PromptFacts", "build_prompt", "is_never_sent"]
