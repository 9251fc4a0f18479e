"""twospeed: inline AI edits at two speeds, in any LSP editor."""

__version__ = "0.1.0"
