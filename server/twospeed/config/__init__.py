"""From a config file, an editor's settings and a workspace's file to one frozen ``Settings``.

``load`` reads the user's file, ``layers`` puts the rest on top, ``consent`` remembers a yes, ``files`` is the one
guarded way to read a file of a workspace. Not here: keys (only their variables' names), networks, ``.env`` files.
Importing this loads no pydantic: the values are light, reading a file is not.
"""

from .settings import Preset, Settings

__all__ = ["Preset", "Settings"]
