"""The built-in engine: a few edits that need no model, no network and no key.

``RulesModel`` implements ``models.base.Model``. It reads the task's instruction and the facts of the scope (`facts`),
never the prompt. It refuses what it is not certain of, and names what it can do.
"""

from .rules_model import RulesModel

__all__ = ["RulesModel"]
