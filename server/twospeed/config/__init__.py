"""A config file, the editor's settings and a workspace's file become one frozen `Settings`.

Not here: keys, networks, ``.env`` files. Importing this package does not import pydantic.
"""

from .settings import Preset, Settings

__all__ = ["Preset", "Settings"]
