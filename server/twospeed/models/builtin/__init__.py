"""The built-in engine: a few edits that need no model, no network and no key, and are always right.

`RulesModel` answers like any model. It reads the task's facts, never the prompt, and what it is not certain of
it refuses, saying what it can do. Nothing here parses code or knows a grammar (`syntax` does).
"""

from .rules_model import RulesModel

__all__ = ["RulesModel"]
