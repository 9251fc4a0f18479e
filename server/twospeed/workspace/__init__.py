"""Files of a workspace: which may be read, and their text. Reading is slow; callers do it in a thread."""
