"""From a config file, an editor's settings and a workspace's file to one frozen `Settings`.

`load` reads the user's file, `layers` adds the rest. Not here: keys, only the names of their variables;
networks; ``.env`` files. Importing this package does not import pydantic.
"""

from .settings import Preset, Settings

__all__ = ["Preset", "Settings"]
