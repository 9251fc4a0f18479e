"""The built-in engine: a few edits that need no model, network or key.

It reads the task and the facts of the scope (`facts`), not the prompt. It refuses an uncertain edit and lists
the edits that it can do.
"""

from .rules_model import RulesModel

__all__ = ["RulesModel"]
