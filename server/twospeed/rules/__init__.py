"""The built-in engine: a few edits that need no model, network or key. It refuses an uncertain edit."""

from .rules_model import RulesModel

__all__ = ["RulesModel"]
