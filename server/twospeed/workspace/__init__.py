"""Files of a workspace: which may be read, and their text.

`guarded` opens untrusted files, `gitignore` implements ignore rules, `files` combines both. Reading is slow;
callers do it in a thread.
"""
