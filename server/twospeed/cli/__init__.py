"""The command line: a client of our own server, and the demo.

What lives here: arguments, files on disk, a small LSP client over a child's stdio, the terminal.
What does not: anything an editor needs. The command line edits through the same server and the same
messages as every editor, so what it shows is what they get.
"""
