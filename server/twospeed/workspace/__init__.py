"""Files of a workspace: which may be read, and reading them.

``guarded`` opens a file that somebody else may have put there, ``gitignore`` knows what a project keeps to itself,
``files`` puts both together. Reading is slow work: callers do it off the event loop.
"""
